// SPDX-License-Identifier: GPL-3.0-or-later
// In which order transactions are likely to have committed.
#ifndef CHECKER_ROWS_LIKELY_ORDER_H
#define CHECKER_ROWS_LIKELY_ORDER_H

#include "recorder/history.h"

// Per transaction that counts its place, from 1, in the order of their ends;
// but each comes after those that it read from and those before it in its
// session, as far as there is such an order.  A session that waits for the
// processor after its commit ends late, and others may have read what it
// wrote.  `txn_of`: per operation.  NULL: there are no times.  To be freed.
uint64_t *likely_order(const struct history *history, const uint8_t *counted,
                       const uint32_t *txn_of, bool session_order);

#endif

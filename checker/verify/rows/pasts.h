// SPDX-License-Identifier: GPL-3.0-or-later
// Causal pasts of transactions with SQL statements, for the verifiers: what is
// visible at CC.
#ifndef CHECKER_VERIFY_ROWS_PASTS_H
#define CHECKER_VERIFY_ROWS_PASTS_H

#include "checker/verify/rows/visible.h"

// Per transaction a set of ranks in the order.
struct pasts {
  uint32_t words; // of a set
  uint64_t *sets;
};

// Finds the pasts of all transactions: those before each in its session, those
// that it read from, and the pasts of these.  The order is checked.  -1 with a
// sentence if there are too many.
int pasts_find(struct pasts *pasts, const struct visible *visible,
               struct patience *patience, struct error *error);
void pasts_free(struct pasts *pasts);

// Has the past of the transaction visible in `visible`.
void pasts_show(const struct pasts *pasts, struct visible *visible,
                uint32_t txn);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Checks the proof that a history with rows breaks a level: a small part of it,
// with an argument that the part has no order.  Without one all commit orders
// of the part are tried, or all cases refuted.
#ifndef CHECKER_ROWS_VERIFY_PART_H
#define CHECKER_ROWS_VERIFY_PART_H

#include "checker/verify/verify.h"

// VERIFIED if `part` is a part of the history (checker/verify/rows/rows_part.h
// has the arguments) and breaks the level of the options by itself.
// `argument`: about the ids of the part, or NULL, or without a step.  The
// referee has to agree where the part is tiny.  `*ncases`: how many cases were
// refuted; 0: there is an argument, or all orders were tried.
enum verified
verify_rows_part(const struct history *history, const uint8_t *counted,
                 const struct history *part, const uint32_t *txn_of,
                 const uint32_t *statement_of, const struct argument *argument,
                 const struct check_options *options, uint32_t *ncases,
                 struct error *error);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Compares a history with rows and the small part of it that breaks a level.
#ifndef CHECKER_VERIFY_ROWS_ROWS_PART_H
#define CHECKER_VERIFY_ROWS_ROWS_PART_H

#include "checker/verify/verify.h"

// 0 if `part` has some rows of the history with all their versions that matter
// (checker/part/rows_cut.h), and statements that were made, so that a level
// which the part breaks is broken by the whole; else -1 with a sentence.
// `txn_of` and `statement_of` say which transactions and statements of the
// history are in it; `counted` is
// history_counted's answer, with or without transactions in doubt that nobody
// saw.
int compare_rows_part(const struct history *history, const uint8_t *counted,
                      const struct history *part, const uint32_t *txn_of,
                      const uint32_t *statement_of,
                      const struct check_options *options, struct error *error);

#endif

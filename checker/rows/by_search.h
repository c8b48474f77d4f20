// SPDX-License-Identifier: GPL-3.0-or-later
// Decides a history with rows at PC or above: whether the rows that statements
// returned keep the level, as registers; then what the others may have found.
#ifndef CHECKER_ROWS_BY_SEARCH_H
#define CHECKER_ROWS_BY_SEARCH_H

#include "checker/verdict/verdict.h"

// Below PC, PC is decided, which is more (dbcop, lemma 2.4).  Where it is
// broken, the verdict is undecided and says why.  `registers` are
// rows_registers of the history, `counted` the transactions that count.  -1
// with a sentence if a proof is none.
int rows_decide_by_search(const struct history *history,
                          const struct history *registers,
                          const uint8_t *counted,
                          const struct check_options *options,
                          struct verdict *verdict, struct error *error);

#endif

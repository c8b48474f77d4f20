// SPDX-License-Identifier: GPL-3.0-or-later
// The part of a history that a violation rests on.
#ifndef CLI_JOBS_COUNTEREXAMPLE_H
#define CLI_JOBS_COUNTEREXAMPLE_H

#include "checker/verdict/verdict.h"

// The operations that bring it about again, ascending; to be freed.  Without
// the transactions that did no more than write values that can be there from
// the beginning.
uint32_t *counterexample_ops(const struct history *history,
                             const struct verdict *verdict, uint32_t *count);

// The counterexample of a history with rows is some of its statements, as far
// as they are about some of its keys, both by number.  `history` is it or a
// part of it, which the verdict holds.
struct counterexample_statements {
  const struct history *history;
  uint8_t *statement, *key; // to be freed
};
void counterexample_choose_statements(const struct history *history,
                                      const struct verdict *verdict,
                                      struct counterexample_statements *chosen);

// Is it two looks of a transaction at one row, with a change between them?
bool counterexample_is_reread(const struct history *history,
                              const struct verdict *verdict);

#endif

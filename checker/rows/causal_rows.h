// SPDX-License-Identifier: GPL-3.0-or-later
// Decides a history of rows at CC, where no prefix of one order explains it: by
// the least pasts.
#ifndef CHECKER_ROWS_CAUSAL_ROWS_H
#define CHECKER_ROWS_CAUSAL_ROWS_H

#include "base/ids.h"
#include "checker/rows/engine.h"

struct causal_rows {
  // Stopped: it does not tell.  Broken: `d` says what it rests on.  Kept: the
  // order is in `d`, and statements are taken to have found this.
  struct rows_decision d;
  struct found_unseen *found;
  uint32_t nfound, found_room;
};

// The rows as registers keep CC.  It does not tell where versions of a row do
// not follow each other in one known order, where there are registers besides,
// in real time, or where the pasts need too much memory.
void causal_rows_decide(struct causal_rows *decision,
                        const struct history *history, const uint8_t *counted,
                        const struct check_options *options);
void causal_rows_free(struct causal_rows *decision);

#endif

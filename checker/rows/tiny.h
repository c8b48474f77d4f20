// SPDX-License-Identifier: GPL-3.0-or-later
// Decides a history with rows of a handful of transactions by trying all commit
// orders, and shows what it breaks.
#ifndef CHECKER_ROWS_TINY_H
#define CHECKER_ROWS_TINY_H

#include "checker/verdict/verdict.h"
#include "checker/verify/rows/referee_rows.h"

struct tried_orders {
  enum referee_answer answer;
  uint32_t order[REFEREE_ROWS_TXNS], norder; // KEPT: one that keeps the level
};

struct tried_orders rows_try_orders(const struct history *history,
                                    const struct check_options *options);

// The verdict after all orders were tried: of a violation a part that two
// programs refute, if there is one; of a PASS an order that separate code
// replayed, if there is one.  -1 with a sentence if a proof is none.
int rows_show_tried(const struct history *history,
                    const struct check_options *options,
                    const struct tried_orders *tried, struct verdict *verdict,
                    struct error *error);

#endif

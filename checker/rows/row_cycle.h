// SPDX-License-Identifier: GPL-3.0-or-later
// Why no serial order of a small part of a history with rows is possible, told
// as a cycle.
#ifndef CHECKER_ROWS_ROW_CYCLE_H
#define CHECKER_ROWS_ROW_CYCLE_H

#include "checker/verdict/verdict.h"

// Each edge holds in every serial order of the transactions that keeps what
// all statements returned, did not return and wrote.  An edge of kind WR or RW
// with a statement has one operation: the statement did not find the row that
// it wrote, so that the statement's transaction comes after it (WR) or before
// it (RW).
struct row_cycle {
  uint32_t nedges;
  struct edge *edges;   // ids of the part
  uint32_t *statements; // per edge, or UINT32_MAX
  // Per edge of a statement: a transaction that made the row leave what the
  // statement looks for, and that comes after the statement's transaction by
  // what it found; or UINT32_MAX.
  uint32_t *leavers;
};

// Looks for a shortest one; its arrays are the caller's.  All transactions of
// the part count.  There may be none though no serial order exists.
void row_cycle_find(struct row_cycle *cycle, const struct history *part,
                    const struct check_options *options);
#endif

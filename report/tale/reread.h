// SPDX-License-Identifier: GPL-3.0-or-later
// Two looks of a transaction at one row that differ, as a cycle: it missed a
// change at the first one, and knew it at the second one.
#ifndef REPORT_TALE_REREAD_H
#define REPORT_TALE_REREAD_H

#include "checker/verdict/verdict.h"

enum { REREAD_EDGES = 2 };

// Fills in the two edges of a violation by one read, of operations of the
// history.  False: it is not of that kind, or the history does not say which of
// the two versions is the older one.
bool reread_edges(const struct history *history, const struct verdict *verdict,
                  struct edge edges[REREAD_EDGES]);

// A lost update of a history from elsewhere, whose statement may have
// calculated what it wrote from the row as it found it, so that nothing is
// lost: only who wrote the history knows.  `*found`, `*left`: the first column
// that it changed, before and behind it.
bool reread_may_add(const struct history *history,
                    const struct verdict *violation, int64_t *found,
                    int64_t *left);

#endif

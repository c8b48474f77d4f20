// SPDX-License-Identifier: GPL-3.0-or-later
// Two looks of a transaction at one row that differ, as a cycle: it missed a
// change at the first one, and knew it at the second one.
#ifndef REPORT_REREAD_H
#define REPORT_REREAD_H

#include "checker/verdict/verdict.h"

enum { REREAD_EDGES = 2 };

// Fills in the two edges of a violation by one read, of operations of the
// history.  False: it is not of that kind, or the history does not say which of
// the two versions is the older one.
bool reread_edges(const struct history *history, const struct verdict *verdict,
                  struct edge edges[REREAD_EDGES]);

#endif

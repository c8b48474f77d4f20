// SPDX-License-Identifier: GPL-3.0-or-later
// Sentences about the ranks that recorded a history together, and about how
// well their clocks are known.
#ifndef REPORT_RANK_LINES_H
#define REPORT_RANK_LINES_H

#include "recorder/history.h"

// "rank 1 on alpha: sessions 4 to 7, 412 committed; its clock is known to
// 35 us"; to be freed.  NULL: there is no such rank, as in a history of one
// process.
char *rank_line(const struct history *history, uint32_t rank);

// Where clocks are known by bounds: how wide these are, and what that cost; to
// be freed.  NULL: all times are of one clock.
char *rank_clocks_line(const struct history *history);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Has the checker judge what was explored: two programs that share no code must
// agree.
#ifndef EXPLORE_AS_HISTORY_H
#define EXPLORE_AS_HISTORY_H

#include "explore/partial.h"
#include "explore/story.h"
#include "recorder/history.h"

// The history as a recorder would have it, without `finally`, each transaction
// at its level (rc-statement as rc, rcc as rc); empty if nothing was read or
// written.  A rollback is told as committed with its reads only, as the paper
// counts it.  Times are those of the steps of the tale if there is one that is
// a schedule; it may be NULL.  -1 with a sentence; free it in both cases.
int history_told(const struct partial *partial, const uint8_t *levels,
                 const struct tale *tale, struct history *history,
                 struct error *error);

// Has the checker judge it.  -1 with a sentence if the checker finds that a
// level is broken, or fails.
int history_judge(const struct partial *history, const uint8_t *levels,
                  struct error *error);

#endif

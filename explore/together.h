// SPDX-License-Identifier: GPL-3.0-or-later
// Ranks that share an exploration (ranks/ranks.h): each explores some of the
// tasks, and rank 0 adds up what all found and tells it.
#ifndef EXPLORE_TOGETHER_H
#define EXPLORE_TOGETHER_H

#include "explore/survey.h"
#include "ranks/ranks.h"

// Is it so in all processes?  All of them have to ask.
bool together_all(struct ranks *ranks, bool here);

// Rank 0 adds the surveys of the others to its own, and those are emptied;
// all of them have to call it.  `failed` is 0, or -1 with a sentence, and so is
// what is returned, in all processes if in one.
int together_add(struct ranks *ranks, const struct program *program,
                 const struct survey_options *options, struct survey *survey,
                 int failed, struct error *error);

#endif

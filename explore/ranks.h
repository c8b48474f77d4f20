// SPDX-License-Identifier: GPL-3.0-or-later
// Processes that mpirun(1) started and that share an exploration: each explores
// some of the tasks, and process 0 adds up what all found and tells it.  Only
// with `configure --with-mpi`; else there is one process.
#ifndef EXPLORE_RANKS_H
#define EXPLORE_RANKS_H

#include "explore/survey.h"

// This one, from 0, and how many there are.
struct ranks {
  uint32_t rank, n;
};

struct ranks ranks_begin(void);
void ranks_end(const struct ranks *ranks);

// Is it so in all processes?  All of them have to ask.
bool ranks_all(const struct ranks *ranks, bool here);

// Process 0 adds the surveys of the others to its own, and those are emptied;
// all of them have to call it.  `failed` is 0, or -1 with a sentence, and so is
// what is returned, in all processes if in one.
int ranks_add(const struct ranks *ranks, const struct program *program,
              const struct survey_options *options, struct survey *survey,
              int failed, struct error *error);

#endif

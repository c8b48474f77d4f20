// SPDX-License-Identifier: GPL-3.0-or-later
// Before the sessions of a run: can its driver do what the run asks for?  Makes
// what the workload needs in the database.
#ifndef RUNNER_SETUP_H
#define RUNNER_SETUP_H

#include "runner/session.h"

// Sessions of this process: those of its rank, where several make the run.
uint32_t setup_sessions(const struct run_options *options);

// -1 with a sentence: such a run is not possible.
int setup_check(const struct run_options *options, struct error *error);

// Makes the tables or keys, or waits for rank 0 to do so, and has the server
// describe itself in the figures.  -1 with a sentence.
int setup_database(const struct run_context *context,
                   struct run_figures *figures, struct error *error);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// A run that several ranks make together (runner/fleet.h): how they come to the
// same settings, one directory and one history, of which rank 0 tells.  Where
// the run is one process's alone, nothing here does anything.
#ifndef CLI_JOBS_FLEET_JOB_H
#define CLI_JOBS_FLEET_JOB_H

#include "cli/jobs/job_parts.h"

// Does this process tell of the run?
bool fleet_job_tells(const struct job *job);
// As complain, where this process tells or knows alone.
enum status fleet_job_complain(const struct job *job, enum status status,
                               struct error *error);
// As ranks_agree.
int fleet_job_agree(struct job *job, int failed, struct error *error);

// Before the plan is made: the seed becomes rank 0's; settings that have to be
// equal are.  -1 with a sentence.
int fleet_job_share(struct job *job, int failed, struct error *error);
// The plan is made: numbers the sessions of all ranks.
int fleet_job_count(struct job *job, struct error *error);
// Rank 0 has made the directory: writes the list of parts there, and chooses
// where this rank records its own.
int fleet_job_place(struct job *job, struct error *error);
// The run is over: rank 0 gets the parts that it does not see, and what the
// others have noticed.  Says which rank is gone.
void fleet_job_end(struct job *job);
// Nothing is kept of a run that did not take place.
void fleet_job_discard(const struct job *job);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// The rows that the steps of a counterexample leave in the tables.
#ifndef CLI_JOBS_DAMAGE_H
#define CLI_JOBS_DAMAGE_H

#include "cli/jobs/counterexample.h"
#include "steps/interleave.h"

// Says, in the script, what the last SELECT shows and, of a lost update, why
// that is wrong.
void damage_tell(struct script *script,
                 const struct counterexample_statements *chosen,
                 const struct script_names *names);

#endif

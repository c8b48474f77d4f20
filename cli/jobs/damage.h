// SPDX-License-Identifier: GPL-3.0-or-later
// The rows that the steps of a counterexample leave in the tables.
#ifndef CLI_JOBS_DAMAGE_H
#define CLI_JOBS_DAMAGE_H

#include "checker/verdict/verdict.h"
#include "steps/script.h"

// Says, in the script, what the last SELECT of a lost update shows and why that
// is wrong.  Nothing of other anomalies.
void damage_tell(struct script *script, const struct history *history,
                 const struct verdict *violation);

#endif

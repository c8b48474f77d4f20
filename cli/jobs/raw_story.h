// SPDX-License-Identifier: GPL-3.0-or-later
// Tells a run of the user's own SQL by the places of its statements.
#ifndef CLI_JOBS_RAW_STORY_H
#define CLI_JOBS_RAW_STORY_H

#include "cli/jobs/run_plan.h"
#include "own/history.h"
#include "report/own_scripts.h"

// Fills in statements, headline and remedy; what they point to is the arena's
// or the scripts'.  `history` is the one that `told` belongs to, read again.
// `broken`: the invariant broke.
void raw_story_tell(struct own_scripts *own, struct arena *arena,
                    const struct run_plan *plan, const struct raw_told *told,
                    const char *target, const char *server,
                    const struct history *history, const struct verdict *shown,
                    bool broken);

#endif

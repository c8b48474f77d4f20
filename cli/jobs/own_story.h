// SPDX-License-Identifier: GPL-3.0-or-later
// Tells a run by the user's own scripts: which script, which line,
// which anomaly, and which level rules it out.
#ifndef CLI_JOBS_OWN_STORY_H
#define CLI_JOBS_OWN_STORY_H

#include "base/memory.h"
#include "cli/jobs/run_plan.h"
#include "report/own_scripts.h"

// Fills in what follows from the history and the verdict that is shown, in the
// arena; `target` and `server` are for struct promised_level.
void own_story_tell(struct own_scripts *own, struct arena *arena,
                    const struct run_plan *plan, const char *target,
                    const char *server, const struct history *history,
                    const struct verdict *shown);

#endif

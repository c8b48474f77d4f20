// SPDX-License-Identifier: GPL-3.0-or-later
// Remedies for own SQL that was not serializable, in the database's
// words and by the places of its statements.  None of it was tried: that is
// what advise does.
#ifndef CLI_JOBS_RAW_REMEDY_H
#define CLI_JOBS_RAW_REMEDY_H

#include "cli/jobs/run_plan.h"
#include "report/own_scripts.h"

// In the arena; NULL where nothing was found.  `read` and `written` are the
// places at which the counterexample read a row and changed it, UINT32_MAX: it
// is of no such kind.  `broken`: the invariant broke, too.
const char *raw_remedy(struct arena *arena, const struct run_plan *plan,
                       const struct own_scripts *own, uint32_t read,
                       uint32_t written, bool broken);

#endif

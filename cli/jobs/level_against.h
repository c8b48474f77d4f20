// SPDX-License-Identifier: GPL-3.0-or-later
// Which level of a database rules out what was found.
#ifndef CLI_JOBS_LEVEL_AGAINST_H
#define CLI_JOBS_LEVEL_AGAINST_H

#include "checker/verdict/verdict.h"
#include "cli/jobs/run_plan.h"

// The weakest level of the plan's driver, in the database's own words, that
// promises every anomaly of the violation away there; NULL: none does.
// `target` and `server` are for struct promised_level.
const char *level_against(const struct run_plan *plan, const char *target,
                          const char *server, const struct verdict *violation);

// The weakest one that promises this anomaly away.
const char *level_against_anomaly(const struct run_plan *plan,
                                  const char *target, const char *server,
                                  enum anomaly anomaly);

#endif

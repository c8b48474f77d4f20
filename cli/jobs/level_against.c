// SPDX-License-Identifier: GPL-3.0-or-later
// The level that rules out what was found (cli/jobs/level_against.h).
#include "config.h"

#include "cli/jobs/level_against.h"

#include "report/words/promises.h"

static bool rules_out_all(const struct promised_level *level,
                          const struct verdict *v) {
  bool all = promise_forbids(level, v->anomaly);
  for (int a = ANOMALY_NONE + 1; a < ANOMALY_COUNT; a++)
    all &= !v->found[a] || promise_forbids(level, (enum anomaly)a);
  return all;
}

const char *level_against(const struct run_plan *plan, const char *target,
                          const char *server, const struct verdict *violation) {
  const struct driver_level *levels = plan->driver->levels;
  const char *name = NULL;
  enum isolation least = ISOLATION_COUNT;
  for (uint32_t i = 0; levels[i].name && i < RUN_PLAN_LEVELS; i++) {
    const struct promised_level level = {.target = target,
                                         .server = server,
                                         .level = levels[i].name,
                                         .claimed = plan->all_claims[i]};
    if (level.claimed >= least || !rules_out_all(&level, violation))
      continue;
    least = level.claimed;
    name = levels[i].name;
  }
  return name;
}

const char *level_against_anomaly(const struct run_plan *plan,
                                  const char *target, const char *server,
                                  enum anomaly anomaly) {
  return level_against(plan, target, server,
                       &(struct verdict){.anomaly = anomaly});
}

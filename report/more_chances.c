// SPDX-License-Identifier: GPL-3.0-or-later
// The options that bring chances (report/more_chances.h).
#include "config.h"

#include "report/more_chances.h"

#include "workload/aim.h"

#include <stdio.h>
#include <string.h>

// Shapes of the workload mt, of anomalies at which it cannot aim.
static const struct {
  const char *anomaly, *shares;
} shapes[] = {{"G0", "rmw2:1"}, {"G1c", "rmw1:1"}};

static const char *shares_for(const char *anomaly) {
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    if (!strcmp(shapes[i].anomaly, anomaly))
      return shapes[i].shares;
  return NULL;
}

const char *more_chances(const char *workload, const char *anomaly,
                         char option[MORE_CHANCES]) {
  const bool mt = !strcmp(workload, "mt");
  const bool rows = !strcmp(workload, "predicate");
  struct error error;
  if (!mt && !rows)
    return NULL;
  if (aim_find(anomaly, rows, &error))
    snprintf(option, MORE_CHANCES, "--aim=%s", anomaly);
  else if (mt && shares_for(anomaly))
    snprintf(option, MORE_CHANCES, "--keys=5 --shares=%s", shares_for(anomaly));
  else
    return NULL;
  return option;
}

uint32_t sessions_for(enum chance_of of) {
  return of == CHANCE_TRIPLE ? 3 : of == CHANCE_PAIR ? 2 : 1;
}

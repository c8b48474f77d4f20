// SPDX-License-Identifier: GPL-3.0-or-later
// The random loads of a scorecard (cli/commands/scorecard_loads.h).
#include "config.h"

#include "cli/commands/scorecard_loads.h"

#include "base/memory.h"
#include "drivers/drivers.h"
#include "workload/program.h"
#include "workload/workload.h"

#include <stdlib.h>
#include <string.h>

#define INSTRUMENT "instrument"
#define AFTER "after"

const struct card_load card_loads[CARD_LOADS] = {
    {"mt", "mt", false, false},
    {"general", "general", false, false},
    {"append", "append", false, false},
    {"predicate", "predicate", true, false},
    {"predicate-after", "predicate", true, true},
};

static bool has_instrument(const struct driver *driver) {
  for (const struct driver_option *o = driver->options; o && o->name; o++)
    if (!strcmp(o->name, INSTRUMENT))
      return true;
  return false;
}

bool card_load_fits(const struct card_load *load, const struct driver *driver,
                    const char *target) {
  if (!load->after)
    return true;
  if (!has_instrument(driver) || strstr(target, INSTRUMENT "="))
    return false;
  for (const struct driver_option *o = driver->options; o->name; o++)
    if (!strcmp(o->name, INSTRUMENT))
      return strcmp(o->default_value, AFTER) != 0;
  return false;
}

char *card_load_target(const struct card_load *load, const char *target) {
  return load->after ? xasprintf("%s%c" INSTRUMENT "=" AFTER, target,
                                 strchr(target, '?') ? '&' : '?')
                     : xstrdup(target);
}

// The statements of one row of the workload's shapes.
static unsigned statements_of_shape(const struct workload *workload,
                                    uint32_t shape) {
  struct workload_options options;
  workload_defaults(&options);
  options.shape_share[shape] = 1;
  return workload->programs->executes_in(&options);
}

char *card_load_shares(const struct workload *workload,
                       const struct driver *driver, char **left_out) {
  struct arena arena = {0};
  const char *with = "", *without = "";
  *left_out = NULL;
  if (!workload->programs || !workload->programs->executes_in)
    return NULL;
  for (uint32_t i = 0; workload->shapes[i].name; i++) {
    const struct shape *shape = &workload->shapes[i];
    if (statements_of_shape(workload, i) & ~driver->executes)
      without = arena_printf(&arena, "%s%s%s", without, *without ? ", " : "",
                             shape->name);
    else
      with = arena_printf(&arena, "%s%s%s:%g", with, *with ? "," : "",
                          shape->name, shape->share);
  }
  char *shares = *without && *with ? xstrdup(with) : NULL;
  if (shares)
    *left_out = xasprintf("%s is tried without its transactions %s: the "
                          "driver lacks a statement that they need",
                          workload->name, without);
  arena_free(&arena);
  return shares;
}

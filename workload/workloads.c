// SPDX-License-Identifier: GPL-3.0-or-later
// The table of workloads and the ranges of their options (workload/workload.h).
#include "config.h"

#include "workload/workload.h"

#include "base/nearest.h"
#include "workload/daily.h"
#include "workload/planner.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

void workload_defaults(struct workload_options *options) {
  *options = (struct workload_options){
      .nsessions = 8,
      .nkeys = 1000,
      .distribution = DISTRIBUTION_ZIPFIAN,
      .theta = 0.99,
      .hot_ops = 0.8,
      .hot_keys = 0.2,
      .decay = 0.9,
      .ops = 8,
      .long_ops = 150,
      .max_length = 32,
      .statements = 4,
      .scale = 1,
      .predicates = {0.6, 0.3, 0.1},
  };
}

uint32_t workload_shapes(const struct workload *workload) {
  uint32_t nshapes = 0;
  while (workload->shapes[nshapes].name)
    nshapes++;
  assert(nshapes >= 1 && nshapes <= WORKLOAD_MAX_SHAPES);
  return nshapes;
}

static int check_range(const char *option, double value, double low,
                       double high, struct error *error) {
  if (value >= low && value <= high) // false for what is no number
    return 0;
  return error_set(error, "%s must be between %.15g and %.15g, not %.15g",
                   option, low, high, value);
}

int workload_check(const struct workload *workload,
                   const struct workload_options *options,
                   struct error *error) {
  const struct workload_options *o = options;
  const struct {
    const char *option;
    double value, low, high;
  } ranges[] = {
      {"clients", o->nsessions, 1, VALUE_MAX_SESSIONS},
      {"keys", (double)o->nkeys, workload->min_keys ? workload->min_keys : 1,
       WORKLOAD_MAX_KEYS},
      {"theta", o->theta, 0.01, 10},
      {"hot-ops", o->hot_ops, 0, 1},
      {"hot-keys", o->hot_keys, 0, 1},
      {"decay", o->decay, 0.11, 0.9999},
      {"ops", o->ops, 1, PLAN_MAX_OPS},
      {"read-ratio", o->read_ratio, 0, 1},
      {"twins", o->twins, 0, 1},
      {"long-share", o->long_share, 0, 1},
      {"long-ops", o->long_ops, 1, PLAN_MAX_OPS},
      {"max-length", o->max_length, 1, 1000000},
      {"statements", o->statements, 1, 16},
      {"scale", (double)o->scale, 1, 1000},
  };
  for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
    if (check_range(ranges[i].option, ranges[i].value, ranges[i].low,
                    ranges[i].high, error))
      return -1;
  for (uint32_t i = 0; i < workload_shapes(workload); i++)
    if (check_range(workload->shapes[i].name, o->shape_share[i], 0, 1, error))
      return error_prefix(error, "shares");
  return 0;
}

// Suggests the nearest name to `word`, or lists all names.
static int unknown_word(const char *what, const char *word,
                        const char *const *words, struct error *error) {
  const char *near = nearest(word, words);
  if (near)
    return error_set(error, "unknown %s \"%s\", did you mean \"%s\"?", what,
                     word, near);
  char all[512] = "";
  for (size_t i = 0; words[i]; i++) {
    size_t used = strlen(all);
    snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", words[i]);
  }
  return error_set(error, "unknown %s \"%s\", there are: %s", what, word, all);
}

int distribution_parse(const char *name, enum distribution *distribution,
                       struct error *error) {
  const char *names[DISTRIBUTION_COUNT + 1] = {NULL};
  for (int d = 0; d < DISTRIBUTION_COUNT; d++) {
    names[d] = distribution_name(d);
    if (strcasecmp(name, names[d]) == 0) {
      *distribution = d;
      return 0;
    }
  }
  return unknown_word("distribution", name, names, error);
}

const struct workload *const workloads[] = {
    &workload_mt,
    &workload_general,
    &workload_append,
    &workload_cas,
    &workload_predicate,
    &workload_tpcc,
    &workload_tpcc_pc,
    &workload_twitter,
    &workload_c_twitter,
    &workload_rubis,
    &workload_bank,
    &workload_comments,
    &workload_counter,
    &workload_dirty_reads,
    &workload_long_fork,
    &workload_monotonic,
    &workload_sequential,
    &workload_set,
    NULL,
};

const struct workload *workload_find(const char *name, struct error *error) {
  enum { KNOWN = sizeof workloads / sizeof workloads[0] - 1 };
  const char *names[KNOWN + DAILIES_MOST + 1] = {NULL};
  for (size_t i = 0; workloads[i]; i++) {
    names[i] = workloads[i]->name;
    if (strcasecmp(name, names[i]) == 0)
      return workloads[i];
  }
  for (size_t i = 0; dailies[i].name; i++)
    names[KNOWN + i] = dailies[i].name;
  unknown_word("workload", name, names, error);
  return NULL;
}

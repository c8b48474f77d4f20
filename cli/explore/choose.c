// SPDX-License-Identifier: GPL-3.0-or-later
// Takes the options of isostress explore (cli/explore/exploring.h).
#include "config.h"

#include "cli/explore/exploring.h"

#include "base/parallel.h"

#include <stdio.h>
#include <string.h>

static int choose_base(struct exploration *e, struct error *error) {
  const char *name = e->settings->base;
  enum level base = LEVEL_TRUE;
  if (!name)
    return 0;
  if (strcmp(name, "true") && (!level_parse(name, &base) || base > LEVEL_CC ||
                               level_is_scheduled(base)))
    return error_set_usage(
        error, "--base: must be true, rc, ra or cc, not \"%s\"", name);
  for (uint32_t i = 0; i < e->nlevels; i++)
    if (base > level_base(e->levels[i]) ||
        (base == LEVEL_RA && level_base(e->levels[i]) < LEVEL_RA) ||
        (base != LEVEL_TRUE && e->levels[i] == LEVEL_MYSQL_RR))
      return error_set_usage(error,
                             "--base: %s is not weaker than what %s needs, "
                             "which is %s",
                             name, level_name(e->levels[i]),
                             level_name(level_base(e->levels[i])));
  e->options.has_base = true;
  e->options.base = base;
  return 0;
}

static int choose_algorithm(struct exploration *e, struct error *error) {
  const char *name = e->settings->algorithm;
  e->options.algorithm = !strcmp(name, "dfs") ? ALGORITHM_DFS : ALGORITHM_CE;
  if (strcmp(name, "dfs") && strcmp(name, "ce"))
    return error_set_usage(error, "--algorithm: must be ce or dfs, not \"%s\"",
                           name);
  return 0;
}

static int choose_tables(struct exploration *e, struct error *error) {
  const char *name = e->settings->tables;
  e->rows = !strcmp(name, "rows");
  if (!e->rows && strcmp(name, "lists"))
    return error_set_usage(error, "--tables: must be lists or rows, not \"%s\"",
                           name);
  return 0;
}

static int choose_part(struct exploration *e, struct error *error) {
  const char *text = e->settings->part;
  int end = 0;
  if (!text)
    return 0;
  if (sscanf(text, "%9u/%9u%n", &e->part, &e->nparts, &end) != 2 || text[end] ||
      !e->part || e->part > e->nparts)
    return error_set_usage(error, "--part: must be such as 1/4, not \"%s\"",
                           text);
  e->part--;
  return 0;
}

// Options that cannot be together.
static int refuse_pairs(const struct settings *s, struct error *error) {
  if (s->sample && (s->repair || s->allocate))
    return error_set_usage(
        error,
        "--sample: --repair and --allocate need all histories; leave them out");
  if (s->outcomes && s->output == OUTPUT_JSON)
    return error_set_usage(error, "--outcomes: outcomes are listed as text "
                                  "only; leave --output=json out");
  if (s->sample && (s->part || s->resume || s->save))
    return error_set_usage(
        error, "--sample draws histories at random, which has no parts and no "
               "remainder; leave out --part, --save and --resume");
  return 0;
}

int exploration_choose(struct exploration *e, const struct arguments *arguments,
                       struct error *error) {
  const struct settings *s = e->settings;
  e->threads =
      parallel_threads(s->jobs ? (uint32_t)s->jobs : parallel_cores(""));
  e->options.robust = s->robust;
  e->options.walks = s->sample;
  e->options.seed = s->seed;
  return exploration_choose_levels(e, arguments, error) ||
                 choose_base(e, error) || choose_algorithm(e, error) ||
                 choose_part(e, error) || choose_tables(e, error) ||
                 refuse_pairs(s, error)
             ? -1
             : 0;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Takes the options of isostress explore (cli/explore/exploring.h).
#include "config.h"

#include "cli/explore/exploring.h"

#include "base/parallel.h"

#include <stdio.h>
#include <string.h>

static int add_level(struct exploration *e, const char *name, size_t length,
                     struct error *error) {
  char text[32] = "";
  enum level level;
  strncat(text, name, length < sizeof text ? length : sizeof text - 1);
  if (!strcmp(text, "sser"))
    return error_set_usage(error, "--isolation: sser cannot be explored, since "
                                  "a program has no clock; explore ser");
  if (!level_parse(text, &level))
    return error_set_usage(error,
                           "--isolation: there is no level \"%s\" to explore; "
                           "there are rc, rc-statement, ra, cc, pc, si, ser",
                           text);
  for (uint32_t i = 0; i < e->nlevels; i++)
    if (e->levels[i] == level)
      return 0;
  e->levels[e->nlevels++] = level;
  return 0;
}

static int add_levels(struct exploration *e, const char *names,
                      struct error *error) {
  while (*names) {
    const size_t n = strcspn(names, ",");
    if (add_level(e, names, n, error))
      return -1;
    names += n + (names[n] == ',');
  }
  return 0;
}

static int choose_levels(struct exploration *e,
                         const struct arguments *arguments,
                         struct error *error) {
  for (uint32_t i = 0; i < arguments->nassignments; i++)
    if (!strcmp(arguments->assignments[i].setting->name, "isolation") &&
        add_levels(e, arguments->assignments[i].text, error))
      return -1;
  return e->nlevels ? 0 : add_levels(e, "rc-statement,ra,cc,si,ser", error);
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
  return choose_levels(e, arguments, error) || choose_algorithm(e, error) ||
                 choose_part(e, error) || choose_tables(e, error) ||
                 refuse_pairs(s, error)
             ? -1
             : 0;
}

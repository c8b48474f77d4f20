// SPDX-License-Identifier: GPL-3.0-or-later
// Takes the options of isostress explore (cli/explore/exploring.h).
#include "config.h"

#include "cli/explore/exploring.h"

#include "base/parallel.h"
#include "drivers/drivers.h"

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
  for (const char *name = names;; name++) {
    const size_t n = strcspn(name, ",");
    if (add_level(e, name, n, error))
      return -1;
    name += n;
    if (!*name)
      return 0;
  }
}

// The level of programs that the driver's level promises.
static enum level level_of(enum isolation claimed) {
  switch (claimed) {
  case ISOLATION_RC:
    return LEVEL_RC_STATEMENT;
  case ISOLATION_RA:
    return LEVEL_RA;
  case ISOLATION_CC:
    return LEVEL_CC;
  case ISOLATION_PC:
    return LEVEL_PC;
  case ISOLATION_SI:
    return LEVEL_SI;
  case ISOLATION_SER:
  case ISOLATION_SSER:
    return LEVEL_SER;
  default:
    return LEVEL_COUNT;
  }
}

// DRIVER:LEVEL, such as postgresql:read committed.
static int add_as(struct exploration *e, const char *text,
                  struct error *error) {
  char target[32] = "";
  const size_t n = strcspn(text, ":");
  if (!text[n] || n + 2 > sizeof target)
    return error_set_usage(error,
                           "--as: must be DRIVER:LEVEL, such as "
                           "postgresql:\"read committed\", not \"%s\"",
                           text);
  memcpy(target, text, n + 1);
  const char *const extra[] = {NULL};
  const struct driver *driver = target_driver(target, NULL, extra, error);
  const struct driver_level *level =
      driver ? driver_level(driver, text + n + 1, error) : NULL;
  if (!level) {
    error_prefix(error, "--as");
    error->usage = true;
    return -1;
  }
  if (!strcmp(target, "mysql:") && level->claimed == ISOLATION_SI)
    return error_set_usage(
        error,
        "--as: InnoDB's repeatable read cannot be explored, for its reads "
        "and its updates see different states; with "
        "innodb_snapshot_isolation it is si: -i si");
  const enum level ours = level_of(level->claimed);
  if (ours == LEVEL_COUNT)
    return error_set_usage(error,
                           "--as: %s of %s promises nothing that can be "
                           "explored",
                           level->name, driver->name);
  return add_level(e, level_name(ours), strlen(level_name(ours)), error);
}

static int choose_levels(struct exploration *e,
                         const struct arguments *arguments,
                         struct error *error) {
  for (uint32_t i = 0; i < arguments->nassignments; i++)
    if (!strcmp(arguments->assignments[i].setting->name, "isolation") &&
        add_levels(e, arguments->assignments[i].text, error))
      return -1;
  for (uint32_t i = 0; i < arguments->nassignments; i++)
    if (!strcmp(arguments->assignments[i].setting->name, "as") &&
        add_as(e, arguments->assignments[i].text, error))
      return -1;
  return e->nlevels ? 0 : add_levels(e, "rc-statement,ra,cc,si,ser", error);
}

static int choose_base(struct exploration *e, struct error *error) {
  const char *name = e->settings->base;
  enum level base = LEVEL_TRUE;
  if (!name)
    return 0;
  if (strcmp(name, "true") && (!level_parse(name, &base) || base > LEVEL_CC ||
                               base == LEVEL_RC_STATEMENT))
    return error_set_usage(
        error, "--base: must be true, rc, ra or cc, not \"%s\"", name);
  for (uint32_t i = 0; i < e->nlevels; i++)
    if (base > level_base(e->levels[i]) ||
        (base == LEVEL_RA && level_base(e->levels[i]) < LEVEL_RA))
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
  return choose_levels(e, arguments, error) || choose_base(e, error) ||
                 choose_algorithm(e, error) || choose_part(e, error) ||
                 choose_tables(e, error) || refuse_pairs(s, error)
             ? -1
             : 0;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// The table of checks, and how they are performed (drivers/probe/probe.h).
#include "config.h"

#include "drivers/probe/probe.h"

#include "base/memory.h"
#include "drivers/drivers.h"
#include "drivers/probe/scene.h"

#include <stdlib.h>

struct check {
  const char *name;
  probe_check *check;
  bool quick;             // it takes milliseconds
  enum isolation promise; // what the level has to claim at least
};

static const struct check register_checks[] = {
    {"setup", probe_setup, false, ISOLATION_NONE},
    {"values are kept", probe_kept, true, ISOLATION_RC},
    {"large values", probe_large, false, ISOLATION_RC},
    {"own writes", probe_own, true, ISOLATION_NONE},
    {"rollback", probe_rollback, true, ISOLATION_NONE},
    {"end of a session", probe_session_end, false, ISOLATION_NONE},
    {"uncommitted writes", probe_uncommitted, true, ISOLATION_RC},
    {"sessions apart", probe_apart, true, ISOLATION_RC},
    {"eight at once", probe_crowd, false, ISOLATION_RC},
    {"who waits stops nobody", probe_waiting, false, ISOLATION_NONE},
    {"after a failure", probe_after_failure, false, ISOLATION_NONE},
    {"level names", probe_level_names, false, ISOLATION_NONE},
    {"all sessions closed", probe_all_closed, false, ISOLATION_RC},
    {0},
};

// On a target of its own, where the checks above left values.
static const struct check again_checks[] = {
    {"second setup", probe_second_setup, false, ISOLATION_RC},
    {0},
};

static const struct check cas_checks[] = {
    {"compare and set", probe_cas, false, ISOLATION_RC},
    {"insert if absent", probe_cas_absent, false, ISOLATION_RC},
    {"compare and set, rolled back", probe_cas_rollback, false, ISOLATION_NONE},
    {0},
};

static const struct check list_checks[] = {
    {"lists", probe_list, false, ISOLATION_RC},
    {"lists of new keys", probe_list_new, false, ISOLATION_RC},
    {"own appends", probe_list_own, false, ISOLATION_NONE},
    {"appends, rolled back", probe_list_rollback, false, ISOLATION_NONE},
    {"uncommitted appends", probe_list_uncommitted, false, ISOLATION_RC},
    {"long lists", probe_list_long, false, ISOLATION_RC},
    {"eight append at once", probe_list_crowd, false, ISOLATION_RC},
    {0},
};

static const struct {
  const char *name;
  probe_level_check *check;
} level_checks[] = {
    {"outcomes", probe_outcomes},
    {"race", probe_race},
};

static bool has_registers(const struct driver *driver) {
  return driver->begin && driver->get && driver->put;
}

static bool has_cas(const struct driver *driver) {
  return has_registers(driver) && driver->cas;
}

static bool has_lists(const struct driver *driver) {
  return driver->begin && driver->append && driver->get_list;
}

// Each is a run of its own, with a setup of its own; those whose verbs the
// driver lacks are left out.
static const struct probe_stage {
  const struct check *checks;
  bool levels; // the checks of each level, too
  bool lists;  // keys hold lists
  uint32_t nsessions;
  bool (*possible)(const struct driver *driver);
} stages[] = {
    {register_checks, true, false, PROBE_SESSIONS, has_registers},
    {again_checks, false, false, 1, has_registers},
    {cas_checks, false, false, 2, has_cas},
    {list_checks, false, true, PROBE_SESSIONS, has_lists},
};

enum isolation probe_claim(const struct probe *probe,
                           const struct driver_level *level) {
  return target_claim(probe->target, level);
}

static int set_probe_up(struct target *target, bool lists,
                        struct error *error) {
  const struct keyspace keys = {.nkeys = PROBE_KEYS,
                                .lists = lists,
                                .preload = !lists,
                                .run = clock_wall()};
  return target->driver->setup(target, &keys, error);
}

// The first of those that promise most: a weaker one may show old values.
static const struct driver_level *choose_level(const struct target *target) {
  const struct driver_level *best = target->driver->levels;
  for (const struct driver_level *l = best; l->name; l++)
    if (target_claim(target, l) > target_claim(target, best))
      best = l;
  return best;
}

// A driver whose answers mean nothing fails, whatever the check was about.
static void end_check(struct probe *probe) {
  struct error error;
  probe_clear(probe);
  if (probe->driver->over &&
      probe->driver->over(probe->target, &error) != OVER_NOT) {
    probe->stuck = true;
    probe->said->result = PROBE_PASSED; // its own sentence says less
    probe_fail(probe, "%s", error.text);
  }
}

// In all stages that the driver has the verbs for.
static uint32_t count_checks(const struct driver *driver) {
  uint32_t count = 0, nlevels = 0;
  while (driver->levels[nlevels].name)
    nlevels++;
  for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
    if (stages[i].possible(driver)) {
      for (const struct check *c = stages[i].checks; c->name; c++)
        count++;
      if (stages[i].levels)
        count += nlevels * sizeof level_checks / sizeof *level_checks;
    }
  return count;
}

static void perform_check(struct probe *probe, const struct check *check,
                          struct probe_said *said) {
  *said = (struct probe_said){.check = check->name};
  probe->said = said;
  if (probe_claim(probe, probe->level) < check->promise)
    probe_skip(probe, "no level makes promises");
  else
    check->check(probe);
  end_check(probe);
}

static bool goes_on(const struct probe *probe) {
  return !probe->stuck && !probe_is_stopped(probe);
}

// Nothing is said of a check that was given up.
static void tell_check(struct probe *probe,
                       const struct probe_options *options) {
  if (probe_is_stopped(probe))
    return;
  probe->said->nended = ++*probe->nended;
  probe->said->nchecks = count_checks(probe->driver);
  options->said(options->context, probe->said);
}

static void perform_level(struct probe *probe, const struct driver_level *level,
                          const struct probe_options *options) {
  for (size_t i = 0; i < sizeof level_checks / sizeof *level_checks; i++)
    if (goes_on(probe)) {
      struct probe_said said = {.check = level_checks[i].name,
                                .level = level->name};
      probe->said = &said;
      level_checks[i].check(probe, level);
      end_check(probe);
      tell_check(probe, options);
    }
}

static void perform_stage(struct probe *probe, const struct probe_stage *stage,
                          const struct probe_options *options) {
  struct probe_said said;
  probe->level = choose_level(probe->target);
  for (const struct check *c = stage->checks; c->name && goes_on(probe); c++) {
    perform_check(probe, c, &said);
    tell_check(probe, options);
  }
  for (const struct driver_level *l = probe->driver->levels;
       stage->levels && l->name; l++)
    perform_level(probe, l, options);
}

// -1 with a sentence; sets whether checks can follow.
static int start_stage(struct probe *probe, const struct probe_stage *stage,
                       const struct probe_options *options,
                       struct error *error) {
  const char *const extra[] = {NULL};
  if (target_open(options->target, options->loaded, extra, PROBE_SESSIONS, 1,
                  &probe->target, error))
    return -1;
  probe->driver = probe->target->driver;
  probe->nsessions = stage->nsessions;
  if (!has_registers(probe->driver))
    return error_set_usage(error,
                           "driver-test needs transactions of single reads "
                           "and writes, which %s does not have",
                           probe->driver->name);
  if (!stage->possible(probe->driver))
    return 0;
  if (set_probe_up(probe->target, stage->lists, error) ||
      probe_open_sessions(probe, error))
    return -1;
  perform_stage(probe, stage, options);
  return 0;
}

int probe_driver(const struct probe_options *options, struct error *error) {
  int failed = 0;
  bool closed = true, stuck = false;
  uint32_t nended = 0;
  for (size_t i = 0; i < sizeof stages / sizeof *stages && !failed && closed &&
                     !stuck && !*options->stop;
       i++) {
    // A call that does not end goes on using it.
    struct probe *probe = xcalloc(1, sizeof *probe);
    probe->stop = options->stop;
    probe->nended = &nended;
    failed = start_stage(probe, &stages[i], options, error);
    stuck = probe->stuck;
    closed = probe_close_sessions(probe);
    if (closed) {
      if (probe->target)
        target_close(probe->target);
      free(probe);
    }
  }
  return failed ? -1 : !closed;
}

int probe_quickly(struct target *target, struct error *error) {
  static const volatile sig_atomic_t never;
  struct probe probe = {.target = target,
                        .driver = target->driver,
                        .nsessions = 2,
                        .stop = &never};
  struct probe_said said = {0};
  int failed =
      set_probe_up(target, false, error) || probe_open_sessions(&probe, error);
  if (!failed)
    probe.level = choose_level(target);
  for (const struct check *c = register_checks; c->name && !failed; c++)
    if (c->quick) {
      perform_check(&probe, c, &said);
      failed = said.result == PROBE_FAILED;
      if (failed)
        error_set(error, "%s: %s", said.check, said.sentence);
    }
  probe_close_sessions(&probe);
  return failed ? -1 : 0;
}

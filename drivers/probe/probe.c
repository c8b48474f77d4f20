// SPDX-License-Identifier: GPL-3.0-or-later
// The table of checks, and how they are performed (drivers/probe/probe.h).
#include "config.h"

#include "drivers/probe/probe.h"

#include "drivers/drivers.h"
#include "drivers/probe/scene.h"

#include <stdio.h>

static const struct {
  const char *name;
  probe_check *check;
  bool quick;             // it takes milliseconds
  enum isolation promise; // what the level has to claim at least
} checks[] = {
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
};

static const struct {
  const char *name;
  probe_level_check *check;
} level_checks[] = {
    {"outcomes", probe_outcomes},
    {"race", probe_race},
};

enum isolation probe_claim(const struct probe *probe,
                           const struct driver_level *level) {
  return target_claim(probe->target, level);
}

static int set_probe_up(struct target *target, struct error *error) {
  const struct keyspace keys = {
      .nkeys = PROBE_KEYS, .preload = true, .run = clock_wall()};
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

static void perform_check(struct probe *probe, size_t i,
                          struct probe_said *said) {
  *said = (struct probe_said){.check = checks[i].name};
  probe->said = said;
  if (probe_claim(probe, probe->level) < checks[i].promise)
    probe_skip(probe, "no level makes promises");
  else
    checks[i].check(probe);
  end_check(probe);
}

static void tell_check(const struct probe_options *options,
                       const struct probe_said *said) {
  options->said(options->context, said);
}

static void perform_all(struct probe *probe,
                        const struct probe_options *options) {
  struct probe_said said;
  for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
    if (probe->stuck || *options->stop)
      return;
    perform_check(probe, i, &said);
    tell_check(options, &said);
  }
  for (const struct driver_level *l = probe->driver->levels; l->name; l++)
    for (size_t i = 0; i < sizeof level_checks / sizeof *level_checks; i++) {
      if (probe->stuck || *options->stop)
        return;
      said =
          (struct probe_said){.check = level_checks[i].name, .level = l->name};
      probe->said = &said;
      level_checks[i].check(probe, l);
      end_check(probe);
      tell_check(options, &said);
    }
}

// On a target of its own, where a check left a value.
static int check_second_setup(const struct probe_options *options,
                              struct error *error) {
  const char *const extra[] = {NULL};
  struct probe_said said = {.check = "second setup"};
  struct probe probe = {.said = &said, .nsessions = 1};
  uint64_t value = 0;
  if (target_open(options->target, options->loaded, extra, PROBE_SESSIONS, 1,
                  &probe.target, error))
    return -1;
  probe.driver = probe.target->driver;
  int failed = set_probe_up(probe.target, error);
  if (!failed && !(failed = probe_open_sessions(&probe, error))) {
    probe.level = choose_level(probe.target);
    for (uint64_t key = 0;
         key < PROBE_KEYS && probe_read(&probe, 0, key, &value); key++)
      if (value)
        probe_fail(&probe, "a second setup leaves values of the first one");
    end_check(&probe);
    tell_check(options, &said);
  }
  probe_close_sessions(&probe);
  target_close(probe.target);
  return failed;
}

static int refuse_slots(const struct driver *driver, struct error *error) {
  return driver->begin && driver->get && driver->put
             ? 0
             : error_set_usage(error,
                               "driver-test needs transactions of single "
                               "reads and writes, which %s does not have",
                               driver->name);
}

int probe_driver(const struct probe_options *options, struct error *error) {
  const char *const extra[] = {NULL};
  struct probe probe = {.nsessions = PROBE_SESSIONS};
  if (target_open(options->target, options->loaded, extra, PROBE_SESSIONS, 1,
                  &probe.target, error))
    return -1;
  probe.driver = probe.target->driver;
  const int failed = refuse_slots(probe.driver, error) ||
                     set_probe_up(probe.target, error) ||
                     probe_open_sessions(&probe, error);
  if (!failed) {
    probe.level = choose_level(probe.target);
    perform_all(&probe, options);
  }
  probe_close_sessions(&probe);
  target_close(probe.target);
  return failed                          ? -1
         : probe.stuck || *options->stop ? 0
                                         : check_second_setup(options, error);
}

int probe_quickly(struct target *target, struct error *error) {
  struct probe probe = {
      .target = target, .driver = target->driver, .nsessions = 2};
  struct probe_said said = {0};
  int failed =
      set_probe_up(target, error) || probe_open_sessions(&probe, error);
  if (!failed)
    probe.level = choose_level(target);
  for (size_t i = 0; i < sizeof checks / sizeof *checks && !failed; i++)
    if (checks[i].quick && !failed) {
      perform_check(&probe, i, &said);
      failed = said.result == PROBE_FAILED;
      if (failed)
        error_set(error, "%s: %s", said.check, said.sentence);
    }
  probe_close_sessions(&probe);
  return failed ? -1 : 0;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// From settings to what a run needs (cli/jobs/run_plan.h).
#include "config.h"

#include "cli/jobs/run_plan.h"

#include "base/memory.h"
#include "checker/verdict/verdict.h"
#include "cli/process/progress.h"
#include "cli/settings/idle.h"
#include "cli/settings/mix.h"
#include "cli/settings/own_driver.h"
#include "cli/settings/redact.h"
#include "cli/settings/shares.h"
#include "drivers/drivers.h"
#include "drivers/instrument.h"
#include "runner/limits.h"
#include "workload/aim.h"
#include "workload/daily.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

static uint64_t random_seed(void) {
  uint32_t seed; // half of what it may be, for being easy to copy
  if (getrandom(&seed, sizeof seed, 0) != sizeof seed)
    seed = (uint32_t)getpid();
  return seed;
}

// Gives a value to what depends on other settings or on chance.
static void complete_settings(struct settings *settings) {
  if (!setting_is_given(settings, "seed"))
    settings->seed = random_seed();
  if (settings->transactions && !setting_is_given(settings, "time"))
    settings->time = 0;
  if (!setting_is_given(settings, "progress") && !progress_on_terminal())
    settings->progress = 10000000000;
}

// NULL: the target cannot run texts.
static const struct instrument *instrument_of(const struct run_plan *plan) {
  struct error error;
  const struct driver *driver =
      plan->settings.target
          ? target_driver(plan->settings.target, plan->loaded, NULL, &error)
          : NULL;
  return driver ? driver->instrument : NULL;
}

static int refuse_no_target(struct error *error) {
  return error_set(error, "no target: name the database to run on, such as "
                          "sqlite:/tmp/try.db or memory:");
}

// Finds the files behind a name such as "order".
static int find_daily(struct run_plan *plan, struct error *error) {
  const struct settings *settings = &plan->settings;
  bool racy;
  if (!daily_find(settings->scripts, &racy))
    return 0;
  if (!settings->target)
    return refuse_no_target(error);
  const struct driver *driver =
      target_driver(settings->target, plan->loaded, NULL, error);
  if (!driver)
    return -1;
  return driver->instrument
             ? daily_files_find(&plan->daily, settings->scripts, driver->name,
                                error)
             : error_set_usage(error,
                               "the transactions \"%s\" are SQL as people "
                               "write it, which %s does not run",
                               settings->scripts, driver->name);
}

static const char *schema_of(const struct run_plan *plan) {
  return plan->settings.schema ? plan->settings.schema : plan->daily.schema;
}

static const char *scripts_of(const struct run_plan *plan) {
  return plan->daily.scripts ? plan->daily.scripts : plan->settings.scripts;
}

// A race of two transactions shows at once where both begin together.
#define TWINS_OF_TEXTS .3

// Scripts that have more than isostress has words of its own for run as they
// are.
static int read_texts(struct run_plan *plan, struct error *error) {
  struct settings *settings = &plan->settings;
  if (settings->stop_on_violation)
    return error_set(error, "scripts that run as they are are checked after "
                            "the run: leave stop-on-violation away");
  const struct instrument *instrument = instrument_of(plan);
  assert(instrument); // or nobody would read texts
  plan->own = raw_scripts_read(schema_of(plan), scripts_of(plan),
                               WORKLOAD_MAX_SHAPES, instrument->dialect, error);
  if (!plan->own)
    return -1;
  plan->own_workload = xmalloc(sizeof *plan->own_workload);
  raw_workload_make(plan->own_workload, plan->own);
  settings->workload = &plan->own_workload->workload;
  if (!setting_is_given(settings, "twins"))
    settings->twins = TWINS_OF_TEXTS;
  return 0;
}

// Reads the scripts, which are the workload from then on.
static int read_scripts(struct run_plan *plan, struct error *error) {
  struct settings *settings = &plan->settings;
  if (!settings->scripts)
    return settings->schema
               ? error_set(error, "schema goes with a workload of scripts, "
                                  "such as --workload=buy.pgbench@3")
               : 0;
  if (find_daily(plan, error))
    return -1;
  if (plan->daily.scripts)
    return read_texts(plan, error);
  if (!settings->schema)
    return error_set(error,
                     "scripts need --schema=FILE, which has CREATE TABLE and "
                     "INSERT of the first rows");
  if (!settings->rehearse)
    plan->scripts =
        script_workload_open(settings->schema, settings->scripts, error);
  if (!plan->scripts && instrument_of(plan))
    return read_texts(plan, error);
  if (!plan->scripts)
    return settings->rehearse
               ? error_set(error, "a rehearsal needs a database that runs your "
                                  "own SQL as it is: postgresql://...")
               : -1;
  settings->workload = script_workload_of(plan->scripts);
  return 0;
}

static int check_settings(const struct settings *settings,
                          struct error *error) {
  if (!settings->target)
    return refuse_no_target(error);
  if (is_redacted(settings->target))
    return error_set(error, "the recorded target lacks its secret: give the "
                            "target again, with the secret");
  if (!settings->out)
    return error_set(error, "out needs a directory");
  if (!settings->record && settings->check > ISOLATION_NONE) {
    char check[SETTING_MAX + 1];
    setting_write(settings, setting_find("check", FOR_RUN), check);
    return error_set(
        error, "check=%s needs a recorded history, and record is off", check);
  }
  if (settings->stop_on_violation &&
      (!settings->record || settings->check == ISOLATION_NONE))
    return error_set(error, "stop-on-violation checks the recorded history: it "
                            "cannot be combined with record=off or check=none");
  if (settings->warmup > 0 && !settings->time && !settings->transactions)
    return error_set(error, "warmup is a share of the run, which needs a time "
                            "or a number of transactions");
  if (settings->witness &&
      (settings->check == LEVEL_AUTO || settings->check == ISOLATION_NONE))
    return error_set(error, "witness takes one level that is checked");
  if (settings->rate > 0 && settings->think_time)
    return error_set(error, "rate and think-time cannot be given together");
  return 0;
}

static int aim_at(struct run_plan *plan, struct error *error) {
  struct settings *settings = &plan->settings;
  const bool rows = settings->workload->programs != NULL;
  if (!rows && strcmp(settings->workload->name, "mt"))
    return error_set(error,
                     "only the workloads mt and predicate can aim at an "
                     "anomaly, not %s",
                     settings->workload->name);
  if (settings->shares)
    return error_set(error, "aim and shares cannot be combined");
  const struct aim *aim = aim_find(settings->aim, rows, error);
  if (!aim)
    return -1;
  plan->workload_options.aim = aim;
  if (!setting_is_given(settings, "op-delay"))
    settings->op_delay = aim->pause;
  return 0;
}

static int make_workload_options(struct run_plan *plan, struct error *error) {
  const struct settings *settings = &plan->settings;
  struct workload_options *options = &plan->workload_options;
  *options = settings->distribution;
  options->scripts = plan->scripts;
  options->own = plan->own;
  options->seed = settings->seed;
  options->nsessions = (uint32_t)settings->clients;
  options->nkeys = settings->keys;
  options->ops = (uint32_t)settings->ops;
  options->read_ratio = settings->read_ratio;
  options->twins = settings->twins;
  options->long_share = settings->long_share;
  options->long_ops = (uint32_t)settings->long_ops;
  options->max_length = (uint32_t)settings->max_length;
  options->statements = (uint32_t)settings->statements;
  options->scale = settings->scale;
  options->reuse_keys = settings->reuse_keys;
  if (settings->predicates &&
      predicates_read(settings->predicates, options->predicates, error))
    return -1;
  if (settings->aim && aim_at(plan, error))
    return -1;
  if (settings->shares && shares_read(settings->workload, settings->shares,
                                      options->shape_share, error))
    return -1;
  return workload_check(settings->workload, options, error);
}

static int read_invariant(struct run_plan *plan, struct error *error) {
  const struct settings *settings = &plan->settings;
  const bool daily = plan->daily.invariant && !settings->invariant;
  const char *invariant = daily ? plan->daily.invariant : settings->invariant;
  const char *equals = daily && !settings->equals ? "0" : settings->equals;
  char *end = NULL;
  if (!invariant && !equals)
    return 0;
  if (!invariant || !equals)
    return error_set(error, "invariant and equals go together: "
                            "--invariant='SELECT SUM(balance) FROM account' "
                            "--equals=100");
  if (!settings->workload->programs && !settings->workload->texts)
    return error_set(error,
                     "an invariant is about tables of rows, which the workload "
                     "%s has none of",
                     settings->workload->name);
  errno = 0;
  const long long number = strtoll(equals, &end, 10);
  if (*end || end == equals || errno)
    return error_set(error,
                     "equals needs a whole number of 64 bits, not "
                     "\"%s\"",
                     equals);
  plan->invariant =
      invariant_open(settings->workload, &plan->workload_options, invariant,
                     number, plan->driver->question, error);
  return plan->invariant ? 0 : -1;
}

static int choose_mix(struct run_plan *plan, struct error *error) {
  const struct settings *settings = &plan->settings;
  if (settings->isolation)
    return error_set(error, "isolation and %s cannot be combined",
                     settings->mix ? "mix" : "level-of");
  if (settings->mix && settings->level_of)
    return error_set(error, "mix and level-of cannot be combined");
  if (settings->mix ? mix_read(plan->driver, settings->mix, &plan->mix, error)
                    : mix_read_of_shapes(plan->driver, settings->workload,
                                         settings->level_of, &plan->mix, error))
    return -1;
  plan->level = plan->mix.level[0];
  return 0;
}

const char *run_plan_words_of_level(const struct run_plan *plan) {
  return !plan->mix.count     ? plan->level->name
         : plan->settings.mix ? plan->settings.mix
                              : plan->settings.level_of;
}

static uint32_t count_levels(const struct run_plan *plan) {
  return plan->mix.count ? plan->mix.count : 1;
}

static const struct driver_level *level_at(const struct run_plan *plan,
                                           uint32_t i) {
  return plan->mix.count ? plan->mix.level[i] : plan->level;
}

static void claim_the_most(struct run_plan *plan) {
  for (uint32_t i = 0; i < count_levels(plan); i++)
    plan->claims[i] = level_at(plan, i)->claimed;
}

void run_plan_take_claims(struct run_plan *plan,
                          const struct endpoints *endpoints) {
  for (uint32_t i = 0; i < count_levels(plan); i++)
    plan->claims[i] = endpoints_claim(endpoints, level_at(plan, i));
  const struct driver_level *levels = plan->driver->levels;
  for (uint32_t i = 0; levels[i].name && i < RUN_PLAN_LEVELS; i++)
    plan->all_claims[i] = endpoints_claim(endpoints, &levels[i]);
}

enum isolation run_plan_claim(const struct run_plan *plan) {
  enum isolation weakest = plan->claims[0];
  for (uint32_t i = 1; i < count_levels(plan); i++)
    if (plan->claims[i] < weakest)
      weakest = plan->claims[i];
  return weakest;
}

static int check_own_levels(const struct run_plan *plan, struct error *error) {
  const char *not_at = plan->own ? plan->driver->instrument->not_at : NULL;
  for (uint32_t i = 0; not_at && i < count_levels(plan); i++)
    if (!strcmp(level_at(plan, i)->name, not_at))
      return error_set(error,
                       "at the level \"%s\" of %s nobody could tell which "
                       "versions scripts read that run as they are",
                       not_at, plan->driver->name);
  return 0;
}

// Mistakes found here are wrong usage.
static int choose_plan_level(struct run_plan *plan, struct error *error) {
  struct settings *settings = &plan->settings;
  const char *const extra[] = {plan->bug, NULL};
  plan->driver = target_driver(settings->target, plan->loaded, extra, error);
  if (!plan->driver || run_check(plan->driver, settings->workload, error))
    return -1;
  if (settings->mix || settings->level_of)
    return choose_mix(plan, error) || check_own_levels(plan, error) ? -1 : 0;
  plan->level = driver_level(plan->driver, settings->isolation, error);
  if (!plan->level)
    return -1;
  settings->isolation = plan->level->name;
  return check_own_levels(plan, error);
}

// The question by default: if levels were mixed and some promise something,
// each transaction at its own level.
static int claimed_question(const struct run_plan *plan) {
  for (uint32_t i = 0; i < plan->mix.count; i++)
    if (plan->claims[i] != ISOLATION_NONE)
      return LEVEL_RECORDED;
  return (int)plan->claims[0];
}

// The weakest level that rules out what the run aims at; ISOLATION_NONE: the
// run has no aim.
static enum isolation level_of_aim(const struct run_plan *plan) {
  const struct aim *aim = plan->workload_options.aim;
  for (int a = ANOMALY_NONE + 1; aim && a < ANOMALY_COUNT; a++)
    if (!strcmp(anomaly_info((enum anomaly)a)->name, aim->name))
      return anomaly_weakest((enum anomaly)a);
  return ISOLATION_NONE;
}

// A level that allows what the run aims at could never report it.
static int aimed_question(const struct run_plan *plan) {
  const int claimed = claimed_question(plan);
  const int aimed = (int)level_of_aim(plan);
  return claimed < ISOLATION_COUNT && claimed < aimed ? aimed : claimed;
}

int run_plan_question(const struct run_plan *plan) {
  return plan->settings.check == CHECK_CLAIMED ? aimed_question(plan)
                                               : plan->settings.check;
}

void run_plan_tell_aim(const struct run_plan *plan) {
  const int asked = run_plan_question(plan), claimed = claimed_question(plan);
  const enum isolation aimed = level_of_aim(plan);
  if (asked >= ISOLATION_COUNT || asked == ISOLATION_NONE ||
      aimed == ISOLATION_NONE)
    return;
  if ((enum isolation)asked < aimed)
    fprintf(stderr,
            "isostress: %s is no violation of %s, which is checked: --check=%s "
            "reports it\n",
            plan->workload_options.aim->name,
            isolation_title((enum isolation)asked), isolation_name(aimed));
  else if (plan->settings.check == CHECK_CLAIMED && asked != claimed)
    fprintf(stderr,
            "isostress: \"%s\" does not promise %s, the weakest level that "
            "rules out %s: that is what is checked\n",
            run_plan_words_of_level(plan), isolation_title(aimed),
            plan->workload_options.aim->name);
}

int run_plan_question_of_watch(const struct run_plan *plan) {
  if (run_plan_question(plan) != LEVEL_AUTO)
    return run_plan_question(plan);
  return run_plan_claim(plan) == ISOLATION_NONE ? ISOLATION_RC
                                                : (int)run_plan_claim(plan);
}

// Recorded settings hold no password; the client library may know it.
static void leave_out_password(struct run_plan *plan) {
  struct settings *settings = &plan->settings;
  if (!settings->target || !is_redacted(settings->target))
    return;
  settings->target = plan->target = redact_left_out(settings->target);
  if (!is_redacted(settings->target))
    fputs("isostress: the recorded target lacks its password: the client "
          "library of the database looks for one, as in PGPASSWORD, MYSQL_PWD "
          "or REDISCLI_AUTH; or give the target again, with its password\n",
          stderr);
}

int run_plan_make(struct run_plan *plan, struct error *error) {
  struct settings *settings = &plan->settings;
  leave_out_password(plan);
  complete_settings(settings);
  if (read_scripts(plan, error) || check_settings(settings, error) ||
      settings_refuse_idle(settings, error) ||
      make_workload_options(plan, error))
    return -1;
  if (settings->bug)
    plan->bug = xasprintf("bug=%s", settings->bug);
  if (choose_plan_level(plan, error) || read_invariant(plan, error))
    return -1;
  claim_the_most(plan);
  if (limits_check(plan->driver, (uint32_t)settings->clients,
                   (uint32_t)settings->threads, error))
    return -1;
  return settings->stop_on_violation &&
                 run_plan_question(plan) == ISOLATION_NONE
             ? error_set(error,
                         "stop-on-violation needs a level to check, and \"%s\" "
                         "promises none: name one with check",
                         run_plan_words_of_level(plan))
             : 0;
}

int run_plan_load(struct run_plan *plan, struct error *error) {
  if (own_driver_load(&plan->settings, &plan->loaded, error))
    return -1;
  own_driver_name_target(&plan->settings, plan->loaded);
  return 0;
}

void run_plan_free(struct run_plan *plan) {
  free(plan->bug);
  free(plan->target);
  invariant_close(plan->invariant);
  plan->invariant = NULL;
  script_workload_close(plan->scripts);
  daily_files_free(&plan->daily);
  plan->scripts = NULL;
  raw_scripts_free(plan->own);
  free(plan->own_workload);
  plan->own = NULL;
  plan->own_workload = NULL;
  plan->bug = plan->target = NULL;
}

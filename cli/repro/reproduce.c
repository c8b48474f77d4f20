// SPDX-License-Identifier: GPL-3.0-or-later
// Follows recipes (cli/repro/reproduce.h).
#include "config.h"

#include "cli/repro/reproduce.h"

#include "base/anomaly_names.h"
#include "base/clock.h"
#include "cli/jobs/first_violation.h"
#include "cli/jobs/job.h"
#include "cli/process/installed.h"
#include "cli/process/scratch.h"
#include "cli/process/signals.h"
#include "cli/repro/staging.h"
#include "cli/servers/servers.h"
#include "cli/status.h"
#include "report/text/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct attempt {
  const struct recipe *recipe;
  const struct reproduce_options *options;
  struct reproduction *reproduction;
  struct server server;
  char *scratch; // for a database that is a file; NULL: none is needed
  char *target;
  uint64_t spent; // ns of runs so far
  bool patient;   // whole rounds only
  bool failed;    // to make sense of a run, as the error says
  struct error error;
};

static bool expects_nothing(const struct recipe *recipe) {
  return !strcmp(recipe->expect, "none");
}

static bool expects(const struct recipe *recipe, enum anomaly anomaly) {
  return anomaly_meant(recipe->expect,
                       (const char *[]){anomaly_info(anomaly)->name, NULL});
}

// Is it what the recipe expects?
static bool is_expected(const struct recipe *recipe,
                        const struct reproduction *reproduction) {
  if (expects_nothing(recipe) || !reproduction->found)
    return expects_nothing(recipe) && !reproduction->found;
  return reproduction->anomaly == ANOMALY_NONE ||
         !strcmp(recipe->expect, "any") ||
         expects(recipe, reproduction->anomaly);
}

// ---- Runs

// Says so, once, if the database is not what the recipe is about.  It may be
// just that which is to be tried.
static void check_assumptions(const struct recipe *recipe, const char *server) {
  const char *next = recipe->assumes;
  while (next && *next) {
    char word[128];
    const size_t length = strcspn(next, ";");
    snprintf(word, sizeof word, "%.*s", (int)length, next);
    if (!strcasestr(server, word))
      fprintf(stderr,
              "isostress: %s is about a database that says \"%s\" of itself, "
              "and this one says \"%s\"\n",
              recipe->name, word, server);
    next += length + strspn(next + length, "; ");
  }
}

static void take_server(struct attempt *attempt, const char *server) {
  struct reproduction *r = attempt->reproduction;
  if (!r->server[0])
    check_assumptions(attempt->recipe, server);
  snprintf(r->server, sizeof r->server, "%s", server);
}

// The anomaly that the recipe expects, if it was found.
static enum anomaly anomaly_of_recipe(const struct recipe *recipe,
                                      const struct verdict *verdict) {
  for (int a = ANOMALY_NONE + 1; a < ANOMALY_COUNT; a++)
    if (verdict->found[a] && expects(recipe, (enum anomaly)a))
      return (enum anomaly)a;
  return verdict->anomaly;
}

static double rate_of(const struct report *report) {
  const struct verdict *verdict = report->verdict;
  uint64_t found = 0;
  for (int a = 0; a < ANOMALY_COUNT; a++)
    found += verdict->found[a];
  return found && verdict->counts.committed
             ? 1000.0 * (double)found / verdict->counts.committed
             : -1;
}

static void note_failed_faults(struct attempt *attempt,
                               const struct report *report) {
  for (uint32_t i = 0; i < report->nevents && !attempt->failed; i++) {
    const struct event *event = &report->events[i];
    attempt->failed = !event->done;
    if (attempt->failed)
      error_set(&attempt->error, "%s %s could not be brought about: %s",
                event->action, event->nodes, event->words);
  }
}

static void take_attempt_report(void *context, const struct report *report) {
  struct attempt *attempt = context;
  struct reproduction *r = attempt->reproduction;
  if (report->directory)
    snprintf(r->directory, sizeof r->directory, "%s", report->directory);
  if (!report->figures)
    return;
  take_server(attempt, report->figures->server);
  attempt->spent += report->figures->elapsed;
  note_failed_faults(attempt, report);
  r->found = report->verdict && report->verdict->kind == VERDICT_VIOLATION;
  if (!r->found) {
    r->committed += report->figures->all_committed;
    r->seconds += (double)report->figures->elapsed / 1e9;
    return;
  }
  r->anomaly = anomaly_of_recipe(attempt->recipe, report->verdict);
  r->per_thousand = rate_of(report);
  struct first_violation first;
  attempt->failed |= first_violation_find(report->history, report->verdict,
                                          &first, &attempt->error) != 0;
  r->committed += first.committed;
  r->seconds += (double)first.time / 1e9;
  if (attempt->options->show)
    report_verdict(stdout, report);
}

// Where something is expected the round ends as soon as it is seen.  A fault
// takes its time; and what the seed decides, time must not.
static bool may_stop_early(const struct attempt *attempt) {
  const struct recipe *recipe = attempt->recipe;
  return !attempt->patient && !recipe->faults && !expects_nothing(recipe) &&
         recipe->run.record && recipe->run.threads != 1 &&
         setting_is_given(&recipe->run, "check") &&
         recipe->run.check != ISOLATION_NONE;
}

// Shows how much of all recipes is over or, with one, of the budget.
static void tell_attempt(const struct attempt *attempt) {
  const struct reproduce_options *options = attempt->options;
  const double spent =
      options->budget ? (double)attempt->spent / (double)options->budget : 0;
  if (options->progress)
    progress_of_work(options->progress,
                     options->share + options->each * (spent < 1 ? spent : 1),
                     clock_now() - options->begin, attempt->recipe->name);
}

// The nodes stay as the faults left them, for that is what the recipe looks at.
static void give_faults(const struct attempt *attempt,
                        struct settings *settings) {
  setting_give_run(settings, "server", attempt->server.name);
  setting_give_run(settings, "faults", attempt->recipe->faults);
  setting_give_run(settings, "settle", "0");
}

// One round; -1 if the run could not take place, which has been said.
static int run_once(struct attempt *attempt, uint32_t round,
                    struct error *error) {
  struct settings settings = attempt->recipe->run;
  char seed[24];
  snprintf(seed, sizeof seed, "%llu",
           (unsigned long long)(attempt->options->seed + round));
  setting_give_run(&settings, "target", attempt->target);
  setting_give_run(&settings, "seed", seed);
  setting_give_run(&settings, "out", attempt->options->out);
  setting_give_run(&settings, "progress", "0");
  if (may_stop_early(attempt))
    setting_give_run(&settings, "stop-on-violation", "on");
  if (!setting_is_given(&settings, "time") && !settings.transactions)
    setting_give_run(&settings, "time", "2s");
  if (attempt->recipe->faults)
    give_faults(attempt, &settings);
  const enum status status = job_run_quietly(attempt->recipe->name, &settings,
                                             take_attempt_report, attempt);
  if (attempt->failed)
    return error_set(error, "%s", attempt->error.text);
  return status == STATUS_USAGE ||
                 (status == STATUS_TROUBLE && !attempt->recipe->faults)
             ? error_set(error, "%s: the run failed", attempt->recipe->name)
             : 0;
}

// A round that ended early with something else than what is expected is
// followed by whole ones: a database may show several anomalies, of which some
// come first and others often.
static bool is_to_go_on(struct attempt *attempt) {
  const bool found = attempt->reproduction->found;
  const bool early = may_stop_early(attempt);
  attempt->patient |= found;
  return !found ||
         (early && !is_expected(attempt->recipe, attempt->reproduction));
}

// A fault leaves the server as it is: there is no second round.  Where nothing
// is expected, one round shows as much as several.
static int run_rounds(struct attempt *attempt, struct error *error) {
  const struct recipe *recipe = attempt->recipe;
  const bool once = recipe->faults || expects_nothing(recipe);
  uint32_t round = 0;
  int failed;
  do {
    tell_attempt(attempt);
    failed = run_once(attempt, round++, error);
  } while (!failed && !once && is_to_go_on(attempt) && !*signals_stop() &&
           attempt->spent < attempt->options->budget);
  return failed;
}

// ---- Step scripts

static int perform_recipe_steps(struct attempt *attempt,
                                const struct script *script,
                                struct error *error) {
  struct settings settings = attempt->recipe->run;
  struct reproduction *r = attempt->reproduction;
  struct staging staging;
  uint32_t by, times = 0, seen = 0;
  setting_give_run(&settings, "target", attempt->target);
  settings.server = attempt->server.name;
  int failed = staging_start(&staging, script, &settings, 10, error);
  if (!failed) {
    char server[sizeof r->server];
    stage_describe(staging.stage, server, sizeof server);
    take_server(attempt, server);
  }
  tell_attempt(attempt);
  while (!failed && times < 10 && !*signals_stop()) {
    failed = staging_perform(&staging, times, &settings, error);
    seen += !failed &&
            script_judge(script, times, staging.results, &by) == JUDGED_SEEN;
    times++;
  }
  r->found = seen > 0;
  r->committed = times * script->nsessions;
  r->per_thousand = -1;
  if (!failed && attempt->options->show)
    printf("%s: seen in %u of %u performances\n", script->title, seen, times);
  staging_end(&staging);
  return failed;
}

static int perform_steps(struct attempt *attempt, struct error *error) {
  struct script script;
  char *path = installed_config("steps/", attempt->recipe->steps, ".steps");
  if (!path)
    return error_set(error, "%s: there is no script \"%s\"",
                     attempt->recipe->name, attempt->recipe->steps);
  const int failed = script_read(path, &script, error) ||
                             perform_recipe_steps(attempt, &script, error)
                         ? -1
                         : 0;
  script_free(&script);
  free(path);
  return failed;
}

// ---- The whole

// The recipe's own target, of which DIRECTORY stands for one that is removed
// afterwards.
static char *own_target(const struct attempt *attempt) {
  static const char word[] = "DIRECTORY";
  const char *target = attempt->recipe->run.target;
  const char *place = strstr(target, word);
  return place ? xasprintf("%.*s%s%s", (int)(place - target), target,
                           attempt->scratch, place + strlen(word))
               : xstrdup(target);
}

// The target as typed, or that of the server, with the recipe's options.
static char *choose_target(const struct attempt *attempt) {
  const struct recipe *recipe = attempt->recipe;
  char *place;
  if (attempt->options->target)
    place = xstrdup(attempt->options->target);
  else if (!attempt->server.name)
    place = own_target(attempt);
  else if (recipe->hosts && !strcmp(recipe->hosts, "all"))
    place = server_hosts(&attempt->server);
  else
    place = xstrdup(attempt->server.uris[0]);
  if (!recipe->options)
    return place;
  char *target = xasprintf("%s%c%s", place, strchr(place, '?') ? '&' : '?',
                           recipe->options);
  free(place);
  return target;
}

static int begin_recipe_attempt(struct attempt *attempt, struct error *error) {
  const struct recipe *recipe = attempt->recipe;
  if (attempt->options->target && !recipe->faults)
    return 0;
  if (attempt->options->target)
    return error_set_usage(error,
                           "%s acts on the nodes of a server, which has to be "
                           "one that it started itself: leave out the target",
                           recipe->name);
  if (recipe->needs)
    return error_set_usage(error, "%s needs %s: give it as the target",
                           recipe->name, recipe->needs);
  const char *kind = attempt->options->server;
  if (!recipe->server && kind)
    return error_set_usage(error, "%s starts no server: leave out --server",
                           recipe->name);
  if (!recipe->server)
    return (attempt->scratch = scratch_make(error)) ? 0 : -1;
  return server_begin(&attempt->server, kind ? kind : recipe->server,
                      recipe->settings, error);
}

// The one that the recipe expects, or another one that came.
static enum anomaly anomaly_in_question(const struct recipe *recipe,
                                        const struct reproduction *r) {
  int a = ANOMALY_NONE + 1;
  if (r->anomaly != ANOMALY_NONE)
    return r->anomaly;
  while (a < ANOMALY_COUNT &&
         strcmp(recipe->expect, anomaly_info((enum anomaly)a)->name) != 0)
    a++;
  for (a = a < ANOMALY_COUNT ? a : ANOMALY_NONE + 1;
       a < ANOMALY_COUNT && !expects(recipe, (enum anomaly)a);)
    a++;
  return a < ANOMALY_COUNT ? (enum anomaly)a : ANOMALY_NONE;
}

// A driver's promise may depend on the server: a recipe is about one, and says
// it.
static struct promised_level promised_level_of(const struct recipe *recipe,
                                               const char *target,
                                               const char *server) {
  struct promised_level level = {.target = target,
                                 .server = server,
                                 .level = recipe->run.isolation,
                                 .several = recipe->hosts != NULL};
  if (!isolation_parse(recipe->claims, &level.claimed))
    level.claimed = ISOLATION_NONE;
  return level;
}

static void note_promise(const struct attempt *attempt) {
  struct reproduction *r = attempt->reproduction;
  const struct promised_level level =
      promised_level_of(attempt->recipe, attempt->target, r->server);
  r->promise = BADGE_UNDOCUMENTED;
  if (!level.level)
    return;
  const struct promise_words *words = promise_words(&level);
  r->promise =
      badge_of_anomaly(&level, anomaly_in_question(attempt->recipe, r));
  r->says = words ? words->says : NULL;
}

enum badge recipe_promise(const struct recipe *recipe) {
  static const struct {
    const char *kind, *target, *server;
  } families[] = {
      {"postgresql", "postgresql:", "PostgreSQL"},
      {"mariadb", "mysql:", "MariaDB"},
      {"galera", "mysql:", "MariaDB"},
      {"mysql", "mysql:", "MySQL"},
      {"redis", "redis:", "Redis"},
      {"etcd", "etcd:", "etcd"},
  };
  const struct reproduction expected = {0};
  const char *kind = recipe->server ? recipe->server : recipe->run.target;
  struct promised_level level = promised_level_of(recipe, kind ? kind : "", "");
  for (size_t i = 0; recipe->server && i < sizeof families / sizeof *families;
       i++)
    if (!strncmp(kind, families[i].kind, strlen(families[i].kind))) {
      level.target = families[i].target;
      level.server = families[i].server;
    }
  return level.level
             ? badge_of_anomaly(&level, anomaly_in_question(recipe, &expected))
             : BADGE_UNDOCUMENTED;
}

int reproduce(const struct recipe *recipe,
              const struct reproduce_options *options,
              struct reproduction *reproduction, struct error *error) {
  struct attempt attempt = {
      .recipe = recipe, .options = options, .reproduction = reproduction};
  *reproduction = (struct reproduction){.per_thousand = -1};
  int failed = begin_recipe_attempt(&attempt, error);
  if (!failed) {
    attempt.target = choose_target(&attempt);
    failed = recipe->steps ? perform_steps(&attempt, error)
                           : run_rounds(&attempt, error);
    note_promise(&attempt);
  }
  if (options->progress)
    progress_end(options->progress);
  server_end(&attempt.server);
  scratch_remove(attempt.scratch);
  free(attempt.target);
  reproduction->interrupted = *signals_stop() && !reproduction->found;
  reproduction->as_expected =
      !reproduction->interrupted && is_expected(recipe, reproduction);
  return failed;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// The flow of one run (cli/job.h): complete the settings, open the target, make
// the directory, run, check, report.
#include "config.h"

#include "cli/job.h"

#include "base/memory.h"
#include "cli/checking.h"
#include "cli/jobfile.h"
#include "cli/mix.h"
#include "cli/progress.h"
#include "cli/redact.h"
#include "cli/results.h"
#include "cli/rundir.h"
#include "cli/shares.h"
#include "cli/sight.h"
#include "cli/signals.h"
#include "cli/unaided.h"
#include "cli/watch.h"
#include "drivers/drivers.h"
#include "report/report.h"
#include "workload/aim.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define RECORD "job.ini"
#define HISTORY "history"

struct job {
  void (*listen)(void *context, const struct report *report); // NULL: stdout
  void *context;                                              // its own
  const char *name;
  struct settings *settings;
  struct workload_options workload_options;
  const struct driver *loaded; // from a file; NULL: none
  char *bug;                   // as an option of the target; or NULL
  const struct driver *driver;
  const struct driver_level *level;
  struct level_mix mix; // empty: all transactions are at that level
  struct endpoints endpoints;
  char *about;                    // the settings and the hosts, for the history
  char redacted[SETTING_MAX + 1]; // the target, to be shown
  char *record;                   // the settings as a job file
  size_t record_bytes;
  char *directory, *history; // paths; history NULL: not recorded
  struct sight sight;
  struct sight_figures noticed;
  bool told; // noticed is filled in
  struct run_figures figures;
  bool ran;     // figures are there
  bool checked; // checking holds a verdict
  struct checking checking;
  struct aim_figures aim; // anomaly NULL: not compared
  struct error trouble;   // empty: none
};

// Keeps the first trouble, which is the cause of the others.
static enum status note_trouble(struct job *job, struct error *error) {
  redact_text(job->settings->target, error->text, sizeof error->text);
  if (!job->trouble.text[0])
    job->trouble = *error;
  return complain(STATUS_TROUBLE, error);
}

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

static int check_settings(const struct settings *settings,
                          struct error *error) {
  if (!settings->target)
    return error_set(error, "no target: say which database to run on, such as "
                            "sqlite:/tmp/try.db or memory:");
  if (is_redacted(settings->target))
    return error_set(error, "the password in the target was not kept: give the "
                            "target once more, with its password");
  if (!settings->out)
    return error_set(error, "out needs a directory");
  if (!settings->record && settings->check > ISOLATION_NONE) {
    char check[SETTING_MAX + 1];
    setting_write(settings, setting_find("check", FOR_RUN), check);
    return error_set(
        error, "check=%s needs a recorded history, but record is off", check);
  }
  if (settings->stop_on_violation &&
      (!settings->record || settings->check == ISOLATION_NONE))
    return error_set(error, "stop-on-violation checks what is recorded: it "
                            "can not go with record=off or check=none");
  if (settings->warmup > 0 && !settings->time && !settings->transactions)
    return error_set(error, "warmup is a share of the run, which needs a time "
                            "or a number of transactions");
  if (settings->witness &&
      (settings->check == LEVEL_AUTO || settings->check == ISOLATION_NONE))
    return error_set(error, "witness takes one level that is checked");
  if (settings->rate > 0 && settings->think_time)
    return error_set(error, "a rate and a think-time can not be kept together");
  return 0;
}

static int aim_at(struct job *job, struct error *error) {
  struct settings *settings = job->settings;
  if (strcmp(settings->workload->name, "mt"))
    return error_set(error,
                     "only the workload mt can aim at an anomaly, not %s",
                     settings->workload->name);
  if (settings->shares)
    return error_set(error, "aim and shares can not be given together");
  const struct aim *aim = aim_find(settings->aim, error);
  if (!aim)
    return -1;
  job->workload_options.aim = aim;
  if (!setting_is_given(settings, "op-delay"))
    settings->op_delay = aim->pause;
  return 0;
}

static int make_workload_options(struct job *job, struct error *error) {
  const struct settings *settings = job->settings;
  struct workload_options *options = &job->workload_options;
  *options = settings->distribution;
  options->seed = settings->seed;
  options->nsessions = (uint32_t)settings->clients;
  options->nkeys = settings->keys;
  options->ops = (uint32_t)settings->ops;
  options->read_ratio = settings->read_ratio;
  options->long_share = settings->long_share;
  options->long_ops = (uint32_t)settings->long_ops;
  options->max_length = (uint32_t)settings->max_length;
  if (settings->aim && aim_at(job, error))
    return -1;
  if (settings->shares && shares_read(settings->workload, settings->shares,
                                      options->shape_share, error))
    return -1;
  return workload_check(settings->workload, options, error);
}

static int choose_mix(struct job *job, struct error *error) {
  const struct settings *settings = job->settings;
  if (settings->isolation)
    return error_set(error, "isolation and mix can not be given together");
  if (mix_read(job->driver, settings->mix, &job->mix, error))
    return -1;
  job->level = job->mix.level[0];
  return 0;
}

// The levels in the database's own words, or as they were mixed.
static const char *words_of_level(const struct job *job) {
  return job->mix.count ? job->settings->mix : job->level->name;
}

// What all transactions promise.
static enum isolation claim(const struct job *job) {
  return job->mix.count ? mix_claims(&job->mix) : job->level->claimed;
}

// What is wrong here is a mistake of whoever wrote it.
static int choose_level(struct job *job, struct error *error) {
  struct settings *settings = job->settings;
  const char *const extra[] = {job->bug, NULL};
  job->driver = target_driver(settings->target, job->loaded, extra, error);
  if (!job->driver || run_check(job->driver, settings->workload, error))
    return -1;
  if (settings->mix)
    return choose_mix(job, error);
  job->level = driver_level(job->driver, settings->isolation, error);
  if (!job->level)
    return -1;
  settings->isolation = job->level->name;
  return 0;
}

// What is to be checked where nothing else is said: if levels were mixed, of
// which some promise something, those.
static int claimed_question(const struct job *job) {
  for (uint32_t i = 0; i < job->mix.count; i++)
    if (job->mix.level[i]->claimed != ISOLATION_NONE)
      return LEVEL_RECORDED;
  return (int)job->level->claimed;
}

// A level, LEVEL_AUTO or LEVEL_RECORDED; ISOLATION_NONE: nothing.
static int question(const struct job *job) {
  return job->settings->check == CHECK_CLAIMED ? claimed_question(job)
                                               : job->settings->check;
}

// What to check during the run: of all levels at once the one that decides.
static int question_of_watch(const struct job *job) {
  if (question(job) != LEVEL_AUTO)
    return question(job);
  return claim(job) == ISOLATION_NONE ? ISOLATION_RC : (int)claim(job);
}

static int open_target(struct job *job, struct error *error) {
  const struct settings *settings = job->settings;
  const char *const extra[] = {job->bug, NULL};
  if (endpoints_open(settings->target, job->loaded, extra,
                     (uint32_t)settings->clients, settings->seed,
                     &job->endpoints, error))
    return -1;
  return settings->endpoints != ROUTING_PIN && job->endpoints.count == 1
             ? error_set_usage(error,
                               "endpoints=%s needs a target with several "
                               "hosts, as in SCHEME://HOST:PORT,HOST:PORT",
                               routing_name(settings->endpoints))
             : 0;
}

// Numbers the hosts, if there are several.
static void make_about(struct job *job) {
  size_t bytes;
  FILE *file = open_memstream(&job->about, &bytes);
  if (!file)
    out_of_memory(1);
  fputs(job->record, file);
  for (uint32_t i = 0; job->endpoints.count > 1 && i < job->endpoints.count;
       i++)
    fprintf(file, "; endpoint %u = %s\n", i, job->endpoints.names[i]);
  fclose(file);
}

static void put_record(FILE *file, const void *context) {
  const struct job *job = context;
  fprintf(file,
          "; What this run was asked to do; `isostress run` with this "
          "file does it again.\n%s",
          job->record);
}

// The settings as a job file, for the directory and for the history.
static void make_record(struct job *job) {
  FILE *file = open_memstream(&job->record, &job->record_bytes);
  if (!file)
    out_of_memory(1);
  jobfile_write(file, job->name, job->settings);
  fclose(file);
}

static int make_directory(struct job *job, struct error *error) {
  const struct settings *settings = job->settings;
  if (rundir_make(settings->out, job->driver->name, settings->workload->name,
                  job->mix.count ? "mix" : job->level->name, &job->directory,
                  error))
    return -1;
  if (settings->record)
    job->history = xasprintf("%s/" HISTORY, job->directory);
  return rundir_write(job->directory, RECORD, put_record, job, error);
}

// Settings that make sense together, a driver and a level that exist.
static int choose(struct job *job, struct error *error) {
  struct settings *settings = job->settings;
  complete_settings(settings);
  if (settings->witness && job->listen)
    return error_set(error, "witness takes one run");
  if (check_settings(settings, error) || make_workload_options(job, error))
    return -1;
  redact_target(settings->target, job->redacted, sizeof job->redacted);
  if (settings->bug)
    job->bug = xasprintf("bug=%s", settings->bug);
  if (choose_level(job, error))
    return -1;
  return settings->stop_on_violation && question(job) == ISOLATION_NONE
             ? error_set(error,
                         "stop-on-violation needs a level to check, and \"%s\" "
                         "promises none: name one with check",
                         words_of_level(job))
             : 0;
}

static int load_driver(struct job *job, struct error *error) {
  const char *file = job->settings->driver;
  return file && !(job->loaded = driver_load(file, error)) ? -1 : 0;
}

// A directory for the results and an open target; or neither.
static int open_all(struct job *job, struct error *error) {
  make_record(job);
  if (make_directory(job, error))
    return -1;
  if (!open_target(job, error) && !rundir_make_latest(job->directory, error))
    return 0;
  rundir_discard(job->directory, RECORD);
  return -1;
}

// What is refused here has left the database's content alone.
static enum status prepare(struct job *job) {
  struct error error;
  enum status status = STATUS_KEPT;
  if (load_driver(job, &error))
    status = STATUS_TROUBLE;
  else if (choose(job, &error))
    status = STATUS_USAGE;
  else if (open_all(job, &error))
    status = error.usage ? STATUS_USAGE : STATUS_TROUBLE;
  if (status == STATUS_KEPT)
    return status;
  if (job->settings->target)
    redact_text(job->settings->target, error.text, sizeof error.text);
  job->trouble = error;
  return complain(status, &error);
}

static void announce(const struct job *job) {
  const struct settings *settings = job->settings;
  fprintf(stderr,
          "isostress: %s, %llu sessions, workload %s, level \"%s\", seed %llu, "
          "results in %s\n",
          job->redacted, (unsigned long long)settings->clients,
          settings->workload->name, words_of_level(job),
          (unsigned long long)settings->seed, job->directory);
}

static enum status stress(struct job *job) {
  const struct settings *settings = job->settings;
  struct progress progress = {.terminal = progress_on_terminal()};
  struct error error = {0};
  struct watch *watch = NULL;
  make_about(job);
  if (settings->stop_on_violation &&
      !(watch = watch_start(job->history, question_of_watch(job), settings,
                            &error)))
    return note_trouble(job, &error);
  const struct run_options options = {
      .target = job->endpoints.targets[0],
      .endpoints = &job->endpoints,
      .routing = settings->endpoints,
      .resolve_unknown = settings->resolve_unknown,
      .level = job->level,
      .mix = job->mix.count ? &job->mix : NULL,
      .workload = settings->workload,
      .workload_options = job->workload_options,
      .threads = (uint32_t)settings->threads,
      .duration = settings->time,
      .transactions = settings->transactions,
      .rate = settings->rate,
      .max_tries = (uint32_t)settings->max_tries,
      .backoff = settings->backoff,
      .think_time = settings->think_time,
      .op_delay = settings->op_delay,
      .warmup = settings->warmup,
      .history = job->history,
      .op_times = settings->op_times,
      .about = job->about,
      .progress_interval = settings->progress,
      .progress = progress_of_run,
      .progress_context = &progress,
      .stop = signals_stop(),
      .enough = watch ? watch_flag(watch) : NULL,
      .pace = watch ? watch_pace(watch) : NULL,
  };
  job->ran = !run(&options, &job->figures, &error);
  job->sight = watch_end(watch);
  progress_end(&progress);
  if (!error.text[0])
    return STATUS_KEPT;
  return note_trouble(job, &error);
}

static enum status check_history(struct job *job) {
  const struct settings *settings = job->settings;
  struct error error;
  if (!job->history || question(job) == ISOLATION_NONE)
    return STATUS_KEPT;
  if (checking_start(&job->checking, job->history, settings, &error)) {
    const enum status status = note_trouble(job, &error);
    return job->checking.unread ? STATUS_UNDECIDED : status;
  }
  if (checking_check(&job->checking, question(job), settings, &error))
    return note_trouble(job, &error);
  job->checked = true;
  if (checking_keep_witness(&job->checking, settings, &error))
    return note_trouble(job, &error);
  return status_of_verdict(checking_result(&job->checking));
}

// What was seen during the run must agree with what the whole history says.
static enum status confirm_sight(struct job *job) {
  struct sight *sight = &job->sight;
  if (sight->trouble.text[0])
    return note_trouble(job, &sight->trouble);
  if (!job->settings->stop_on_violation || !job->checked)
    return STATUS_KEPT;
  job->told = true;
  return sight_tell(sight, &job->figures, job->settings->threads == 1,
                    &job->checking, &job->noticed, &sight->trouble)
             ? note_trouble(job, &sight->trouble)
             : STATUS_KEPT;
}

// Is it to be said how much sooner the aim found something?  Not to those who
// make many runs, and compare them themselves.
static bool is_compared(const struct job *job) {
  return job->settings->aim && job->settings->aim_check && !job->listen &&
         job->checked && checking_result(&job->checking) == VERDICT_VIOLATION &&
         !*signals_stop();
}

// Runs again without the aim; the database may be able to serve one at a time.
static enum status compare_aim(struct job *job) {
  const struct history *history = &job->checking.history;
  struct onset onset;
  struct error error;
  endpoints_close(&job->endpoints);
  if (onset_find(history, job->checking.told, &onset, &error))
    return note_trouble(job, &error);
  fprintf(stderr,
          "isostress: found with the aim at %s; running without it, to say how "
          "much sooner that was (aim-check=off: not)\n",
          job->workload_options.aim->name);
  struct aim_figures figures = {.anomaly = job->workload_options.aim->name,
                                .committed = onset.committed,
                                .time = onset.time};
  if (unaided_run(job->settings, job->directory, question_of_watch(job), &onset,
                  &figures))
    return STATUS_TROUBLE;
  job->aim = figures;
  return STATUS_KEPT;
}

// All settings of a run as names and values, the last name NULL.
static struct report_setting *list_settings(const struct settings *settings,
                                            struct arena *arena) {
  struct report_setting *list =
      arena_take(arena, (SETTING_COUNT_MAX + 1) * sizeof *list);
  char text[SETTING_MAX + 1];
  size_t n = 0;
  for (const struct setting *s = settings_table; s->name; s++) {
    if (!(s->commands & FOR_RUN))
      continue;
    setting_write(settings, s, text);
    list[n++] = (struct report_setting){s->name, arena_strdup(arena, text)};
  }
  return list;
}

// Writes the report where the results are, and to stdout.
static enum status put_report(struct job *job, const struct report *report) {
  struct error error;
  enum status status = STATUS_KEPT;
  if (results_write(job->directory, report, &error))
    status = note_trouble(job, &error);
  if (job->listen)
    job->listen(job->context, report);
  else if (job->settings->output == OUTPUT_JSON)
    report_json(stdout, report);
  else
    report_text(stdout, report);
  fflush(stdout); // another job may follow
  return status;
}

static enum status tell(struct job *job) {
  struct arena arena = {0};
  const struct checking *checking = &job->checking;
  bool salvaged = job->checked && checking->salvage[0];
  const struct report report = {
      .command = "run",
      .history_path = job->history,
      .directory = job->directory,
      .figures = job->ran ? &job->figures : NULL,
      .target = job->redacted,
      .workload = job->settings->workload->name,
      .level = words_of_level(job),
      .claimed = claim(job),
      .clients = (uint32_t)job->settings->clients,
      .routing = job->settings->endpoints,
      .rated = job->settings->rate > 0,
      .settings = list_settings(job->settings, &arena),
      .trouble = job->trouble.text[0] ? job->trouble.text : NULL,
      .sight = job->told ? &job->noticed : NULL,
      .history = job->checked ? &checking->history : NULL,
      .salvage = salvaged ? checking->salvage : NULL,
      .verdict = job->checked ? checking->told : NULL,
      .aim = job->aim.anomaly ? &job->aim : NULL,
      .scorecard = checking->scored ? &checking->card : NULL,
      .check_seconds = checking->seconds,
  };
  enum status status = put_report(job, &report);
  arena_free(&arena);
  return status;
}

static void job_end(struct job *job) {
  run_figures_free(&job->figures);
  endpoints_close(&job->endpoints);
  checking_end(&job->checking);
  free(job->record);
  free(job->about);
  free(job->bug);
  free(job->directory);
  free(job->history);
}

static enum status perform(struct job *job) {
  enum status status = prepare(job);
  if (status == STATUS_KEPT) {
    if (!job->listen)
      announce(job);
    status = stress(job);
    if (job->ran)
      status = status_worse(status, check_history(job));
    status = status_worse(status, confirm_sight(job));
    if (is_compared(job))
      status = status_worse(status, compare_aim(job));
    status = status_worse(status, tell(job));
  } else if (job->listen) {
    job->listen(job->context, &(struct report){.command = "run",
                                               .trouble = job->trouble.text});
  }
  job_end(job);
  return status;
}

static void nobody_listens(void *context, const struct report *report) {
  (void)context;
  (void)report;
}

int job_check(struct settings *settings, struct error *error) {
  struct job job = {.listen = nobody_listens, .settings = settings};
  const int failed = load_driver(&job, error) || choose(&job, error) ? -1 : 0;
  if (failed && settings->target)
    redact_text(settings->target, error->text, sizeof error->text);
  job_end(&job);
  return failed;
}

enum status job_run(const char *name, struct settings *settings) {
  struct job job = {.name = name, .settings = settings};
  return perform(&job);
}

enum status job_run_quietly(const char *name, struct settings *settings,
                            void (*listen)(void *context,
                                           const struct report *report),
                            void *context) {
  struct job job = {
      .listen = listen, .context = context, .name = name, .settings = settings};
  return perform(&job);
}

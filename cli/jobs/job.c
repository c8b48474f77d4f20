// SPDX-License-Identifier: GPL-3.0-or-later
// The flow of one run (cli/jobs/job.h): complete the settings, open the target,
// make the directory, run, check, tell.
#include "config.h"

#include "cli/jobs/job.h"

#include "base/memory.h"
#include "cli/jobs/all_results.h"
#include "cli/jobs/first_line.h"
#include "cli/jobs/fleet_job.h"
#include "cli/jobs/job_parts.h"
#include "cli/jobs/rundir.h"
#include "cli/process/signals.h"
#include "cli/settings/jobfile.h"
#include "cli/settings/redact.h"
#include "drivers/probe/probe.h"
#include "own/journal.h"
#include "recorder/files/reader.h"
#include "workload/aim.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum status job_note_trouble(struct job *job, struct error *error) {
  redact_text(job->plan.settings.target, error->text, sizeof error->text);
  if (!job->trouble.text[0])
    job->trouble = *error;
  return fleet_job_complain(job, STATUS_TROUBLE, error);
}

static void end_setting_up(struct job *job) {
  ticker_end(job->setting_up);
  job->setting_up = NULL;
}

static int open_job_target(struct job *job, struct error *error) {
  const struct settings *settings = &job->plan.settings;
  const char *const timeout =
      faulting_timeout(&job->faulting, job->plan.driver, settings->target);
  const char *const extra[] = {job->plan.bug ? job->plan.bug : timeout,
                               job->plan.bug ? timeout : NULL, NULL};
  if (endpoints_open(settings->target, job->plan.loaded, extra,
                     (uint32_t)settings->clients, settings->seed,
                     &job->endpoints, error))
    return -1;
  if (job->plan.own && job->endpoints.count > 1 &&
      !job->plan.driver->instrument->follow)
    return error_set_usage(error, "scripts that run as they are speak to one "
                                  "host here: name one");
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
  FILE *file = text_stream(&job->about, &bytes);
  fputs(job->record, file);
  for (uint32_t i = 0; job->endpoints.count > 1 && i < job->endpoints.count;
       i++)
    fprintf(file, "; endpoint %u = %s\n", i, job->endpoints.names[i]);
  fclose(file);
}

static void put_job_record(FILE *file, const void *context) {
  const struct job *job = context;
  fprintf(file,
          "; What this run was asked to do; `isostress run` with this "
          "file does it again.\n%s",
          job->record);
}

struct settings job_settings_again(const struct job *job) {
  struct settings settings = job->plan.settings;
  if (settings.target == job->faulting.target)
    settings.target = NULL;
  return settings;
}

// The settings as a job file, for the directory and for the history.
static void make_record(struct job *job) {
  FILE *file = text_stream(&job->record, &job->record_bytes);
  struct settings settings = job_settings_again(job);
  settings.rank = settings.meet = NULL; // who does it again says so again
  jobfile_write(file, job->name, &settings);
  fclose(file);
}

static int make_job_directory(struct job *job, struct error *error) {
  const struct settings *settings = &job->plan.settings;
  if (rundir_make(settings->out, job->plan.driver->name,
                  settings->workload->name,
                  job->plan.mix.count ? "mix" : job->plan.level->name,
                  &job->directory, error))
    return -1;
  job->held = rundir_hold(job->directory);
  if (settings->record)
    job->history = xasprintf("%s/" RUN_HISTORY, job->directory);
  if (!rundir_write(job->directory, RUN_SETTINGS, put_job_record, job, error))
    return 0;
  rundir_discard(job->directory, RUN_SETTINGS);
  return -1;
}

// Mistakes found here are wrong usage.
static int choose_parts(struct job *job, struct error *error) {
  if (job->plan.settings.witness && job->listen)
    return error_set(error, "witness takes one run");
  if (run_plan_make(&job->plan, error))
    return -1;
  if (requirements_read(job->plan.settings.require, &job->requirements, error))
    return error_prefix(error, "require");
  redact_target(job->plan.settings.target, job->redacted, sizeof job->redacted);
  return 0;
}

// A directory for the results and an open target; or neither.
static int open_all(struct job *job, struct error *error) {
  make_record(job);
  if (fleet_job_agree(job,
                      fleet_job_tells(job) ? make_job_directory(job, error) : 0,
                      error) ||
      fleet_job_place(job, error))
    return -1;
  const int failed = !fleet_job_tells(job)
                         ? open_job_target(job, error)
                         : rundir_check_latest(job->directory, error) ||
                               open_job_target(job, error);
  if (!fleet_job_agree(job, failed ? -1 : 0, error))
    return 0;
  fleet_job_discard(job);
  return -1;
}

// A refusal here leaves the database's content alone.
static enum status prepare_job(struct job *job) {
  struct error error = {0};
  bool mistaken = false;
  int failed = run_plan_load(&job->plan, &error);
  if (!failed && fleet_job_tells(job))
    failed = faulting_read(&job->faulting, &job->plan.settings, &error) ||
             faulting_begin(&job->faulting, &job->plan.settings, &error);
  failed = fleet_job_share(job, failed ? -1 : 0, &error);
  if (!failed) {
    failed = choose_parts(job, &error);
    mistaken = failed;
    failed = fleet_job_agree(job, failed, &error) ||
             fleet_job_count(job, &error) || open_all(job, &error);
  }
  if (!failed)
    return STATUS_KEPT;
  end_setting_up(job);
  if (job->plan.settings.target)
    redact_text(job->plan.settings.target, error.text, sizeof error.text);
  job->trouble = error;
  return fleet_job_complain(
      job, mistaken ? STATUS_USAGE : status_of_error(&error), &error);
}

// Names the command that explores the same files: two sessions of each script,
// whatever its share.
static void name_exploring(const struct settings *settings) {
  fprintf(
      stderr,
      "isostress: all outcomes of a few such sessions, with numbers instead "
      "of random():\nisostress: isostress explore --schema %s",
      settings->schema);
  for (const char *p = settings->scripts; *p; p += *p == ',') {
    const size_t n = strcspn(p, ","), name = strcspn(p, ",@");
    fprintf(stderr, " %.*s@2", (int)name, p);
    p += n;
  }
  fputc('\n', stderr);
}

static void announce_job(const struct job *job) {
  first_line_put(stderr, &job->plan, job->figures.server);
  run_plan_tell_aim(&job->plan);
  if (job->plan.scripts)
    name_exploring(&job->plan.settings);
}

// Says so where a level promises less in this run than in others.
static void take_claims(struct job *job) {
  struct run_plan *plan = &job->plan;
  const enum isolation most = run_plan_claim(plan);
  run_plan_take_claims(plan, &job->endpoints);
  const enum isolation here = run_plan_claim(plan);
  if (job->watch)
    watch_ask(job->watch, run_plan_question_of_watch(plan));
  if (!job->listen && here != most && fleet_job_tells(job))
    fprintf(stderr,
            "isostress: in this run \"%s\" promises %s, not %s, by the "
            "server's version and settings\n",
            run_plan_words_of_level(plan),
            here == ISOLATION_NONE ? "nothing that is checked"
                                   : isolation_title(here),
            isolation_title(most));
}

// The database has been set up, and the directory holds a history from now on.
static void note_opening(void *context) {
  struct job *job = context;
  struct error error;
  end_setting_up(job);
  if (!job->listen && fleet_job_tells(job))
    announce_job(job);
  take_claims(job);
  if (job->history && (fleet_job_tells(job) || job->sends_part) &&
      rundir_make_latest(job->directory, &error))
    job_note_trouble(job, &error);
  if (job->history && job->plan.own)
    job_note_own(job);
  faulting_start(&job->faulting);
}

// No session begins anything any more.
static void settle_after_faults(void *context) {
  struct job *job = context;
  faulting_settle(&job->faulting, job->plan.settings.settle);
}

// Nothing is kept of a run that did not take place.
static void discard_directory(struct job *job) {
  fleet_job_discard(job);
  FREE_EACH(job->directory, job->history, job->part);
  job->directory = job->history = job->part = NULL;
}

// A driver with a mistake makes violations that are none.
static int test_driver_quickly(struct job *job, struct error *error) {
  struct target *target = job->endpoints.targets[0];
  if (!target->driver->started_by || !job->plan.settings.driver_test)
    return 0;
  return probe_quickly(target, error)
             ? error_prefix(error,
                            "the driver failed a check, and there is no run "
                            "(--driver-test=off makes one)")
             : 0;
}

static enum status stress_target(struct job *job) {
  const struct settings *settings = &job->plan.settings;
  struct progress progress = {.terminal = progress_on_terminal(),
                              .time = settings->time,
                              .transactions =
                                  settings->transactions *
                                  job->plan.workload_options.nsessions};
  const char *record = job->part ? job->part : job->history;
  struct error error = {0};
  make_about(job);
  if (test_driver_quickly(job, &error)) {
    end_setting_up(job);
    return job_note_trouble(job, &error);
  }
  if (job->plan.own)
    raw_run_init(&job->own, job->plan.own, job->plan.driver->instrument,
                 (uint32_t)settings->clients);
  if (settings->stop_on_violation &&
      !(job->watch = watch_start(record, run_plan_question_of_watch(&job->plan),
                                 settings, &error)))
    return job_note_trouble(job, &error);
  const struct run_options options = {
      .target = job->endpoints.targets[0],
      .endpoints = &job->endpoints,
      .routing = settings->endpoints,
      .resolve_unknown = settings->resolve_unknown,
      .level = job->plan.level,
      .mix = job->plan.mix.count ? &job->plan.mix : NULL,
      .workload = settings->workload,
      .invariant = job->plan.invariant,
      .workload_options = job->plan.workload_options,
      .threads = (uint32_t)settings->threads,
      .duration = settings->time,
      .transactions = settings->transactions,
      .rate = settings->rate,
      .max_tries = (uint32_t)settings->max_tries,
      .backoff = settings->backoff,
      .think_time = settings->think_time,
      .op_delay = settings->op_delay,
      .warmup = settings->warmup,
      .history = job->plan.own ? NULL : record,
      .fleet = job->fleet.ranks ? &job->fleet : NULL,
      .own = job->plan.own ? &job->own : NULL,
      .op_times = settings->op_times,
      .about = job->about,
      .events = faulting_has_faults(&job->faulting) ? &job->faulting.log : NULL,
      .progress_interval = settings->progress,
      .progress = fleet_job_tells(job) ? progress_of_run : NULL,
      .progress_context = &progress,
      .opened = note_opening,
      .opened_context = job,
      .stopped = settle_after_faults,
      .endures = faulting_has_faults(&job->faulting),
      .stop = signals_stop(),
      .enough = job->watch ? watch_flag(job->watch) : NULL,
      .backpressure = job->watch ? watch_backpressure(job->watch) : NULL,
  };
  job->ran = !run(&options, &job->figures, &error);
  if (job->ran && job->plan.own && !error.text[0])
    job_keep_own_history(job, &error);
  end_setting_up(job);
  job->notice = watch_end(job->watch);
  job->watch = NULL;
  if (job->ran)
    fleet_job_end(job);
  progress_end(&progress);
  if (error.text[0])
    job_note_trouble(job, &error);
  return error.usage            ? STATUS_USAGE
         : job->trouble.text[0] ? STATUS_TROUBLE
                                : STATUS_KEPT;
}

// There is nothing to judge of a driver whose answers mean nothing.
static bool is_worthless(const struct job *job) {
  return !job->ran || job->figures.end == RUN_DRIVER_BROKEN;
}

static void put_text(FILE *file, const void *text) { fputs(text, file); }

// Keeps what a driver's own processes wrote beside their answers.
static void keep_driver_log(struct job *job) {
  const struct driver *driver = job->plan.driver;
  struct error error;
  char *text;
  size_t bytes;
  if (!driver->log || !job->ran)
    return;
  FILE *file = text_stream(&text, &bytes);
  driver->log(driver, file);
  fclose(file);
  if (bytes &&
      rundir_write(job->directory, "driver.log", put_text, text, &error))
    job_note_trouble(job, &error);
  free(text);
}

// An empty history keeps every level, which says nothing of the database.
static enum status find_nothing_to_check(const struct job *job) {
  struct error error;
  if (job->trouble.text[0])
    return STATUS_TROUBLE; // has been told
  error_set(&error, "%s holds no transaction: there is nothing to check",
            job->history);
  return complain(STATUS_UNDECIDED, &error);
}

// The promise of a test of Jepsen is one of the run's, whatever its level.
static enum status hold_against_model(struct job *job) {
  const char *workload = job->plan.settings.workload->name;
  struct error error;
  if (!test_model(workload))
    return STATUS_KEPT;
  if (test_check(workload, &job->checking.history, &job->model, &error))
    return job_note_trouble(job, &error);
  return status_of_verdict(job->model.is.kind);
}

// A write that is lost against a promise is a violation, whatever the level. If
// there are several hosts, the one that is read at the end may be late, but for
// the one that takes writes.  Commits that were found out were not
// acknowledged.
static enum status judge_durability(struct job *job) {
  struct durable *durable = &job->durable;
  if (job->figures.keeps == KEEPS_UNSEEN)
    return STATUS_KEPT;
  durability_of(&job->checking.history, &durable->is);
  job->looked = true;
  const bool late = job->figures.nendpoints > 1 &&
                    job->plan.settings.endpoints != ROUTING_PRIMARY;
  durable->loss = !durable->is.lost                 ? LOSS_NONE
                  : job->figures.keeps == KEEPS_NOT ? LOSS_ALLOWED
                  : late                            ? LOSS_UNSETTLED
                  : durable->is.transactions <= job->figures.resolved_committed
                      ? LOSS_UNACKNOWLEDGED
                      : LOSS_AGAINST_PROMISE;
  return durable->loss == LOSS_AGAINST_PROMISE ? STATUS_VIOLATION : STATUS_KEPT;
}

// A level that promises nothing is asked which is the strongest one that it
// kept.  Who makes many runs asks what they compare; advice
// about scripts holds them against serializability besides.
static int question_of_job(const struct job *job) {
  const int asked = run_plan_question(&job->plan);
  return asked == ISOLATION_NONE && (!job->listen || job->whole_only) &&
                 job->plan.settings.check == CHECK_CLAIMED
             ? LEVEL_AUTO
             : asked;
}

static enum status check_job_level(struct job *job) {
  const struct settings *settings = &job->plan.settings;
  const int question = question_of_job(job);
  struct error error;
  if (question == ISOLATION_NONE)
    return STATUS_KEPT;
  job->checking.open =
      question == LEVEL_AUTO && run_plan_claim(&job->plan) == ISOLATION_NONE;
  if (checking_check(&job->checking, question, settings, &error)) {
    const enum status status = job_note_trouble(job, &error);
    return job->checking.unread ? STATUS_UNDECIDED : status;
  }
  job->checked = true;
  if (checking_keep_witness(&job->checking, settings, &error) ||
      ((job->plan.scripts || job->plan.own) &&
       checking_ask_serializable(&job->checking, settings, &error)))
    return job_note_trouble(job, &error);
  const enum verdict_kind kind = checking_result(&job->checking);
  return job->checking.open && kind == VERDICT_VIOLATION
             ? STATUS_KEPT // judge_end tells what is promised even so
             : status_of_verdict(kind);
}

static enum status check_history(struct job *job) {
  const struct settings *settings = &job->plan.settings;
  struct error error;
  if (is_worthless(job) || (job->whole_only && *signals_stop()))
    return STATUS_KEPT; // that was told
  if (!job->history || (question_of_job(job) == ISOLATION_NONE &&
                        !test_model(settings->workload->name)))
    return STATUS_KEPT;
  if (checking_start(&job->checking, job->history, settings, &error)) {
    const enum status status = job_note_trouble(job, &error);
    return job->checking.unread ? STATUS_UNDECIDED : status;
  }
  if (!job->checking.history.ntxns)
    return find_nothing_to_check(job);
  const enum status status =
      status_worse(hold_against_model(job), judge_durability(job));
  return status_worse(status, check_job_level(job));
}

static enum status judge_invariant(const struct job *job) {
  const struct invariant_figures *figures = &job->figures.invariant;
  return is_worthless(job) || !job->plan.invariant ? STATUS_KEPT
         : figures->broken                         ? STATUS_VIOLATION
         : !figures->checked                       ? STATUS_UNDECIDED
                                                   : STATUS_KEPT;
}

// The violation seen during the run must be confirmed by the whole history.
static enum status confirm_notice(struct job *job) {
  struct notice *notice = &job->notice;
  if (notice->trouble.text[0])
    return job_note_trouble(job, &notice->trouble);
  if (!job->plan.settings.stop_on_violation || !job->checked)
    return STATUS_KEPT;
  job->told = true;
  return notice_tell(notice, &job->figures, job->plan.settings.threads == 1,
                     &job->checking, &job->noticed, &notice->trouble)
             ? job_note_trouble(job, &notice->trouble)
             : STATUS_KEPT;
}

static void job_end(struct job *job) {
  struct error error;
  if (job->held >= 0)
    close(job->held);
  if (job->directory && !job->listen && fleet_job_tells(job))
    all_results_update(job->directory);
  run_figures_free(&job->figures);
  endpoints_close(&job->endpoints);
  checking_end(&job->checking);
  test_answer_free(&job->model);
  raw_journal_close(&job->own, &error);
  raw_run_free(&job->own);
  raw_told_free(&job->told_own);
  free(job->record);
  free(job->about);
  run_plan_free(&job->plan);
  faulting_free(&job->faulting);
  FREE_EACH(job->directory, job->history, job->part, job->seen);
}

static enum status perform_job(struct job *job) {
  if (!job->listen && job->plan.settings.progress && fleet_job_tells(job))
    job->setting_up = ticker_start("setting up");
  enum status status = prepare_job(job);
  if (status == STATUS_KEPT) {
    status = stress_target(job);
    endpoints_close(&job->endpoints); // another run may want the names now
    faulting_end(&job->faulting);
    keep_driver_log(job);
    if (job->ran && !fleet_job_tells(job)) {
      job_end(job);
      return status;
    }
    if (job->ran)
      status = status_worse(status_worse(status, judge_invariant(job)),
                            check_history(job));
    else
      discard_directory(job);
    status = status_worse(status, confirm_notice(job));
    status = status_worse(status, job_tell(job));
  } else {
    status = status_worse(status, job_tell_unprepared(job));
  }
  job_end(job);
  return status;
}

static void nobody_listens(void *context, const struct report *report) {
  (void)context;
  (void)report;
}

int job_check(const struct settings *settings, struct error *error) {
  struct job job = {
      .held = -1, .listen = nobody_listens, .plan = {.settings = *settings}};
  const int failed =
      run_plan_load(&job.plan, error) || choose_parts(&job, error) ? -1 : 0;
  if (failed && settings->target)
    redact_text(settings->target, error->text, sizeof error->text);
  job_end(&job);
  return failed;
}

enum status job_run(const char *name, const struct settings *settings,
                    struct ranks *ranks, struct job_row *row, char **suite) {
  struct job job = {.held = -1,
                    .fleet = {.ranks = ranks},
                    .name = name,
                    .row = row,
                    .suite = suite,
                    .plan = {.settings = *settings}};
  if (row)
    *row = (struct job_row){.name = name, .verdict = "did not take place"};
  return perform_job(&job);
}

enum status job_run_quietly(const char *name, const struct settings *settings,
                            void (*listen)(void *context,
                                           const struct report *report),
                            void *context) {
  struct job job = {.held = -1,
                    .listen = listen,
                    .context = context,
                    .name = name,
                    .plan = {.settings = *settings}};
  return perform_job(&job);
}

enum status job_try(const char *name, const struct settings *settings,
                    void (*listen)(void *context, const struct report *report),
                    void *context) {
  struct job job = {.held = -1,
                    .listen = listen,
                    .context = context,
                    .name = name,
                    .whole_only = true,
                    .plan = {.settings = *settings}};
  return perform_job(&job);
}

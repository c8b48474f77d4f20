// SPDX-License-Identifier: GPL-3.0-or-later
// isostress replay: performs the interleaving of a counterexample on a live
// database, many times, and says how often the anomaly came back.
#include "config.h"

#include "cli/commands.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/whole_file.h"
#include "cli/jobs/checking.h"
#include "cli/jobs/histories.h"
#include "cli/jobs/noted.h"
#include "cli/jobs/own_sql.h"
#include "cli/jobs/results.h"
#include "cli/jobs/steps_of.h"
#include "cli/process/progress.h"
#include "cli/process/signals.h"
#include "cli/repro/staging.h"
#include "cli/settings/own_driver.h"
#include "cli/settings/redact.h"
#include "drivers/drivers.h"
#include "drivers/words.h"
#include "steps/commands.h"
#include "steps/interleave.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CANDIDATES = 16 }; // counterexamples to choose from

struct replay {
  const struct settings *asked;
  struct settings performance; // as asked, at the level of the run
  struct checking checking;
  enum isolation level;   // that was broken
  enum isolation weakest; // that the counterexample breaks
  enum anomaly anomaly;
  struct sql_scripts *scripts; // of the run; or NULL
  struct script script;        // of the counterexample
  bool sees_last;              // every read finds what was committed last
  uint32_t repetition;         // of the last performance, for its values
  bool by_time; // some step was taken to be blocked by its time alone
  // The results of the performances.
  uint32_t nperformed, nsame, nother, naborted, nblocked;
};

// ---- The counterexample

static int question_of_replay(const struct replay *replay) {
  for (int q = LEVEL_QUESTIONS - 1; q > ISOLATION_NONE; q--)
    if (q != LEVEL_AUTO && replay->asked->levels >> q & 1)
      return q;
  return checking_recorded_level(&replay->checking);
}

static int find_counterexample(struct replay *replay, const char *path,
                               struct error *error) {
  struct checking *checking = &replay->checking;
  const struct verdict *verdict = &checking->verdict;
  if (checking_start(checking, path, replay->asked, error))
    return -1;
  const int question = question_of_replay(replay);
  if (question == ISOLATION_NONE)
    return error_set_usage(error,
                           "%s does not say at which level it was recorded: "
                           "name the level that was broken with --level",
                           path);
  if (checking_check(checking, question, replay->asked, error))
    return error_prefix(error, "%s", path);
  if (verdict->kind == VERDICT_UNDECIDED)
    return error_set(error, "%s: undecided, so there is nothing to replay: %s",
                     path, verdict->why);
  if (verdict->kind != VERDICT_VIOLATION)
    return error_set_usage(error, "%s shows no violation of %s to replay", path,
                           question == LEVEL_RECORDED
                               ? "the levels it was recorded at"
                               : isolation_name(verdict->question.level));
  replay->level =
      verdict->question.recorded ? verdict->broken : verdict->question.level;
  replay->weakest = verdict->broken;
  replay->anomaly = verdict->anomaly;
  return 0;
}

// A target with one host takes all sessions there.
static struct history where_it_goes(const struct replay *replay) {
  struct history history = replay->checking.history;
  if (endpoints_listed(replay->asked->target) == 1)
    history.endpoint = NULL;
  return history;
}

static void make_replay_script(struct replay *replay,
                               const struct verdict *verdict,
                               const char *path) {
  const struct history history = where_it_goes(replay);
  char title[512];
  snprintf(title, sizeof title, "%s, which broke %s in %s",
           anomaly_info(replay->anomaly)->name, isolation_name(replay->level),
           path);
  script_free(&replay->script);
  replay->sees_last = steps_of_violation(&history, verdict, title,
                                         replay->scripts, &replay->script);
}

// Statements of files from elsewhere may be of a sort that no driver executes.
static int check_statements(const struct replay *replay, const char *path,
                            struct error *error) {
  const struct script *script = &replay->script;
  for (uint32_t i = 0; i < script->nsteps; i++)
    if (script->steps[i].statement &&
        script->steps[i].statement->sort == STATEMENT_UPSERT)
      return error_set_usage(error,
                             "%s: the counterexample has an upsert, which "
                             "steps cannot perform",
                             path);
  return script->ntables <= TABLES_MOST
             ? 0
             : error_set_usage(error,
                               "%s: the counterexample is on more than %d "
                               "tables",
                               path, TABLES_MOST);
}

// The counterexample that reports show; with --any, of those of its anomaly the
// first one whose reads can all find what was committed last, for that is what
// most databases return.
static int choose_script(struct replay *replay, const char *path,
                         struct error *error) {
  const struct verdict *verdict = &replay->checking.verdict;
  replay->scripts = own_sql_read(&replay->checking.history);
  make_replay_script(replay, verdict, path);
  for (uint32_t i = 0; i < verdict->nothers && !replay->sees_last; i++)
    if (verdict->others[i].anomaly == replay->anomaly && replay->asked->any)
      make_replay_script(replay, &verdict->others[i], path);
  if (!replay->sees_last)
    make_replay_script(replay, verdict, path);
  if (!replay->script.nsteps)
    return error_set_usage(
        error,
        "%s is broken in %s only by the times of transactions without "
        "operations: there is nothing to replay",
        isolation_name(replay->level), path);
  return check_statements(replay, path, error);
}

// ---- The level

// The weakest level of the driver that promises as much; NULL if none does.
static const struct driver_level *
level_that_promises(const struct driver *driver, enum isolation claimed) {
  const struct driver_level *weakest = NULL;
  for (const struct driver_level *l = driver->levels; l->name; l++)
    if (l->claimed >= claimed && (!weakest || l->claimed < weakest->claimed))
      weakest = l;
  return weakest;
}

static int refuse_levels(const struct replay *replay,
                         const struct driver *driver, struct error *error) {
  return error_set_usage(
      error,
      "%s has no level that promises %s, the level of the recording: name the "
      "level to perform it at with --isolation",
      driver->name, isolation_name(replay->checking.claimed));
}

static void forget_levels(struct script *script) {
  for (uint32_t i = 0; i < script->nsteps; i++)
    if (script->steps[i].kind == STEP_BEGIN)
      script->steps[i].text = NULL;
}

// Performs at the level that --isolation says, or else at that of the run: by
// its name where the database has it, or by what it promises.  Transactions of
// several levels each say theirs in the script.
static int choose_replayed_level(struct replay *replay, struct error *error) {
  struct settings *settings = &replay->performance;
  const char *const extra[] = {NULL};
  const struct driver *loaded;
  struct error unknown;
  if (settings->isolation) {
    forget_levels(&replay->script);
    return 0;
  }
  if (own_driver_load(settings, &loaded, error))
    return -1;
  const struct driver *driver =
      target_driver(settings->target, loaded, extra, error);
  if (!driver)
    return -1;
  char *name = noted_setting(&replay->checking.history, "isolation");
  const struct driver_level *level =
      name ? driver_level(driver, name, &unknown) : NULL;
  free(name);
  if (!level)
    level = level_that_promises(driver, replay->checking.claimed);
  if (!level)
    return refuse_levels(replay, driver, error);
  settings->isolation = level->name;
  return 0;
}

// ---- Files

static void put_replay_script(FILE *file, const void *context) {
  const struct replay *replay = context;
  script_put(file, &replay->script);
}

static int check_shell(const struct replay *replay, const struct driver *driver,
                       struct error *error) {
  if (commands_known(&replay->script, replay->performance.target))
    return 0;
  const struct driver_words *words =
      driver_words_of_target(replay->performance.target);
  return error_set_usage(
      error,
      "save-commands: databases of the %s driver have no shell that isostress "
      "knows%s; --save-steps works for every driver",
      driver->name, words && words->shell ? " for lists" : "");
}

// The performance that is written as commands.
struct replay_performance {
  const struct replay *replay;
  const struct staging *staging;
};

static void put_replay_commands(FILE *file, const void *context) {
  const struct replay_performance *p = context;
  const struct stage *stage = p->staging->stage;
  const struct typed_at at = {.target = p->replay->performance.target,
                              .driver = stage_driver(stage),
                              .level = stage_level(stage)->name};
  commands_put(file, &p->replay->script, &at, p->staging->results);
}

// In the order of the performance that took place last.
static int save_commands(const struct replay *replay,
                         const struct staging *staging, struct error *error) {
  const struct replay_performance performance = {replay, staging};
  return whole_file_write(replay->asked->save_commands, put_replay_commands,
                          &performance, error);
}

// ---- Performing

// In a few statements, rows that came back and rows that did not may break the
// same level: which of the two gives the name is by chance.
static bool is_same_verdict(const struct replay *replay,
                            const struct kept_level *found) {
  return found->anomaly == replay->anomaly ||
         (replay->script.ntables && found->kept + 1u == replay->weakest);
}

static bool count_performance(struct replay *replay,
                              const struct staging *staging,
                              const struct kept_level *found) {
  bool aborted = false, blocked = false;
  for (uint32_t i = 0; i < replay->script.nsteps; i++) {
    const struct step_result *result = &staging->results[i];
    aborted |= result->state == STEP_DONE && result->outcome != OUTCOME_OK;
    blocked |= result->blocked;
    replay->by_time |= result->by_time;
  }
  replay->nperformed++;
  replay->naborted += aborted;
  replay->nblocked += blocked;
  if (found->kept >= replay->level)
    return false;
  const bool same = is_same_verdict(replay, found);
  replay->nsame += same;
  replay->nother += !same;
  return same;
}

// Opens the target for all performances or, where each is to find new tables,
// for one.
static int open_stage(struct replay *replay, struct staging *staging,
                      struct error *error) {
  const struct settings *settings = &replay->performance;
  return staging_start(staging, &replay->script, settings,
                       settings->recreate ? 1 : (uint32_t)settings->repeat,
                       error);
}

static int perform_once(struct replay *replay, struct staging *staging,
                        uint32_t nth, struct error *error) {
  const struct settings *settings = &replay->performance;
  struct kept_level found;
  replay->repetition = settings->recreate ? 0 : nth;
  if (settings->recreate && nth) {
    staging_end(staging);
    if (open_stage(replay, staging, error))
      return -1;
  }
  if (staging_perform(staging, replay->repetition, settings, error) ||
      staging_check(staging, replay->repetition, settings, &found, error))
    return -1;
  // A performance in which the anomaly came back is saved rather than others.
  const bool same = count_performance(replay, staging, &found);
  return settings->save_commands && (!nth || (same && replay->nsame == 1))
             ? save_commands(replay, staging, error)
             : 0;
}

static int perform_replays(struct replay *replay, struct staging *staging,
                           struct error *error) {
  const struct settings *settings = &replay->performance;
  if (settings->save_commands &&
      check_shell(replay, stage_driver(staging->stage), error))
    return -1;
  struct progress progress = {.terminal = progress_on_terminal()};
  const uint64_t begin = clock_now();
  for (uint32_t r = 0; r < settings->repeat && !*signals_stop(); r++) {
    progress_of_work(&progress, (double)r / settings->repeat,
                     clock_now() - begin, "step by step");
    if (perform_once(replay, staging, r, error))
      return -1;
  }
  progress_end(&progress);
  return 0;
}

static void put_steps(const struct replay *replay,
                      const struct staging *staging) {
  const struct script *script = &replay->script;
  for (uint32_t i = 0; i < script->nsteps; i++) {
    char *text = script_step_text(script, &script->steps[i]);
    printf("  %-30s  ", text);
    step_result_put(stdout, script, i, replay->repetition,
                    &staging->results[i]);
    puts("");
    free(text);
  }
}

static void put_replay_summary(const struct replay *replay,
                               const struct staging *staging) {
  const char *name = anomaly_info(replay->anomaly)->name;
  char text[256];
  stage_describe(staging->stage, text, sizeof text);
  printf("database    %s, level %s\n", text, stage_level(staging->stage)->name);
  puts("the last performance:");
  put_steps(replay, staging);
  if (replay->by_time)
    puts(STAGING_BY_TIME);
  if (!replay->sees_last)
    puts("some read saw another value than the one that was committed last: "
         "only a database\nthat returns such values can show this again; "
         "--any looks for a counterexample that\nothers can show");
  printf("%s came back in %u of %u performances", name, replay->nsame,
         replay->nperformed);
  if (replay->nother)
    printf(", another violation of %s in %u", isolation_name(replay->level),
           replay->nother);
  printf("; in %u something aborted, in %u something blocked\n",
         replay->naborted, replay->nblocked);
}

// Lets the page of the run show how often the anomaly came back.
static int keep_figures(const struct replay *replay,
                        const struct staging *staging, const char *path,
                        struct error *error) {
  char target[1024], server[256];
  redact_target(replay->performance.target, target, sizeof target);
  stage_describe(staging->stage, server, sizeof server);
  return results_add_replay(
      path,
      &(struct replayed){.anomaly = anomaly_info(replay->anomaly)->name,
                         .target = target,
                         .server = server,
                         .level = stage_level(staging->stage)->name,
                         .performed = replay->nperformed,
                         .same = replay->nsame,
                         .other = replay->nother,
                         .aborted = replay->naborted,
                         .blocked = replay->nblocked},
      error);
}

static enum status replay_on_target(struct replay *replay, const char *path) {
  struct staging staging;
  struct error error = {0};
  const struct settings *settings = &replay->performance;
  enum status status = STATUS_KEPT;
  if (open_stage(replay, &staging, &error) ||
      perform_replays(replay, &staging, &error))
    status = complain_of(&error);
  else if (replay->nsame + replay->nother)
    status = STATUS_VIOLATION;
  else if (replay->nperformed < settings->repeat)
    status = status_interrupted(status, "all performances took place");
  if (replay->nperformed && staging.stage) {
    put_replay_summary(replay, &staging);
    if (keep_figures(replay, &staging, path, &error))
      status = complain_of(&error);
  }
  staging_end(&staging);
  return status;
}

// The status if there is no script to perform.
static enum status status_without_script(const struct replay *replay,
                                         const struct error *error) {
  const struct checking *checking = &replay->checking;
  if (checking->unread ||
      (checking->told && checking->told->kind == VERDICT_UNDECIDED))
    return STATUS_UNDECIDED;
  return status_of_error(error);
}

static enum status replay_history(struct replay *replay, const char *word) {
  struct error error = {0};
  struct file_list list = {0};
  enum status status = STATUS_KEPT;
  if (histories_one(word, &replay->asked->reading, &list, &error) ||
      find_counterexample(replay, list.paths[0], &error) ||
      choose_script(replay, list.paths[0], &error) ||
      choose_replayed_level(replay, &error))
    status = complain(status_without_script(replay, &error), &error);
  else if (replay->asked->save_steps &&
           whole_file_write(replay->asked->save_steps, put_replay_script,
                            replay, &error))
    status = complain(STATUS_TROUBLE, &error);
  else
    status = replay_on_target(replay, list.paths[0]);
  script_free(&replay->script);
  sql_scripts_free(replay->scripts);
  checking_end(&replay->checking);
  file_list_free(&list);
  return status;
}

// Takes the command line apart: the settings, and the word that names the
// history.
static int read_arguments(const struct arguments *arguments,
                          struct settings *settings, const char **word,
                          struct error *error) {
  settings_default(settings, FOR_REPLAY);
  arguments_give(arguments, settings);
  settings->max = settings->any ? MAX_CANDIDATES : 1;
  if (arguments_give_target(arguments, settings, error))
    return -1;
  if (arguments_word(arguments, word, error)) {
    error->usage = true;
    return -1;
  }
  return *word ? 0
               : error_set_usage(
                     error, "say which counterexample to replay where, such as "
                            "`isostress replay results/runs/latest "
                            "sqlite:try.db`");
}

enum status replay_command(const struct arguments *arguments) {
  struct settings asked;
  struct error error = {0};
  const char *word = NULL;
  if (read_arguments(arguments, &asked, &word, &error))
    return complain_of(&error);
  struct replay replay = {.asked = &asked, .performance = asked};
  signals_catch();
  return replay_history(&replay, word);
}

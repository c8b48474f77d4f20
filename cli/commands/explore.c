// SPDX-License-Identifier: GPL-3.0-or-later
// isostress explore: says at which isolation levels the assertions of a program
// hold, and brings a history that breaks one about on a live database.
#include "config.h"

#include "cli/explore/exploring.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/whole_file.h"
#include "cli/jobs/rundir.h"
#include "cli/process/installed.h"
#include "cli/process/signals.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool level_is_good(const struct exploration *e, uint32_t level) {
  const struct survey *s = &e->surveys[level];
  return !s->failing;
}

bool exploration_failure(const struct exploration *e, uint32_t number,
                         struct weakest_failure *failure) {
  for (uint32_t level = 0; level < e->nlevels; level++) {
    const struct survey *s = &e->surveys[level];
    const uint32_t n = e->settings->all || !s->nfailures ? s->nfailures : 1;
    if (number < n) {
      const struct survey_failure *f = &s->failures[number];
      *failure = (struct weakest_failure){level, f->failure, f->line};
      return true;
    }
    number -= n;
  }
  return false;
}

bool exploration_reads(const struct exploration *e, const char *path,
                       int failed, struct error *error) {
  if (together_all(e->ranks, !failed))
    return true;
  if (!failed)
    error_set(error, "%s: another process of mpirun cannot read it", path);
  return false;
}

// ---- One program

static int survey_one_share(const struct exploration *e,
                            const struct survey_options *options,
                            struct survey *survey, struct error *error) {
  const bool goes_on = survey->goes_on;
  if (!survey_run(e->program, options, survey, error))
    return 0;
  return goes_on && !error->usage
             ? error_prefix(error, "%s", e->settings->resume)
             : -1;
}

static int survey_level(struct exploration *e, uint32_t i,
                        struct error *error) {
  const struct settings *s = e->settings;
  struct survey_options options = exploration_survey(e, i);
  struct survey *survey = &e->surveys[i];
  int failed = s->resume ? saved_take(&e->saved, s->resume, e->program,
                                      &options, survey, error)
                         : 0;
  if (!failed && !(s->sample && ranks_number(e->ranks))) {
    struct level_watch *watch = level_watch_start(e, i, &options);
    failed = survey_one_share(e, &options, survey, error);
    level_watch_end(watch);
  }
  if (together_add(e->ranks, e->program, &options, survey, failed, error))
    return -1;
  if (!survey->refuted)
    return 0;
  return error_set(error,
                   "the checker refutes %" PRIu64 " of the histories explored "
                   "at %s, which is a bug of isostress",
                   survey->refuted, level_name(e->levels[i]));
}

static int survey_levels(struct exploration *e, struct error *error) {
  for (uint32_t i = 0; i < e->nlevels; i++)
    if (survey_level(e, i, error))
      return -1;
  return 0;
}

static enum status status_of_exploration(const struct exploration *e) {
  enum status status = STATUS_KEPT;
  for (uint32_t i = 0; i < e->nlevels; i++)
    if (!level_is_good(e, i))
      status = status_worse(status, STATUS_VIOLATION);
    else if (!survey_is_whole(e, i))
      status = status_worse(status, STATUS_UNDECIDED);
  return status;
}

static void put_saved_script(FILE *file, const void *script) {
  fputs(script, file);
}

static int save_script(const struct settings *settings,
                       const struct smallest *smallest, struct error *error) {
  if (!settings->save_steps)
    return 0;
  if (!smallest->script && smallest->number)
    return 0; // the first one is what was asked for
  if (!smallest->script)
    return error_set(error,
                     "no script was written to %s: a step script cannot "
                     "express this history",
                     settings->save_steps);
  char *path = smallest_place(smallest, settings->save_steps);
  const int failed =
      whole_file_write(path, put_saved_script, smallest->script, error);
  free(path);
  return failed;
}

// Performs the scripts of the failure on the target.
static int perform_scripts(const struct exploration *e,
                           const struct weakest_failure *failure,
                           struct smallest *smallest, struct error *error) {
  if (!e->settings->target)
    return 0;
  if (live_can(e->settings, smallest->script)) {
    if (live_perform(e, failure, smallest->script, &smallest->live, error))
      return -1;
    smallest->performed = true;
  }
  for (uint32_t i = 0; i < smallest->nrepairs; i++)
    if (live_can(e->settings, smallest->repaired[i]) &&
        live_perform(e, failure, smallest->repaired[i], &smallest->gone[i],
                     error))
      return -1;
  return 0;
}

// Stories that were told.
struct stories {
  uint32_t n;
  struct {
    char *steps;
    enum level level;
  } all[LEVEL_COUNT * SURVEY_FAILURES_MAX];
};

// The level at which these steps were told before; else LEVEL_COUNT.
static enum level told_before(struct stories *stories, const char *steps,
                              enum level level) {
  for (uint32_t i = 0; i < stories->n; i++)
    if (!strcmp(stories->all[i].steps, steps))
      return stories->all[i].level;
  stories->all[stories->n].steps = xstrdup(steps);
  stories->all[stories->n++].level = level;
  return LEVEL_COUNT;
}

// Tells one failure, with what the target makes of it; as JSON it is told
// later, with the others.
static enum status tell_failure(const struct exploration *e,
                                const struct weakest_failure *failure,
                                struct stories *stories,
                                struct smallest *smallest) {
  const bool json = e->settings->output == OUTPUT_JSON;
  struct error error = {0};
  if (e->settings->repair)
    smallest_repair(e, failure, smallest);
  smallest_find(e, failure, smallest);
  if (smallest->is_refuted)
    return complain(STATUS_TROUBLE, &smallest->refutation);
  if (smallest->found)
    smallest->told_at =
        told_before(stories, smallest->steps, e->levels[failure->level]);
  int failed = save_script(e->settings, smallest, &error);
  if (!json)
    exploration_put_failure(e, failure, smallest);
  failed = failed || perform_scripts(e, failure, smallest, &error) ||
           page_write(e, failure, smallest, &error);
  if (!json)
    live_put(e, smallest);
  fflush(stdout);
  return failed ? complain_of(&error) : STATUS_KEPT;
}

static enum status tell_failures(const struct exploration *e,
                                 struct told_failures *told) {
  struct stories *stories = xcalloc(1, sizeof *stories);
  struct weakest_failure failure;
  enum status status = STATUS_KEPT;
  for (uint32_t n = 0; exploration_failure(e, n, &failure); n++) {
    struct smallest *smallest = xcalloc(1, sizeof *smallest);
    *smallest = (struct smallest){.number = n, .told_at = LEVEL_COUNT};
    status = status_worse(status, tell_failure(e, &failure, stories, smallest));
    ARRAY_RESERVE(told->all, told->n, told->room);
    told->all[told->n++] = (struct told_failure){failure, smallest};
  }
  for (uint32_t i = 0; i < stories->n; i++)
    free(stories->all[i].steps);
  free(stories);
  return status;
}

static enum status tell_exploration(const struct exploration *e) {
  const bool json = e->settings->output == OUTPUT_JSON;
  struct told_failures told = {0};
  if (!json)
    exploration_put(e);
  if (!json && e->settings->outcomes)
    outcomes_put(e);
  const enum status status = tell_failures(e, &told);
  if (json)
    exploration_put_json(e, &told);
  else if (e->settings->allocate)
    allocation_put(e);
  for (uint32_t i = 0; i < told.n; i++) {
    smallest_free(told.all[i].smallest);
    free(told.all[i].smallest);
  }
  free(told.all);
  return status;
}

static enum status survey_program(struct exploration *e) {
  struct error error = {0};
  memset(e->surveys, 0, sizeof e->surveys);
  if (e->settings->output == OUTPUT_TEXT)
    exploration_put_program(e);
  if (survey_levels(e, &error)) {
    for (uint32_t i = 0; i < e->nlevels; i++)
      survey_free(&e->surveys[i]);
    return complain_of(&error);
  }
  const enum status status =
      ranks_number(e->ranks)
          ? STATUS_KEPT
          : status_worse(status_of_exploration(e), tell_exploration(e));
  for (uint32_t i = 0; i < e->nlevels; i++)
    exploration_keep(e, i);
  return status;
}

static enum status explore_program(struct exploration *e,
                                   struct program *program) {
  e->program = program;
  program->max_ops = (uint32_t)e->settings->max_ops;
  if (!e->settings->estimate)
    return survey_program(e);
  return ranks_number(e->ranks) ? STATUS_KEPT : estimates_put(e);
}

static enum status explore_member(struct exploration *e, const char *path,
                                  uint32_t member) {
  struct program program;
  struct error error = {0};
  const int failed = program_read(
      path, (struct program_choice){member, e->rows}, &program, &error);
  const enum status status = exploration_reads(e, path, failed, &error)
                                 ? explore_program(e, &program)
                                 : complain(STATUS_USAGE, &error);
  program_free(&program);
  return status;
}

static enum status explore_file(struct exploration *e, const char *name) {
  struct error error = {0};
  char *path = installed_config("programs/", name, ".program");
  enum status status = STATUS_KEPT;
  uint32_t family = 0;
  if (!path)
    error_set(&error, "there is no program \"%s\" here or in configs/programs",
              name);
  else
    family = program_family(path, &error);
  if (!exploration_reads(e, name, family ? 0 : -1, &error)) {
    status = complain(STATUS_USAGE, &error);
    family = 0;
  }
  for (uint32_t i = 0; i < family; i++) {
    if (i && e->settings->output == OUTPUT_TEXT)
      puts("");
    status = status_worse(status, explore_member(e, path, i));
    if (status == STATUS_USAGE)
      break;
  }
  free(path);
  return status;
}

// Is there a word that is no target?
static bool arguments_name_any(const struct arguments *arguments) {
  bool any = false;
  for (uint32_t i = 0; i < arguments->nwords; i++)
    any |= !word_is_target(arguments->words[i]);
  return any;
}

static enum status explore_files(struct exploration *e,
                                 const struct arguments *arguments) {
  enum status status = STATUS_KEPT;
  uint32_t n = 0;
  if (e->settings->schema && arguments_name_any(arguments))
    return scripts_explore(e, arguments, explore_program);
  for (uint32_t i = 0; i < arguments->nwords; i++) {
    if (word_is_target(arguments->words[i]))
      continue;
    if (n++ && e->settings->output == OUTPUT_TEXT)
      puts("");
    status = status_worse(status, explore_file(e, arguments->words[i]));
    if (!together_all(e->ranks, !*signals_stop()))
      return status_interrupted(status, "all histories were explored");
  }
  if (n)
    return status;
  struct error error;
  error_set(&error,
            e->settings->schema
                ? "say which scripts to explore, such as `isostress explore "
                  "--schema stock.sql buy.pgbench@3`"
                : "say which program to explore, such as `isostress explore "
                  "stock`");
  return complain(STATUS_USAGE, &error);
}

static enum status explore_words(const struct arguments *arguments,
                                 struct ranks *ranks) {
  struct settings settings;
  struct error error = {0};
  struct exploration e = {.settings = &settings, .ranks = ranks};
  settings_default(&settings, FOR_EXPLORE);
  arguments_give(arguments, &settings);
  // A target or a level that is misspelled is told before anything is explored.
  if (arguments_give_target_if_any(arguments, &settings, &error) ||
      exploration_choose(&e, arguments, &error))
    return complain(STATUS_USAGE, &error);
  const int failed =
      settings.resume ? saved_read(settings.resume, &e.saved, &error) : 0;
  if (!exploration_reads(&e, settings.resume, failed, &error)) {
    saved_free(&e.saved);
    return complain(STATUS_USAGE, &error);
  }
  if (settings.explain && rundir_make_path(settings.explain, &error))
    return complain(STATUS_TROUBLE, &error);
  signals_catch();
  e.options.stop = signals_start_check(settings.timeout);
  const enum status status = explore_files(&e, arguments);
  signals_end_check();
  return exploration_save(&e, arguments, status);
}

enum status explore_command(const struct arguments *arguments) {
  const struct ranks_options options = {.patience = 60 * NS_PER_SECOND};
  struct error error;
  struct ranks *ranks;
  if (ranks_join(&options, &ranks, &error))
    return complain(STATUS_TROUBLE, &error);
  // Rank 0 tells all of it.
  const bool tells = !ranks_number(ranks);
  enum status status = STATUS_TROUBLE;
  if (tells ||
      (freopen("/dev/null", "w", stdout) && freopen("/dev/null", "w", stderr)))
    status = explore_words(arguments, ranks);
  ranks_leave(ranks);
  return tells ? status : STATUS_KEPT;
}

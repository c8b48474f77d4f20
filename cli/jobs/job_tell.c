// SPDX-License-Identifier: GPL-3.0-or-later
// The findings of a run, told (cli/jobs/job_parts.h): its report, its
// requirements and its status.
#include "config.h"

#include "cli/jobs/job_parts.h"

#include "base/memory.h"
#include "cli/jobs/all_results.h"
#include "cli/jobs/by_hand.h"
#include "cli/jobs/level_against.h"
#include "cli/jobs/own_story.h"
#include "cli/jobs/raw_story.h"
#include "cli/jobs/results.h"
#include "cli/process/terminal.h"
#include "cli/settings/levels.h"
#include "report/shortfall.h"
#include "report/text/junit.h"
#include "report/text/text.h"
#include "steps/commands.h"

#include <stdlib.h>

// All settings of a run as names and values, the last name NULL.
static struct report_setting *list_settings(const struct settings *settings,
                                            struct arena *arena) {
  struct report_setting *list =
      arena_take(arena, (SETTING_COUNT_MAX + 1) * sizeof *list);
  struct settings usual;
  char text[SETTING_MAX + 1];
  size_t n = 0;
  settings_default(&usual, FOR_RUN);
  for (const struct setting *s = settings_table; s->name; s++) {
    if (!(s->commands & FOR_RUN))
      continue;
    setting_write(settings, s, text);
    const char *value = arena_strdup(arena, text);
    setting_write(&usual, s, text);
    list[n++] =
        (struct report_setting){s->name, value, arena_strdup(arena, text)};
  }
  return list;
}

// Writes the report where the results are, and to stdout.
static enum status put_job_report(struct job *job, struct report *report) {
  struct error error;
  enum status status = STATUS_KEPT;
  if (job->directory && !job->listen)
    all_results_prepare(job->plan.settings.out);
  if (job->directory && results_write(job->directory, report, &error)) {
    status = job_note_trouble(job, &error);
    report->trouble = job->trouble.text;
    report->unwritten = true;
  }
  if (job->listen)
    job->listen(job->context, report);
  else if (job->plan.settings.output == OUTPUT_JSON)
    report_json(stdout, report);
  else if (job->ran && job->plan.settings.verbose)
    results_put_text(stdout, report);
  else if (job->ran) // stderr has said why it did not
    results_put_brief(stdout, report, terminal_colours(stdout));
  fflush(stdout); // another job may follow
  return status;
}

// The requirements, and what was measured.
static const struct report_requirement *measure(const struct job *job,
                                                struct arena *arena) {
  struct report_requirement *list =
      arena_take(arena, (job->requirements.n + 1) * sizeof *list);
  for (uint32_t i = 0; i < job->requirements.n; i++) {
    const struct requirement *r = &job->requirements.all[i];
    char is[REQUIREMENT_TEXT];
    const bool met = requirement_is_met(r, &job->figures, is);
    list[i] =
        (struct report_requirement){r->text, arena_strdup(arena, is), met};
  }
  return list;
}

// Says which requirements are not met.
static enum status compare_requirements(const struct report *report) {
  enum status status = STATUS_KEPT;
  for (uint32_t i = 0; i < report->nrequirements; i++) {
    const struct report_requirement *r = &report->requirements[i];
    if (r->met)
      continue;
    fprintf(stderr, "isostress: %s was required, and it is %s\n", r->text,
            r->is);
    status = STATUS_UNMET;
  }
  return status;
}

// Was it no success although the level was kept, as its report says?
static enum status judge_end(const struct report *report) {
  struct shortfall shortfall;
  if (report_is_open(report) && report_breaks_promise(report))
    return STATUS_VIOLATION;
  return shortfall_of(report, &shortfall) &&
                 (shortfall.kind == SHORTFALL_INTERRUPTED ||
                  shortfall.kind == SHORTFALL_UNHARMED ||
                  shortfall.kind == SHORTFALL_ERRORS)
             ? STATUS_UNDECIDED
             : STATUS_KEPT;
}

// The suite of one of several runs is written with the others.
static enum status put_job_junit(struct job *job, const struct report *report) {
  const char *path = job->plan.settings.junit;
  struct error error;
  if (!path || job->listen)
    return STATUS_KEPT;
  char *suite = junit_suite_of_run(job->name, report);
  if (job->suite) {
    *job->suite = suite;
    return STATUS_KEPT;
  }
  const int failed = junit_write(path, &suite, 1, &error);
  free(suite);
  return failed ? job_note_trouble(job, &error) : STATUS_KEPT;
}

// How to see by hand what is shown of a violation.
static uint32_t list_commands(const struct job *job, struct arena *arena,
                              const struct report_command **commands) {
  const struct checking *checking = &job->checking;
  const struct verdict *shown =
      checking->beyond ? checking->beyond : checking->told;
  const struct typed_at at = {.target = job->plan.settings.target,
                              .driver = job->plan.driver,
                              .level = run_plan_words_of_level(&job->plan)};
  return job->checked && shown->kind == VERDICT_VIOLATION && !job->plan.own
             ? by_hand_of(arena, &checking->history, shown,
                          job->plan.scripts
                              ? script_workload_read(job->plan.scripts)
                              : NULL,
                          &at, commands)
             : 0;
}

// The level that rules out all that was found of own scripts.
static const char *level_that_rules_out(const struct job *job) {
  const struct verdict *v = job->checking.serializable;
  return v && v->kind == VERDICT_VIOLATION
             ? level_against(&job->plan, job->redacted, job->figures.server, v)
             : NULL;
}

// The level that the run is to be checked for; NULL: it is not known yet.
static const char *title_asked(const struct job *job) {
  return job->plan.level
             ? question_title(run_plan_question_of_watch(&job->plan))
             : NULL;
}

static void give_words_to_parts(const struct verdict *verdict,
                                struct row_words *words) {
  if (verdict && verdict->rows_part)
    row_words_attach(verdict->rows_part, words);
  for (uint32_t i = 0; verdict && i < verdict->nothers; i++)
    give_words_to_parts(&verdict->others[i], words);
}

// From here on the rows of own scripts are called what the user calls them.
static void give_words(struct job *job) {
  struct row_words *words = &job->told_own.words;
  row_words_attach(&job->checking.history, words);
  give_words_to_parts(job->checking.serializable, words);
  give_words_to_parts(job->checking.told, words);
  give_words_to_parts(job->checking.beyond, words);
}

enum status job_tell(struct job *job) {
  struct arena arena = {0};
  const struct checking *checking = &job->checking;
  const struct settings again = job_settings_again(job);
  bool salvaged = job->checked && checking->salvage[0];
  const struct report_command *commands = NULL;
  const uint32_t ncommands = list_commands(job, &arena, &commands);
  struct own_scripts own = {.serializable = checking->serializable,
                            .ruled_out_from = level_that_rules_out(job)};
  if (checking->serializable && job->plan.own)
    give_words(job);
  if (checking->serializable && job->plan.own)
    raw_story_tell(&own, &arena, &job->plan, &job->told_own, job->redacted,
                   job->figures.server, &checking->history,
                   checking->serializable, job->figures.invariant.broken > 0);
  else if (checking->serializable)
    own_story_tell(&own, &arena, &job->plan, job->redacted, job->figures.server,
                   &checking->history, checking->serializable);
  struct report report = {
      .command = "run",
      .own_scripts = checking->serializable ? &own : NULL,
      .history_path = job->history,
      .directory = job->directory,
      .figures = job->ran ? &job->figures : NULL,
      .faulted = faulting_has_faults(&job->faulting),
      .events = job->faulting.log.events,
      .nevents = job->faulting.log.nevents,
      .target = job->redacted,
      .driver_command = job->plan.driver ? job->plan.driver->started_by : NULL,
      .driver_tested = job->plan.settings.driver_test,
      .workload = job->plan.settings.workload->name,
      .level = run_plan_words_of_level(&job->plan),
      .claimed = run_plan_claim(&job->plan),
      .clients = job->plan.workload_options.nsessions,
      .routing = job->plan.settings.endpoints,
      .rated = job->plan.settings.rate > 0,
      .settings = list_settings(&again, &arena),
      .trouble = job->trouble.text[0] ? job->trouble.text : NULL,
      .unreachable = !job->ran && !job->figures.server[0],
      .notice = job->told ? &job->noticed : NULL,
      .asked = title_asked(job),
      .history = job->checked ? &checking->history : NULL,
      .salvage = salvaged ? checking->salvage : NULL,
      .verdict = job->checked ? checking->told : NULL,
      .beyond = checking->beyond,
      .raw_values = job->plan.settings.raw_values,
      .chances = checking->counted ? &checking->chances : NULL,
      .streamed = checking->flow != NULL,
      .requirements = measure(job, &arena),
      .nrequirements = job->ran ? job->requirements.n : 0,
      .invariant = job->plan.invariant,
      .model = job->model.model ? &job->model : NULL,
      .durable = job->looked ? &job->durable : NULL,
      .auto_level = checking->scored ? &checking->card : NULL,
      .check_seconds = checking->seconds,
      .commands = commands,
      .ncommands = ncommands,
  };
  enum status status =
      status_worse(put_job_report(job, &report), judge_end(&report));
  if (job->row)
    job_fill_row(job->row, &report);
  status = status_worse(status, put_job_junit(job, &report));
  status = status_worse(status, compare_requirements(&report));
  arena_free(&arena);
  return status;
}

enum status job_tell_unprepared(struct job *job) {
  const struct report report = {.command = "run",
                                .asked = title_asked(job),
                                .trouble = job->trouble.text,
                                .unreachable = true};
  if (job->listen)
    job->listen(job->context, &report);
  return put_job_junit(job, &report);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// isostress steps: performs step scripts on a live database and says whether
// every step did what was expected.
#include "config.h"

#include "cli/commands.h"

#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/whole_file.h"
#include "cli/jobs/all_results.h"
#include "cli/process/installed.h"
#include "cli/process/signals.h"
#include "cli/repro/staging.h"
#include "cli/repro/steps_page.h"
#include "cli/settings/redact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JUDGED_COUNT = JUDGED_PREVENTED + 1 };

// The results of the performances of one script.
struct steps_summary {
  uint32_t nperformed, nunexpected; // performances
  uint32_t judgements[JUDGED_COUNT];
  bool checked;
  bool by_time; // some step was taken to be blocked by its time alone
  struct kept_level found; // the weakest of all
};

static const char *const judgement_words[JUDGED_COUNT] = {
    [JUDGED_SEEN] = "seen",
    [JUDGED_ABORTED] = "prevented by an abort",
    [JUDGED_BLOCKED] = "prevented by blocking",
    [JUDGED_PREVENTED] = "prevented",
};

// ---- Text

static void put_performed_step(const struct staging *staging, uint32_t i) {
  const struct script *script = staging->script;
  const bool expected = step_is_expected(script, i, 0, &staging->results[i]);
  char *text = script_step_text(script, &script->steps[i]);
  printf("%5u  %-36s  ", script->steps[i].line, text);
  step_result_put(stdout, script, i, 0, &staging->results[i]);
  puts(expected ? "" : "   <- NOT EXPECTED");
  free(text);
}

static void put_steps_heading(const struct staging *staging,
                              const struct settings *settings) {
  char text[256], target[SETTING_MAX + 1];
  const struct driver_level *level = stage_level(staging->stage);
  stage_describe(staging->stage, text, sizeof text);
  redact_target(settings->target, target, sizeof target);
  printf("script      %s%s%s\n", staging->script->path,
         staging->script->title[0] ? ": " : "", staging->script->title);
  printf("database    %s, level %s (%s)\n", text[0] ? text : target,
         level->name, isolation_name(stage_claim(staging->stage)));
}

static void put_kept_level(const struct kept_level *found) {
  if (found->anomaly == ANOMALY_NONE)
    printf("history     keeps %s\n", isolation_name(found->kept));
  else if (found->kept == ISOLATION_NONE)
    printf("history     keeps no level: %s\n",
           anomaly_info(found->anomaly)->name);
  else
    printf("history     keeps %s, breaks %s by %s\n",
           isolation_name(found->kept),
           isolation_name((enum isolation)(found->kept + 1)),
           anomaly_info(found->anomaly)->name);
}

static void put_steps_summary(const struct steps_summary *summary) {
  const uint32_t n = summary->nperformed;
  for (int judgement = JUDGED_SEEN; judgement < JUDGED_COUNT; judgement++)
    if (summary->judgements[judgement] == n)
      printf("anomaly     %s\n", judgement_words[judgement]);
    else if (summary->judgements[judgement])
      printf("anomaly     %s in %u of %u performances\n",
             judgement_words[judgement], summary->judgements[judgement], n);
  if (summary->checked)
    put_kept_level(&summary->found);
  if (summary->by_time)
    puts(STAGING_BY_TIME);
  if (summary->nunexpected)
    printf("NOT AS EXPECTED in %u of %u performances\n", summary->nunexpected,
           n);
  else
    puts("as expected");
}

// ---- JSON

static void put_json_step(struct json *json, const struct staging *staging,
                          uint32_t i) {
  const struct script *script = staging->script;
  const struct step_result *result = &staging->results[i];
  char *text = NULL;
  size_t bytes = 0;
  FILE *memory = text_stream(&text, &bytes);
  step_result_put(memory, script, i, 0, result);
  fclose(memory);
  json_put_object(json, NULL);
  json_put_unsigned(json, "line", script->steps[i].line);
  json_put_string(json, "session", script->sessions[script->steps[i].session]);
  json_put_string(json, "result", text);
  json_put_bool(json, "blocked", result->blocked);
  json_put_bool(json, "blocked_by_time", result->by_time);
  json_put_string(json, "code", result->code[0] ? result->code : NULL);
  json_put_bool(json, "expected", step_is_expected(script, i, 0, result));
  json_close(json, '}');
  free(text);
}

static void put_steps_json(const struct staging *staging,
                           const struct steps_summary *summary) {
  struct json json;
  const struct kept_level *found = &summary->found;
  json_begin(&json, stdout);
  json_put_object(&json, NULL);
  json_put_unsigned(&json, "version", 1);
  json_put_string(&json, "command", "steps");
  json_put_string(&json, "script", staging->script->path);
  json_put_string(&json, "title", staging->script->title);
  json_put_string(&json, "level", stage_level(staging->stage)->name);
  json_put_array(&json, "steps");
  for (uint32_t i = 0; i < staging->script->nsteps; i++)
    put_json_step(&json, staging, i);
  json_close(&json, ']');
  json_put_unsigned(&json, "performances", summary->nperformed);
  json_put_unsigned(&json, "unexpected", summary->nunexpected);
  json_put_object(&json, "anomaly");
  for (int judgement = JUDGED_SEEN; judgement < JUDGED_COUNT; judgement++)
    json_put_unsigned(&json, judgement_words[judgement],
                      summary->judgements[judgement]);
  json_close(&json, '}');
  if (summary->checked) {
    json_put_string(&json, "kept", isolation_name(found->kept));
    json_put_string(&json, "broken_by",
                    found->anomaly ? anomaly_info(found->anomaly)->name : NULL);
  }
  json_close(&json, '}');
  json_end(&json);
}

// ---- The page

// How all performances came out, if they came out alike.
static const char *anomaly_of_all(const struct steps_summary *summary) {
  for (int judgement = JUDGED_SEEN; judgement < JUDGED_COUNT; judgement++)
    if (summary->judgements[judgement] == summary->nperformed)
      return judgement_words[judgement];
  return NULL;
}

static int keep_page(const char *name, const struct staging *staging,
                     const struct settings *settings,
                     const struct steps_summary *summary,
                     const struct page_step *steps, struct error *error) {
  char *directory = file_directory(settings->page);
  char *all_results = all_results_link(directory);
  const struct steps_told told = {
      .name = name,
      .performances = summary->nperformed,
      .unexpected = summary->nunexpected,
      .seen = summary->judgements[JUDGED_SEEN],
      .anomaly = anomaly_of_all(summary),
      .checked = summary->checked,
      .found = summary->found,
      .by_time = summary->by_time,
  };
  const int failed =
      steps_page_write(settings->page, staging, settings, steps, &told,
                       all_results, error) ||
      steps_page_write_note(settings->page, staging, settings, &told, error);
  all_results_update(directory);
  free(all_results);
  free(directory);
  return failed;
}

// ---- Performing

static void take_kept_level(struct steps_summary *summary,
                            const struct kept_level *found) {
  if (!summary->checked || found->kept < summary->found.kept)
    summary->found = *found;
  summary->checked = true;
}

static int judge_performance(struct staging *staging, uint32_t repetition,
                             const struct settings *settings,
                             struct steps_summary *summary,
                             struct error *error) {
  const struct script *script = staging->script;
  uint32_t by;
  bool expected = true;
  for (uint32_t i = 0; i < script->nsteps; i++)
    expected &= step_is_expected(script, i, repetition, &staging->results[i]);
  for (uint32_t i = 0; i < script->nsteps; i++)
    summary->by_time |= staging->results[i].by_time;
  summary->nperformed++;
  summary->nunexpected += !expected;
  summary
      ->judgements[script_judge(script, repetition, staging->results, &by)]++;
  struct kept_level found;
  if (script->uses_sql || script->uses_commands)
    return 0;
  if (staging_check(staging, repetition, settings, &found, error))
    return -1;
  take_kept_level(summary, &found);
  return 0;
}

// `*first`: the steps of the first performance, for a page; the caller frees
// them.
static int perform_repeatedly(const char *name, struct staging *staging,
                              const struct settings *settings,
                              struct steps_summary *summary,
                              struct arena *arena, struct page_step **first,
                              struct error *error) {
  if (settings->output == OUTPUT_TEXT)
    put_steps_heading(staging, settings);
  for (uint32_t r = 0; r < settings->repeat && !*signals_stop(); r++) {
    if (staging_perform(staging, r, settings, error) ||
        (!r && settings->save_history &&
         staging_save(staging, r, settings->save_history, error)) ||
        judge_performance(staging, r, settings, summary, error))
      return -1;
    for (uint32_t i = 0;
         !r && settings->output == OUTPUT_TEXT && i < staging->script->nsteps;
         i++)
      put_performed_step(staging, i);
    fflush(stdout);
    if (!r && settings->page)
      *first = steps_page_steps(arena, staging);
  }
  if (settings->output == OUTPUT_JSON)
    put_steps_json(staging, summary);
  else
    put_steps_summary(summary);
  if (!*first)
    return 0;
  const int failed = keep_page(name, staging, settings, summary, *first, error);
  if (!failed && settings->output == OUTPUT_TEXT)
    printf("page        %s\n", settings->page);
  return failed;
}

static int read_step_script(const char *name, struct script *script,
                            struct error *error) {
  char *path = installed_config("steps/", name, ".steps");
  char *place = installed_folder("configs/steps");
  *script = (struct script){0};
  const int failed =
      path ? script_read(path, script, error)
           : error_set(error, "there is no script \"%s\" here or in %s", name,
                       place);
  free(place);
  free(path);
  return failed;
}

static enum status perform_script(const char *name,
                                  const struct settings *settings) {
  struct script script;
  struct error error = {0};
  enum status status = STATUS_KEPT;
  if (read_step_script(name, &script, &error)) {
    status = complain(STATUS_USAGE, &error);
  } else {
    struct staging staging;
    struct steps_summary summary = {0};
    struct arena arena = {0};
    struct page_step *first = NULL;
    if (staging_start(&staging, &script, settings, (uint32_t)settings->repeat,
                      &error) ||
        perform_repeatedly(name, &staging, settings, &summary, &arena, &first,
                           &error))
      status = complain_of(&error);
    else if (summary.nunexpected)
      status = STATUS_VIOLATION;
    else if (summary.nperformed < settings->repeat)
      status = status_interrupted(status, "all performances took place");
    staging_end(&staging);
    free(first);
    arena_free(&arena);
  }
  script_free(&script);
  return status;
}

enum status steps_command(const struct arguments *arguments) {
  struct settings settings;
  struct error error;
  uint32_t nscripts = 0;
  enum status status = STATUS_KEPT;
  settings_default(&settings, FOR_STEPS);
  arguments_give(arguments, &settings);
  if (arguments_give_target(arguments, &settings, &error))
    return complain_of(&error);
  if (settings.page && whole_file_check(settings.page, &error))
    return complain(STATUS_TROUBLE, &error);
  signals_catch();
  for (uint32_t i = 0; i < arguments->nwords; i++) {
    if (word_is_target(arguments->words[i]))
      continue;
    if (*signals_stop())
      return status_interrupted(status, "all scripts were performed");
    if (nscripts++ && settings.output == OUTPUT_TEXT)
      puts("");
    status =
        status_worse(status, perform_script(arguments->words[i], &settings));
  }
  if (nscripts)
    return status;
  error_set(&error, "say which script to perform, such as `isostress steps "
                    "lost-update.steps sqlite:try.db`");
  return complain(STATUS_USAGE, &error);
}

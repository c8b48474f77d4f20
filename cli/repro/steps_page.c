// SPDX-License-Identifier: GPL-3.0-or-later
// The page of a step script (cli/repro/steps_page.h).
#include "config.h"

#include "cli/repro/steps_page.h"

#include "base/clock.h"
#include "base/whole_file.h"
#include "cli/jobs/page_note.h"
#include "cli/settings/redact.h"
#include "report/words/guarantees.h"
#include "report/words/naming.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct page_step page_step(struct arena *arena,
                                  const struct staging *staging, uint32_t i) {
  const struct script *script = staging->script;
  const struct step_result *result = &staging->results[i];
  char *text = script_step_text(script, &script->steps[i]), *came = NULL;
  size_t bytes = 0;
  FILE *memory = text_stream(&came, &bytes);
  step_result_put(memory, script, i, 0, result);
  fclose(memory);
  const struct page_step step = {
      .line = script->steps[i].line,
      .session = script->steps[i].session,
      .text = arena_printf(arena, "%s", text),
      .result = arena_printf(arena, "%s", came),
      .expected = step_is_expected(script, i, 0, result),
      .blocked = result->blocked,
  };
  FREE_EACH(text, came);
  return step;
}

struct page_step *steps_page_steps(struct arena *arena,
                                   const struct staging *staging) {
  const uint32_t n = staging->script->nsteps;
  struct page_step *steps = xmalloc(n * sizeof *steps);
  for (uint32_t i = 0; i < n; i++)
    steps[i] = page_step(arena, staging, i);
  return steps;
}

// A script of ours has its anomaly; another one may only be called alike.
static enum anomaly anomaly_of_script(const char *name,
                                      const struct script *script) {
  char *file = xasprintf("/%s.steps", name);
  const size_t all = strlen(script->path), end = strlen(file);
  const bool ours = all > end && !strcmp(script->path + all - end, file);
  free(file);
  return ours ? guarantee_anomaly(name) : ANOMALY_NONE;
}

// The server, or the target where the server says nothing of itself.
static void name_server(const struct staging *staging,
                        const struct settings *settings,
                        char name[SETTING_MAX + 1]) {
  stage_describe(staging->stage, name, SETTING_MAX + 1);
  if (!*name)
    redact_target(settings->target, name, SETTING_MAX + 1);
}

int steps_page_write(const char *path, const struct staging *staging,
                     const struct settings *settings,
                     const struct page_step *steps,
                     const struct steps_told *told, const char *all_results,
                     struct error *error) {
  const struct script *script = staging->script;
  char server[SETTING_MAX + 1], target[SETTING_MAX + 1];
  name_server(staging, settings, server);
  redact_target(settings->target, target, sizeof target);
  const struct page_of_steps page = {
      .all_results = all_results,
      .script = told->name,
      .title = script->title,
      .target = target,
      .server = server,
      .level = stage_level(staging->stage)->name,
      .claimed = stage_claim(staging->stage),
      .sessions = script->sessions,
      .steps = steps,
      .nsessions = script->nsessions,
      .nsteps = script->nsteps,
      .performances = told->performances,
      .unexpected = told->unexpected,
      .anomaly = told->anomaly,
      .seen = told->seen,
      .tried = anomaly_of_script(told->name, script),
      .checked = told->checked,
      .kept = told->found.kept,
      .broken_by = told->found.anomaly,
      .by_time = told->by_time,
      .program = PACKAGE_STRING,
  };
  return whole_file_write(path, page_put_steps, &page, error);
}

int steps_page_write_note(const char *path, const struct staging *staging,
                          const struct settings *settings,
                          const struct steps_told *told, struct error *error) {
  const char *title = staging->script->title;
  char server[SETTING_MAX + 1];
  name_server(staging, settings, server);
  char *about = xasprintf("%.*s at %s", naming_server_length(server), server,
                          stage_level(staging->stage)->name);
  const struct page_note note = {"Step script", *title ? title : told->name,
                                 about, clock_wall()};
  const int failed = page_note_write(path, &note, error);
  free(about);
  return failed;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Failures that prevent nothing (cli/commands/scorecard_failures.h).
#include "config.h"

#include "cli/commands/scorecard_failures.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

enum { SESSIONS = 64 };

// Each is said once, whatever the level.
static void add_failure(struct card_failures *failures, const char *code,
                        const char *text, const char *where) {
  char words[sizeof failures->each[0].words];
  uint32_t i = 0;
  snprintf(words, sizeof words, "%s", *text ? text : code);
  while (i < failures->count && strcmp(failures->each[i].words, words) != 0)
    i++;
  if (i == FAILURES_MAX)
    return;
  struct card_failure *f = &failures->each[i];
  if (i == failures->count) {
    memcpy(f->words, words, sizeof words);
    failures->count++;
  }
  const size_t used = strlen(f->where);
  if (!strstr(f->where, where))
    snprintf(f->where + used, sizeof f->where - used, "%s%s", used ? ", " : "",
             where);
}

bool card_failures_take_steps(struct card_failures *failures,
                              const char *script,
                              const struct staging *staging) {
  bool over[SESSIONS] = {false}; // the open transaction has failed
  bool any = false;
  for (uint32_t i = 0; i < staging->script->nsteps; i++) {
    const struct step *step = &staging->script->steps[i];
    const struct step_result *result = &staging->results[i];
    bool *failed = &over[step->session % SESSIONS];
    if (step->kind == STEP_BEGIN)
      *failed = false;
    if (result->state != STEP_DONE || result->outcome == OUTCOME_OK || *failed)
      continue;
    *failed = true;
    if (result->cause == CAUSE_OTHER) {
      any = true;
      add_failure(failures, result->code, result->text, script);
    }
  }
  return any;
}

void card_failures_take_load(struct card_failures *failures, const char *load,
                             const struct run_figures *figures) {
  char where[64];
  for (uint32_t i = 0; i < figures->ncodes; i++) {
    const struct code_count *code = &figures->codes[i];
    if (code->cause != CAUSE_OTHER || code->count * 100 < figures->begun)
      continue;
    snprintf(where, sizeof where, "attempts of %s", load);
    add_failure(failures, code->code, code->text, where);
    return;
  }
}

char *card_failures_sentence(const struct card_failures *failures) {
  struct arena arena = {0};
  const char *all = "";
  for (uint32_t i = 0; i < failures->count; i++)
    all = arena_printf(&arena, "%s%s\"%s\" (%s)", all, i ? "; " : "",
                       failures->each[i].words, failures->each[i].where);
  char *sentence =
      failures->count
          ? xasprintf("%s. The `causes` of hello know no conflict by these "
                      "words, so that a script which ends by them shows "
                      "nothing, and its cell is empty",
                      all)
          : NULL;
  arena_free(&arena);
  return sentence;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Tries changes of scripts, one script after the other
// (cli/advise/advising.h).
#include "config.h"

#include "cli/advise/advising.h"

#include "base/memory.h"
#include "cli/process/signals.h"

#include <stdlib.h>
#include <string.h>

// The first script with a finding, at first or in the last run, that nobody has
// changed yet; UINT32_MAX: none.  A rare finding that the last run did not meet
// is one even so.
static uint32_t script_to_repair(const struct advising *a, const bool *done,
                                 const struct advised_trial *last) {
  const struct advised_trial *first = &a->levels[a->advised.default_level];
  for (uint32_t i = 0; first->decided && i < a->nscripts; i++)
    if (!done[i] && (first->cells[i].anomaly != ANOMALY_NONE ||
                     (last->decided && last->cells[i].anomaly != ANOMALY_NONE)))
      return i;
  return UINT32_MAX;
}

static bool helps_script(const struct advised_trial *trial, uint32_t script) {
  return trial->decided && !trial->trouble && trial->committed &&
         !trial->broke_level && trial->cells[script].anomaly == ANOMALY_NONE;
}

// A trial after which all is kept is better; then the faster one.
static bool is_better(const struct advised_trial *trial,
                      const struct advised_trial *than) {
  const bool kept = advised_is_kept(trial), than_kept = advised_is_kept(than);
  return kept != than_kept ? kept : trial->rate > than->rate;
}

// Tries the proposals for a script, and takes the best one into the draft.
static void repair_script(struct advising *a, struct draft *draft,
                          uint32_t script, struct advised_trial *now) {
  struct advised *advised = &a->advised;
  const char *level = advised->levels[advised->default_level].level;
  struct proposal proposals[PROPOSALS_MOST];
  const uint32_t n = advise_propose(a, draft, level, script, proposals);
  struct advised_remedy *best = NULL;
  uint32_t chosen = 0;
  for (uint32_t i = 0;
       i < n && advised->nremedies < ADVISE_REMEDIES_MOST && !*signals_stop();
       i++) {
    struct advised_remedy *remedy = &a->remedies[advised->nremedies++];
    *remedy = (struct advised_remedy){.script = script,
                                      .place = proposals[i].place,
                                      .now = proposals[i].now,
                                      .instead = proposals[i].instead};
    char *left = advise_estimate(a, n - i);
    tell_user("trying change %u of %u of %s, %s for them: %s: %s", i + 1, n,
              a->names[script], left, remedy->place, remedy->instead);
    free(left);
    advise_try(a, &proposals[i].draft, level, advise_time(a), &remedy->trial);
    remedy->helps = helps_script(&remedy->trial, script);
    if (remedy->helps && (!best || is_better(&remedy->trial, &best->trial))) {
      best = remedy;
      chosen = i;
    }
  }
  if (best) {
    best->chosen = true;
    draft_free(draft);
    draft_copy(draft, &proposals[chosen].draft);
    *now = best->trial;
  }
  for (uint32_t i = 0; i < n; i++)
    draft_free(&proposals[i].draft);
}

// A script that nobody has changed yet shows in a later run what hid behind
// other findings in the first one.
static void add_findings(struct advising *a, const struct draft *from,
                         const struct draft *draft,
                         const struct advised_trial *later) {
  struct advised_trial *first = &a->levels[a->advised.default_level];
  struct advised_cell *cells =
      arena_take(&a->arena, a->nscripts * sizeof *cells);
  for (uint32_t i = 0; i < a->nscripts; i++) {
    const bool same = !strcmp(from->texts[i], draft->texts[i]) &&
                      !strcmp(from->schema, draft->schema) && !draft->levels[i];
    cells[i] = first->cells[i];
    if (same && later->decided && cells[i].anomaly == ANOMALY_NONE)
      cells[i] = later->cells[i];
  }
  first->cells = cells;
}

// A change that seemed to help by luck is found out by a longer run of all of
// them together.
static void confirm_changes(struct advising *a, const struct draft *draft) {
  struct advised *advised = &a->advised;
  char *left = advise_estimate(a, 2);
  tell_user("trying all changes together, twice as long, %s", left);
  free(left);
  advise_try(a, draft, advised->levels[advised->default_level].level,
             2 * advise_time(a), &a->after);
  for (uint32_t i = 0; i < advised->nremedies && a->after.decided; i++) {
    struct advised_remedy *r = &a->remedies[i];
    if (r->chosen && a->after.cells[r->script].anomaly != ANOMALY_NONE)
      r->helps = r->chosen = false;
  }
}

void advise_repair(struct advising *a, const struct draft *from) {
  struct advised *advised = &a->advised;
  struct draft draft;
  bool done[ADVISE_SCRIPTS_MOST] = {false};
  uint32_t script;
  draft_copy(&draft, from);
  a->after = advised->levels[advised->default_level];
  while ((script = script_to_repair(a, done, &a->after)) != UINT32_MAX &&
         !*signals_stop()) {
    done[script] = true;
    repair_script(a, &draft, script, &a->after);
    add_findings(a, from, &draft, &a->after);
  }
  if (a->after.changes && !*signals_stop())
    confirm_changes(a, &draft);
  draft_free(&draft);
  advised->after =
      a->after.changes && advised_is_kept(&a->after) ? &a->after : NULL;
}

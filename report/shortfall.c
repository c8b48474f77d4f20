// SPDX-License-Identifier: GPL-3.0-or-later
// Says why a run is no success (report/shortfall.h).
#include "config.h"

#include "report/shortfall.h"

#include "report/durable.h"
#include "report/words/quantity.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { ONE_IN = 100 }; // so many attempts may end in an error

// Databases say so in words of their own: SQLite, MariaDB, PostgreSQL, Redis,
// etcd.
static bool says_full(const struct code_count *code) {
  static const char *const words[] = {"is full",     "disk full",
                                      "Disk full",   "No space left",
                                      "OOM command", "space exceeded"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strstr(code->text, words[i]))
      return true;
  return false;
}

static bool store_was_full(const struct run_figures *f) {
  bool full = false;
  for (uint32_t i = 0; i < f->ncodes; i++)
    full |= says_full(&f->codes[i]);
  return full;
}

static uint64_t count_errors(const struct run_figures *f,
                             const struct code_count **most) {
  uint64_t count = 0;
  *most = NULL;
  for (uint32_t i = 0; i < f->ncodes; i++) {
    if (!cause_is_error(f->codes[i].cause))
      continue;
    if (!*most) // they are sorted
      *most = &f->codes[i];
    count += f->codes[i].count;
  }
  return count;
}

bool shortfall_errors(const struct run_figures *figures, char *text,
                      size_t bytes) {
  const struct code_count *most;
  const uint64_t count = count_errors(figures, &most);
  char number[QUANTITY_GROUPED], all[QUANTITY_GROUPED];
  *text = '\0';
  if (!count)
    return false;
  const bool one = most->count == count;
  snprintf(
      text, bytes, "%s%s of %s attempts (%.2f %%) ended in %s, %s%s%s%s%s%s%s",
      store_was_full(figures) ? "the store was full: " : "",
      quantity_grouped(count, number), quantity_grouped(figures->begun, all),
      quantity_percent(count, figures->begun),
      count == 1 ? "an error" : "errors", one ? "" : "mostly ",
      cause_name(most->cause), most->code[0] ? " (" : "", most->code,
      most->code[0] ? ")" : "", most->text[0] ? ": " : "", most->text);
  return true;
}

// ---- The kinds

static bool has_trouble(const struct report *report, char *text, size_t bytes) {
  if (report->trouble)
    snprintf(text, bytes, "%s", report->trouble);
  return report->trouble != NULL;
}

bool shortfall_invariant(const struct report *report, char *text,
                         size_t bytes) {
  const struct invariant_figures *f =
      report->figures ? &report->figures->invariant : NULL;
  if (!report->invariant || !f || !f->broken)
    return false;
  snprintf(text, bytes,
           "%s was %s, not %" PRId64 ", first %.6f s after the start; %" PRIu64
           " of %" PRIu64 " transactions saw another number",
           invariant_text(report->invariant), f->first.words,
           invariant_equals(report->invariant), quantity_seconds(f->first_at),
           f->broken, f->checked);
  return true;
}

static bool broke_model(const struct report *report, char *text, size_t bytes) {
  const struct test_answer *answer = report->model;
  if (!answer || answer->is.kind != VERDICT_VIOLATION)
    return false;
  const size_t length = strlen(answer->is.sentence);
  const bool stop = length && answer->is.sentence[length - 1] == '.';
  snprintf(text, bytes, "%.*s", (int)(length - stop), answer->is.sentence);
  return true;
}

// A signal is the one other reason to stop than a violation.
bool shortfall_interrupted(const struct report *report, char *text,
                           size_t bytes) {
  const struct run_figures *f = report->figures;
  char of[64] = "";
  if (!f || f->end != RUN_STOPPED || (report->notice && report->notice->seen))
    return false;
  if (f->planned)
    snprintf(of, sizeof of, " of the %.1f s asked for (%.0f %%)",
             quantity_seconds(f->planned),
             quantity_percent(f->elapsed, f->planned));
  snprintf(text, bytes, "by a signal after %.1f s%s",
           quantity_seconds(f->elapsed), of);
  return true;
}

// A kept level says nothing about faults that did not take place.
static bool was_unharmed(const struct report *report, char *text,
                         size_t bytes) {
  const char *why = NULL;
  if (!report->faulted || events_count_harm(report->events, report->nevents))
    return false;
  for (uint32_t i = 0; i < report->nevents && !why; i++)
    if (report->events[i].words[0])
      why = report->events[i].words;
  snprintf(text, bytes, "no fault struck%s%s", why ? ": " : "",
           why ? why : "; the run was over before the first one was due");
  return true;
}

// Errors are what faults are for, unless the store was full.
static bool had_errors(const struct report *report, char *text, size_t bytes) {
  const struct code_count *most;
  return report->figures &&
         ((!report->faulted && count_errors(report->figures, &most) >
                                   report->figures->begun / ONE_IN) ||
          store_was_full(report->figures)) &&
         shortfall_errors(report->figures, text, bytes);
}

// Indexed by kind.
static const struct kind {
  const char *word, *name;
  bool (*is)(const struct report *report, char *text, size_t bytes);
} kinds[] = {
    [SHORTFALL_TROUBLE] = {"TROUBLE", "trouble", has_trouble},
    [SHORTFALL_INVARIANT] = {"VIOLATION", "invariant", shortfall_invariant},
    [SHORTFALL_MODEL] = {"VIOLATION", "model", broke_model},
    [SHORTFALL_LOST] = {"VIOLATION", "durability", durable_broken},
    [SHORTFALL_INTERRUPTED] = {"INTERRUPTED", "interrupted",
                               shortfall_interrupted},
    [SHORTFALL_UNHARMED] = {"NO FAULT", "no fault", was_unharmed},
    [SHORTFALL_ERRORS] = {"ERRORS", "errors", had_errors},
};

bool shortfall_of(const struct report *report, struct shortfall *shortfall) {
  int kind = 0;
  *shortfall = (struct shortfall){.kind = SHORTFALL_NONE};
  while (kind < SHORTFALL_NONE && !kinds[kind].is(report, shortfall->sentence,
                                                  sizeof shortfall->sentence))
    kind++;
  if (kind == SHORTFALL_NONE)
    return false;
  shortfall->kind = (enum shortfall_kind)kind;
  shortfall->word = kinds[kind].word;
  shortfall->name = kinds[kind].name;
  return true;
}

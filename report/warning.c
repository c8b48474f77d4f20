// SPDX-License-Identifier: GPL-3.0-or-later
// Warnings (report/warning.h).
#include "config.h"

#include "report/warning.h"

#include "recorder/build/first_reads.h"
#include "report/prospect.h"
#include "report/quantity.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
  MOST_WARNINGS = 2,
  SENTENCE = 800,
  NAMES = 600,
  MANY_AT_FIRST = 3,
  MOST_VALUE = 60
};

// Too many attempts that had no effect.
static bool warn_of_aborts(const struct report *report, char *sentence) {
  const struct verdict_counts *counts = &report->verdict->counts;
  const uint64_t attempts =
      (uint64_t)counts->committed + counts->aborted + counts->unknown;
  if (report->verdict->kind == VERDICT_VIOLATION ||
      counts->aborted <= attempts / 2)
    return false;
  snprintf(sentence, SENTENCE,
           "%.1f %% of the attempts (%" PRIu32 " of %" PRIu64
           ") were aborted, so that fewer transactions could show an anomaly; "
           "more --keys or fewer --clients let more of them commit.",
           quantity_percent(counts->aborted, attempts), counts->aborted,
           attempts);
  return true;
}

// An anomaly that could not occur was not looked for.
static bool warn_of_chances(const struct report *report, char *sentence) {
  char names[NAMES];
  if (!prospects_missing(report, names, sizeof names))
    return false;
  snprintf(
      sentence, SENTENCE,
      "There was no chance%s of %s. Fewer --keys, more --clients, a longer "
      "--op-delay or --aim=ANOMALY bring some.",
      report->chances->all ? "" : ", or hardly any,", names);
  return true;
}

const char *const *warnings_of(const struct report *report,
                               struct arena *arena) {
  static bool (*const warn[MOST_WARNINGS])(const struct report *, char *) = {
      warn_of_aborts, warn_of_chances};
  const char **warnings =
      arena_take(arena, (MOST_WARNINGS + 1) * sizeof *warnings);
  uint32_t count = 0;
  char sentence[SENTENCE];
  for (uint32_t i = 0; report->verdict && i < MOST_WARNINGS; i++)
    if (warn[i](report, sentence))
      warnings[count++] = arena_strdup(arena, sentence);
  warnings[count] = NULL;
  return warnings;
}

static bool saw_thin_air(const struct verdict *verdict) {
  bool seen = verdict->found[ANOMALY_THIN_AIR_READ] > 0;
  for (uint32_t i = 0; i <= verdict->nothers; i++)
    seen |= report_violation(verdict, i)->anomaly == ANOMALY_THIN_AIR_READ;
  return seen;
}

// Does it look like a store that held something before?
static bool starts_in_the_middle(const struct unwritten *unwritten) {
  return unwritten->at_first >= MANY_AT_FIRST &&
         unwritten->at_first >= unwritten->reads / 2;
}

// Tells what keys seem to have held before the history began, as options.
static const char *suspect_start(const struct history *h, char *sentence) {
  char value[24];
  const struct unwritten unwritten = history_unwritten(h);
  const char *seen =
      unwritten.alike ? history_value(h, unwritten.value, value) : NULL;
  const char *quote = seen && strpbrk(seen, "\" \t;&|<>$()*?#~") ? "'" : "";
  if (seen && unwritten.at_first && strlen(seen) < MOST_VALUE &&
      !strchr(seen, '\''))
    snprintf(sentence, SUSPICION_ROOM,
             "All values that were read and that nobody wrote are %s. If keys "
             "held %s before the history began, check it with --init=%s%s%s%s.",
             seen, seen, quote, seen, quote,
             unwritten.written ? " --duplicate-values=allow" : "");
  else if (starts_in_the_middle(&unwritten))
    snprintf(sentence, SUSPICION_ROOM,
             "Most values that nobody wrote were there when their keys "
             "were first read. If the store held data before the history "
             "began, check it with --init=first-read.");
  else
    return NULL;
  return sentence;
}

// A value that no session wrote is what a second writer looks like, too.
const char *report_suspicion(const struct report *report,
                             char sentence[SUSPICION_ROOM]) {
  const struct verdict *verdict = report->verdict;
  if (!verdict || verdict->kind != VERDICT_VIOLATION || !saw_thin_air(verdict))
    return NULL;
  if (!report->figures)
    return suspect_start(report->history, sentence);
  return "No session of this run wrote what was read: another program "
         "may be writing to these tables. Make sure that none does, and "
         "run again.";
}

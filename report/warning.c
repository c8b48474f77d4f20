// SPDX-License-Identifier: GPL-3.0-or-later
// Warnings (report/warning.h).
#include "config.h"

#include "report/warning.h"

#include "report/prospect.h"
#include "report/quantity.h"

#include <inttypes.h>
#include <stdio.h>

enum { MOST_WARNINGS = 2, SENTENCE = 800, NAMES = 600 };

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

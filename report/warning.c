// SPDX-License-Identifier: GPL-3.0-or-later
// Warnings (report/warning.h).
#include "config.h"

#include "report/warning.h"

#include "base/anomaly_names.h"
#include "recorder/builder/first_reads.h"
#include "report/more_chances.h"
#include "report/prospect.h"
#include "report/shortfall.h"
#include "report/words/quantity.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MOST_WARNINGS = 2, SENTENCE = 2000, MANY_AT_FIRST = 3, MOST_VALUE = 60 };

// Too many attempts that had no effect.
static bool warn_of_aborts(const struct report *report, char *sentence) {
  const struct verdict_counts *counts = &report->verdict->counts;
  const uint64_t attempts =
      (uint64_t)counts->committed + counts->aborted + counts->unknown;
  struct shortfall shortfall;
  if (report->verdict->kind == VERDICT_VIOLATION ||
      (shortfall_of(report, &shortfall) &&
       shortfall.kind == SHORTFALL_ERRORS) ||
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

// Did the user choose the transactions, so that it is by choice that others are
// missing?
static bool shapes_are_chosen(const struct report *report) {
  bool chosen = false;
  for (const struct report_setting *s = report->settings; s && s->name; s++)
    chosen |=
        (!strcmp(s->name, "aim") || !strcmp(s->name, "shares")) && *s->value;
  return chosen;
}

static void add_warning_words(char *list, size_t bytes, const char *words) {
  const size_t used = strlen(list);
  if (!strstr(list, words))
    snprintf(list + used, bytes - used, "%s%s", used ? ", " : "", words);
}

// Why there was no chance, and so the option that brings one.
enum want { WANT_OVERLAPS, WANT_SESSIONS, WANT_SHAPE, WANTS };

// So many overlaps are enough to expect some with an aim; a run of fewer is one
// in which sessions hardly worked at one time.
enum { ENOUGH_OVERLAPS = 1000 };

// Writes the option for WANT_SESSIONS and WANT_SHAPE.  WANTS: none of this
// workload brings a chance.
static enum want want_of(const struct report *report,
                         const struct chance_kind *kind,
                         char option[MORE_CHANCES]) {
  const uint32_t sessions = sessions_for(kind->of);
  const bool has_shape = more_chances(report->workload, kind->anomaly, option);
  if (report->clients < sessions) {
    snprintf(option, MORE_CHANCES, "--clients=%" PRIu32, sessions);
    return WANT_SESSIONS;
  }
  if (!has_shape)
    return WANTS;
  return chance_needs_times(kind->of) &&
                 report->chances->overlaps < ENOUGH_OVERLAPS
             ? WANT_OVERLAPS
             : WANT_SHAPE;
}

enum { WARNED_LIST = 200, FEW = 3 };

struct warned {
  uint32_t missing;
  char names[WARNED_LIST], options[WARNED_LIST];
};

// The anomaly that people ask about first comes first; a few are enough.
static void list_missing(const struct report *report,
                         struct warned lists[WANTS]) {
  struct prospect prospects[CHANCE_KINDS];
  const uint32_t n = prospects_of(report, prospects);
  for (uint32_t place = 0; place <= PROSPECTS_FIRST; place++)
    for (uint32_t i = 0; i < n; i++) {
      const char *anomaly = prospects[i].kind->anomaly;
      char option[MORE_CHANCES];
      const enum want want = want_of(report, prospects[i].kind, option);
      if (prospects[i].high || prospect_place(anomaly) != place ||
          want == WANTS || lists[want].missing++ >= FEW)
        continue;
      add_warning_words(lists[want].names, WARNED_LIST, anomaly_plain(anomaly));
      add_warning_words(lists[want].options, WARNED_LIST, option);
    }
}

// An anomaly that could not occur was not looked for.  Only the first want is
// told: who follows it hears of the next one.
static bool warn_of_chances(const struct report *report, char *sentence) {
  struct warned lists[WANTS] = {0};
  char overlaps[QUANTITY_GROUPED];
  int want = 0;
  if (!report->figures || shapes_are_chosen(report))
    return false;
  list_missing(report, lists);
  while (want < WANTS && !lists[want].missing)
    want++;
  if (want == WANTS)
    return false;
  const struct warned *w = &lists[want];
  const char *others = w->missing > FEW ? " and others" : "";
  if (want == WANT_SESSIONS)
    snprintf(sentence, SENTENCE,
             "There was no chance of %s%s, which takes more sessions. With %s "
             "there can be.",
             w->names, others, w->options);
  else if (want == WANT_OVERLAPS)
    snprintf(sentence, SENTENCE,
             "There was no chance of %s%s: transactions of two sessions "
             "overlapped %s times. More --transactions or --time lets more of "
             "them overlap.",
             w->names, others,
             quantity_grouped(report->chances->overlaps, overlaps));
  else
    snprintf(sentence, SENTENCE,
             "There was no chance of %s%s. With %s there can be.", w->names,
             others, w->options);
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
// A driver with a mistake makes violations that are none.
static const char *suspect_driver(const struct report *report,
                                  char sentence[SUSPICION_ROOM]) {
  snprintf(sentence, SUSPICION_ROOM,
           "The driver is no part of isostress, and %s. `isostress "
           "driver-test --driver='%.200s'` says whether it makes mistakes.",
           report->driver_tested ? "passed only the quick checks before the run"
                                 : "was not tested before the run",
           report->driver_command);
  return sentence;
}

const char *report_suspicion(const struct report *report,
                             char sentence[SUSPICION_ROOM]) {
  const struct verdict *verdict = report->verdict;
  if (!verdict || verdict->kind != VERDICT_VIOLATION)
    return NULL;
  if (report->driver_command)
    return suspect_driver(report, sentence);
  if (!saw_thin_air(verdict))
    return NULL;
  if (!report->figures)
    return suspect_start(report->history, sentence);
  return "No session of this run wrote what was read: another program "
         "may be writing to these tables. Make sure that none does, and "
         "run again.";
}

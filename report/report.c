// SPDX-License-Identifier: GPL-3.0-or-later
// Facts about a report (report/report.h) on which text, pages and programs
// agree.
#include "config.h"

#include "report/report.h"

#include "report/badge.h"
#include "report/tale/example.h"

#include <assert.h>
#include <string.h>

const struct verdict *report_violation(const struct verdict *verdict,
                                       uint32_t i) {
  assert(i <= verdict->nothers);
  return i == 0 ? verdict : &verdict->others[i - 1];
}

const char *report_verdict_word(const struct verdict *verdict) {
  static const char *const words[] = {[VERDICT_PASS] = "pass",
                                      [VERDICT_VIOLATION] = "violation",
                                      [VERDICT_UNDECIDED] = "undecided"};
  return words[verdict->kind];
}

bool report_hit_limit(const char *why) {
  static const char *const limits[] = {"time limit", "memory limit",
                                       "interrupted"};
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
    if (!strncmp(why, limits[i], strlen(limits[i])))
      return true;
  return false;
}

const char *report_one_program(const struct verdict *verdict) {
  return verdict->ncases_refuted
             ? "One program refuted this part case by case; no separate code "
               "checked it."
             : "One program tried all orders of this part; no separate code "
               "checked it.";
}

bool report_insert_reads(const struct verdict *verdict) {
  const struct rows *rows =
      verdict->rows_part ? verdict->rows_part->rows : NULL;
  bool inserts = false;
  for (uint32_t i = 0; rows && i < rows->nstatements; i++)
    inserts |= rows->statements[i].sort == STATEMENT_INSERT;
  return inserts && verdict->question.level < ISOLATION_SI &&
         verdict->question.level > ISOLATION_RC;
}

bool report_is_open(const struct report *report) {
  return report->figures && report->auto_level &&
         report->claimed == ISOLATION_NONE;
}

// The report is one of a run.
static struct promised_level level_of_run(const struct report *report) {
  return (struct promised_level){report->target, report->figures->server,
                                 report->level, report->claimed,
                                 report->figures->nendpoints > 0};
}

const char *report_promise_among(const struct report *report) {
  if (!report->figures)
    return NULL;
  const struct promised_level level = level_of_run(report);
  return promise_among_serializable(&level);
}

enum badge report_badge(const struct report *report, const struct example *e) {
  if (!report->figures || *report->figures->level_in_effect)
    return BADGE_UNDOCUMENTED;
  const struct promised_level level = level_of_run(report);
  return badge_of_example(&level, e, report->verdict->question.real_time);
}

enum badge report_badge_told(const struct report *report) {
  struct example example;
  if (!report->figures || !report->verdict ||
      report->verdict->kind != VERDICT_VIOLATION)
    return BADGE_UNDOCUMENTED;
  example_of_verdict(&example, report->history, report->verdict,
                     report->raw_values);
  const enum badge badge = report_badge(report, &example);
  example_free(&example);
  return badge;
}

const char *report_promise(const struct report *report) {
  static const char *const words[BADGES] = {[BADGE_FORBIDDEN] = "broken",
                                            [BADGE_ALLOWED] = "allowed",
                                            [BADGE_SERVERS] =
                                                "allowed across servers"};
  return words[report_badge_told(report)];
}

bool report_breaks_promise(const struct report *report) {
  return report_badge_told(report) == BADGE_FORBIDDEN;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// A report as text for people: the verdict and what it means.
#include "config.h"

#include "report/text/text.h"

#include "base/anomaly_names.h"
#include "base/memory.h"
#include "report/auto_level.h"
#include "report/badge.h"
#include "report/prospect.h"
#include "report/shortfall.h"
#include "report/tale/example.h"
#include "report/tale/story.h"
#include "report/warning.h"
#include "report/words/quantity.h"
#include "report/words/title.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Ends the headline.
static void end_headline(FILE *out, const struct report *report) {
  const struct run_figures *f = report->figures;
  if (f && *f->level_in_effect)
    fprintf(out, ", but the level in effect was \"%s\", not \"%s\"",
            f->level_in_effect, f->level_asked);
  fputs(".\n", out);
}

static void put_story(FILE *out, const struct example *e) {
  char time[32];
  fprintf(out, "  What happened%s:\n",
          e->timed ? ", in the order of real time" : "");
  for (uint32_t i = 0; i < e->nstory; i++)
    if (e->timed)
      fprintf(out, "    %s: %s\n", example_time(e, e->story[i].time, time),
              e->story[i].sentence);
    else
      fprintf(out, "    %s\n", e->story[i].sentence);
}

// `taken`: it is one case of several, of which others may need the level.
static void put_example(FILE *out, const struct verdict *verdict,
                        const struct example *e, bool taken) {
  char mark[NAME_ROOM];
  fprintf(out, "\n  %s: %s\n", e->anomaly, e->meaning);
  if (e->level == ISOLATION_NONE)
    fprintf(
        out,
        "  If all these transactions were at one level, they would break %s.\n",
        isolation_title(e->weakest));
  else if (e->weakest == e->level)
    fprintf(out, "  It breaks %s, which was checked%s.\n",
            isolation_title(e->weakest), taken ? "" : ", and no weaker level");
  else
    fprintf(out, "  It breaks %s already, and so %s, which was checked.\n",
            isolation_title(e->weakest), isolation_title(e->level));
  put_story(out, e);
  if (e->nstatements)
    fputs("  The statements, with the keys of their rows:\n", out);
  for (uint32_t i = 0; i < e->nstatements; i++)
    fprintf(out, "    %s\n", e->statements[i]);
  if (e->nops && !verdict->tried && example_kept_without_one(e))
    fprintf(out, "  Remove any one of %s, and %s is kept.\n",
            example_shows_more(e) ? "the operations of the steps below"
                                  : "these operations",
            example_kept_without_one(e));
  if (verdict->rows_part)
    fputs("  Remove any one of these rows, or of the statements that only "
          "read, and the level is kept.\n"
          "  Conditions leave out comparisons that make no difference to these "
          "rows.\n",
          out);
  fputs(e->read == EXAMPLE_NONE || e->ncycle
            ? "  Why they contradict each other:\n"
            : "  What is wrong:\n",
        out);
  for (uint32_t i = 0; i < e->ncycle; i++)
    fprintf(out, "    %" PRIu32 ". %s\n", i + 1, e->edges[i].sentence);
  if (e->ncycle)
    fprintf(out, "    %s\n", e->contradiction);
  if (e->ncycle && e->nreasons)
    fputs("  These steps rest on:\n", out);
  for (uint32_t i = 0; i < e->nreasons; i++)
    fprintf(out, "    %s. %s\n", example_mark(e, e->reasons[i].number, mark),
            e->reasons[i].sentence);
  if (!e->ncycle)
    fprintf(out, "    %s\n", e->contradiction);
}

static void put_text_of_found(FILE *out, const struct verdict *verdict) {
  const char *separator = "";
  if (!verdict->found[verdict->anomaly])
    return;
  fputs("  Found: ", out);
  for (int a = 0; a < ANOMALY_COUNT; a++)
    if (verdict->found[a]) {
      fprintf(out, "%s%" PRIu32 " %s", separator, verdict->found[a],
              anomaly_info((enum anomaly)a)->name);
      separator = ", ";
    }
  fputs(verdict->found_more ? ", and perhaps more.\n" : ".\n", out);
}

static void put_text_of_pass(FILE *out, const struct report *report) {
  text_put_proof(out, report);
  prospects_put_text(out, report);
}

void text_put_headline(FILE *out, const struct report *report,
                       const char *word) {
  const struct verdict *verdict = report->verdict;
  const struct anomaly_info *info = anomaly_info(verdict->anomaly);
  const char *also = anomaly_also(info->name);
  struct shortfall shortfall;
  const bool missing = shortfall_of(report, &shortfall) &&
                       shortfall.kind != SHORTFALL_INVARIANT &&
                       shortfall.kind != SHORTFALL_MODEL;
  char title[TITLE_ROOM];
  title_of(verdict, title);
  if (verdict->kind == VERDICT_VIOLATION)
    fprintf(out, "%s: %s was broken by %s%s%s%s", word, title, info->name,
            also[0] ? " (" : "", also, also[0] ? ")" : "");
  else if (verdict->kind == VERDICT_PASS)
    fprintf(out, "%s: %s was kept%s", missing ? shortfall.word : "PASS", title,
            missing ? " in what was recorded" : "");
  else
    fprintf(out, "UNDECIDED: whether %s was kept", title);
  end_headline(out, report);
}

static const char *promise_words_of(enum badge badge) {
  static const char *const words[BADGES] = {
      [BADGE_FORBIDDEN] = "yes. BROKEN PROMISE",
      [BADGE_ALLOWED] = "no; the level allows it",
      [BADGE_SERVERS] = "by one server; it is allowed across servers"};
  return words[badge];
}

static void put_promised(FILE *out, const struct report *report,
                         const struct example *e) {
  const char *words = promise_words_of(report_badge(report, e));
  if (words)
    fprintf(out, "  Promised: %s.\n", words);
}

const char *text_promised(const struct report *report) {
  return promise_words_of(report_badge_told(report));
}

const char *text_violation_word(const struct report *report) {
  return report_is_open(report) && !report_breaks_promise(report) ? "NONE KEPT"
                                                                  : "VIOLATION";
}

static void put_broken_level(FILE *out, const struct report *report) {
  const struct verdict *verdict = report->verdict;
  text_put_proof(out, report);
  put_text_of_found(out, verdict);
  char room[SUSPICION_ROOM];
  const char *suspicion = report_suspicion(report, room);
  if (suspicion)
    fprintf(out, "  %s\n", suspicion);
  for (uint32_t i = 0; i <= verdict->nothers; i++) {
    struct example example;
    example_of_verdict(&example, report->history, report_violation(verdict, i),
                       report->raw_values);
    if (i == 0)
      put_promised(out, report, &example);
    put_example(out, report_violation(verdict, i), &example,
                verdict->nassumed_reads > 0);
    example_free(&example);
  }
}

// A level above the claimed one, which is not broken.
static void put_beyond(FILE *out, const struct report *report) {
  struct report beyond = *report;
  beyond.verdict = report->beyond;
  text_put_headline(out, &beyond, TEXT_STRONGER);
  put_broken_level(out, &beyond);
}

static void put_text_of_unmet(FILE *out, const struct report *report) {
  for (uint32_t i = 0; i < report->nrequirements; i++)
    if (!report->requirements[i].met)
      fprintf(out, "NOT MET: %s was required, and it is %s.\n",
              report->requirements[i].text, report->requirements[i].is);
}

static void put_warnings(FILE *out, const struct report *report) {
  struct arena arena = {0};
  const char *const *warnings = warnings_of(report, &arena);
  for (uint32_t i = 0; warnings[i]; i++)
    fprintf(out, "  WARNING: %s\n", warnings[i]);
  arena_free(&arena);
}

static void put_text_of_undecided(FILE *out, const struct report *report) {
  fprintf(out, "  Why: %s (%.2f s).\n", report->verdict->why,
          report->check_seconds);
  text_put_counts(out, report);
}

void report_verdict(FILE *out, const struct report *report) {
  static void (*const put[])(FILE *, const struct report *) = {
      [VERDICT_PASS] = put_text_of_pass,
      [VERDICT_VIOLATION] = put_broken_level,
      [VERDICT_UNDECIDED] = put_text_of_undecided};
  text_put_headline(out, report, text_violation_word(report));
  put[report->verdict->kind](out, report);
  put_warnings(out, report);
}

void text_put_not_checked(FILE *out, const struct report *report) {
  const bool promises = !report->figures || report->claimed != ISOLATION_NONE;
  fputs("NOT CHECKED", out);
  if (!promises)
    fprintf(out, ": the level \"%s\" promises nothing that could be checked",
            report->level);
  end_headline(out, report);
  if (!promises)
    fputs("  --check=auto tells the strongest level kept, --check=LEVEL asks "
          "about one.\n",
          out);
}

void report_text(FILE *out, const struct report *report) {
  if (report->figures) {
    report_figures(out, report);
    fputc('\n', out);
  }
  put_text_of_unmet(out, report);
  if (report->verdict)
    report_verdict(out, report);
  else
    text_put_not_checked(out, report);
  if (report->auto_level)
    auto_level_put_text(out, report);
  if (report->beyond)
    put_beyond(out, report);
  if (report->trouble)
    fprintf(out, "TROUBLE: %s\n", report->trouble);
  if (report->directory)
    fprintf(out, "results: %s\n", report->directory);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Counterexamples as text: in full, or the smallest one drawn for a terminal
// (report/text/blocks.h).
#include "config.h"

#include "report/text/blocks.h"

#include "base/memory.h"
#include "report/badge.h"
#include "report/own_scripts.h"
#include "report/tale/example.h"
#include "report/tale/story.h"
#include "report/text/text.h"
#include "report/words/plain.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// ---- In full

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

static void put_broken_level(FILE *out, const struct example *e, bool taken) {
  const char *weakest = isolation_title(e->weakest);
  if (e->level == ISOLATION_NONE)
    fprintf(
        out,
        "  If all these transactions were at one level, they would break %s.\n",
        weakest);
  else if (e->weakest == e->level)
    fprintf(out, "  It breaks %s, which was checked%s.\n", weakest,
            taken ? "" : ", and no weaker level");
  else
    fprintf(out, "  It breaks %s already, and so %s, which was checked.\n",
            weakest, isolation_title(e->level));
}

static void put_statements(FILE *out, const struct example *e) {
  if (e->nstatements)
    fputs("  The statements, with the keys of their rows:\n", out);
  for (uint32_t i = 0; i < e->nstatements; i++)
    fprintf(out, "    %s\n", e->statements[i]);
}

static void put_smallest(FILE *out, const struct verdict *verdict,
                         const struct example *e) {
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
}

static void put_argument(FILE *out, const struct example *e) {
  char mark[NAME_ROOM];
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

// `taken`: it is one case of several, of which others may need the level.
static void put_case(FILE *out, const struct verdict *verdict,
                     const struct example *e, bool taken) {
  fprintf(out, "\n  %s: %s\n", e->anomaly, e->meaning);
  put_broken_level(out, e, taken);
  put_story(out, e);
  put_statements(out, e);
  put_smallest(out, verdict, e);
  put_argument(out, e);
}

static const char *promise_words_of(enum badge badge, const char *among) {
  static const char *const words[BADGES] = {
      [BADGE_FORBIDDEN] = "yes. BROKEN PROMISE",
      [BADGE_ALLOWED] = "no; the level allows it",
      [BADGE_SERVERS] = "by one server; it is allowed across servers"};
  return among && badge == BADGE_ALLOWED ? among : words[badge];
}

const char *text_promised(const struct report *report) {
  return promise_words_of(report_badge_told(report),
                          report_promise_among(report));
}

void tell_examples(FILE *out, const struct telling *t) {
  const struct report *report = t->report;
  const struct verdict *verdict = report->verdict;
  if (!verdict || verdict->kind != VERDICT_VIOLATION)
    return;
  for (uint32_t i = 0; i <= verdict->nothers; i++) {
    const struct verdict *violation = report_violation(verdict, i);
    struct example e;
    example_of_verdict(&e, report->history, violation, report->raw_values);
    const char *promised = promise_words_of(report_badge(report, &e),
                                            report_promise_among(report));
    if (i == 0 && promised)
      fprintf(out, "  Promised: %s.\n", promised);
    put_case(out, violation, &e, verdict->nassumed_reads > 0);
    example_free(&e);
  }
}

// ---- Drawn

unsigned text_lines(const char *text) {
  unsigned lines = 0;
  for (; *text; text++)
    lines += *text == '\n';
  return lines;
}

// A picture that has no line but those of the sessions is none, and a long one
// is better seen on the page.
char *tell_make_picture(const struct stored *stored) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  if (stored->nexamples)
    text_put_picture(out, stored->examples);
  fclose(out);
  const unsigned lines = text_lines(text);
  if (lines >= 2 && lines <= BRIEF_CASE - 2)
    return text;
  free(text);
  return NULL;
}

// In the scripts' own names.  A violation's first line has told it so already.
static const char *own_case(const struct report *report) {
  return report->own_scripts && report->verdict->kind == VERDICT_PASS
             ? report->own_scripts->headline
             : NULL;
}

static void put_own_case(FILE *out, const struct telling *t) {
  char *text;
  size_t bytes;
  FILE *words = text_stream(&text, &bytes);
  fputs("The smallest case: ", words);
  if (own_case(t->report))
    own_scripts_put_case(words, t->report->own_scripts);
  fclose(words);
  text[strlen(text) - (text[strlen(text) - 1] == ' ')] = '\0';
  fputs("  ", out);
  plain_put_wrapped(out, text, 2, 4);
  free(text);
}

void tell_picture(FILE *out, const struct telling *t) {
  if (!t->picture && !own_case(t->report))
    return;
  fputc('\n', out);
  put_own_case(out, t);
  if (t->picture)
    fputs(t->picture, out);
}

// Says who wrote the values whose short names are in the picture.
void tell_legend(FILE *out, const struct telling *t) {
  const struct example *e = t->stored->examples;
  if (!t->picture || !example_has_short_values(e))
    return;
  fprintf(out, "    (x1: what T1 wrote to x%s%s)\n",
          example_names_value(e, '0') ? "; x0: what x held at first" : "",
          example_names_value(e, '*') ? "; x*: from one not shown" : "");
}

// The steps that a sentence rests on are on the page alone: "(see a)" would
// lead nowhere.
static char *without_references(const char *sentence) {
  char *text = xstrdup(sentence), *see;
  while ((see = strstr(text, " (see ")) && strchr(see, ')')) {
    const char *rest = strchr(see, ')') + 1;
    memmove(see, rest, strlen(rest) + 1);
  }
  return text;
}

void tell_cycle(FILE *out, const struct telling *t) {
  const struct example *e = t->stored->examples;
  for (uint32_t i = 0; t->stored->nexamples && i < e->ncycle; i++) {
    char *sentence = without_references(e->edges[i].sentence);
    fprintf(out, "    %" PRIu32 ". ", i + 1);
    plain_put_outside(out, sentence, 7, 7);
    free(sentence);
  }
}

void tell_conclusion(FILE *out, const struct telling *t) {
  if (!t->picture)
    return;
  fputs("    ", out);
  plain_put_outside(out, t->stored->examples->contradiction, 4, 4);
}

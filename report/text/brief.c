// SPDX-License-Identifier: GPL-3.0-or-later
// The result of a run in brief (report/text/brief.h).  It is made of blocks,
// each of which has a rank; those of a low rank are left out where the lines
// are too few.
#include "config.h"

#include "report/text/brief.h"

#include "base/anomaly_names.h"
#include "base/histogram.h"
#include "base/marks.h"
#include "base/memory.h"
#include "report/auto_level.h"
#include "report/badge.h"
#include "report/model.h"
#include "report/page/sections.h"
#include "report/prospect.h"
#include "report/report.h"
#include "report/shortfall.h"
#include "report/text/text.h"
#include "report/warning.h"
#include "report/words/found.h"
#include "report/words/plain.h"
#include "report/words/quantity.h"
#include "report/words/title.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct brief {
  const struct report *report;
  const struct stored *stored;
  bool colour;
  bool known; // facts and the headline of a violation
  struct facts_in_brief facts;
  char *headline; // a sentence (base/marks.h)
  char *picture;  // of the counterexample; NULL: none that fits
  struct shortfall shortfall;
  bool leads;  // a broken invariant: the headline begins with it
  bool beside; // the headline is about that, which is no property of the level
};

enum { LABEL = 11, INDENT = LABEL + 2 }; // columns

static void put_labelled(FILE *out, const char *label, const char *sentence) {
  fprintf(out, "  %-*s", LABEL, label);
  plain_put_wrapped(out, sentence, INDENT, INDENT);
}

static void put_said(FILE *out, const char *label, const char *text) {
  fprintf(out, "  %-*s", LABEL, label);
  plain_put_outside(out, text, INDENT, INDENT);
}

// ---- Blocks

static void put_brief_word(FILE *out, const struct brief *b, const char *word,
                           int colour) {
  if (b->colour && colour)
    fprintf(out, "\033[1;%dm%s\033[0m: ", colour, word);
  else
    fprintf(out, "%s: ", word);
}

// "2,495 of them among 17,117 committed transactions."
static void put_counts(FILE *out, const struct brief *b) {
  const struct verdict *verdict = b->report->verdict;
  const struct anomaly_info *info = anomaly_info(verdict->anomaly);
  char title[TITLE_ROOM];
  fprintf(out, "%*s%s breaks %s", INDENT, "", info->name,
          title_of(verdict, title));
  if (verdict->found[verdict->anomaly]) {
    fputs("; found ", out);
    found_put(out, info->name, verdict->found[verdict->anomaly],
              verdict->found_more);
  }
  fputs(".\n", out);
}

static void put_violation(FILE *out, const struct brief *b) {
  const struct report *report = b->report;
  char suspicion[SUSPICION_ROOM];
  const char *word = text_violation_word(report);
  if (b->known) {
    put_brief_word(out, b, word, b->facts.forbidden ? 31 : 33);
    plain_put_wrapped(out, b->headline, (unsigned)strlen(word) + 2, INDENT);
    put_counts(out, b);
  } else {
    text_put_headline(out, report, word);
  }
  if (report->verdict->one_program)
    put_said(out, "proof", report_one_program(report->verdict));
  const char *note = report_suspicion(report, suspicion);
  if (note)
    put_said(out, "note", note);
}

// The first line of a run that shows no violation of its level, in the words of
// the page.
static void put_first(FILE *out, const struct brief *b, const char *word,
                      int colour) {
  put_brief_word(out, b, word, colour);
  plain_put_wrapped(out, b->headline, (unsigned)strlen(word) + 2,
                    (unsigned)strlen(word) + 2);
}

enum { BELOW = 6 }; // columns before what stands below "PASS: "

static void put_counted(FILE *out, uint64_t history, uint64_t figures) {
  char *text;
  size_t bytes;
  FILE *words = text_stream(&text, &bytes);
  page_put_counted(words, history, figures);
  fclose(words);
  if (*text) {
    fprintf(out, "%*s", BELOW, "");
    plain_put_wrapped(out, text + 1, BELOW, BELOW);
  }
  free(text);
}

static void put_brief_pass(FILE *out, const struct brief *b) {
  const struct report *report = b->report;
  const struct verdict *verdict = report->verdict;
  char title[TITLE_ROOM];
  if (b->shortfall.kind == SHORTFALL_NONE)
    put_first(out, b, "PASS", report->beyond ? 33 : 32);
  else if (!b->beside)
    put_first(out, b, b->shortfall.word, 33);
  char *sentence, order[QUANTITY_GROUPED];
  size_t bytes;
  FILE *words = text_stream(&sentence, &bytes);
  fprintf(words, "%s: %s committed transactions fit into one order;",
          title_of(verdict, title), quantity_grouped(verdict->norder, order));
  fclose(words);
  fprintf(out, "%*s", BELOW, "");
  plain_put_wrapped(out, sentence, BELOW, BELOW);
  free(sentence);
  fprintf(out, "%*s%s.\n", BELOW, "",
          verdict->tried ? "found by trying all, replayed by no separate code"
                         : "separate code replayed it");
  if (report->figures)
    put_counted(out, verdict->norder, report->figures->committed);
}

// The command that asks the same question again.
static void put_check(FILE *out, const struct verdict *verdict,
                      const char *path) {
  fprintf(out, "  %-*sisostress check --level=%s", LABEL, "go on",
          question_level_word(&verdict->question));
  question_put_options(out, &verdict->question);
  fprintf(out, " %s\n", path);
}

static void put_brief_undecided(FILE *out, const struct brief *b) {
  if (b->beside)
    text_put_headline(out, b->report, "VIOLATION");
  else
    put_first(out, b, "UNDECIDED", 0);
  put_said(out, "why", b->report->verdict->why);
  if (b->report->history_path && report_hit_limit(b->report->verdict->why))
    put_check(out, b->report->verdict, b->report->history_path);
}

// A run that fails by a requirement does not begin with its verdict.
static void put_brief_unmet(FILE *out, const struct brief *b) {
  const struct report *report = b->report;
  for (uint32_t i = 0; i < report->nrequirements; i++) {
    const struct report_requirement *r = &report->requirements[i];
    if (r->met)
      continue;
    put_brief_word(out, b, "NOT MET", 33);
    fprintf(out, "%s was required, and it is %s.\n", r->text, r->is);
  }
}

static void put_verdict(FILE *out, const struct brief *b) {
  const struct report *report = b->report;
  const bool page = b->headline && *b->headline &&
                    !(report->figures && *report->figures->level_in_effect);
  if (b->beside)
    put_first(out, b, b->shortfall.word, 31);
  if (!report->verdict)
    text_put_not_checked(out, report);
  else if (report->verdict->kind == VERDICT_VIOLATION)
    put_violation(out, b);
  else if (!page)
    text_put_headline(out, report, "VIOLATION");
  else if (report->verdict->kind == VERDICT_PASS)
    put_brief_pass(out, b);
  else
    put_brief_undecided(out, b);
}

static bool tells_first(const struct brief *b, enum shortfall_kind kind) {
  return b->beside && b->shortfall.kind == kind;
}

// Writes the lines that a user must not overlook.
static void put_alarms(FILE *out, const struct brief *b) {
  const struct report *report = b->report;
  struct arena arena = {0};
  const char *const *warnings = warnings_of(report, &arena);
  if (report->beyond && !report->own_scripts) {
    struct report beyond = *report;
    beyond.verdict = report->beyond;
    text_put_headline(out, &beyond, TEXT_STRONGER);
  }
  char text[SHORTFALL_TEXT];
  if (shortfall_interrupted(report, text, sizeof text))
    put_said(out, "stopped", text);
  if (report->figures && shortfall_errors(report->figures, text, sizeof text))
    put_said(out, "errors", text);
  if (b->leads)
    put_said(out, "invariant", b->shortfall.sentence);
  else if (report->figures && !tells_first(b, SHORTFALL_INVARIANT))
    text_put_invariant(out, report);
  if (report->model && tells_first(b, SHORTFALL_MODEL))
    model_put_details(out, report->model);
  else if (report->model)
    model_put_text(out, report->model);
  for (uint32_t i = 0; report->verdict && warnings[i]; i++)
    put_said(out, "WARNING:", warnings[i]);
  if (report->salvage)
    put_said(out, "lost", report->salvage);
  if (report->trouble)
    put_said(out, "TROUBLE:", report->trouble);
  arena_free(&arena);
}

// Are own scripts told of that keep what the database promises, and are not
// serializable?
static bool tells_kept_scripts(const struct brief *b) {
  return b->known && b->report->own_scripts &&
         b->report->verdict->kind == VERDICT_PASS;
}

// At a level that promises nothing the headline names the level that was kept,
// and the facts of the smallest case need the room.
static void put_auto_level(FILE *out, const struct brief *b) {
  const bool is_told =
      tells_kept_scripts(b) && page_is_open(b->stored->document);
  if (b->report->auto_level && !is_told)
    auto_level_put_text(out, b->report);
}

// A line of what is told of the user's own scripts; nothing if it is empty.
static void put_own(FILE *out, const struct brief *b, const char *label,
                    void (*put)(FILE *, const struct own_scripts *)) {
  char *text;
  size_t bytes;
  if (!b->report->own_scripts)
    return;
  FILE *words = text_stream(&text, &bytes);
  put(words, b->report->own_scripts);
  fclose(words);
  if (*text)
    put_labelled(out, label, text);
  free(text);
}

static void put_own_scripts(FILE *out, const struct brief *b) {
  put_own(out, b, "scripts", own_scripts_put_findings);
  put_own(out, b, "judged", own_scripts_put_judged);
}

static unsigned lines_of(const char *text) {
  unsigned lines = 0;
  for (; *text; text++)
    lines += *text == '\n';
  return lines;
}

// In the scripts' own names, unless the first line has told it so.
static void put_own_case(FILE *out, const struct brief *b) {
  char *text;
  size_t bytes;
  FILE *words = text_stream(&text, &bytes);
  fputs("The smallest case: ", words);
  if (b->report->own_scripts && b->report->verdict->kind == VERDICT_PASS)
    own_scripts_put_case(words, b->report->own_scripts);
  fclose(words);
  text[strlen(text) - (text[strlen(text) - 1] == ' ')] = '\0';
  fputs("  ", out);
  plain_put_wrapped(out, text, 2, 4);
  free(text);
}

// A picture that has no line but those of the sessions is none, and a long one
// is better seen on the page.
static char *make_picture(const struct stored *stored) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  if (stored->nexamples)
    brief_put_picture(out, stored->examples);
  fclose(out);
  const unsigned lines = lines_of(text);
  if (lines >= 2 && lines <= BRIEF_CASE - 2)
    return text;
  free(text);
  return NULL;
}

static void put_picture(FILE *out, const struct brief *b) {
  if (!b->picture)
    return;
  fputc('\n', out);
  put_own_case(out, b);
  fputs(b->picture, out);
}

// Says who wrote the values whose short names are in the picture.
static void put_legend(FILE *out, const struct brief *b) {
  const struct example *e = b->stored->examples;
  if (!b->picture || !example_has_short_values(e))
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

static void put_cycle(FILE *out, const struct brief *b) {
  const struct example *e = b->stored->examples;
  for (uint32_t i = 0; b->stored->nexamples && i < e->ncycle; i++) {
    char *sentence = without_references(e->edges[i].sentence);
    fprintf(out, "    %" PRIu32 ". ", i + 1);
    plain_put_outside(out, sentence, 7, 7);
    free(sentence);
  }
}

static void put_conclusion(FILE *out, const struct brief *b) {
  if (!b->picture)
    return;
  fputs("    ", out);
  plain_put_outside(out, b->stored->examples->contradiction, 4, 4);
}

static void put_facts(FILE *out, const struct brief *b) {
  if (!b->known)
    return;
  char *promised = xasprintf("%s %s.", b->facts.answer, b->facts.tag);
  fputc('\n', out);
  put_labelled(out, "promised", promised);
  if (!b->report->own_scripts || !b->report->own_scripts->headline)
    put_labelled(out, "means", b->facts.means);
  const char *const *h = b->facts.helps;
  char *helps = xasprintf("%s%s%s%s%s", h[0], h[1] ? " " : "", h[1] ? h[1] : "",
                          h[1] && h[2] ? " " : "", h[1] && h[2] ? h[2] : "");
  put_own(out, b, "change", own_scripts_put_changes);
  put_labelled(out, "helps", helps);
  free(helps);
  free(promised);
}

// The chances that people ask about first, if there were any, and that none was
// used.
static void put_tried(FILE *out, const struct brief *b) {
  struct prospect prospects[CHANCE_KINDS];
  const uint32_t n =
      b->report->verdict ? prospects_of(b->report, prospects) : 0;
  char *text;
  size_t bytes;
  uint32_t shown = 0;
  FILE *words = text_stream(&text, &bytes);
  for (uint32_t place = 0; place < PROSPECTS_FIRST; place++)
    for (uint32_t i = 0; i < n; i++) {
      const struct prospect *p = &prospects[i];
      if (prospect_place(p->kind->anomaly) != place || !p->low)
        continue;
      fprintf(words, "%s%s ", shown++ ? ", " : "",
              anomaly_plain(p->kind->anomaly));
      prospect_put_count(words, p->low, p->high, NULL);
      if (shown == 1)
        fputs(p->high == 1 ? " chance" : " chances", words);
    }
  fputs("; none seen", words);
  fclose(words);
  if (shown)
    put_said(out, "tried", text);
  free(text);
}

static void put_brief_latency(FILE *out, const struct run_figures *f) {
  static const struct {
    const char *name;
    double share;
  } shown[] = {{"p50", 0.5}, {"p99", 0.99}};
  struct histogram *all = xcalloc(1, sizeof *all);
  for (uint32_t i = 0; i < f->nshapes; i++)
    histogram_merge(all, &f->shapes[i].latency);
  for (size_t i = 0; i < 2 && all->count; i++) {
    const struct quantity q =
        quantity_duration((double)histogram_percentile(all, shown[i].share));
    fprintf(out, "%s %s" HARD_BLANK "%s" HARD_BLANK "%s", i ? "," : ";",
            shown[i].name, q.number, q.unit);
  }
  free(all);
}

static void write_run(FILE *out, const struct run_figures *f) {
  quantity_put_grouped(out, f->committed);
  fputs(" committed, ", out);
  quantity_put_grouped(out, quantity_whole_rate(f->committed, f->measured));
  fputs("/s; ", out);
  quantity_put_grouped(out, run_refused(f));
  fprintf(out, " refused (%.2f" HARD_BLANK "%%)",
          quantity_percent(run_refused(f), f->begun));
  if (f->by_cause[CAUSE_CLIENT]) {
    fputs("; ", out);
    quantity_put_grouped(out, f->by_cause[CAUSE_CLIENT]);
    fputs(" rolled back", out);
  }
  if (f->unknown) {
    fputs("; ", out);
    quantity_put_grouped(out, f->unknown);
    fputs(" unknown", out);
  }
  put_brief_latency(out, f);
}

static void put_brief_run(FILE *out, const struct brief *b) {
  char *text;
  size_t bytes;
  if (!b->report->figures)
    return;
  FILE *words = text_stream(&text, &bytes);
  write_run(words, b->report->figures);
  fclose(words);
  fputc('\n', out);
  put_labelled(out, "run", text);
  free(text);
}

static void put_brief_page(FILE *out, const struct brief *b) {
  if (b->report->directory && b->report->unwritten)
    fprintf(out, "  %-*s%s, without a page\n", LABEL, "results",
            b->report->directory);
  else if (b->report->directory)
    fprintf(out, "  %-*s%s/report.html\n", LABEL, "page", b->report->directory);
}

static const char *setting_of(const struct report *report, const char *name) {
  const struct report_setting *s = report->settings;
  while (s && s->name && strcmp(s->name, name) != 0)
    s++;
  return s && s->name ? s->value : "";
}

// Performs the case again, on the database that the run was on.  A target that
// lacks its password is left to the reader.
static void put_again(FILE *out, const struct brief *b) {
  const struct report *report = b->report;
  const struct verdict *told =
      report->beyond ? report->beyond : report->verdict;
  const char *target = report->target;
  if (!report->directory || !report->figures || !b->stored->nexamples ||
      !target || told->kind != VERDICT_VIOLATION)
    return;
  const bool whole = !strstr(target, "***") && !strchr(target, '\'');
  const char *bug = setting_of(report, "bug");
  char *place = xasprintf("%s%s%s", target,
                          !*bug                 ? ""
                          : strchr(target, '?') ? "&bug="
                                                : "?bug=",
                          bug);
  fprintf(out, "  %-*sisostress replay --level=%s %s %s%s%s\n", LABEL, "again",
          told->question.recorded ? "recorded"
                                  : isolation_name(told->question.level),
          report->directory, whole ? "'" : "", whole ? place : "TARGET",
          whole ? "'" : "");
  free(place);
}

// ---- What fits

static const struct brief_block {
  void (*put)(FILE *out, const struct brief *brief);
  int rank; // 0: always shown
} blocks[] = {
    {put_brief_unmet, 0}, {put_verdict, 0},    {put_alarms, 0},
    {put_auto_level, 0},  {put_picture, 0},    {put_legend, 2},
    {put_cycle, 3},       {put_conclusion, 1}, {put_facts, 1},
    {put_own_scripts, 0}, {put_tried, 1},      {put_brief_run, 0},
    {put_again, 2},       {put_brief_page, 0},
};
enum { NBLOCKS = sizeof blocks / sizeof *blocks, RANKS = 4 };

// How soon a block gives way where there is no room; 0: never.  A PASS does not
// say what the scripts must change: the facts do.
static int rank_of(const struct brief *b, size_t i) {
  return blocks[i].put == put_facts && tells_kept_scripts(b) ? 0
                                                             : blocks[i].rank;
}

static void put_blocks(FILE *out, const struct brief *b) {
  char *texts[NBLOCKS];
  bool shown[NBLOCKS] = {false};
  unsigned lines = 0;
  for (size_t i = 0; i < NBLOCKS; i++) {
    size_t bytes;
    FILE *text = text_stream(&texts[i], &bytes);
    blocks[i].put(text, b);
    fclose(text);
  }
  for (int rank = 0; rank < RANKS; rank++)
    for (size_t i = 0; i < NBLOCKS; i++) {
      const unsigned more = lines_of(texts[i]);
      if (rank_of(b, i) != rank || !*texts[i] ||
          (rank && lines + more > BRIEF_LINES))
        continue;
      shown[i] = true;
      lines += blocks[i].put == put_picture ? 0 : more;
    }
  for (size_t i = 0; i < NBLOCKS; i++) {
    if (shown[i])
      fputs(texts[i], out);
    free(texts[i]);
  }
}

void brief_put(FILE *out, const struct report *report,
               const struct stored *stored, bool colour) {
  struct brief b = {.report = report, .stored = stored, .colour = colour};
  size_t bytes;
  FILE *headline = text_stream(&b.headline, &bytes);
  shortfall_of(report, &b.shortfall);
  const bool kept = report->own_scripts &&
                    report->verdict->kind == VERDICT_PASS &&
                    b.shortfall.kind != SHORTFALL_INVARIANT;
  b.known = page_facts_in_brief(&b.facts, kept ? NULL : headline, stored);
  if (!b.known || kept)
    page_kept_headline(headline, stored);
  if (kept)
    own_scripts_put(headline, report->own_scripts, report->level);
  fclose(headline);
  if (report->figures && *report->figures->level_in_effect)
    b.known = false;
  b.leads = b.known && b.shortfall.kind == SHORTFALL_INVARIANT;
  b.beside =
      b.shortfall.kind != SHORTFALL_NONE && badge_of(stored) == BADGE_BESIDE;
  b.picture = make_picture(stored);
  put_blocks(out, &b);
  free(b.picture);
  free(b.headline);
}

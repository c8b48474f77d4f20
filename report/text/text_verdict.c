// SPDX-License-Identifier: GPL-3.0-or-later
// The verdict as text: what was asked and answered, and what a user must not
// overlook (report/text/blocks.h).
#include "config.h"

#include "report/events_words.h"
#include "report/text/blocks.h"

#include "base/anomaly_names.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "report/auto_level.h"
#include "report/badge.h"
#include "report/durable.h"
#include "report/model.h"
#include "report/text/text.h"
#include "report/warning.h"
#include "report/words/found.h"
#include "report/words/plain.h"
#include "report/words/quantity.h"
#include "report/words/title.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void text_put_labelled(FILE *out, const struct telling *t, const char *label,
                       const char *sentence) {
  fprintf(out, "  %-*s", LABEL, label);
  if (t->output == TEXT_BRIEF) {
    plain_put_wrapped(out, sentence, INDENT, INDENT);
    return;
  }
  char *plain = plain_make(sentence);
  fprintf(out, "%s\n", plain);
  free(plain);
}

void text_put_said(FILE *out, const struct telling *t, const char *label,
                   const char *text) {
  char *sentence;
  size_t bytes;
  FILE *clean = text_stream(&sentence, &bytes);
  put_clean(clean, text);
  fclose(clean);
  text_put_labelled(out, t, label, sentence);
  free(sentence);
}

// ---- The headline

static void end_headline(FILE *out, const struct report *report) {
  const struct run_figures *f = report->figures;
  if (f && *f->level_in_effect)
    fprintf(out, ", but the level in effect was \"%s\", not \"%s\"",
            f->level_in_effect, f->level_asked);
  fputs(".\n", out);
}

// "PASS: serializability was kept." and its like; `word` is for a violation.
static void put_level(FILE *out, const struct report *report,
                      const char *word) {
  const struct verdict *verdict = report->verdict;
  const struct anomaly_info *info = anomaly_info(verdict->anomaly);
  const char *also = anomaly_also(info->name);
  struct shortfall shortfall;
  const bool missing = shortfall_of(report, &shortfall) &&
                       shortfall.kind != SHORTFALL_INVARIANT &&
                       shortfall.kind != SHORTFALL_MODEL &&
                       shortfall.kind != SHORTFALL_LOST;
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

static void put_unchecked(FILE *out, const struct report *report) {
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

static void put_word(FILE *out, const struct telling *t, const char *word,
                     int colour) {
  if (t->colour && colour)
    fprintf(out, "\033[1;%dm%s\033[0m: ", colour, word);
  else
    fprintf(out, "%s: ", word);
}

// The first line of a run in the words of the page.
static void put_words(FILE *out, const struct telling *t, const char *word,
                      int colour, unsigned indent) {
  put_word(out, t, word, colour);
  plain_put_wrapped(out, t->headline, (unsigned)strlen(word) + 2, indent);
}

static void put_first(FILE *out, const struct telling *t, const char *word,
                      int colour) {
  put_words(out, t, word, colour, (unsigned)strlen(word) + 2);
}

// "LostUpdate breaks snapshot isolation; found in 140 writes."
static void put_broken(FILE *out, const struct verdict *verdict) {
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

static const char *violation_word(const struct report *report) {
  return report_is_open(report) && !report_breaks_promise(report) ? "NONE KEPT"
                                                                  : "VIOLATION";
}

// Is a run that shows no violation told in the words of the page?
static bool has_words(const struct telling *t) {
  return t->output == TEXT_BRIEF && *t->headline &&
         !(t->report->figures && *t->report->figures->level_in_effect);
}

static void put_kept(FILE *out, const struct telling *t) {
  if (t->shortfall.kind == SHORTFALL_NONE)
    put_first(out, t, "PASS", t->report->beyond ? 33 : 32);
  else if (!t->beside)
    put_first(out, t, t->shortfall.word, 33);
}

void tell_headline(FILE *out, const struct telling *t) {
  const struct report *report = t->report;
  const struct verdict *verdict = report->verdict;
  const bool brief = t->output == TEXT_BRIEF;
  if (brief && t->beside)
    put_first(out, t, t->shortfall.word, 31);
  if (!verdict) {
    put_unchecked(out, report);
  } else if (brief && t->known && verdict->kind == VERDICT_VIOLATION) {
    put_words(out, t, violation_word(report), t->facts.forbidden ? 31 : 33,
              INDENT);
    put_broken(out, verdict);
  } else if (verdict->kind == VERDICT_VIOLATION || !has_words(t)) {
    put_level(out, report, violation_word(report));
  } else if (verdict->kind == VERDICT_PASS) {
    put_kept(out, t);
  } else if (t->beside) {
    put_level(out, report, "VIOLATION");
  } else {
    put_first(out, t, "UNDECIDED", 0);
  }
}

// A run that fails by a requirement does not begin with its verdict.
void tell_unmet(FILE *out, const struct telling *t) {
  for (uint32_t i = 0; i < t->report->nrequirements; i++) {
    const struct report_requirement *r = &t->report->requirements[i];
    if (r->met)
      continue;
    put_word(out, t, "NOT MET", 33);
    fprintf(out, "%s was required, and it is %s.\n", r->text, r->is);
  }
}

// ---- What it rests on

enum { BELOW = 6 }; // columns before what stands below "PASS: "

static void put_order_in_brief(FILE *out, const struct telling *t) {
  const struct verdict *verdict = t->report->verdict;
  char title[TITLE_ROOM], order[QUANTITY_GROUPED];
  char *sentence = xasprintf(
      "%s: %s committed transactions fit into one order;",
      title_of(verdict, title), quantity_grouped(verdict->norder, order));
  fprintf(out, "%*s", BELOW, "");
  plain_put_wrapped(out, sentence, BELOW, BELOW);
  free(sentence);
  fprintf(out, "%*s%s.\n", BELOW, "",
          verdict->tried ? "found by trying all, replayed by no separate code"
                         : "separate code replayed it");
  if (!t->report->figures)
    return;
  char *text;
  size_t bytes;
  FILE *words = text_stream(&text, &bytes);
  page_put_counted(words, verdict->norder, t->report->figures->committed);
  fclose(words);
  if (*text) {
    fprintf(out, "%*s", BELOW, "");
    plain_put_wrapped(out, text + 1, BELOW, BELOW);
  }
  free(text);
}

// The command that asks the same question again.
static void put_question_again(FILE *out, const struct verdict *verdict,
                               const char *path) {
  fprintf(out, "  %-*sisostress check --level=%s", LABEL, "go on",
          question_level_word(&verdict->question));
  question_put_options(out, &verdict->question);
  fprintf(out, " %s\n", path);
}

static void put_proof_in_brief(FILE *out, const struct telling *t) {
  const struct report *report = t->report;
  const struct verdict *verdict = report->verdict;
  if (verdict->kind == VERDICT_VIOLATION && verdict->one_program)
    text_put_said(out, t, "proof", report_one_program(verdict));
  if (verdict->kind == VERDICT_VIOLATION || !has_words(t))
    return;
  if (verdict->kind == VERDICT_PASS) {
    put_order_in_brief(out, t);
    return;
  }
  text_put_said(out, t, "why", verdict->why);
  if (report->history_path && report_hit_limit(verdict->why))
    put_question_again(out, verdict, report->history_path);
}

void tell_proof(FILE *out, const struct telling *t) {
  const struct report *report = t->report;
  if (!report->verdict)
    return;
  if (t->output == TEXT_BRIEF)
    put_proof_in_brief(out, t);
  else
    text_put_proof(out, report);
}

void tell_found(FILE *out, const struct telling *t) {
  const struct verdict *verdict = t->report->verdict;
  const char *separator = "";
  if (!verdict || verdict->kind != VERDICT_VIOLATION ||
      !verdict->found[verdict->anomaly])
    return;
  fputs("  Found: ", out);
  for (int a = 0; a < ANOMALY_COUNT; a++)
    if (verdict->found[a]) {
      const char *name = anomaly_info((enum anomaly)a)->name;
      fprintf(out, "%s%s ", separator, name);
      found_put(out, name, verdict->found[a], verdict->found_more);
      separator = ", ";
    }
  fputs(".\n", out);
}

static bool has_case(const struct verdict *verdict, enum anomaly anomaly) {
  bool has = false;
  for (uint32_t i = 0; i < verdict->nothers; i++)
    has |= verdict->others[i].anomaly == anomaly;
  return has;
}

// On a terminal, beside the smallest case: the anomalies of which it is none.
void tell_also(FILE *out, const struct telling *t) {
  const struct verdict *verdict = t->report->verdict;
  const bool paged = t->report->directory && !t->report->unwritten;
  uint32_t named = 0, cases = 0;
  char *text;
  size_t bytes;
  if (!verdict || verdict->kind != VERDICT_VIOLATION || t->report->own_scripts)
    return;
  FILE *words = text_stream(&text, &bytes);
  for (int a = 0; a < ANOMALY_COUNT; a++)
    if (verdict->found[a] && a != (int)verdict->anomaly) {
      const char *name = anomaly_info((enum anomaly)a)->name;
      fprintf(words, "%s%s ", named++ ? ", " : "", name);
      found_put(words, name, verdict->found[a], verdict->found_more);
      cases += has_case(verdict, (enum anomaly)a);
    }
  if (paged && cases)
    fprintf(words, "; the page has a case of %s",
            cases < named ? "some"
            : named == 1  ? "it"
                          : "each");
  fclose(words);
  if (named)
    text_put_said(out, t, "also", text);
  free(text);
}

void tell_note(FILE *out, const struct telling *t) {
  const struct verdict *verdict = t->report->verdict;
  char room[SUSPICION_ROOM];
  if (!verdict || verdict->kind != VERDICT_VIOLATION)
    return;
  const char *note = report_suspicion(t->report, room);
  if (note && t->output == TEXT_BRIEF)
    text_put_said(out, t, "note", note);
  else if (note)
    fprintf(out, "  %s\n", note);
}

// A level above the claimed one, which is not broken: in full, or its headline.
void tell_beyond(FILE *out, const struct telling *t) {
  struct report report = *t->report;
  struct telling beyond = *t;
  if (!report.beyond || (t->output == TEXT_BRIEF && report.own_scripts))
    return;
  report.verdict = report.beyond;
  beyond.report = &report;
  put_level(out, &report, "A STRONGER LEVEL");
  if (t->output == TEXT_BRIEF)
    return;
  tell_proof(out, &beyond);
  tell_found(out, &beyond);
  tell_note(out, &beyond);
  tell_examples(out, &beyond);
}

// ---- Alarms

void text_put_invariant(FILE *out, const struct report *report) {
  const struct invariant *invariant = report->invariant;
  const struct invariant_figures *f = &report->figures->invariant;
  if (!invariant)
    return;
  const char *text = invariant_text(invariant);
  const int64_t equals = invariant_equals(invariant);
  if (!f->broken) {
    fprintf(out,
            "invariant   %s = %" PRId64 ": %s by %" PRIu64 " transactions\n",
            text, equals, f->checked ? "seen" : "undecided: seen", f->checked);
    return;
  }
  char broken[SHORTFALL_TEXT];
  shortfall_invariant(report, broken, sizeof broken);
  fprintf(out, "\nVIOLATION of the invariant: %s.\n", broken);
}

// That it held, in a line of a terminal.
static void put_kept_invariant(FILE *out, const struct telling *t) {
  const struct invariant *invariant = t->report->invariant;
  char *text;
  size_t bytes;
  if (!invariant)
    return;
  const uint64_t checked = t->report->figures->invariant.checked;
  FILE *words = text_stream(&text, &bytes);
  put_clean(words, invariant_text(invariant));
  fprintf(words, " = %" PRId64 ": ", invariant_equals(invariant));
  if (checked)
    fprintf(words, "seen by %" PRIu64 " transaction%s", checked,
            checked == 1 ? "" : "s");
  else
    fputs("undecided, no transaction asked for it", words);
  fclose(words);
  text_put_said(out, t, "invariant", text);
  free(text);
}

static bool tells_first(const struct telling *t, enum shortfall_kind kind) {
  return t->beside && t->shortfall.kind == kind;
}

static bool has_losses(const struct report *report) {
  return report->durable && report->durable->loss != LOSS_NONE;
}

// That the run is no success, whatever the verdict.
void tell_shortfall(FILE *out, const struct telling *t) {
  const struct report *report = t->report;
  char text[SHORTFALL_TEXT];
  if (shortfall_interrupted(report, text, sizeof text))
    text_put_said(out, t, "stopped", text);
  if (events_say(report, text, sizeof text))
    text_put_said(out, t, "faults", text);
  if (report->figures && shortfall_errors(report->figures, text, sizeof text))
    text_put_said(out, t, "errors", text);
  if (t->leads)
    text_put_said(out, t, "invariant", t->shortfall.sentence);
  else if (report->figures && t->output == TEXT_BRIEF &&
           !report->figures->invariant.broken)
    put_kept_invariant(out, t);
  else if (report->figures && !tells_first(t, SHORTFALL_INVARIANT))
    text_put_invariant(out, report);
  if (report->model && tells_first(t, SHORTFALL_MODEL))
    model_put_details(out, report->model);
  else if (report->model)
    model_put_text(out, report->model);
  if (tells_first(t, SHORTFALL_LOST))
    durable_put_details(out, report);
  else if (t->output == TEXT_FULL || has_losses(report))
    durable_put_text(out, report);
  if (report->figures && t->output == TEXT_FULL)
    fputc('\n', out);
}

void tell_warnings(FILE *out, const struct telling *t) {
  struct arena arena = {0};
  const char *const *warnings = warnings_of(t->report, &arena);
  for (uint32_t i = 0; t->report->verdict && warnings[i]; i++)
    if (t->output == TEXT_BRIEF)
      text_put_said(out, t, "WARNING:", warnings[i]);
    else
      fprintf(out, "  WARNING: %s\n", warnings[i]);
  arena_free(&arena);
}

// In full the lost part of a history stands beside what was counted.
void tell_trouble(FILE *out, const struct telling *t) {
  if (t->report->salvage && t->output == TEXT_BRIEF)
    text_put_said(out, t, "lost", t->report->salvage);
  if (t->report->trouble)
    text_put_said(out, t, "TROUBLE:", t->report->trouble);
}

// At a level that promises nothing the headline names the level that was kept,
// and the facts of the smallest case need the room of a terminal.
void tell_levels(FILE *out, const struct telling *t) {
  const bool is_told = t->output == TEXT_BRIEF && tells_kept_scripts(t) &&
                       page_is_open(t->stored->document);
  if (t->report->auto_level && !is_told)
    auto_level_put_text(out, t->report);
}

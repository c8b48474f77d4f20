// SPDX-License-Identifier: GPL-3.0-or-later
// The meaning of a result, and what can be done next, as text
// (report/text/blocks.h).
#include "config.h"

#include "report/text/blocks.h"

#include "base/anomaly_names.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "report/own_scripts.h"
#include "report/prospect.h"
#include "report/words/quantity.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool tells_kept_scripts(const struct telling *t) {
  return t->known && t->report->own_scripts &&
         t->report->verdict->kind == VERDICT_PASS;
}

// A line of what is told of the user's own scripts; nothing if it is empty.
static void put_own(FILE *out, const struct telling *t, const char *label,
                    void (*put)(FILE *, const struct own_scripts *)) {
  char *text;
  size_t bytes;
  if (!t->report->own_scripts)
    return;
  FILE *words = text_stream(&text, &bytes);
  put(words, t->report->own_scripts);
  fclose(words);
  if (*text)
    text_put_labelled(out, t, label, text);
  free(text);
}

// "place.sql:4 1,204 times (40001), place.sql:6 1 time (40P01) and 2 more".
static void put_failed(FILE *out, const struct telling *t) {
  enum { MOST_FAILED = 4 };
  const struct run_figures *f = t->report->figures;
  char *text;
  size_t bytes;
  if (!f || !f->nplaces || !t->report->own_scripts)
    return;
  FILE *words = text_stream(&text, &bytes);
  for (uint32_t i = 0; i < f->nplaces && i < MOST_FAILED; i++) {
    const struct place_count *place = &f->places[i];
    fputs(i ? ", " : "", words);
    put_clean(words, place->place);
    putc(' ', words);
    quantity_put_grouped(words, place->count);
    fputs(place->count == 1 ? " time (" : " times (", words);
    put_clean(words, *place->code ? place->code : cause_name(place->cause));
    putc(')', words);
  }
  if (f->nplaces > MOST_FAILED)
    fprintf(words, " and %" PRIu32 " more", f->nplaces - MOST_FAILED);
  fclose(words);
  text_put_labelled(out, t, "failed", text);
  free(text);
}

void tell_scripts(FILE *out, const struct telling *t) {
  put_own(out, t, "scripts", own_scripts_put_findings);
  put_own(out, t, "judged", own_scripts_put_judged);
  put_failed(out, t);
}

void tell_facts(FILE *out, const struct telling *t) {
  if (!t->known)
    return;
  const char *const *h = t->facts.helps;
  char *helps = xasprintf("%s%s%s%s%s", h[0], h[1] ? " " : "", h[1] ? h[1] : "",
                          h[1] && h[2] ? " " : "", h[1] && h[2] ? h[2] : "");
  char *promised = xasprintf("%s %s.", t->facts.answer, t->facts.tag);
  fputc('\n', out);
  if (t->output == TEXT_BRIEF) // in full beside the example
    text_put_labelled(out, t, "promised", promised);
  if (!t->report->own_scripts || !t->report->own_scripts->headline)
    text_put_labelled(out, t, "means", t->facts.means);
  put_own(out, t, "change", own_scripts_put_changes);
  text_put_labelled(out, t, "helps", helps);
  free(helps);
  free(promised);
}

// The chances that people ask about first, if there were any, and that none was
// used.
static void put_first_chances(FILE *out, const struct telling *t) {
  const struct report *report = t->report;
  struct prospect prospects[CHANCE_KINDS];
  const uint32_t n = report->verdict ? prospects_of(report, prospects) : 0;
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
    text_put_said(out, t, "tried", text);
  free(text);
}

void tell_chances(FILE *out, const struct telling *t) {
  const struct verdict *verdict = t->report->verdict;
  if (t->output == TEXT_BRIEF)
    put_first_chances(out, t);
  else if (verdict && verdict->kind == VERDICT_PASS)
    prospects_put_text(out, t->report);
}

static const char *setting_of(const struct report *report, const char *name) {
  const struct report_setting *s = report->settings;
  while (s && s->name && strcmp(s->name, name) != 0)
    s++;
  return s && s->name ? s->value : "";
}

// Performs the case again, on the database that the run was on.  A target that
// lacks its password is left to the reader.
void tell_again(FILE *out, const struct telling *t) {
  const struct report *report = t->report;
  const struct verdict *told =
      report->beyond ? report->beyond : report->verdict;
  const char *target = report->target;
  if (!report->directory || !report->figures || !t->stored ||
      !t->stored->nexamples || !target || told->kind != VERDICT_VIOLATION)
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

// Where the results are.
void tell_place(FILE *out, const struct telling *t) {
  const struct report *report = t->report;
  if (!report->directory)
    return;
  if (t->output == TEXT_FULL)
    fprintf(out, "results: %s\n", report->directory);
  else if (report->unwritten)
    fprintf(out, "  %-*s%s, without a page\n", LABEL, "results",
            report->directory);
  else
    fprintf(out, "  %-*s%s/report.html\n", LABEL, "page", report->directory);
}

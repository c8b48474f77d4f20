// SPDX-License-Identifier: GPL-3.0-or-later
// The numbers of a sweep on its page (sweep/page_parts.h), and the runs behind
// them.
#include "config.h"

#include "sweep/page_parts.h"

#include "base/utf8.h"
#include "report/page/blocks.h"
#include "report/words/quantity.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS_MAX = 2000, NUMBER = 32 }; // more runs make a page too large

static void write_shown(const struct shown_measure *shown, double value,
                        char text[NUMBER]) {
  const double scaled = shown->scale * value;
  if (shown->unit == PLOT_DURATION) {
    const struct quantity q = quantity_duration(scaled);
    snprintf(text, NUMBER, "%s %s", q.number,
             strcmp(q.unit, "us") ? q.unit : "\xc2\xb5s");
  } else if (scaled >= 1000) {
    quantity_grouped((uint64_t)(scaled + 0.5), text);
  } else {
    snprintf(text, NUMBER, "%.*f%s", scaled >= 100 ? 0 : 1, scaled,
             shown->unit == PLOT_PERCENT ? " %" : "");
  }
}

// The first measure leads to the runs of its cell, and has a bar behind it.
static void put_measure(FILE *out, const struct cell *cell,
                        const struct shown_measure *shown, uint32_t number,
                        double most) {
  const struct interval *m = &cell->measures[shown->measure];
  const bool leads = shown == sweep_shown;
  char text[NUMBER];
  fputs("<td class=\"n\"", out);
  if (leads && cell->nruns && most > 0)
    fprintf(out, " style=\"--p:%.0f%%\"", 100 * m->mean / most);
  fprintf(out, " data-l=\"%s\">", shown->heading);
  if (leads)
    fprintf(out, "<a href=\"#cell-%" PRIu32 "\">", number);
  if (cell->nruns && !isnan(m->mean)) {
    write_shown(shown, m->mean, text);
    fputs(text, out);
  } else if (leads) {
    fputs("no run", out);
  }
  fputs(leads ? "</a>" : "", out);
  if (cell->nruns && !isnan(m->mean) && !isnan(m->half)) {
    write_shown(shown, m->half, text);
    fprintf(out, " <small>\xc2\xb1 %s</small>", text);
  }
  fputs("</td>", out);
}

static void put_cell_unmet(FILE *out, const struct cell *cell) {
  const char *separator = *cell->verdict ? "; " : "";
  for (uint32_t i = 0; i < cell->nunmet; i++) {
    fprintf(out, "%s<code>", separator);
    put_markup(out, cell->unmet[i].required);
    fputs("</code> ", out);
    char *text;
    size_t bytes;
    FILE *words = text_stream(&text, &bytes);
    unmet_put(words, &cell->unmet[i], cell->nruns);
    fclose(words);
    put_markup(out, text);
    free(text);
    separator = "; ";
  }
}

static void put_cell_verdict(FILE *out, const struct cell *cell) {
  const bool broken = !strcmp(cell->verdict, "violation");
  fprintf(out, "<td class=\"%s\" data-l=\"verdict\">",
          broken                                            ? "bad"
          : !strcmp(cell->verdict, "pass") && !cell->nunmet ? "good"
                                                            : "open");
  put_markup(out, broken                           ? "broken"
                  : !strcmp(cell->verdict, "pass") ? "kept"
                                                   : cell->verdict);
  fputs(*cell->anomaly ? " by " : "", out);
  put_markup(out, cell->anomaly);
  put_cell_unmet(out, cell);
  fputs("</td>", out);
}

// Was it checked, or held against a requirement that it did not meet?
static bool any_has_verdict(const struct summary *s) {
  uint32_t c = 0;
  while (c < s->ncells && !*s->cells[c].verdict && !s->cells[c].nunmet)
    c++;
  return c < s->ncells;
}

static void put_cell_numbers(FILE *out, const struct summary *s, uint32_t c,
                             double most) {
  const struct cell *cell = &s->cells[c];
  fputs("<tr>", out);
  for (uint32_t i = 0; i < s->naxes; i++) {
    if (!summary_varies(s, i))
      continue;
    fputs("<th scope=\"row\" data-l=\"", out);
    put_markup(out, s->runs->names[i]);
    fputs("\">", out);
    put_markup(out, cell->values[i]);
    fputs("</th>", out);
  }
  for (int i = 0; i < SHOWN; i++)
    if (sweep_shows(s, &sweep_shown[i]))
      put_measure(out, cell, &sweep_shown[i], c, most);
  if (any_has_verdict(s))
    put_cell_verdict(out, cell);
  fputs("</tr>\n", out);
}

void sweep_put_numbers(FILE *out, const struct summary *s) {
  double most = 0;
  for (uint32_t c = 0; c < s->ncells; c++)
    if (s->cells[c].nruns)
      most = fmax(most, s->cells[c].measures[MEASURE_ABORT_RATE].mean);
  page_section(out, "numbers", "All numbers");
  page_start_cards(out,
                   "Means \xc2\xb1 half of the 95 % interval; a share of "
                   "aborted attempts leads to its runs",
                   NULL);
  fputs("<thead><tr>", out);
  for (uint32_t i = 0; i < s->naxes; i++)
    if (summary_varies(s, i))
      page_column(out, s->runs->names[i]);
  for (int i = 0; i < SHOWN; i++)
    if (sweep_shows(s, &sweep_shown[i]))
      fprintf(out, "<th scope=\"col\" class=\"n\">%s</th>",
              sweep_shown[i].heading);
  if (any_has_verdict(s))
    page_column(out, "verdict");
  fputs(PAGE_END_HEAD, out);
  for (uint32_t c = 0; c < s->ncells; c++)
    put_cell_numbers(out, s, c, most);
  page_end_table(out);
  fputs("</section>\n", out);
}

// ---- Runs

static bool is_run_of_cell(const struct summary *s, uint32_t row,
                           const struct cell *cell) {
  uint32_t i = 0;
  while (i < s->naxes && !strcmp(s->runs->rows[row][i], cell->values[i]))
    i++;
  return i == s->naxes;
}

// The repetition, which leads to the page of the run.
static void put_run_link(FILE *out, const struct summary *s, uint32_t row) {
  const char *repetition = table_text(s->runs, row, "repetition");
  const char *run = table_text(s->runs, row, "run");
  if (!*run) {
    page_cell(out, "n", repetition);
    return;
  }
  fputs("<td class=\"n\"><a href=\"runs/", out);
  page_href(out, run);
  fputs("/report.html\">", out);
  put_markup(out, repetition);
  fputs("</a></td>", out);
}

// The verdict of a run, and the requirements that it did not meet.
static char *verdict_of(const struct summary *s, uint32_t row) {
  const char *verdict = table_text(s->runs, row, "verdict");
  const char *unmet = table_text(s->runs, row, "unmet");
  return xasprintf("%s%s%s", verdict, *verdict && *unmet ? "; " : "", unmet);
}

static void put_run_numbers(FILE *out, const struct summary *s, uint32_t row) {
  static const char *const counts[] = {"attempts", "committed", "aborted"};
  const char *trouble = table_text(s->runs, row, "trouble");
  char text[NUMBER];
  put_run_link(out, s, row);
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    const double count = table_number(s->runs, row, counts[i]);
    if (isnan(count))
      fputs("<td></td>", out);
    else
      page_number(out, (uint64_t)count);
  }
  for (int i = 0; i < SHOWN; i++) {
    const struct shown_measure *shown = &sweep_shown[i];
    if (!sweep_shows(s, shown))
      continue;
    const double value =
        table_number(s->runs, row, measure_names[shown->measure]);
    text[0] = '\0';
    if (!isnan(value))
      write_shown(shown, value, text);
    page_cell(out, "n", text);
  }
  char *verdict = verdict_of(s, row);
  page_cell(out, "", *trouble ? trouble : verdict);
  free(verdict);
  fputs("</tr>\n", out);
}

static void put_runs_of(FILE *out, const struct summary *s, uint32_t c) {
  bool first = true;
  for (uint32_t row = 0; row < s->runs->nrows; row++) {
    if (!is_run_of_cell(s, row, &s->cells[c]))
      continue;
    fputs("<tr", out);
    if (first)
      fprintf(out, " id=\"cell-%" PRIu32 "\"", c);
    fputs(">", out);
    for (uint32_t i = 0; i < s->naxes; i++)
      if (summary_varies(s, i)) {
        fputs("<th scope=\"row\">", out);
        put_markup(out, first ? s->cells[c].values[i] : "");
        fputs("</th>", out);
      }
    put_run_numbers(out, s, row);
    first = false;
  }
}

static char *columns_of_runs(const struct summary *s) {
  char *columns;
  size_t bytes;
  FILE *out = text_stream(&columns, &bytes);
  for (uint32_t i = 0; i < s->naxes; i++)
    if (summary_varies(s, i)) {
      put_markup(out, s->runs->names[i]);
      fputc('|', out);
    }
  fputs("#repetition|#attempts|#committed|#aborted|", out);
  for (int i = 0; i < SHOWN; i++)
    if (sweep_shows(s, &sweep_shown[i]))
      fprintf(out, "#%s|", sweep_shown[i].heading);
  fputs("verdict or trouble", out);
  fclose(out);
  return columns;
}

void sweep_put_runs(FILE *out, const struct summary *s) {
  page_section(out, "runs-made", "All runs");
  if (s->runs->nrows > RUNS_MAX) {
    fprintf(out,
            "<p>The %" PRIu32 " runs are in <code>runs.csv</code>, a line "
            "each.</p>\n</section>\n",
            s->runs->nrows);
    return;
  }
  char *columns = columns_of_runs(s);
  page_table(
      out,
      "Each run as it stands in runs.csv; its repetition leads to its page",
      columns);
  free(columns);
  for (uint32_t c = 0; c < s->ncells; c++)
    put_runs_of(out, s, c);
  page_end_table(out);
  fputs("</section>\n", out);
}

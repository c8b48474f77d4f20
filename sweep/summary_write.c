// SPDX-License-Identifier: GPL-3.0-or-later
// Writes what a sweep has found (sweep/summary.h).
#include "config.h"

#include "base/json.h"
#include "sweep/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- Text

static int width_of_axis(const struct summary *s, uint32_t axis) {
  size_t width = strlen(s->runs->names[axis]);
  for (uint32_t c = 0; c < s->ncells; c++) {
    const size_t n = strlen(s->cells[c].values[axis]);
    width = n > width ? n : width;
  }
  return (int)width;
}

// Columns of the table for people; the last one is the verdict.
static const struct measure_column {
  enum measure measure;
  const char *title;
  double scale;
  int decimals;
  bool interval;
  bool if_any; // only where there is something above zero
  const char *unit;
} columns[] = {
    {MEASURE_ABORT_RATE, "refused", 100, 2, true, false, " %"},
    {MEASURE_GIVEN_UP, "given up", 100, 2, false, true, " %"},
    {MEASURE_RETRIES, "retries", 1, 2, false, true, ""},
    {MEASURE_THROUGHPUT, "committed/s", 1, 0, true, false, ""},
    {MEASURE_WASTED, "wasted", 100, 2, false, false, " %"},
    {MEASURE_P99, "p99", 1, 2, false, false, " ms"},
    {MEASURE_ANOMALIES, "anomalies/1000", 1, 3, true, true, ""},
    {MEASURE_FOUND, "found an hour", 1, 0, true, true, ""},
    {MEASURES, "", 1, 0, false, false, ""},
};
enum { NCOLUMNS = sizeof columns / sizeof *columns, WIDTH = 80, TEXT = 160 };

static bool is_column_shown(const struct summary *s,
                            const struct measure_column *column) {
  const enum measure about =
      column->measure == MEASURE_GIVEN_UP ? MEASURE_RETRIES : column->measure;
  return !column->if_any || summary_has(s, about);
}

static void write_verdict(const struct cell *cell, char text[TEXT]) {
  const char *verdict = cell->verdict;
  char unmet[40] = "", trouble[40] = "", interrupted[40] = "";
  if (cell->nunmet_runs)
    snprintf(unmet, sizeof unmet, "%sNOT MET in %u", *verdict ? "  " : "",
             cell->nunmet_runs);
  if (cell->ntroubled > cell->ninterrupted)
    snprintf(trouble, sizeof trouble, "  TROUBLE in %u",
             cell->ntroubled - cell->ninterrupted);
  if (cell->ninterrupted)
    snprintf(interrupted, sizeof interrupted, "  %u interrupted",
             cell->ninterrupted);
  snprintf(text, TEXT, "%s%s%s%s%s%s", verdict, *cell->anomaly ? ": " : "",
           cell->anomaly, unmet, trouble, interrupted);
}

static void write_measure(const struct cell *cell,
                          const struct measure_column *column,
                          char text[TEXT]) {
  if (column->measure == MEASURES) {
    write_verdict(cell, text);
    return;
  }
  const struct interval *m = &cell->measures[column->measure];
  const double mean = column->scale * m->mean, half = column->scale * m->half;
  const int decimals = column->decimals;
  if (!cell->nruns || isnan(m->mean))
    snprintf(text, TEXT, "-");
  else if (column->interval && isnan(m->half))
    snprintf(text, TEXT, "%.*f +- -%s", decimals, mean, column->unit);
  else if (column->interval)
    snprintf(text, TEXT, "%.*f +- %.*f%s", decimals, mean, decimals, half,
             column->unit);
  else
    snprintf(text, TEXT, "%.*f%s", decimals, mean, column->unit);
}

static int width_of_column(const struct summary *s,
                           const struct measure_column *column) {
  size_t width = strlen(column->title);
  for (uint32_t c = 0; c < s->ncells; c++) {
    char text[TEXT];
    write_measure(&s->cells[c], column, text);
    width = strlen(text) > width ? strlen(text) : width;
  }
  return (int)width;
}

// The settings that differ, and the number of runs.
static int width_of_settings(const struct summary *s) {
  int width = (int)strlen("runs");
  for (uint32_t i = 0; i < s->naxes; i++)
    width += summary_varies(s, i) ? width_of_axis(s, i) + 2 : 0;
  return width;
}

static void put_measure_column(FILE *out, const struct summary *s,
                               const struct measure_column *column,
                               const char *text) {
  if (column->measure != MEASURES)
    fprintf(out, "  %*s", width_of_column(s, column), text);
  else if (*text)
    fprintf(out, "  %s", text);
}

static void put_cell_line(FILE *out, const struct summary *s,
                          const struct cell *cell, int from, int to) {
  for (uint32_t i = 0; i < s->naxes; i++)
    if (summary_varies(s, i))
      fprintf(out, "%-*s  ", width_of_axis(s, i), cell->values[i]);
  fprintf(out, "%4u", cell->nruns);
  for (int i = from; i < to; i++) {
    char text[TEXT];
    write_measure(cell, &columns[i], text);
    if (is_column_shown(s, &columns[i]))
      put_measure_column(out, s, &columns[i], text);
  }
  putc('\n', out);
}

// The column behind the last one that a line has room for.
static int end_of_lines(const struct summary *s, int from) {
  int width = width_of_settings(s), i = from;
  for (; i < NCOLUMNS; i++) {
    const int more =
        is_column_shown(s, &columns[i]) ? width_of_column(s, &columns[i]) : 0;
    width += more ? 2 + more : 0;
    if (i > from && more && width > WIDTH)
      break;
  }
  return i;
}

static void put_measure_table(FILE *out, const struct summary *s, int from,
                              int to) {
  for (uint32_t i = 0; i < s->naxes; i++)
    if (summary_varies(s, i))
      fprintf(out, "%-*s  ", width_of_axis(s, i), s->runs->names[i]);
  fputs("runs", out);
  for (int i = from; i < to; i++)
    if (is_column_shown(s, &columns[i]))
      put_measure_column(out, s, &columns[i], columns[i].title);
  putc('\n', out);
  for (uint32_t c = 0; c < s->ncells; c++)
    put_cell_line(out, s, &s->cells[c], from, to);
  putc('\n', out);
}

static void put_unmet_runs(FILE *out, const struct summary *s) {
  const uint32_t n = unmet_runs(s), of = unmet_of_runs(s);
  if (n)
    fprintf(out, "NOT MET: %u of %u run%s %s not meet what was required.\n", n,
            of, of == 1 ? "" : "s", n == 1 ? "does" : "do");
}

// Which requirements each cell does not meet.
static void put_unmet_cells(FILE *out, const struct summary *s) {
  for (uint32_t c = 0; c < s->ncells; c++) {
    const struct cell *cell = &s->cells[c];
    if (!cell->nunmet)
      continue;
    fputs("NOT MET", out);
    for (uint32_t i = 0; i < s->naxes; i++)
      if (summary_varies(s, i))
        fprintf(out, " %s=%s", s->runs->names[i], cell->values[i]);
    fputs(":\n", out);
    for (uint32_t i = 0; i < cell->nunmet; i++) {
      fprintf(out, "  %s ", cell->unmet[i].required);
      unmet_put(out, &cell->unmet[i], cell->nruns);
      putc('\n', out);
    }
  }
  fputs(unmet_runs(s) ? "\n" : "", out);
}

static void put_latency_from(FILE *out, const struct summary *s) {
  fprintf(out,
          "latency from the %s start of a transaction to the end of its "
          "last attempt\n",
          summary_latency_from(s));
}

static void put_sweep_times(FILE *out, const struct summary *s) {
  const struct sweep_times *t = &s->times;
  if (!(t->took > 0))
    return;
  fprintf(out, "time = %.1f s: %.1f s setting up, %.1f s warm-up, %.1f s load",
          t->took, t->setup, t->warmup, t->load);
  if (t->checked > 0)
    fprintf(out, ", %.1f s checking", t->checked);
  fprintf(out,
          ",\n       %.2f s the sweep's own: %.2f %% apart from warm-ups\n",
          t->own, 100 * summary_overhead(s));
}

// Settings that are the same in all cells come first, unless a requirement is
// not met.
void summary_put_text(FILE *out, const struct summary *s) {
  put_unmet_runs(out, s);
  for (uint32_t i = 0; s->ncells && i < s->naxes; i++)
    if (!summary_varies(s, i))
      fprintf(out, "%s = %s\n", s->runs->names[i], s->cells[0].values[i]);
  fputs("\n", out);
  for (int from = 0, to; from < NCOLUMNS; from = to) {
    to = end_of_lines(s, from);
    put_measure_table(out, s, from, to);
  }
  put_unmet_cells(out, s);
  put_latency_from(out, s);
  put_sweep_times(out, s);
}

// ---- CSV

static void put_csv_number(FILE *out, double number) {
  char text[32] = "";
  if (!isnan(number))
    snprintf(text, sizeof text, "%.10g", number);
  table_put(out, text, 0);
}

static void put_csv_header(FILE *out, const struct summary *s) {
  for (uint32_t i = 0; i < s->naxes; i++)
    table_put(out, s->runs->names[i], i == 0);
  table_put(out, "runs", s->naxes == 0);
  for (int i = 0; i < 4; i++)
    table_put(out, sum_names[i], 0);
  for (int m = 0; m < MEASURES; m++)
    fprintf(out, ",%s,%s_half", measure_names[m], measure_names[m]);
  for (int i = 0; i < ABORTERS; i++)
    table_put(out, aborter_names[i], 0);
  for (uint32_t i = 0; i < s->ncauses; i++)
    table_put(out, s->runs->names[s->first_cause + i], 0);
  fputs(",codes,verdict,anomaly,unmet,server,troubled\n", out);
}

static void put_csv_unmet(FILE *out, const struct cell *cell) {
  char *text;
  size_t bytes;
  FILE *all = text_stream(&text, &bytes);
  for (uint32_t i = 0; i < cell->nunmet; i++) {
    fprintf(all, "%s%s ", i ? "; " : "", cell->unmet[i].required);
    unmet_put(all, &cell->unmet[i], cell->nruns);
  }
  fclose(all);
  table_put(out, text, 0);
  free(text);
}

void summary_put_csv(FILE *out, const struct summary *s) {
  put_csv_header(out, s);
  for (uint32_t c = 0; c < s->ncells; c++) {
    const struct cell *cell = &s->cells[c];
    for (uint32_t i = 0; i < s->naxes; i++)
      table_put(out, cell->values[i], i == 0);
    fprintf(out, "%s%u", s->naxes ? "," : "", cell->nruns);
    for (int i = 0; i < 4; i++)
      put_csv_number(out, cell->sums[i]);
    for (int m = 0; m < MEASURES; m++) {
      put_csv_number(out, cell->nruns ? cell->measures[m].mean : NAN);
      put_csv_number(out, cell->nruns ? cell->measures[m].half : NAN);
    }
    for (int i = 0; i < ABORTERS; i++)
      put_csv_number(out, cell->aborts_by[i]);
    for (uint32_t i = 0; i < s->ncauses; i++)
      put_csv_number(out, cell->aborts[i]);
    table_put(out, cell->codes, 0);
    table_put(out, cell->verdict, 0);
    table_put(out, cell->anomaly, 0);
    put_csv_unmet(out, cell);
    table_put(out, cell->server, 0);
    fprintf(out, ",%u\n", cell->ntroubled);
  }
}

// ---- JSON

static void put_json_runs(struct json *json, const struct summary *s) {
  const struct table *runs = s->runs;
  json_put_array(json, "runs");
  for (uint32_t row = 0; row < runs->nrows; row++) {
    json_put_object(json, NULL);
    for (uint32_t i = 0; i < runs->ncolumns; i++) {
      const double number = table_number(runs, row, runs->names[i]);
      if (isnan(number))
        json_put_string(json, runs->names[i], runs->rows[row][i]);
      else
        json_put_real(json, runs->names[i], number);
    }
    json_close(json, '}');
  }
  json_close(json, ']');
}

static void put_json_counts(struct json *json, const struct summary *s,
                            const struct cell *cell) {
  for (int i = 0; i < 4; i++)
    json_put_real(json, sum_names[i], cell->sums[i]);
  for (int i = 0; i < ABORTERS; i++)
    json_put_real(json, aborter_names[i], cell->aborts_by[i]);
  for (uint32_t i = 0; i < s->ncauses; i++)
    json_put_real(json, s->runs->names[s->first_cause + i], cell->aborts[i]);
  json_put_string(json, "codes", cell->codes);
}

static void put_json_unmet(struct json *json, const struct cell *cell) {
  json_put_array(json, "unmet");
  for (uint32_t i = 0; i < cell->nunmet; i++) {
    json_put_object(json, NULL);
    json_put_string(json, "required", cell->unmet[i].required);
    json_put_unsigned(json, "runs", cell->unmet[i].nruns);
    json_put_string(json, "least", cell->unmet[i].least);
    json_put_string(json, "most", cell->unmet[i].most);
    json_close(json, '}');
  }
  json_close(json, ']');
}

static void put_json_cell(struct json *json, const struct summary *s,
                          const struct cell *cell) {
  json_put_object(json, NULL);
  for (uint32_t i = 0; i < s->naxes; i++)
    json_put_string(json, s->runs->names[i], cell->values[i]);
  json_put_unsigned(json, "runs", cell->nruns);
  put_json_counts(json, s, cell);
  for (int m = 0; cell->nruns && m < MEASURES; m++) {
    json_put_object(json, measure_names[m]);
    json_put_real(json, "mean", cell->measures[m].mean);
    json_put_real(json, "half_width_95", cell->measures[m].half);
    json_close(json, '}');
  }
  json_put_string(json, "verdict", cell->verdict[0] ? cell->verdict : NULL);
  json_put_string(json, "anomaly", cell->anomaly[0] ? cell->anomaly : NULL);
  put_json_unmet(json, cell);
  json_put_string(json, "server", cell->server);
  json_put_unsigned(json, "troubled", cell->ntroubled);
  json_close(json, '}');
}

static void put_json_times(struct json *json, const struct summary *s) {
  json_put_object(json, "seconds");
  json_put_real(json, "took", s->times.took);
  json_put_real(json, "setup", s->times.setup);
  json_put_real(json, "warmup", s->times.warmup);
  json_put_real(json, "load", s->times.load);
  json_put_real(json, "checking", s->times.checked);
  json_put_real(json, "own", s->times.own);
  json_put_real(json, "own_share", summary_overhead(s));
  json_close(json, '}');
}

void summary_put_json(FILE *out, const struct summary *s, const char *command) {
  struct json json;
  json_begin(&json, out);
  json_put_object(&json, NULL);
  json_put_unsigned(&json, "version", 1);
  json_put_string(&json, "command", command);
  json_put_string(&json, "latency_from", summary_latency_from(s));
  put_json_times(&json, s);
  json_put_array(&json, "cells");
  for (uint32_t c = 0; c < s->ncells; c++)
    put_json_cell(&json, s, &s->cells[c]);
  json_close(&json, ']');
  put_json_runs(&json, s);
  json_close(&json, '}');
  json_end(&json);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Puts the runs of a sweep together (sweep/summary.h).
#include "config.h"

#include "sweep/summary.h"

#include "base/json.h"
#include "base/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const measure_names[MEASURES + 1] = {
    [MEASURE_ABORT_RATE] = "abort_rate",
    [MEASURE_GIVEN_UP] = "given_up_rate",
    [MEASURE_WASTED] = "wasted_share",
    [MEASURE_THROUGHPUT] = "throughput",
    [MEASURE_RETRIES] = "retries",
    [MEASURE_P50] = "p50_ms",
    [MEASURE_P95] = "p95_ms",
    [MEASURE_P99] = "p99_ms",
    [MEASURE_P999] = "p999_ms",
};

static const char *const sum_names[] = {"attempts", "committed", "aborted",
                                        "unknown"};

// ---- Making

static struct cell *find_cell(struct summary *s, const char *const *row) {
  for (uint32_t c = 0; c < s->ncells; c++) {
    uint32_t i = 0;
    while (i < s->naxes && !strcmp(s->cells[c].values[i], row[i]))
      i++;
    if (i == s->naxes)
      return &s->cells[c];
  }
  ARRAY_RESERVE(s->cells, s->ncells, s->room);
  struct cell *cell = &s->cells[s->ncells++];
  *cell = (struct cell){.values = row, .verdict = "", .anomaly = ""};
  for (int m = 0; m < MEASURES; m++)
    cell->samples[m] = xcalloc(s->runs->nrows, sizeof *cell->samples[m]);
  return cell;
}

static int gravity(const char *verdict) {
  static const char *const words[] = {"", "pass", "undecided", "violation"};
  int i = 3;
  while (i && strcmp(words[i], verdict))
    i--;
  return i;
}

static void take_run(struct summary *s, uint32_t row) {
  const struct table *runs = s->runs;
  struct cell *cell = find_cell(s, runs->rows[row]);
  const bool troubled = table_text(runs, row, "trouble")[0];
  cell->ntroubled += troubled;
  if (troubled || !(table_number(runs, row, "attempts") > 0))
    return;
  for (int m = 0; m < MEASURES; m++)
    cell->samples[m][cell->nruns] = table_number(runs, row, measure_names[m]);
  for (int i = 0; i < 4; i++)
    cell->sums[i] += table_number(runs, row, sum_names[i]);
  const char *verdict = table_text(runs, row, "verdict");
  if (gravity(verdict) > gravity(cell->verdict)) {
    cell->verdict = verdict;
    cell->anomaly = table_text(runs, row, "anomaly");
  }
  cell->nruns++;
}

// Numbers by their size, other values by the alphabet.
static int compare_values(const char *a, const char *b) {
  double x, y;
  if (units_read_number(a, &x) && units_read_number(b, &y))
    return (x > y) - (x < y);
  return strcmp(a, b);
}

static int compare_cells(const void *a, const void *b, void *naxes) {
  const struct cell *x = a, *y = b;
  int order = 0;
  for (uint32_t i = 0; !order && i < *(const uint32_t *)naxes; i++)
    order = compare_values(x->values[i], y->values[i]);
  return order;
}

int summary_make(const struct table *runs, struct summary *summary,
                 struct error *error) {
  *summary = (struct summary){.runs = runs};
  summary->naxes = table_column(runs, "repetition");
  if (summary->naxes == UINT32_MAX)
    return error_set(error, "the table of runs has no column \"repetition\"");
  for (uint32_t row = 0; row < runs->nrows; row++)
    take_run(summary, row);
  if (summary->ncells)
    qsort_r(summary->cells, summary->ncells, sizeof *summary->cells,
            compare_cells, &summary->naxes);
  for (uint32_t c = 0; c < summary->ncells; c++) {
    struct cell *cell = &summary->cells[c];
    for (int m = 0; cell->nruns && m < MEASURES; m++)
      cell->measures[m] = interval_of(cell->samples[m], cell->nruns);
  }
  return 0;
}

void summary_free(struct summary *summary) {
  for (uint32_t c = 0; c < summary->ncells; c++)
    for (int m = 0; m < MEASURES; m++)
      free(summary->cells[c].samples[m]);
  free(summary->cells);
  *summary = (struct summary){0};
}

// ---- Writing

static int width_of_axis(const struct summary *s, uint32_t axis) {
  size_t width = strlen(s->runs->names[axis]);
  for (uint32_t c = 0; c < s->ncells; c++) {
    const size_t n = strlen(s->cells[c].values[axis]);
    width = n > width ? n : width;
  }
  return (int)width;
}

static bool varies(const struct summary *s, uint32_t axis) {
  bool same = true;
  for (uint32_t c = 1; same && c < s->ncells; c++)
    same = !strcmp(s->cells[c].values[axis], s->cells[0].values[axis]);
  return !same;
}

static void put_measures(FILE *out, const struct cell *cell) {
  const struct interval *m = cell->measures;
  fprintf(out, "%4u", cell->nruns);
  if (cell->nruns)
    fprintf(out, "  %8.2f +- %5.2f %%  %11.0f +- %6.0f  %6.2f %%  %7.2f ms",
            100 * m[MEASURE_ABORT_RATE].mean, 100 * m[MEASURE_ABORT_RATE].half,
            m[MEASURE_THROUGHPUT].mean, m[MEASURE_THROUGHPUT].half,
            100 * m[MEASURE_WASTED].mean, m[MEASURE_P99].mean);
  fprintf(out, "  %s%s%s%s\n", cell->verdict, *cell->anomaly ? ": " : "",
          cell->anomaly, cell->ntroubled ? "  TROUBLE" : "");
}

// What is the same everywhere comes first, once.
void summary_put_text(FILE *out, const struct summary *s) {
  for (uint32_t i = 0; s->ncells && i < s->naxes; i++)
    if (!varies(s, i))
      fprintf(out, "%s = %s\n", s->runs->names[i], s->cells[0].values[i]);
  fputs("\n", out);
  for (uint32_t i = 0; i < s->naxes; i++)
    if (varies(s, i))
      fprintf(out, "%-*s  ", width_of_axis(s, i), s->runs->names[i]);
  fprintf(out, "%4s  %19s  %21s  %8s  %10s  %s\n", "runs", "abort rate",
          "committed a second", "wasted", "p99", "verdict");
  for (uint32_t c = 0; c < s->ncells; c++) {
    for (uint32_t i = 0; i < s->naxes; i++)
      if (varies(s, i))
        fprintf(out, "%-*s  ", width_of_axis(s, i), s->cells[c].values[i]);
    put_measures(out, &s->cells[c]);
  }
}

static void put_number(FILE *out, double number) {
  char text[32] = "";
  if (!isnan(number))
    snprintf(text, sizeof text, "%.6g", number);
  table_put(out, text, 0);
}

void summary_put_csv(FILE *out, const struct summary *s) {
  for (uint32_t i = 0; i < s->naxes; i++)
    table_put(out, s->runs->names[i], i == 0);
  fputs(s->naxes ? ",runs" : "runs", out);
  for (int i = 0; i < 4; i++)
    table_put(out, sum_names[i], 0);
  for (int m = 0; m < MEASURES; m++)
    fprintf(out, ",%s,%s_half", measure_names[m], measure_names[m]);
  fputs(",verdict,anomaly,troubled\n", out);
  for (uint32_t c = 0; c < s->ncells; c++) {
    const struct cell *cell = &s->cells[c];
    for (uint32_t i = 0; i < s->naxes; i++)
      table_put(out, cell->values[i], i == 0);
    fprintf(out, "%s%u", s->naxes ? "," : "", cell->nruns);
    for (int i = 0; i < 4; i++)
      put_number(out, cell->sums[i]);
    for (int m = 0; m < MEASURES; m++) {
      put_number(out, cell->nruns ? cell->measures[m].mean : NAN);
      put_number(out, cell->nruns ? cell->measures[m].half : NAN);
    }
    table_put(out, cell->verdict, 0);
    table_put(out, cell->anomaly, 0);
    fprintf(out, ",%u\n", cell->ntroubled);
  }
}

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

void summary_put_json(FILE *out, const struct summary *s, const char *command) {
  struct json json;
  json_begin(&json, out);
  json_put_object(&json, NULL);
  json_put_unsigned(&json, "version", 1);
  json_put_string(&json, "command", command);
  json_put_array(&json, "cells");
  for (uint32_t c = 0; c < s->ncells; c++) {
    const struct cell *cell = &s->cells[c];
    json_put_object(&json, NULL);
    for (uint32_t i = 0; i < s->naxes; i++)
      json_put_string(&json, s->runs->names[i], cell->values[i]);
    json_put_unsigned(&json, "runs", cell->nruns);
    for (int m = 0; cell->nruns && m < MEASURES; m++) {
      json_put_object(&json, measure_names[m]);
      json_put_real(&json, "mean", cell->measures[m].mean);
      json_put_real(&json, "half_width_95", cell->measures[m].half);
      json_close(&json, '}');
    }
    json_put_string(&json, "verdict", cell->verdict[0] ? cell->verdict : NULL);
    json_put_string(&json, "anomaly", cell->anomaly[0] ? cell->anomaly : NULL);
    json_put_unsigned(&json, "troubled", cell->ntroubled);
    json_close(&json, '}');
  }
  json_close(&json, ']');
  put_json_runs(&json, s);
  json_close(&json, '}');
  json_end(&json);
}

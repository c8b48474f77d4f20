// SPDX-License-Identifier: GPL-3.0-or-later
// Puts the runs of a sweep together (sweep/summary.h).
#include "config.h"

#include "sweep/summary.h"

#include "base/units.h"
#include "sweep/codes.h"

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
    [MEASURE_GENERATION] = "generation_s",
    [MEASURE_ANOMALIES] = "anomalies_per_1000",
    [MEASURE_FOUND] = "found_per_hour",
    [MEASURE_VERIFICATION] = "verification_s",
};

const char *const aborter_names[ABORTERS] = {
    "aborted_by_database", "aborted_by_client", "aborted_by_lost_connection"};

const char *const sum_names[4] = {"attempts", "committed", "aborted",
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
  *cell = (struct cell){
      .values = row, .codes = "", .server = "", .verdict = "", .anomaly = ""};
  for (int m = 0; m < MEASURES; m++)
    cell->samples[m] = xcalloc(s->runs->nrows, sizeof *cell->samples[m]);
  cell->aborts = xcalloc(s->ncauses + 1, sizeof *cell->aborts);
  return cell;
}

static enum aborter aborter_of(const char *column) {
  if (!strcmp(column, "aborts_client"))
    return ABORTER_CLIENT;
  return strcmp(column, "aborts_connection") ? ABORTER_DATABASE
                                             : ABORTER_CONNECTION;
}

static void take_causes(const struct summary *s, uint32_t row,
                        struct cell *cell) {
  for (uint32_t i = 0; i < s->ncauses; i++) {
    const char *column = s->runs->names[s->first_cause + i];
    const double count = table_number(s->runs, row, column);
    cell->aborts[i] += count;
    cell->aborts_by[aborter_of(column)] += count;
  }
}

// Runs that did not take place have none.
static double seconds(const struct summary *s, uint32_t row, const char *name) {
  const double number = table_number(s->runs, row, name);
  return isnan(number) ? 0 : number;
}

static void take_run_times(struct summary *s, uint32_t row) {
  struct sweep_times *t = &s->times;
  const double took = seconds(s, row, "took_seconds");
  const double setup = seconds(s, row, "setup_seconds");
  const double warmup = seconds(s, row, "warmup_seconds");
  const double load =
      seconds(s, row, measure_names[MEASURE_GENERATION]) - warmup;
  const double checked = seconds(s, row, measure_names[MEASURE_VERIFICATION]);
  t->took += took;
  t->setup += setup;
  t->warmup += warmup;
  t->load += load;
  t->checked += checked;
  t->own += took - setup - warmup - load - checked;
}

static int gravity(const char *verdict) {
  static const char *const words[] = {"", "pass", "undecided", "violation"};
  int i = 3;
  while (i && strcmp(words[i], verdict))
    i--;
  return i;
}

static bool is_troubled(const struct summary *s, uint32_t row) {
  return table_text(s->runs, row, "trouble")[0];
}

// Was the same run made once more, after this one had trouble?
static bool was_made_up_for(const struct summary *s, uint32_t row) {
  const char *const *const *rows = (const char *const *const *)s->runs->rows;
  bool made = false;
  for (uint32_t r = row + 1; !made && r < s->runs->nrows; r++) {
    uint32_t i = 0;
    while (i <= s->naxes && !strcmp(rows[row][i], rows[r][i]))
      i++;
    made = i > s->naxes && !is_troubled(s, r);
  }
  return made;
}

static void take_run(struct summary *s, uint32_t row) {
  const struct table *runs = s->runs;
  struct cell *cell = find_cell(s, runs->rows[row]);
  const bool troubled = is_troubled(s, row);
  take_run_times(s, row);
  const bool counts = troubled && !was_made_up_for(s, row);
  cell->ntroubled += counts;
  cell->ninterrupted +=
      counts && !strcmp(table_text(runs, row, "trouble"), "interrupted");
  if (troubled || !(table_number(runs, row, "attempts") > 0))
    return;
  for (int m = 0; m < MEASURES; m++)
    cell->samples[m][cell->nruns] = table_number(runs, row, measure_names[m]);
  for (int i = 0; i < 4; i++)
    cell->sums[i] += table_number(runs, row, sum_names[i]);
  take_causes(s, row, cell);
  cell->codes =
      codes_merge(&s->arena, cell->codes, table_text(runs, row, "codes"));
  cell->server = table_text(runs, row, "server");
  unmet_take(&s->arena, cell, table_text(runs, row, "unmet"));
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

// The columns of causes stand side by side.
static void find_causes(struct summary *s) {
  for (uint32_t i = 0; i < s->runs->ncolumns; i++)
    if (!strncmp(s->runs->names[i], "aborts_", 7) && !s->ncauses++)
      s->first_cause = i;
}

int summary_make(const struct table *runs, struct summary *summary,
                 struct error *error) {
  *summary = (struct summary){.runs = runs};
  summary->naxes = table_column(runs, "repetition");
  if (summary->naxes == UINT32_MAX)
    return error_set(error, "the table of runs has no column \"repetition\"");
  find_causes(summary);
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
  for (uint32_t c = 0; c < summary->ncells; c++) {
    for (int m = 0; m < MEASURES; m++)
      free(summary->cells[c].samples[m]);
    free(summary->cells[c].aborts);
    free(summary->cells[c].unmet);
  }
  free(summary->cells);
  arena_free(&summary->arena);
  *summary = (struct summary){0};
}

bool summary_varies(const struct summary *s, uint32_t axis) {
  bool same = true;
  for (uint32_t c = 1; same && c < s->ncells; c++)
    same = !strcmp(s->cells[c].values[axis], s->cells[0].values[axis]);
  return !same;
}

bool summary_has(const struct summary *s, enum measure measure) {
  bool has = false;
  for (uint32_t c = 0; !has && c < s->ncells; c++)
    has = s->cells[c].nruns && s->cells[c].measures[measure].mean > 0;
  return has;
}

const char *summary_latency_from(const struct summary *s) {
  const uint32_t axis = table_column(s->runs, "rate");
  uint32_t nrated = 0;
  for (uint32_t c = 0; axis < s->naxes && c < s->ncells; c++) {
    double rate;
    nrated += units_read_number(s->cells[c].values[axis], &rate) && rate > 0;
  }
  if (!nrated)
    return "actual";
  return nrated == s->ncells ? "intended" : "actual or, under a rate, intended";
}

double summary_overhead(const struct summary *s) {
  const double counted = s->times.took - s->times.warmup;
  return counted > 0 ? s->times.own / counted : 0;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Two sweeps compared cell by cell (sweep/summary.h).
#include "config.h"

#include "sweep/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COMPARED = 2 };
static const enum measure compared[COMPARED] = {MEASURE_ABORT_RATE,
                                                MEASURE_THROUGHPUT};

// One measure of the same cell in both sweeps.
struct cell_pair {
  const struct cell *a, *b;
  enum measure measure;
  double p; // of a difference by chance
  bool differs;
};

static bool have_same_axes(const struct summary *a, const struct summary *b) {
  bool same = a->naxes == b->naxes;
  for (uint32_t i = 0; same && i < a->naxes; i++)
    same = !strcmp(a->runs->names[i], b->runs->names[i]);
  return same;
}

// A setting that is fixed within each sweep may differ between the two: a
// target after an upgrade, or a setting whose effect is asked about.
static bool may_differ(const struct summary *a, const struct summary *b,
                       uint32_t axis) {
  return !summary_varies(a, axis) && !summary_varies(b, axis);
}

static bool is_same_cell(const struct summary *a, const struct cell *x,
                         const struct summary *b, const struct cell *y) {
  bool same = true;
  for (uint32_t i = 0; same && i < a->naxes; i++)
    same = may_differ(a, b, i) || !strcmp(x->values[i], y->values[i]);
  return same;
}

static uint32_t make_pairs(const struct summary *a, const struct summary *b,
                           struct cell_pair *pairs) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < a->ncells; i++)
    for (uint32_t j = 0; j < b->ncells; j++) {
      const struct cell *x = &a->cells[i], *y = &b->cells[j];
      if (!x->nruns || !y->nruns || !is_same_cell(a, x, b, y))
        continue;
      for (int m = 0; m < COMPARED; m++)
        pairs[n++] = (struct cell_pair){
            x, y, compared[m],
            interval_difference(x->samples[compared[m]], x->nruns,
                                y->samples[compared[m]], y->nruns),
            false};
    }
  return n;
}

static int compare_p(const void *a, const void *b) {
  const struct cell_pair *x = *(const struct cell_pair *const *)a;
  const struct cell_pair *y = *(const struct cell_pair *const *)b;
  return (x->p > y->p) - (x->p < y->p);
}

// Holm, "A simple sequentially rejective multiple test procedure" (1979): the
// smallest of n is compared with 5 % / n, the next one with 5 % / (n - 1), and
// so on until one is too large.
static uint32_t judge_pairs(struct cell_pair *pairs, uint32_t n) {
  struct cell_pair **order = xcalloc(n, sizeof *order);
  uint32_t ndifferent = 0;
  for (uint32_t i = 0; i < n; i++)
    order[i] = &pairs[i];
  qsort(order, n, sizeof *order, compare_p);
  while (ndifferent < n && order[ndifferent]->p < 0.05 / (n - ndifferent))
    order[ndifferent++]->differs = true;
  free(order);
  return ndifferent;
}

static void put_compared_setting(FILE *out, const char *name, const char *a,
                                 const char *b) {
  if (strcmp(a, b))
    fprintf(out, "%s=%s against %s ", name, a, b);
  else
    fprintf(out, "%s=%s ", name, a);
}

static void put_pair(FILE *out, const struct summary *s,
                     const struct cell_pair *pair) {
  const struct interval *a = &pair->a->measures[pair->measure];
  const struct interval *b = &pair->b->measures[pair->measure];
  for (uint32_t i = 0; i < s->naxes; i++)
    put_compared_setting(out, s->runs->names[i], pair->a->values[i],
                         pair->b->values[i]);
  fprintf(out, " %s  %.5g +- %.2g  against  %.5g +- %.2g  p = %.3g%s\n",
          measure_names[pair->measure], a->mean, a->half, b->mean, b->half,
          pair->p, pair->differs ? "  DIFFERS" : "");
}

int summary_compare(FILE *out, const struct summary *a, const struct summary *b,
                    struct error *error) {
  if (!have_same_axes(a, b))
    return error_set(error, "the two sweeps do not vary the same settings");
  struct cell_pair *pairs =
      xcalloc((size_t)a->ncells * b->ncells * COMPARED + 1, sizeof *pairs);
  const uint32_t n = make_pairs(a, b, pairs);
  const uint32_t ndifferent = judge_pairs(pairs, n);
  for (uint32_t i = 0; i < n; i++)
    put_pair(out, a, &pairs[i]);
  free(pairs);
  if (!n)
    return error_set(error, "the two sweeps have no cell in common");
  fprintf(out, "%u of %u comparisons differ beyond noise\n", ndifferent, n);
  return (int)ndifferent;
}

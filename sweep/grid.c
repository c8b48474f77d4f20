// SPDX-License-Identifier: GPL-3.0-or-later
// Lays the cells of a sweep out (sweep/grid.h).  Series are levels where levels
// vary; the axis along which they go is the number of sessions, or the first
// one of numbers.
#include "config.h"

#include "sweep/grid.h"

#include "base/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SERIES_MAX = 8 };

// The number of "16" or "zipfian:0.99" as a text, which is the value's end; and
// as a number, NAN if it is none.
static const char *find_number(const char *value) {
  const char *colon = strchr(value, ':');
  return colon ? colon + 1 : value;
}

static double axis_number(const char *value) {
  double number;
  return units_read_number(find_number(value), &number) ? number : NAN;
}

// Are the values of this axis numbers that differ, with the same words before
// them?
static bool is_numeric(const struct summary *s, uint32_t axis) {
  bool numeric = summary_varies(s, axis);
  for (uint32_t c = 0; numeric && c < s->ncells; c++) {
    const char *value = s->cells[c].values[axis];
    const char *first = s->cells[0].values[axis];
    const size_t n = (size_t)(find_number(value) - value);
    numeric = !isnan(axis_number(value)) &&
              (size_t)(find_number(first) - first) == n &&
              !memcmp(value, first, n);
  }
  return numeric;
}

static uint32_t count_values(const struct summary *s, uint32_t axis) {
  uint32_t n = 0;
  for (uint32_t c = 0; c < s->ncells; c++) {
    uint32_t i = 0;
    while (i < c && strcmp(s->cells[i].values[axis], s->cells[c].values[axis]))
      i++;
    n += i == c;
  }
  return n;
}

static uint32_t find_varying(const struct summary *s, const char *name) {
  const uint32_t axis = table_column(s->runs, name);
  return axis < s->naxes && summary_varies(s, axis) ? axis : s->naxes;
}

static uint32_t choose_along(const struct summary *s) {
  uint32_t axis = find_varying(s, "clients");
  for (uint32_t i = 0; i < s->naxes && axis == s->naxes; i++)
    axis = is_numeric(s, i) ? i : axis;
  return axis;
}

static uint32_t choose_series(const struct summary *s, uint32_t along) {
  static const char *const preferred[] = {"isolation", "mix", "level-of",
                                          "target"};
  for (size_t i = 0; i < sizeof preferred / sizeof *preferred; i++) {
    const uint32_t axis = find_varying(s, preferred[i]);
    if (axis < s->naxes && count_values(s, axis) <= SERIES_MAX)
      return axis;
  }
  for (uint32_t i = 0; i < s->naxes; i++)
    if (i != along && summary_varies(s, i) && count_values(s, i) <= SERIES_MAX)
      return i;
  return s->naxes;
}

static bool goes_before(const struct summary *s, uint32_t axis, const char *a,
                        const char *b) {
  return is_numeric(s, axis) && axis_number(a) < axis_number(b);
}

// Numbers by their size, other values as the cells stand.
static uint32_t take_axis_values(const struct summary *s, uint32_t axis,
                                 const char **values) {
  uint32_t n = 0;
  if (axis == s->naxes)
    values[n++] = "";
  for (uint32_t c = 0; axis < s->naxes && c < s->ncells; c++) {
    const char *value = s->cells[c].values[axis];
    uint32_t i = 0;
    while (i < n && strcmp(values[i], value))
      i++;
    if (i < n)
      continue;
    for (; i && goes_before(s, axis, value, values[i - 1]); i--)
      values[i] = values[i - 1];
    values[i] = value;
    n++;
  }
  return n;
}

static bool is_same_panel(const struct grid *g, const struct cell *a,
                          const struct cell *b) {
  bool same = true;
  for (uint32_t i = 0; same && i < g->summary->naxes; i++)
    same = i == g->along || i == g->series_axis ||
           !strcmp(a->values[i], b->values[i]);
  return same;
}

static uint32_t place_on_axis(const char *const *values, uint32_t n,
                              const struct cell *cell, uint32_t axis,
                              uint32_t naxes) {
  uint32_t i = 0;
  while (axis < naxes && i + 1 < n && strcmp(values[i], cell->values[axis]))
    i++;
  return i;
}

static uint32_t panel_of(struct grid *g, const struct cell *cell) {
  uint32_t p = 0;
  while (p < g->npanels && !is_same_panel(g, g->panels[p], cell))
    p++;
  if (p == g->npanels)
    g->panels[g->npanels++] = cell;
  return p;
}

struct grid grid_make(const struct summary *s) {
  struct grid g = {.summary = s};
  g.along = choose_along(s);
  g.series_axis = choose_series(s, g.along);
  if (g.along == s->naxes) { // one axis without numbers has its own places
    g.along = g.series_axis;
    g.series_axis = s->naxes;
  }
  g.places = xcalloc(s->ncells + 1, sizeof *g.places);
  g.series = xcalloc(s->ncells + 1, sizeof *g.series);
  g.panels = xcalloc(s->ncells, sizeof *g.panels);
  g.nplaces = take_axis_values(s, g.along, g.places);
  g.nseries = take_axis_values(s, g.series_axis, g.series);
  for (uint32_t c = 0; c < s->ncells; c++)
    (void)panel_of(&g, &s->cells[c]);
  g.cells = xcalloc((size_t)g.npanels * g.nseries * g.nplaces, sizeof *g.cells);
  for (uint32_t c = 0; c < s->ncells; c++) {
    const struct cell *cell = &s->cells[c];
    const uint32_t series =
        place_on_axis(g.series, g.nseries, cell, g.series_axis, s->naxes);
    const uint32_t place =
        place_on_axis(g.places, g.nplaces, cell, g.along, s->naxes);
    if (cell->nruns)
      g.cells[((size_t)panel_of(&g, cell) * g.nseries + series) * g.nplaces +
              place] = cell;
  }
  return g;
}

void grid_free(struct grid *grid) {
  FREE_EACH(grid->places, grid->series, grid->panels, grid->cells);
  *grid = (struct grid){0};
}

const struct cell *const *grid_panel(const struct grid *g, uint32_t panel) {
  return g->cells + (size_t)panel * g->nseries * g->nplaces;
}

// Comparisons between the series of a panel, at each of its places; behind
// them those between the places, for each series.
static uint32_t between_series(const struct grid *g) {
  return g->nseries > 1 ? g->npanels * g->nplaces : 0;
}

uint32_t grid_ncomparisons(const struct grid *g) {
  return between_series(g) + (g->nplaces > 1 ? g->npanels * g->nseries : 0);
}

uint32_t grid_compared_axis(const struct grid *g, uint32_t comparison) {
  return comparison < between_series(g) ? g->series_axis : g->along;
}

uint32_t grid_compared(const struct grid *g, uint32_t comparison,
                       const struct cell **cells) {
  const bool by_series = comparison < between_series(g);
  const uint32_t i = by_series ? comparison : comparison - between_series(g);
  const uint32_t others = by_series ? g->nplaces : g->nseries;
  const uint32_t of = by_series ? g->nseries : g->nplaces;
  const struct cell *const *all = grid_panel(g, i / others);
  uint32_t n = 0;
  for (uint32_t k = 0; k < of; k++) {
    const uint32_t series = by_series ? k : i % others;
    const uint32_t place = by_series ? i % others : k;
    const struct cell *cell = all[series * g->nplaces + place];
    if (cell)
      cells[n++] = cell;
  }
  return n;
}

bool cells_are_apart(const struct cell *a, const struct cell *b,
                     enum measure measure) {
  const struct interval *x = &a->measures[measure];
  const struct interval *y = &b->measures[measure];
  return x->mean + x->half < y->mean - y->half ||
         y->mean + y->half < x->mean - x->half;
}

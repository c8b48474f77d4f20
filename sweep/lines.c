// SPDX-License-Identifier: GPL-3.0-or-later
// Sorts the cells of a sweep into lines (sweep/lines.h).
#include "config.h"

#include "sweep/lines.h"

#include "base/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *lines_number_in(const char *value) {
  const char *colon = strchr(value, ':');
  return colon ? colon + 1 : value;
}

double lines_number_of(const char *value) {
  double number;
  return units_read_number(lines_number_in(value), &number) ? number : NAN;
}

bool lines_is_numeric(const struct summary *s, uint32_t axis) {
  bool numeric = summary_varies(s, axis);
  for (uint32_t c = 0; numeric && c < s->ncells; c++) {
    const char *value = s->cells[c].values[axis];
    const char *first = s->cells[0].values[axis];
    const size_t n = (size_t)(lines_number_in(value) - value);
    numeric = !isnan(lines_number_of(value)) &&
              (size_t)(lines_number_in(first) - first) == n &&
              !memcmp(value, first, n);
  }
  return numeric;
}

// ---- Lines

// Which axes turn along a line; all others are the same on it.
struct along {
  const struct summary *summary;
  bool axis[128];
};

static bool same_line(const struct along *along, uint32_t a, uint32_t b) {
  const struct summary *s = along->summary;
  bool same = true;
  for (uint32_t i = 0; same && i < s->naxes; i++)
    same =
        along->axis[i] || !strcmp(s->cells[a].values[i], s->cells[b].values[i]);
  return same;
}

// A cell stands for its line if no earlier one is of it.
static bool leads(const struct along *along, uint32_t c) {
  bool first = true;
  for (uint32_t i = 0; first && i < c; i++)
    first = !same_line(along, i, c);
  return first;
}

// "postgresql" of a target, if no other target has that scheme.
static size_t shortened(const struct summary *s, uint32_t axis,
                        const char *value) {
  const size_t n = strcspn(value, ":");
  if (strcmp(s->runs->names[axis], "target"))
    return strlen(value);
  for (uint32_t c = 0; c < s->ncells; c++) {
    const char *other = s->cells[c].values[axis];
    if (strcspn(other, ":") == n && !memcmp(other, value, n) &&
        strcmp(other, value))
      return strlen(value);
  }
  return n;
}

static char *title_of(const struct along *along, uint32_t c,
                      const char *suffix) {
  const struct summary *s = along->summary;
  char *text;
  size_t bytes;
  bool any = false;
  FILE *out = text_stream(&text, &bytes);
  for (uint32_t i = 0; i < s->naxes; i++) {
    const char *value = s->cells[c].values[i];
    if (along->axis[i] || !summary_varies(s, i))
      continue;
    fputs(any ? ", " : "", out);
    if (lines_is_numeric(s, i) && lines_number_in(value) == value)
      fprintf(out, "%s ", s->runs->names[i]);
    fprintf(out, "%.*s", (int)shortened(s, i, value), value);
    any = true;
  }
  fputs(any ? suffix : *suffix ? suffix + 2 : "all runs", out);
  fclose(out);
  return text;
}

// A cell's mean of a measure, with its interval.
struct range {
  double mean, low, high;
};

static struct range range_of(const struct interval *m, double scale,
                             double most) {
  const double half = isnan(m->half) ? 0 : m->half;
  const struct range range = {scale * m->mean,
                              fmax(0, scale * (m->mean - half)),
                              scale * (m->mean + half)};
  return most > 0 && range.high > most
             ? (struct range){range.mean, range.low, most}
             : range;
}

void lines_free(struct lines *lines) {
  for (uint32_t i = 0; i < lines->n; i++) {
    free(lines->all[i].points);
    free((void *)(uintptr_t)lines->all[i].title);
  }
  free(lines->all);
  *lines = (struct lines){0};
}

static int compare_points(const void *a, const void *b) {
  const struct plot_point *p = a, *q = b;
  return (p->x > q->x) - (p->x < q->x);
}

static struct plot_series line_by_axis(const struct along *along,
                                       uint32_t leader, uint32_t axis,
                                       const struct lines_of *what,
                                       uint32_t m) {
  const struct summary *s = along->summary;
  struct plot_series line = {.title =
                                 title_of(along, leader, what->suffixes[m]),
                             .points = xcalloc(s->ncells, sizeof *line.points)};
  for (uint32_t c = 0; c < s->ncells; c++) {
    const struct cell *cell = &s->cells[c];
    const struct interval *measured = &cell->measures[what->measures[m]];
    if (!same_line(along, leader, c) || !cell->nruns || isnan(measured->mean))
      continue;
    const double x = lines_number_of(cell->values[axis]);
    const struct range y = range_of(measured, what->scale, what->most);
    line.points[line.npoints++] =
        (struct plot_point){x, x, x, y.mean, y.low, y.high};
  }
  qsort(line.points, line.npoints, sizeof *line.points, compare_points);
  return line;
}

struct lines lines_by_axis(const struct summary *s, uint32_t axis,
                           const struct lines_of *what) {
  struct along along = {.summary = s};
  struct lines lines = {
      xcalloc((size_t)s->ncells * LINES_MEASURES, sizeof *lines.all), 0};
  along.axis[axis] = true;
  for (uint32_t c = 0; c < s->ncells; c++)
    for (uint32_t m = 0; leads(&along, c) && m < what->nmeasures; m++)
      lines.all[lines.n++] = line_by_axis(&along, c, axis, what, m);
  return lines;
}

struct lines lines_by_abort_rate(const struct summary *s,
                                 enum measure measure) {
  struct along along = {.summary = s};
  struct lines lines = {xcalloc(s->ncells, sizeof *lines.all), 0};
  for (uint32_t i = 0; i < s->naxes; i++)
    along.axis[i] = lines_is_numeric(s, i);
  for (uint32_t leader = 0; leader < s->ncells; leader++) {
    if (!leads(&along, leader))
      continue;
    struct plot_series *line = &lines.all[lines.n++];
    line->title = title_of(&along, leader, "");
    line->points = xcalloc(s->ncells, sizeof *line->points);
    for (uint32_t c = leader; c < s->ncells; c++) {
      const struct interval *m = s->cells[c].measures;
      if (!same_line(&along, leader, c) || !s->cells[c].nruns ||
          isnan(m[measure].mean))
        continue;
      const struct range x = range_of(&m[MEASURE_ABORT_RATE], 100, 100);
      const struct range y = range_of(&m[measure], 1, 0);
      line->points[line->npoints++] =
          (struct plot_point){x.mean, x.low, x.high, y.mean, y.low, y.high};
    }
  }
  return lines;
}

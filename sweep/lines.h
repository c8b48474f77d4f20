// SPDX-License-Identifier: GPL-3.0-or-later
// The cells of a sweep as lines of a diagram.
#ifndef SWEEP_LINES_H
#define SWEEP_LINES_H

#include "sweep/plot.h"
#include "sweep/summary.h"

enum { LINES_MEASURES = 2 };

// Measures that share an axis of a diagram.
struct lines_of {
  double scale, most; // of a value; most 0: no limit
  uint32_t nmeasures;
  enum measure measures[LINES_MEASURES];
  const char *suffixes[LINES_MEASURES]; // of the lines' titles, as ": load"
};

struct lines {
  struct plot_series *all;
  uint32_t n;
};

// The number of "16" or "zipfian:0.99" as a text, which is the value's end; and
// as a number, NAN if it is none.
const char *lines_number_in(const char *value);
double lines_number_of(const char *value);

// Are the values of this axis numbers that differ, with the same words before
// them?
bool lines_is_numeric(const struct summary *summary, uint32_t axis);

// The measures against an axis of numbers: a line for each combination of the
// other axes.  To be freed.
struct lines lines_by_axis(const struct summary *summary, uint32_t axis,
                           const struct lines_of *what);

// A measure against the abort rate in percent: a line for each combination of
// what is no number, along everything that is.  To be freed.
struct lines lines_by_abort_rate(const struct summary *summary,
                                 enum measure measure);

void lines_free(struct lines *lines);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Plots as SVG elements of a page, in the page's colours.  Lines are told apart
// by their dashes and by their names at the right edge.
#ifndef REPORT_PICTURE_PLOT_H
#define REPORT_PICTURE_PLOT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct plot_line {
  const char *name;
  const double *y;    // one per point; what is not above 0 is left out of a
                      // logarithmic plot
  const char *colour; // of the page: "var(--a)"; NULL: that of the text
};

// A time in which something happened, in seconds.
struct plot_band {
  double from, to;
  const char *name;
};

enum plot_unit { PLOT_NUMBER, PLOT_PERCENT, PLOT_DURATION }; // durations in ns

struct plot {
  const char *id;    // of the element
  const char *title; // what it shows, a sentence for those who cannot see it
  const struct plot_line *lines;
  uint32_t nlines, npoints;
  double step; // seconds from one point to the next
  enum plot_unit unit;
  bool logarithmic;
  const struct plot_band *bands; // behind the lines
  uint32_t nbands;
};

// A value at an axis: "2.5 k", "20 %", "1 ms".
void plot_put_value(FILE *out, double value, enum plot_unit unit);

// Values over time.
void plot_put_lines(FILE *out, const struct plot *plot);

#endif

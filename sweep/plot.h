// SPDX-License-Identifier: GPL-3.0-or-later
// Diagrams with error bars, drawn by gnuplot.  Knows nothing of what they show.
#ifndef SWEEP_PLOT_H
#define SWEEP_PLOT_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

// With the ends of its error bars; equal to the value: none.
struct plot_point {
  double x, x_low, x_high;
  double y, y_low, y_high;
};

struct plot_series {
  const char *title;
  struct plot_point *points; // in the order in which a line joins them
  uint32_t npoints;
};

struct plot_tic {
  double x;
  const char *text;
};

struct plot_panel {
  const char *x_label, *y_label;
  const struct plot_series *series;
  uint32_t nseries;
  const struct plot_tic *tics; // of the x axis; NULL: gnuplot's choice
  uint32_t ntics;
  bool logarithmic;     // the x axis
  bool decades;         // the y axis is logarithmic too
  const char *diagonal; // what the line y = x stands for; NULL: none
};

enum { PLOT_PANELS_MAX = 2 };

struct plot {
  const char *name;    // of the files: NAME.gnuplot, NAME.svg, NAME.png
  const char *caption; // any length
  struct plot_panel panels[PLOT_PANELS_MAX]; // side by side, with equal series
  uint32_t npanels;
};

// Writes the script, which holds the data, and lets gnuplot draw it in the
// directory; *drawn is set to false if gnuplot is not there.  -1 with a
// sentence if the script cannot be written.
int plot_draw(const struct plot *plot, const char *directory, bool *drawn,
              struct error *error);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Small multiples: panels of the same size and on the same scale, each with a
// few series of means and their intervals, as SVG elements of a page.
#ifndef REPORT_PICTURE_MULTIPLES_H
#define REPORT_PICTURE_MULTIPLES_H

#include "report/picture/plot.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// Series differ in colour and dash up to this number of them.
enum { MULTIPLES_STYLES = 6 };

// A panel's size in units of its SVG.
enum { MULTIPLES_WIDTH = 300, MULTIPLES_HEIGHT = 170 };

struct multiple {
  bool known; // or nothing was measured there
  double mean, low, high;
};

struct multiples {
  const char *title; // what is shown, for those who cannot see it
  const char *const *places;
  uint32_t nplaces; // along the x axis, from left to right
  const char *x_label;
  const char *const *labels; // of the series, a few letters each
  uint32_t nseries;
  enum plot_unit unit;
  double top; // what the y axis reaches at least; all values are above zero
};

// One panel with its caption above and the x axis's name below; `points` are
// the places of the first series, then of the next one. `caption` in plain
// text.
void multiples_put_panel(FILE *out, const struct multiples *multiples,
                         const char *caption, const struct multiple *points);

// The SVG element of a panel alone; it fills the element around it.
void multiples_put_svg(FILE *out, const struct multiples *multiples,
                       const char *caption, const struct multiple *points);

// The swatch of a series, which a legend shows beside its name.
void multiples_put_swatch(FILE *out, uint32_t series);

#endif

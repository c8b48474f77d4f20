// SPDX-License-Identifier: GPL-3.0-or-later
// The cells of a sweep as panels, which show series of cells along an axis.
#ifndef SWEEP_GRID_H
#define SWEEP_GRID_H

#include "sweep/summary.h"

struct grid {
  const struct summary *summary;
  // Axes of the summary; naxes: none.
  uint32_t along, series_axis;
  const char **places, **series; // values; one that is "" if there is no axis
  uint32_t nplaces, nseries;
  const struct cell **panels; // the first cell of each; all other axes are the
                              // same in a panel
  uint32_t npanels;
  const struct cell **cells; // by panel, series and place; NULL: none, or none
                             // of its runs took place
};

// Free with grid_free.  The summary must outlive it, and has cells.
struct grid grid_make(const struct summary *summary);
void grid_free(struct grid *grid);

// The cells of a panel: of the first series by place, then of the next one.
const struct cell *const *grid_panel(const struct grid *grid, uint32_t panel);

// Cells that differ in one axis only, to be compared: the series at each place,
// and the places of each series.
uint32_t grid_ncomparisons(const struct grid *grid);
uint32_t grid_compared_axis(const struct grid *grid, uint32_t comparison);
// How many were put into `cells`, which has room for nseries + nplaces.
uint32_t grid_compared(const struct grid *grid, uint32_t comparison,
                       const struct cell **cells);

// Does the interval of one cell end before that of the other one begins?  False
// as well where one run has no interval.
bool cells_are_apart(const struct cell *a, const struct cell *b,
                     enum measure measure);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of the page of a sweep (sweep/page.h).
#ifndef SWEEP_PAGE_PARTS_H
#define SWEEP_PAGE_PARTS_H

#include "sweep/grid.h"

#include "report/picture/plot.h"

// A measure in the words and units of the page.
struct shown_measure {
  enum measure measure;
  int if_any;          // measure without which there is nothing; -1: always
  const char *id;      // of its section
  const char *heading; // "Aborted attempts"
  const char *phrase;  // "aborted attempts", after "by"
  enum plot_unit unit;
  double scale;          // from the measure to the unit
  const char *if_varied; // setting that has to vary; NULL: none has to
};
enum { SHOWN = 8 };
extern const struct shown_measure sweep_shown[SHOWN];
bool sweep_shows(const struct summary *summary,
                 const struct shown_measure *shown);

// "ser", "16 sessions", "keys 10": the value of an axis for people.
void sweep_put_value(FILE *out, const struct summary *summary, uint32_t axis,
                     const char *value);

// The sentence of the whole sweep, as text without markup; and the paragraph
// below it.
void sweep_put_headline(FILE *out, const struct grid *grid);
void sweep_put_lede(FILE *out, const struct grid *grid);
// Whether the intervals of a measure tell the settings apart.
void sweep_put_overlap(FILE *out, const struct grid *grid,
                       const struct shown_measure *shown);

// All cells and all runs, each cell with a link to its runs.
void sweep_put_numbers(FILE *out, const struct summary *summary);
void sweep_put_runs(FILE *out, const struct summary *summary);

#endif

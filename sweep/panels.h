// SPDX-License-Identifier: GPL-3.0-or-later
// The panels of a sweep: what was measured in the cells of a grid, as small
// multiples on one scale.
#ifndef SWEEP_PANELS_H
#define SWEEP_PANELS_H

#include "report/picture/multiples.h"
#include "sweep/page_parts.h"

// All panels of a grid, which share the labels of their series.
struct panels {
  const struct grid *grid;
  const char **labels; // one for each series, a few letters each
};

// The grid must outlive them.  Free with panels_free.
struct panels panels_make(const struct grid *grid);
void panels_free(struct panels *panels);

// One measure in one panel.
struct panel {
  struct multiples multiples;
  struct multiple *points;
  char *caption; // the settings that set this panel apart; "" if there are none
};

// The panels must outlive it.  Free with panel_free.
struct panel panel_make(const struct panels *panels,
                        const struct shown_measure *shown, uint32_t number);
void panel_free(struct panel *panel);

// Elements of a page: the legend of all series, nothing for a single one; all
// panels of a measure; and one panel under a caption of the caller's.
void panels_put_legend(FILE *out, const struct panels *panels);
void panels_put(FILE *out, const struct panels *panels,
                const struct shown_measure *shown);
void panels_put_one(FILE *out, const struct panels *panels,
                    const struct shown_measure *shown, uint32_t number,
                    const char *caption);

// "RC: read committed": a series in the legend.  To be freed.
char *panels_name_series(const struct panels *panels, uint32_t series);

#endif

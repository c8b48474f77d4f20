// SPDX-License-Identifier: GPL-3.0-or-later
// Fills small multiples with the cells of a grid (sweep/panels.h).
#include "config.h"

#include "sweep/panels.h"

#include "base/utf8.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PANELS_MAX = 24, LABEL = 8 };

// ---- Labels of series

// "RC" of "read committed", "SER" of "serializable", "10" of "10".
static void write_label(const char *value, char label[LABEL]) {
  size_t n = 0;
  for (const char *c = value; *c && n < LABEL - 1; c++)
    if (c == value || strchr(" -,", c[-1]))
      label[n++] = (char)toupper((unsigned char)*c);
  if (n < 2)
    for (n = 0; value[n] && n < 3; n++)
      label[n] = (char)toupper((unsigned char)value[n]);
  label[n] = '\0';
  if (strlen(value) <= 4)
    snprintf(label, LABEL, "%s", value);
}

// Labels that name one series each; numbers where letters do not.
struct panels panels_make(const struct grid *g) {
  struct panels panels = {g, xcalloc(g->nseries, sizeof *panels.labels)};
  bool unique = true;
  for (uint32_t i = 0; i < g->nseries; i++) {
    char label[LABEL];
    write_label(g->series[i], label);
    for (uint32_t j = 0; j < i; j++)
      unique &= strcmp(label, panels.labels[j]) != 0;
    panels.labels[i] = xstrdup(label);
  }
  for (uint32_t i = 0; i < g->nseries && !unique; i++) {
    free((void *)(uintptr_t)panels.labels[i]);
    panels.labels[i] = xasprintf("%u", (unsigned char)(i + 1));
  }
  return panels;
}

void panels_free(struct panels *panels) {
  for (uint32_t i = 0; i < panels->grid->nseries; i++)
    free((void *)(uintptr_t)panels->labels[i]);
  free(panels->labels);
  *panels = (struct panels){0};
}

char *panels_name_series(const struct panels *panels, uint32_t series) {
  const struct grid *g = panels->grid;
  char *text;
  size_t bytes;
  FILE *value = text_stream(&text, &bytes);
  sweep_put_value(value, g->summary, g->series_axis, g->series[series]);
  fclose(value);
  char *name = strcmp(panels->labels[series], text)
                   ? xasprintf("%s: %s", panels->labels[series], text)
                   : xstrdup(text);
  free(text);
  return name;
}

void panels_put_legend(FILE *out, const struct panels *panels) {
  if (panels->grid->nseries < 2)
    return;
  fputs("<p class=\"legend\">", out);
  for (uint32_t i = 0; i < panels->grid->nseries; i++) {
    char *name = panels_name_series(panels, i);
    fputs("<span>", out);
    multiples_put_swatch(out, i);
    put_markup(out, name);
    fputs("</span>\n", out);
    free(name);
  }
  fputs("</p>\n", out);
}

// ---- One panel

static struct multiple show_cell(const struct cell *cell,
                                 const struct shown_measure *shown) {
  if (!cell || isnan(cell->measures[shown->measure].mean))
    return (struct multiple){0};
  const struct interval *m = &cell->measures[shown->measure];
  const double half = isnan(m->half) ? 0 : m->half;
  const double most = shown->unit == PLOT_PERCENT ? 100 : INFINITY;
  return (struct multiple){.known = true,
                           .mean = shown->scale * m->mean,
                           .low = fmax(0, shown->scale * (m->mean - half)),
                           .high = fmin(most, shown->scale * (m->mean + half))};
}

// Room for the intervals, unless they are so long that they would leave none
// for the means.
static double find_top(const struct grid *g,
                       const struct shown_measure *shown) {
  double mean = 0, high = 0;
  for (uint32_t c = 0; c < g->summary->ncells; c++) {
    const struct cell *cell = &g->summary->cells[c];
    const struct multiple m = show_cell(cell->nruns ? cell : NULL, shown);
    mean = fmax(mean, m.mean);
    high = fmax(high, m.high);
  }
  return fmin(high, 2 * mean);
}

// The settings that set a panel apart from the others.
static char *name_panel(const struct grid *g, uint32_t panel) {
  const struct summary *s = g->summary;
  const char *separator = "";
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  for (uint32_t i = 0; i < s->naxes; i++) {
    if (i == g->along || i == g->series_axis || !summary_varies(s, i))
      continue;
    fputs(separator, out);
    sweep_put_value(out, s, i, g->panels[panel]->values[i]);
    separator = ", ";
  }
  fclose(out);
  return text;
}

struct panel panel_make(const struct panels *panels,
                        const struct shown_measure *shown, uint32_t number) {
  const struct grid *g = panels->grid;
  const uint32_t n = g->nseries * g->nplaces;
  const char *along =
      g->along < g->summary->naxes ? g->summary->runs->names[g->along] : NULL;
  const struct panel panel = {
      .multiples = {.title = shown->heading,
                    .places = g->places,
                    .nplaces = g->nplaces,
                    .x_label =
                        along && !strcmp(along, "clients") ? "sessions" : along,
                    .labels = panels->labels,
                    .nseries = g->nseries,
                    .unit = shown->unit,
                    .top = find_top(g, shown)},
      .points = xcalloc(n, sizeof *panel.points),
      .caption = name_panel(g, number)};
  for (uint32_t i = 0; i < n; i++)
    panel.points[i] = show_cell(grid_panel(g, number)[i], shown);
  return panel;
}

void panel_free(struct panel *panel) {
  FREE_EACH(panel->points, panel->caption);
  *panel = (struct panel){0};
}

// ---- On a page

void panels_put_one(FILE *out, const struct panels *panels,
                    const struct shown_measure *shown, uint32_t number,
                    const char *caption) {
  struct panel panel = panel_make(panels, shown, number);
  multiples_put_panel(out, &panel.multiples, caption, panel.points);
  panel_free(&panel);
}

void panels_put(FILE *out, const struct panels *panels,
                const struct shown_measure *shown) {
  const uint32_t npanels = panels->grid->npanels;
  fputs("<div class=\"multiples\">\n", out);
  for (uint32_t p = 0; p < npanels && p < PANELS_MAX; p++) {
    struct panel panel = panel_make(panels, shown, p);
    multiples_put_panel(out, &panel.multiples, panel.caption, panel.points);
    panel_free(&panel);
  }
  fputs("</div>\n", out);
  if (npanels > PANELS_MAX)
    fprintf(out, "<p>%" PRIu32 " more panels are not drawn.</p>\n",
            npanels - PANELS_MAX);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// The page of a sweep (sweep/page.h): its head, its panels, and how it was run.
#include "config.h"

#include "sweep/page.h"

#include "base/utf8.h"
#include "report/multiples.h"
#include "report/page.h"
#include "sweep/page_parts.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PANELS_MAX = 24, LABEL = 8 };

// ---- Panels

// "RC" of "read committed", "SER" of "serializable", "10" of "10".
static void label_of(const char *value, char label[LABEL]) {
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
static char (*labels_of(const struct grid *g))[LABEL] {
  char(*labels)[LABEL] = xcalloc(g->nseries, sizeof *labels);
  bool unique = true;
  for (uint32_t i = 0; i < g->nseries; i++) {
    label_of(g->series[i], labels[i]);
    for (uint32_t j = 0; j < i; j++)
      unique &= strcmp(labels[i], labels[j]) != 0;
  }
  for (uint32_t i = 0; i < g->nseries && !unique; i++)
    snprintf(labels[i], LABEL, "%u", (unsigned char)(i + 1));
  return labels;
}

static struct multiple multiple_of(const struct cell *cell,
                                   const struct shown *shown) {
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
static double top_of(const struct grid *g, const struct shown *shown) {
  double mean = 0, high = 0;
  for (uint32_t c = 0; c < g->summary->ncells; c++) {
    const struct cell *cell = &g->summary->cells[c];
    const struct multiple m = multiple_of(cell->nruns ? cell : NULL, shown);
    mean = fmax(mean, m.mean);
    high = fmax(high, m.high);
  }
  return fmin(high, 2 * mean);
}

// The settings that set a panel apart from the others.
static char *caption_of(const struct grid *g, uint32_t panel) {
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

static void put_panel(FILE *out, const struct grid *g,
                      const struct shown *shown, const char *const *labels,
                      uint32_t panel, const char *caption) {
  const uint32_t n = g->nseries * g->nplaces;
  const bool has_axis = g->along < g->summary->naxes;
  const char *along = has_axis ? g->summary->runs->names[g->along] : NULL;
  struct multiple *points = xcalloc(n, sizeof *points);
  const struct multiples m = {
      .title = shown->heading,
      .places = g->places,
      .nplaces = g->nplaces,
      .x_label = has_axis && !strcmp(along, "clients") ? "sessions" : along,
      .labels = labels,
      .nseries = g->nseries,
      .unit = shown->unit,
      .top = top_of(g, shown)};
  for (uint32_t i = 0; i < n; i++)
    points[i] = multiple_of(grid_panel(g, panel)[i], shown);
  multiples_put_panel(out, &m, caption, points);
  free(points);
}

static void put_panels(FILE *out, const struct grid *g,
                       const struct shown *shown, const char *const *labels) {
  fputs("<div class=\"multiples\">\n", out);
  for (uint32_t p = 0; p < g->npanels && p < PANELS_MAX; p++) {
    char *caption = caption_of(g, p);
    put_panel(out, g, shown, labels, p, caption);
    free(caption);
  }
  fputs("</div>\n", out);
  if (g->npanels > PANELS_MAX)
    fprintf(out, "<p>%" PRIu32 " more panels are not drawn.</p>\n",
            g->npanels - PANELS_MAX);
}

static void put_legend(FILE *out, const struct grid *g,
                       const char *const *labels) {
  const struct summary *s = g->summary;
  if (g->nseries < 2)
    return;
  fputs("<p class=\"legend\">", out);
  for (uint32_t i = 0; i < g->nseries; i++) {
    char *text;
    size_t bytes;
    FILE *value = text_stream(&text, &bytes);
    sweep_put_value(value, s, g->series_axis, g->series[i]);
    fclose(value);
    fputs("<span>", out);
    multiples_put_swatch(out, i);
    put_markup(out, labels[i]);
    if (strcmp(labels[i], text)) {
      fputs(": ", out);
      put_markup(out, text);
    }
    fputs("</span>\n", out);
    free(text);
  }
  fputs("</p>\n", out);
}

// Panels of one measure on one scale; a section for each.
static void put_sections(FILE *out, const struct grid *g,
                         const char *const *labels) {
  for (int i = 0; i < SHOWN; i++) {
    const struct shown *shown = &sweep_shown[i];
    if (!sweep_shows(g->summary, shown))
      continue;
    page_section(out, shown->id, shown->heading);
    sweep_put_overlap(out, g, shown);
    put_legend(out, g, labels);
    put_panels(out, g, shown, labels);
    fputs("</section>\n", out);
  }
}

// One panel of each measure, side by side.
static void put_section(FILE *out, const struct grid *g,
                        const char *const *labels) {
  page_section(out, "measured", "What was measured");
  for (int i = 0; i < SHOWN; i++)
    if (sweep_shows(g->summary, &sweep_shown[i]))
      sweep_put_overlap(out, g, &sweep_shown[i]);
  put_legend(out, g, labels);
  fputs("<div class=\"multiples\">\n", out);
  for (int i = 0; i < SHOWN; i++)
    if (sweep_shows(g->summary, &sweep_shown[i]))
      put_panel(out, g, &sweep_shown[i], labels, 0, sweep_shown[i].heading);
  fputs("</div>\n</section>\n", out);
}

static void put_measures(FILE *out, const struct grid *g) {
  char(*letters)[LABEL] = labels_of(g);
  const char **labels = xcalloc(g->nseries, sizeof *labels);
  for (uint32_t i = 0; i < g->nseries; i++)
    labels[i] = letters[i];
  if (g->npanels == 1)
    put_section(out, g, labels);
  else
    put_sections(out, g, labels);
  free(labels);
  free(letters);
}

// ---- How it was run

// Settings and facts that all runs share, a word or a sentence each.
static void put_row(FILE *out, const char *name, const char *text) {
  if (!*text)
    return;
  fputs("<dt>", out);
  put_markup(out, name);
  fputs("</dt><dd>", out);
  put_markup(out, text);
  fputs("</dd>\n", out);
}

static const char *common_server(const struct summary *s) {
  bool same = true;
  for (uint32_t c = 1; c < s->ncells; c++)
    same &= !strcmp(s->cells[c].server, s->cells[0].server);
  return same && s->ncells ? s->cells[0].server : "";
}

// The section of the job file, which ends the command, is no part of it.
static void put_command(FILE *out, const char *command) {
  const char *section = strstr(command, "  [");
  const size_t n = section ? (size_t)(section - command) : strlen(command);
  char *text = xasprintf("%.*s", (int)n, command);
  page_start_command(out);
  put_markup(out, text);
  page_end_command(out);
  free(text);
}

static void put_how(FILE *out, const struct summary *s, const char *command) {
  const struct sweep_times *t = &s->times;
  page_section(out, "how", "How it was run");
  put_command(out, command);
  fputs("<dl class=\"kv\">\n", out);
  for (uint32_t i = 0; i < s->naxes && s->ncells; i++)
    if (!summary_varies(s, i))
      put_row(out, s->runs->names[i], s->cells[0].values[i]);
  put_row(out, "order",
          "random in each repetition, so that a change of the "
          "machine does not fall on one setting");
  put_row(out, "server", common_server(s));
  if (t->took > 0)
    fprintf(out,
            "<dt>took</dt><dd>%.1f s: %.1f s setting up, %.1f s warm-up, %.1f "
            "s load, %.1f s checking, %.2f s the sweep's own</dd>\n",
            t->took, t->setup, t->warmup, t->load, t->checked, t->own);
  fprintf(out,
          "<dt>latency</dt><dd>from the %s start of a transaction to the end "
          "of its last attempt</dd>\n</dl>\n</section>\n",
          summary_latency_from(s));
}

// ---- The page

static void when_of(const struct summary *s, char *text, size_t room) {
  double first = INFINITY;
  for (uint32_t row = 0; row < s->runs->nrows; row++)
    first = fmin(first, table_number(s->runs, row, "started"));
  const time_t seconds = isfinite(first) ? (time_t)first : 0;
  struct tm utc;
  text[0] = '\0';
  if (seconds && gmtime_r(&seconds, &utc))
    strftime(text, room, "%Y-%m-%d %H:%M:%S UTC", &utc);
}

static void put_bar(FILE *out, const struct summary *s, const char *name,
                    const char *all_results) {
  char when[64];
  const char *server = common_server(s);
  char *about = xasprintf("%.*s%ssweep %s", page_server_length(server), server,
                          *server ? ", " : "", name);
  when_of(s, when, sizeof when);
  page_bar(out, all_results, about, when);
  free(about);
}

void sweep_put_page(FILE *out, const struct summary *s, const char *name,
                    const char *command, const char *program,
                    const char *all_results) {
  struct grid g = grid_make(s);
  char *headline, tag[96];
  size_t bytes;
  FILE *text = text_stream(&headline, &bytes);
  sweep_put_headline(text, &g);
  fclose(text);
  snprintf(tag, sizeof tag, "Sweep: %" PRIu32 " setting%s, %" PRIu32 " run%s",
           s->ncells, s->ncells == 1 ? "" : "s", s->runs->nrows,
           s->runs->nrows == 1 ? "" : "s");
  page_open(out, headline);
  put_bar(out, s, name, all_results);
  fputs("<main>\n<section class=\"verdict\">\n", out);
  page_tag(out, "many", tag);
  fputs("<h1>", out);
  put_markup(out, headline);
  fputs("</h1>\n", out);
  sweep_put_lede(out, &g);
  fputs("</section>\n", out);
  put_measures(out, &g);
  sweep_put_numbers(out, s);
  put_how(out, s, command);
  sweep_put_runs(out, s);
  page_close(out, program);
  free(headline);
  grid_free(&g);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Draws one measure of a sweep from its sweep.csv, with the panels of the
// sweep's page, as an SVG document that stands alone.  bench/abort_rates.sh
// draws the pictures of results/abort_rates with it.
//
//   bench/panels TITLE SWEEP.csv MEASURE >PICTURE.svg
//
// MEASURE is the name of its section on the page: "aborted", "throughput".
#include "config.h"

#include "base/utf8.h"
#include "sweep/panels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  COLUMNS = 3, // of panels at most
  EDGE = 10,
  LINE = 18,               // of text
  LETTER = 6,              // width, on average
  SWATCH = 30,             // width; half as high
  SWATCH_ROOM = SWATCH + 8 // with the gap before its name
};

// Those of the page in light colours (report/page/page_style.c).
static const char style[] =
    "text{font:11.5px system-ui,sans-serif;fill:#555}"
    ".h{font-size:14px;font-weight:600;fill:#111}.c{fill:#111}"
    ".g{stroke:#ddd}.x{stroke:#555}.i{stroke-width:1.2}"
    ".l{fill:none;stroke-width:1.8}"
    ".s0 path,.s3 path{stroke:#0059b3}.s1 path,.s4 path{stroke:#b34700}"
    ".s2 path,.s5 path{stroke:#00734d}"
    ".s0 circle,.s3 circle,text.s0,text.s3{fill:#0059b3}"
    ".s1 circle,.s4 circle,text.s1,text.s4{fill:#b34700}"
    ".s2 circle,.s5 circle,text.s2,text.s5{fill:#00734d}"
    ".s1 .l{stroke-dasharray:7 3}.s2 .l{stroke-dasharray:2 3}"
    ".s3 .l{stroke-dasharray:9 3 2 3}.s4 .l{stroke-dasharray:4 2}"
    ".s5 .l{stroke-dasharray:1 2}";

// ---- The cells

// Several databases of one sweep are of several kinds, which name them.
static void shorten_targets(struct table *cells) {
  const uint32_t axis = table_column(cells, "target");
  for (uint32_t row = 0; axis != UINT32_MAX && row < cells->nrows; row++) {
    const char *target = cells->rows[row][axis];
    cells->rows[row][axis] =
        arena_printf(&cells->arena, "%.*s", (int)strcspn(target, ":"), target);
  }
}

static struct cell read_cell(const struct table *cells, uint32_t row) {
  struct cell cell = {.values = cells->rows[row],
                      .nruns = (uint32_t)table_number(cells, row, "runs"),
                      .server = table_text(cells, row, "server")};
  for (int m = 0; m < MEASURES; m++) {
    char half[64];
    snprintf(half, sizeof half, "%s_half", measure_names[m]);
    cell.measures[m].mean = table_number(cells, row, measure_names[m]);
    cell.measures[m].half = table_number(cells, row, half);
  }
  return cell;
}

// -1 with a sentence.  The table must outlive the summary; free its cells.
static int read_summary(const char *path, struct table *cells,
                        struct summary *summary, struct error *error) {
  if (table_read(path, cells, error))
    return -1;
  shorten_targets(cells);
  *summary = (struct summary){.runs = cells,
                              .naxes = table_column(cells, "runs"),
                              .ncells = cells->nrows};
  if (summary->naxes == UINT32_MAX || !summary->ncells)
    return error_set(error, "%s: this is not the sweep.csv of a sweep", path);
  summary->cells = xcalloc(summary->ncells, sizeof *summary->cells);
  for (uint32_t row = 0; row < summary->ncells; row++)
    summary->cells[row] = read_cell(cells, row);
  return 0;
}

static const struct shown_measure *find_shown(const char *id) {
  int i = 0;
  while (i < SHOWN && strcmp(sweep_shown[i].id, id))
    i++;
  return i < SHOWN ? &sweep_shown[i] : NULL;
}

// ---- The head

// The title, the database if there is one, settings that all cells share, how
// often each was run.
static char *describe_runs(const char *title, const struct summary *s) {
  uint32_t most = 0;
  bool same = true;
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  const char *server = s->cells[0].server;
  fprintf(out, "%s; ", title);
  for (uint32_t c = 0; c < s->ncells; c++) {
    same &= !strcmp(s->cells[c].server, server);
    most = s->cells[c].nruns > most ? s->cells[c].nruns : most;
  }
  const size_t name = strcspn(server, ",(");
  if (same && name)
    fprintf(out, "%.*s; ", (int)(name - (server[name - 1] == ' ')), server);
  for (uint32_t i = 0; i < s->naxes; i++)
    if (!summary_varies(s, i) && strcmp(s->runs->names[i], "target"))
      fprintf(out, "%s = %s; ", s->runs->names[i], s->cells[0].values[i]);
  fprintf(out, "means of %u runs, 95 %% intervals", most);
  fclose(out);
  return text;
}

static void put_text(FILE *out, const char *class, int x, int y,
                     const char *text) {
  fprintf(out, "<text class=\"%s\" x=\"%d\" y=\"%d\">", class, x, y);
  put_markup(out, text);
  fputs("</text>\n", out);
}

// In lines that end between words; returns the y behind them.
static int put_lines(FILE *out, int width, int y, const char *text) {
  const size_t room = (size_t)(width - 2 * EDGE) / LETTER;
  while (*text) {
    size_t n = strlen(text);
    if (n > room)
      for (n = room; n && text[n] != ' ';)
        n--;
    n = n ? n : strlen(text);
    char *line = xasprintf("%.*s", (int)n, text);
    put_text(out, "", EDGE, y += LINE, line);
    free(line);
    text += n + (text[n] == ' ');
  }
  return y;
}

// Returns the y behind it.
static int put_legend(FILE *out, const struct panels *panels, int width,
                      int y) {
  int x = EDGE;
  if (panels->grid->nseries < 2)
    return y;
  y += LINE;
  for (uint32_t i = 0; i < panels->grid->nseries; i++) {
    char *name = panels_name_series(panels, i);
    const int needed = SWATCH_ROOM + LETTER * (int)(strlen(name) + 3);
    if (x > EDGE && x + needed > width) {
      x = EDGE;
      y += LINE;
    }
    fprintf(out, "<svg x=\"%d\" y=\"%d\" width=\"%d\" height=\"10\">", x,
            y - LINE / 2, SWATCH);
    multiples_put_swatch(out, i);
    fputs("</svg>\n", out);
    put_text(out, "c", x + SWATCH_ROOM, y, name);
    x += needed;
    free(name);
  }
  return y;
}

// ---- The panels

// Caption above, the name of the axis below.
static void put_panel(FILE *out, const struct panel *panel, int x, int y) {
  const int below = y + LINE + MULTIPLES_HEIGHT;
  put_text(out, "c", x, y + LINE - 4, panel->caption);
  fprintf(out, "<svg x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\">\n", x,
          y + LINE, MULTIPLES_WIDTH, MULTIPLES_HEIGHT);
  multiples_put_svg(out, &panel->multiples, panel->caption, panel->points);
  fputs("</svg>\n", out);
  if (panel->multiples.x_label)
    put_text(out, "", x + MULTIPLES_WIDTH / 2, below + 10,
             panel->multiples.x_label);
}

// Returns the y behind them.
static int put_all(FILE *out, const struct panels *panels,
                   const struct shown_measure *shown, int y) {
  const int each = 2 * LINE + MULTIPLES_HEIGHT;
  const uint32_t n = panels->grid->npanels;
  for (uint32_t p = 0; p < n; p++) {
    struct panel panel = panel_make(panels, shown, p);
    put_panel(out, &panel,
              EDGE + (int)(p % COLUMNS) * (MULTIPLES_WIDTH + 2 * EDGE),
              y + (int)(p / COLUMNS) * each);
    panel_free(&panel);
  }
  return y + (int)((n + COLUMNS - 1) / COLUMNS) * each;
}

// Returns the exit status.
static int draw(FILE *out, const char *title, const struct summary *s,
                const struct shown_measure *shown) {
  struct grid grid = grid_make(s);
  struct panels panels = panels_make(&grid);
  const int ncolumns = grid.npanels < 2         ? 2
                       : grid.npanels < COLUMNS ? (int)grid.npanels
                                                : COLUMNS;
  const int width = ncolumns * (MULTIPLES_WIDTH + 2 * EDGE);
  char *about = describe_runs(title, s), *body;
  size_t bytes;
  FILE *drawn = text_stream(&body, &bytes);
  put_text(drawn, "h", EDGE, LINE, shown->heading);
  int y = put_lines(drawn, width, LINE, about);
  y = put_legend(drawn, &panels, width, y);
  y = put_all(drawn, &panels, shown, y + EDGE);
  fclose(drawn);
  fprintf(out,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
          "width=\"%d\" height=\"%d\">\n<style>%s</style>\n"
          "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n%s</svg>\n",
          width, y + EDGE, width, y + EDGE, style, body);
  FREE_EACH(about, body);
  panels_free(&panels);
  grid_free(&grid);
  return fflush(out) ? 1 : 0;
}

int main(int argc, char **argv) {
  struct table cells = {0};
  struct summary summary = {0};
  struct error error = {0};
  const struct shown_measure *shown = argc == 4 ? find_shown(argv[3]) : NULL;
  int status = 1;
  if (!shown)
    fputs("usage: panels TITLE SWEEP.csv MEASURE\n", stderr);
  else if (read_summary(argv[2], &cells, &summary, &error))
    fprintf(stderr, "panels: %s\n", error.text);
  else if (!sweep_shows(&summary, shown))
    fprintf(stderr, "panels: %s: nothing of \"%s\" was measured\n", argv[2],
            argv[3]);
  else
    status = draw(stdout, argv[1], &summary, shown);
  free(summary.cells);
  table_free(&cells);
  return status;
}

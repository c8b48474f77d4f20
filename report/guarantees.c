// SPDX-License-Identifier: GPL-3.0-or-later
// Writes what a database guarantees (report/guarantees.h).
#include "config.h"

#include "report/guarantees.h"

#include "base/json.h"
#include "base/utf8.h"
#include "report/page.h"

#include <string.h>

static const char *const cell_words[] = {
    [CELL_EMPTY] = "",           [CELL_PREVENTED] = "prevented",
    [CELL_BLOCKED] = "blocking", [CELL_ABORTED] = "abort",
    [CELL_SEEN] = "SEEN",
};

enum { FIELD = 64 };

static void cell_text(const struct guarantee_cell *cell, char text[FIELD]) {
  snprintf(text, FIELD, "%s%s%s", cell_words[cell->kind],
           cell->detail[0] ? " " : "", cell->detail);
}

// The rows about a level itself, in front of and behind those of anomalies.
static void level_text(const struct guarantee_column *c, char text[FIELD]) {
  snprintf(text, FIELD, "%s", c->level);
}
static void endpoints_text(const struct guarantee_column *c, char text[FIELD]) {
  snprintf(text, FIELD, "%s", c->endpoints ? c->endpoints : "");
}
static void claimed_text(const struct guarantee_column *c, char text[FIELD]) {
  snprintf(text, FIELD, "%s", isolation_name(c->claimed));
}
static void kept_text(const struct guarantee_column *c, char text[FIELD]) {
  snprintf(text, FIELD, "%s%s", c->stressed ? isolation_name(c->kept) : "",
           c->stressed && c->kept < c->claimed ? "  BROKEN" : "");
}
static void aborts_text(const struct guarantee_column *c, char text[FIELD]) {
  text[0] = '\0';
  if (c->stressed)
    snprintf(text, FIELD, "%.2f %%", 100 * c->abort_share);
}
static void throughput_text(const struct guarantee_column *c,
                            char text[FIELD]) {
  text[0] = '\0';
  if (c->stressed)
    snprintf(text, FIELD, "%.0f", c->throughput);
}

static const struct row {
  const char *title;
  void (*text)(const struct guarantee_column *column, char text[FIELD]);
} above[] = {{"endpoints", endpoints_text},
             {"claims", claimed_text},
             {"strongest level kept", kept_text}},
  below[] = {{"aborted attempts", aborts_text},
             {"committed a second", throughput_text}};
enum {
  ABOVE = sizeof above / sizeof *above,
  BELOW = sizeof below / sizeof *below
};

static bool has_endpoints(const struct guarantees *g) {
  return g->ncolumns && g->columns[0].endpoints;
}

// ---- Text

static int widest_cell(const struct guarantees *g,
                       const struct guarantee_column *column) {
  char text[FIELD];
  size_t width = strlen(column->level);
  kept_text(column, text);
  width = strlen(text) > width ? strlen(text) : width;
  for (uint32_t r = 0; r < g->nrows; r++) {
    cell_text(&column->cells[r], text);
    width = strlen(text) > width ? strlen(text) : width;
  }
  return (int)width;
}

enum { TITLE_WIDTH = 34 };

static void put_row(FILE *out, const struct guarantees *g,
                    const struct row *row) {
  fprintf(out, "%-*s", TITLE_WIDTH, row->title);
  for (uint32_t c = 0; c < g->ncolumns; c++) {
    char text[FIELD];
    row->text(&g->columns[c], text);
    fprintf(out, "  %-*s", widest_cell(g, &g->columns[c]), text);
  }
  putc('\n', out);
}

static void put_anomaly(FILE *out, const struct guarantees *g, uint32_t r) {
  fprintf(out, "%-15s%-*s", g->rows[r], TITLE_WIDTH - 15, g->row_titles[r]);
  for (uint32_t c = 0; c < g->ncolumns; c++) {
    char text[FIELD];
    cell_text(&g->columns[c].cells[r], text);
    fprintf(out, "  %-*s", widest_cell(g, &g->columns[c]), text);
  }
  putc('\n', out);
}

void guarantees_put_text(FILE *out, const struct guarantees *g) {
  fprintf(out, "database  %s\ntarget    %s\n\n", g->server, g->target);
  put_row(out, g, &(struct row){"level asked for", level_text});
  for (size_t i = has_endpoints(g) ? 0 : 1; i < ABOVE; i++)
    put_row(out, g, &above[i]);
  fputs("\nstep by step:\n", out);
  for (uint32_t r = 0; r < g->nrows; r++)
    put_anomaly(out, g, r);
  fputs("\nunder random load:\n", out);
  for (size_t i = 0; i < BELOW; i++)
    put_row(out, g, &below[i]);
  fputs("\nanomalies under random load, in 1000 committed transactions:\n",
        out);
  for (uint32_t c = 0; c < g->ncolumns; c++)
    fprintf(out, "  %s%s%s: %s\n", g->columns[c].level,
            g->columns[c].endpoints ? ", " : "",
            g->columns[c].endpoints ? g->columns[c].endpoints : "",
            g->columns[c].broken[0] ? g->columns[c].broken : "none");
}

// ---- JSON

static void put_json_column(struct json *json, const struct guarantees *g,
                            const struct guarantee_column *c) {
  json_put_object(json, NULL);
  json_put_string(json, "level", c->level);
  json_put_string(json, "endpoints", c->endpoints);
  json_put_string(json, "claimed", isolation_name(c->claimed));
  json_put_string(json, "kept", c->stressed ? isolation_name(c->kept) : NULL);
  if (c->stressed) {
    json_put_real(json, "abort_share", c->abort_share);
    json_put_real(json, "throughput", c->throughput);
  }
  json_put_string(json, "broken", c->broken);
  json_put_object(json, "anomalies");
  for (uint32_t r = 0; r < g->nrows; r++) {
    char text[FIELD];
    cell_text(&c->cells[r], text);
    json_put_string(json, g->rows[r], text);
  }
  json_close(json, '}');
  json_close(json, '}');
}

void guarantees_put_json(FILE *out, const struct guarantees *g) {
  struct json json;
  json_begin(&json, out);
  json_put_object(&json, NULL);
  json_put_unsigned(&json, "version", 1);
  json_put_string(&json, "command", "scorecard");
  json_put_string(&json, "target", g->target);
  json_put_string(&json, "server", g->server);
  json_put_array(&json, "levels");
  for (uint32_t c = 0; c < g->ncolumns; c++)
    put_json_column(&json, g, &g->columns[c]);
  json_close(&json, ']');
  json_close(&json, '}');
  json_end(&json);
}

// ---- Page

static void put_cell(FILE *out, const char *class, const char *text) {
  fprintf(out, "<td%s%s%s>", *class ? " class=\"" : "", class,
          *class ? "\"" : "");
  put_markup(out, text);
  fputs("</td>", out);
}

static void put_page_row(FILE *out, const struct guarantees *g,
                         const struct row *row) {
  fprintf(out, "<tr><th scope=\"row\">%s</th>", row->title);
  for (uint32_t c = 0; c < g->ncolumns; c++) {
    char text[FIELD];
    row->text(&g->columns[c], text);
    put_cell(out, strstr(text, "BROKEN") ? "violation" : "", text);
  }
  fputs("</tr>\n", out);
}

static void put_page_anomaly(FILE *out, const struct guarantees *g,
                             uint32_t r) {
  fprintf(out, "<tr><th scope=\"row\">%s: %s</th>", g->rows[r],
          g->row_titles[r]);
  for (uint32_t c = 0; c < g->ncolumns; c++) {
    char text[FIELD];
    const struct guarantee_cell *cell = &g->columns[c].cells[r];
    cell_text(cell, text);
    put_cell(out, cell->kind == CELL_SEEN ? "violation" : "", text);
  }
  fputs("</tr>\n", out);
}

static void put_page_heading(FILE *out, const struct guarantees *g) {
  fputs("<tr><th scope=\"col\">level asked for</th>", out);
  for (uint32_t c = 0; c < g->ncolumns; c++) {
    fputs("<th scope=\"col\">", out);
    put_markup(out, g->columns[c].level);
    fputs("</th>", out);
  }
  fputs("</tr>\n", out);
}

void guarantees_put_page(FILE *out, const struct guarantees *g) {
  page_open(out, "What a database guarantees");
  fputs("<main>\n<h1>What a database guarantees</h1>\n<p>", out);
  put_markup(out, g->server);
  fputs("</p>\n", out);
  page_section(out, "levels", "Levels");
  page_table(out, "Each level, step by step and under random load");
  put_page_heading(out, g);
  for (size_t i = has_endpoints(g) ? 0 : 1; i < ABOVE; i++)
    put_page_row(out, g, &above[i]);
  for (uint32_t r = 0; r < g->nrows; r++)
    put_page_anomaly(out, g, r);
  for (size_t i = 0; i < BELOW; i++)
    put_page_row(out, g, &below[i]);
  page_end_table(out);
  fputs("</section>\n", out);
  page_section(out, "broken", "Anomalies under random load");
  page_table(out, "In 1000 committed transactions");
  for (uint32_t c = 0; c < g->ncolumns; c++)
    page_row(out, g->columns[c].level,
             g->columns[c].broken[0] ? g->columns[c].broken : "none");
  page_end_table(out);
  fputs("</section>\n<p class=\"soft\">prevented: it did not occur; blocking, "
        "abort: what kept it from occurring; SEEN: in how many of the "
        "performances it occurred.</p>\n",
        out);
  page_close(out, g->program);
}

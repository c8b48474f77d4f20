// SPDX-License-Identifier: GPL-3.0-or-later
// The guarantees of a database as text and JSON (report/guarantees.h).  With
// several hosts a level has a column for each way to spread sessions over them,
// of which only the first was tried step by step: then the grid has one column
// per level, and what came under random load is a list.
#include "config.h"

#include "report/guarantees.h"

#include "base/json.h"
#include "report/keys.h"

#include <string.h>

// The grid, after Hermitage and Adya's names.
const struct guarantee_row guarantee_grid[GUARANTEE_ROWS] = {
    {"g0", "dirty write", "Dirty write",
     "two overwrite each other before either commits", ANOMALY_CYCLE_G0},
    {"g1a", "aborted read", "Aborted read",
     "reading a change that is rolled back later", ANOMALY_ABORTED_READ},
    {"g1b", "intermediate read", "Intermediate read",
     "reading a value that its writer replaces before it commits",
     ANOMALY_INTERMEDIATE_READ},
    {"g1c", "circular reads", "Circular reads", "two read each other's changes",
     ANOMALY_CYCLE_G1C},
    {"otv", "vanishing txn", "Vanishing change",
     "seeing a change, then missing it", ANOMALY_NON_MONOTONIC_READ},
    {"pmp", "phantom read", "Phantom", "one search done twice finds other rows",
     ANOMALY_PHANTOM_READ},
    {"p4", "lost update", "Lost update",
     "two read a row, both change it, one change is gone", ANOMALY_LOST_UPDATE},
    {"g-single", "read skew", "Read skew", "seeing half of another transaction",
     ANOMALY_FRACTURED_READ},
    // Its delete is a write, which only snapshot isolation refuses.
    {"g-single-write", "by a write", "Read skew with a write",
     "changing rows by what was read before another change",
     ANOMALY_CYCLE_G_SINGLE},
    {"g2-item", "write skew", "Write skew",
     "two check rows, each changes what the other one checked",
     ANOMALY_WRITE_SKEW},
    {"g2", "by predicates", "Write skew by searches",
     "the same, with conditions instead of rows", ANOMALY_PHANTOM_WRITE_SKEW},
};

enum anomaly guarantee_anomaly(const char *script) {
  for (int r = 0; r < GUARANTEE_ROWS; r++)
    if (!strcmp(guarantee_grid[r].name, script))
      return guarantee_grid[r].anomaly;
  return ANOMALY_NONE;
}

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

static bool has_endpoints(const struct guarantees *g) {
  return g->ncolumns && g->columns[0].endpoints;
}

// Is it the first column of its level?
static bool leads(const struct guarantees *g, uint32_t c) {
  return c == 0 || strcmp(g->columns[c].level, g->columns[c - 1].level) != 0;
}

// The rows about a level itself, in front of and behind those of anomalies.
static void level_text(const struct guarantees *g, uint32_t c,
                       char text[FIELD]) {
  snprintf(text, FIELD, "%s", g->columns[c].level);
}
static void claimed_text(const struct guarantees *g, uint32_t c,
                         char text[FIELD]) {
  snprintf(text, FIELD, "%s", isolation_name(g->columns[c].claimed));
}
static void kept_rows_text(const struct guarantees *g, uint32_t c,
                           char text[FIELD]) {
  uint32_t weakest = c;
  for (uint32_t i = c + 1; i < g->ncolumns && !leads(g, i); i++)
    if (!g->columns[weakest].stressed_rows ||
        (g->columns[i].stressed_rows &&
         g->columns[i].kept_rows < g->columns[weakest].kept_rows))
      weakest = i;
  const struct guarantee_column *column = &g->columns[weakest];
  text[0] = '\0';
  if (column->stressed_rows)
    snprintf(text, FIELD, "%s%s", isolation_name(column->kept_rows),
             column->violated_rows                 ? "  BROKEN"
             : column->kept_rows < column->claimed ? "  UNDECIDED"
                                                   : "");
}
static void kept_in_column(const struct guarantees *g, uint32_t c,
                           char text[FIELD]) {
  const struct guarantee_column *column = &g->columns[c];
  text[0] = '\0';
  if (column->stressed)
    snprintf(text, FIELD, "%s%s", isolation_name(column->kept),
             column->violated                 ? "  BROKEN"
             : column->kept < column->claimed ? "  UNDECIDED"
                                              : "");
}
// The strongest level that a level keeps in all of its columns.
static void kept_text(const struct guarantees *g, uint32_t c,
                      char text[FIELD]) {
  uint32_t weakest = c;
  for (uint32_t i = c + 1; i < g->ncolumns && !leads(g, i); i++)
    if (!g->columns[weakest].stressed ||
        (g->columns[i].stressed &&
         g->columns[i].kept < g->columns[weakest].kept))
      weakest = i;
  kept_in_column(g, weakest, text);
}
static void aborts_text(const struct guarantees *g, uint32_t c,
                        char text[FIELD]) {
  text[0] = '\0';
  if (g->columns[c].stressed)
    snprintf(text, FIELD, "%.2f %%", 100 * g->columns[c].abort_share);
}
static void throughput_text(const struct guarantees *g, uint32_t c,
                            char text[FIELD]) {
  text[0] = '\0';
  if (g->columns[c].stressed)
    snprintf(text, FIELD, "%.0f", g->columns[c].throughput);
}

static const struct row {
  const char *title;
  void (*text)(const struct guarantees *g, uint32_t column, char text[FIELD]);
} level_row = {"level asked for", level_text},
  above[] = {{"claims", claimed_text},
             {"strongest level kept", kept_text},
             {"of SQL with conditions", kept_rows_text}},
  below[] = {{"aborted attempts", aborts_text},
             {"committed a second", throughput_text}};
enum {
  ABOVE = sizeof above / sizeof *above,
  BELOW = sizeof below / sizeof *below
};

static const char interrupted[] =
    "interrupted: what is empty was not tried, and the last level not to its "
    "end";

static const char *broken_text(const struct guarantee_column *column) {
  if (!column->stressed)
    return "not tried";
  return column->broken[0] ? column->broken : "none";
}

// ---- Text

static int widest_cell(const struct guarantees *g, uint32_t c) {
  const struct guarantee_column *column = &g->columns[c];
  char text[FIELD];
  size_t width = strlen(column->level);
  kept_text(g, c, text);
  width = strlen(text) > width ? strlen(text) : width;
  kept_rows_text(g, c, text);
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
    if (!leads(g, c))
      continue;
    row->text(g, c, text);
    fprintf(out, "  %-*s", widest_cell(g, c), text);
  }
  putc('\n', out);
}

static void put_anomaly(FILE *out, const struct guarantees *g, uint32_t r) {
  fprintf(out, "%-15s%-*s", g->rows[r].name, TITLE_WIDTH - 15,
          g->rows[r].title);
  for (uint32_t c = 0; c < g->ncolumns; c++) {
    char text[FIELD];
    if (!leads(g, c))
      continue;
    cell_text(&g->columns[c].cells[r], text);
    fprintf(out, "  %-*s", widest_cell(g, c), text);
  }
  putc('\n', out);
}

static void put_load(FILE *out, const struct guarantees *g) {
  fputs("\nunder random load:\n", out);
  for (size_t i = 0; i < BELOW; i++)
    put_row(out, g, &below[i]);
  fputs("\nanomalies under random load, in 1000 committed transactions:\n",
        out);
  for (uint32_t c = 0; c < g->ncolumns; c++)
    fprintf(out, "  %s: %s\n", g->columns[c].level,
            broken_text(&g->columns[c]));
}

static void put_loads_by_endpoints(FILE *out, const struct guarantees *g) {
  fputs("\nunder random load, by how sessions are spread over the hosts:\n",
        out);
  fprintf(out, "%-16s  %-13s  %-12s  %8s  %8s  %s\n", level_row.title,
          "endpoints", "kept", "aborted", "a second",
          "anomalies in 1000 committed transactions");
  for (uint32_t c = 0; c < g->ncolumns; c++) {
    char kept[FIELD], aborts[FIELD], throughput[FIELD];
    kept_in_column(g, c, kept);
    aborts_text(g, c, aborts);
    throughput_text(g, c, throughput);
    fprintf(out, "%-16s  %-13s  %-12s  %8s  %8s  %s\n", g->columns[c].level,
            g->columns[c].endpoints, kept, aborts, throughput,
            broken_text(&g->columns[c]));
  }
}

void guarantees_put_text(FILE *out, const struct guarantees *g) {
  fprintf(out, "database  %s\ntarget    %s\n", g->server, g->target);
  if (g->interrupted)
    fprintf(out, "%s\n", interrupted);
  putc('\n', out);
  put_row(out, g, &level_row);
  for (size_t i = 0; i < ABOVE; i++)
    put_row(out, g, &above[i]);
  fprintf(out, "\nstep by step%s:\n",
          has_endpoints(g) ? ", each session at another host" : "");
  for (uint32_t r = 0; r < g->nrows; r++)
    put_anomaly(out, g, r);
  if (has_endpoints(g))
    put_loads_by_endpoints(out, g);
  else
    put_load(out, g);
}

// ---- JSON

static void put_json_column(struct json *json, const struct guarantees *g,
                            const struct guarantee_column *c) {
  json_put_object(json, NULL);
  json_put_string(json, KEY(level), c->level);
  json_put_string(json, KEY(endpoints), c->endpoints);
  json_put_string(json, KEY(claimed), isolation_name(c->claimed));
  json_put_string(json, KEY(kept),
                  c->stressed ? isolation_name(c->kept) : NULL);
  json_put_string(json, KEY(kept_rows),
                  c->stressed_rows ? isolation_name(c->kept_rows) : NULL);
  if (c->stressed) {
    json_put_bool(json, KEY(violated), c->violated || c->violated_rows);
    json_put_real(json, KEY(abort_share), c->abort_share);
    json_put_real(json, KEY(throughput), c->throughput);
  }
  json_put_string(json, KEY(broken), c->stressed ? c->broken : NULL);
  json_put_object(json, KEY(anomalies));
  for (uint32_t r = 0; r < g->nrows; r++) {
    char text[FIELD];
    cell_text(&c->cells[r], text);
    json_put_string(json, g->rows[r].name, text);
  }
  json_close(json, '}');
  json_close(json, '}');
}

void guarantees_put_json(FILE *out, const struct guarantees *g) {
  struct json json;
  json_begin(&json, out);
  json_put_object(&json, NULL);
  json_put_unsigned(&json, KEY(version), 1);
  json_put_string(&json, KEY(command), "scorecard");
  json_put_string(&json, KEY(target), g->target);
  json_put_string(&json, KEY(server), g->server);
  json_put_bool(&json, KEY(interrupted), g->interrupted);
  json_put_array(&json, KEY(levels));
  for (uint32_t c = 0; c < g->ncolumns; c++)
    put_json_column(&json, g, &g->columns[c]);
  json_close(&json, ']');
  json_close(&json, '}');
  json_end(&json);
}

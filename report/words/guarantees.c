// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of a scorecard, and its JSON (report/words/guarantees.h).
#include "config.h"

#include "report/words/guarantees.h"

#include "base/json.h"
#include "report/words/keys.h"

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
    {"p4-delete", "by a delete", "Lost update by a delete",
     "one deletes a row that the other one has changed", ANOMALY_LOST_UPDATE},
    {"p4-undelete", "of a deleted row", "Update of a deleted row",
     "one changes a row that the other one has deleted", ANOMALY_LOST_UPDATE},
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

// SPDX-License-Identifier: GPL-3.0-or-later
// The damage that is left (cli/jobs/damage.h).
#include "config.h"

#include "cli/jobs/damage.h"

#include "cli/jobs/counterexample.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// "1,4": the key of the row that the operation wrote, and its columns.
static char *row_of(const struct history *h, uint32_t op) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  const struct rows *rows = h->rows;
  const uint32_t key = h->key[op];
  const int64_t *image = rows_version(h, op);
  fprintf(out, "%" PRId64, rows->key_id[key]);
  for (uint32_t c = 0; c < rows->tables[rows->key_table[key]].ncolumns; c++)
    fprintf(out, ",%" PRId64, image[c]);
  fclose(out);
  return text;
}

void damage_tell(struct script *script, const struct history *h,
                 const struct verdict *v) {
  if (v->anomaly != ANOMALY_LOST_UPDATE || !counterexample_is_reread(h, v))
    return;
  const uint32_t change = h->saw[v->op];
  const uint32_t last = history_session(h, history_txn(h, v->op));
  const uint32_t first = history_session(h, history_txn(h, change));
  if (!rows_version(h, change))
    return;
  char *lost = row_of(h, change);
  char *left = rows_version(h, v->op) ? row_of(h, v->op) : NULL;
  script->damage =
      arena_printf(&script->arena,
                   "returns %s. One after the other, session %" PRIu32
                   " would have read %s, what session %" PRIu32 " left.",
                   left ? left : "no such row", last, lost, first);
  free(lost);
  free(left);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Which of several violations of one kind a reader sees best
// (checker/explain/clarity.h).  Each version of a register has a value of its
// own; an UPDATE may set a column to what it was, and is a version all the
// same.
#include "config.h"

#include "checker/explain/clarity.h"

#include <string.h>

enum { DELETES = 1, OTHER_LOSES = 1, SKIPS = 2, LOOKS_ALIKE = 4 };

// The columns of the version; NULL: there is no row.
static const int64_t *find_version_image(const struct history *h,
                                         uint32_t version) {
  const struct rows *rows = h->rows_behind;
  if (version == SAW_THIN_AIR || version == SAW_LOST)
    return NULL;
  return rows_image(rows, version < h->nops
                              ? rows->image[version]
                              : rows->key_image[version - h->nops]);
}

static uint32_t row_version_seen(const struct history *h, uint32_t op) {
  return h->saw[op] == SAW_INITIAL ? h->nops + h->key[op] : h->saw[op];
}

static bool look_alike(const struct history *h, uint32_t key, uint32_t one,
                       uint32_t other) {
  const struct rows *rows = h->rows_behind;
  const int64_t *a = find_version_image(h, one),
                *b = find_version_image(h, other);
  const uint32_t table = rows->key_table[key];
  if (table == ROWS_NONE)
    return false; // a register beside the rows
  return a && b ? !memcmp(a, b, rows->tables[table].ncolumns * sizeof *a)
                : a == b;
}

// Had the transaction of the change read another version before?
static bool is_lost_update_too(const struct history *h, uint32_t change) {
  for (uint32_t op = h->txn_first[history_txn(h, change)]; op < change; op++)
    if (h->key[op] == h->key[change] && h->saw[op] != h->saw[change])
      return true;
  return false;
}

static unsigned obscurity_of_read(const struct history *h,
                                  const struct verdict *v) {
  const uint32_t change = h->saw[v->op];
  if (v->other_op >= h->nops || change >= h->nops)
    return 0;
  const uint32_t before = row_version_seen(h, v->other_op);
  const bool skips =
      !op_reads(h->kind[change]) || row_version_seen(h, change) != before;
  const bool deletes =
      op_writes(h->kind[v->op]) && !find_version_image(h, v->op);
  return (deletes ? DELETES : 0) + (skips ? SKIPS : 0) +
         (is_lost_update_too(h, change) ? OTHER_LOSES : 0) +
         (look_alike(h, h->key[v->op], before, change) ? LOOKS_ALIKE : 0);
}

static unsigned obscurity_of_cycle(const struct history *h,
                                   const struct verdict *v) {
  unsigned alike = 0;
  for (uint32_t i = 0; i < v->nedges; i++) {
    const struct edge *e = &v->edges[i];
    if (e->kind == EDGE_RW && e->from_op < h->nops && e->to_op < h->nops)
      alike += look_alike(h, h->key[e->to_op], row_version_seen(h, e->from_op),
                          e->to_op);
  }
  return alike;
}

unsigned violation_obscurity(const struct history *h, const struct verdict *v) {
  if (!h->rows_behind)
    return 0;
  return v->nedges         ? obscurity_of_cycle(h, v)
         : v->op < h->nops ? obscurity_of_read(h, v)
                           : 0;
}

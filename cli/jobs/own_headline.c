// SPDX-License-Identifier: GPL-3.0-or-later
// Tells a counterexample of own scripts (cli/jobs/own_headline.h).
#include "config.h"

#include "cli/jobs/own_headline.h"

#include "cli/jobs/counterexample.h"
#include "cli/jobs/own_cycle.h"
#include "recorder/rows.h"
#include "steps/statements.h"

#include <inttypes.h>
#include <string.h>

// "Two runs of sell.pgbench", or "A run of sell.pgbench and one of x.pgbench".
static const char *runs_of(struct arena *arena, const struct own_count *one,
                           const struct own_count *other) {
  return one->script == other->script
             ? arena_printf(arena, "Two runs of %s", own_file(one->script))
             : arena_printf(arena, "A run of %s and one of %s",
                            own_file(one->script), own_file(other->script));
}

// ---- A row that was read, and changed in between

struct looks {
  const struct history *h;
  uint32_t read, change, again; // operations: again found what change wrote
  uint32_t column;              // that the change changed
  int64_t was, became;
};

static bool find_looks(struct looks *l, const struct history *h,
                       const struct verdict *v) {
  *l = (struct looks){
      .h = h, .read = v->other_op, .change = h->saw[v->op], .again = v->op};
  const int64_t *was = statements_columns(h, l->read);
  const int64_t *became = rows_version(h, l->change);
  const uint32_t n =
      h->rows->tables[h->rows->key_table[h->key[v->op]]].ncolumns;
  while (was && became && l->column < n && was[l->column] == became[l->column])
    l->column++;
  if (!was || !became || l->column == n)
    return false;
  l->was = was[l->column];
  l->became = became[l->column];
  return true;
}

static const char *column_of_look(const struct looks *l) {
  const uint32_t table = l->h->rows->key_table[l->h->key[l->read]];
  return l->h->rows->tables[table].columns[l->column];
}

// Had the transaction of the change read the row as the other one did?
static bool both_read(const struct looks *l) {
  const struct history *h = l->h;
  bool read = false;
  for (uint32_t op = h->txn_first[history_txn(h, l->change)]; op < l->change;
       op++)
    read |= h->key[op] == h->key[l->change] && op_reads(h->kind[op]) &&
            h->saw[op] == h->saw[l->read];
  return read;
}

static const char *tell_lost(struct arena *arena, const struct looks *l,
                             const struct own_count *changed,
                             const struct own_count *wrote) {
  const struct history *h = l->h;
  const int64_t *left = rows_version(h, l->again);
  const char *row = own_row(arena, h, l->read), *column = column_of_look(l);
  if (!left)
    return arena_printf(arena,
                        "A run of %s read %s = %" PRId64
                        " of %s, and deleted the row over the %" PRId64
                        " of %s",
                        own_file(wrote->script), column, l->was, row, l->became,
                        own_file(changed->script));
  if (both_read(l) && changed->script == wrote->script)
    return l->became == left[l->column]
               ? arena_printf(arena,
                              "%s both read %s = %" PRId64
                              " of %s, and both wrote %" PRId64,
                              runs_of(arena, changed, wrote), column, l->was,
                              row, l->became)
               : arena_printf(arena,
                              "%s both read %s = %" PRId64
                              " of %s; one wrote %" PRId64
                              ", the other %" PRId64 " over it",
                              runs_of(arena, changed, wrote), column, l->was,
                              row, l->became, left[l->column]);
  return arena_printf(arena,
                      "A run of %s read %s = %" PRId64
                      " of %s, and wrote %" PRId64 " over the %" PRId64
                      " of %s",
                      own_file(wrote->script), column, l->was, row,
                      left[l->column], l->became, own_file(changed->script));
}

static const char *tell_looks(struct arena *arena, const struct own_counts *c,
                              const struct history *h,
                              const struct verdict *v) {
  struct looks l;
  if (!find_looks(&l, h, v))
    return NULL;
  const struct own_count *changed = own_count_of(c, h, l.change);
  const struct own_count *again = own_count_of(c, h, l.again);
  if (!changed || !again)
    return NULL;
  if (v->anomaly == ANOMALY_LOST_UPDATE)
    return tell_lost(arena, &l, changed, again);
  return arena_printf(arena,
                      "A run of %s read %s = %" PRId64
                      " of %s, and then found the %" PRId64 " of %s",
                      own_file(again->script), column_of_look(&l), l.was,
                      own_row(arena, h, l.read), l.became,
                      own_file(changed->script));
}

// ---- A read of what was never committed

static const char *tell_uncommitted(struct arena *arena,
                                    const struct own_counts *c,
                                    const struct history *h,
                                    const struct verdict *v) {
  const bool aborted = v->anomaly == ANOMALY_ABORTED_READ;
  if ((!aborted && v->anomaly != ANOMALY_INTERMEDIATE_READ) ||
      v->op >= h->nops || v->other_op >= h->nops ||
      h->key[v->op] != h->key[v->other_op])
    return NULL;
  const struct own_count *read = own_count_of(c, h, v->op);
  const struct own_count *wrote = own_count_of(c, h, v->other_op);
  if (!read || !wrote)
    return NULL;
  return arena_printf(
      arena, "A run of %s saw the change of a run of %s to %s, which %s",
      own_file(read->script), own_file(wrote->script), own_row(arena, h, v->op),
      aborted ? "was rolled back" : "it changed again before it committed");
}

const char *own_headline(struct arena *arena, const struct own_counts *c,
                         const struct history *h, const struct verdict *v) {
  if (!v->rows_part && counterexample_is_reread(h, v))
    return tell_looks(arena, c, h, v);
  return v->nedges || v->nrow_edges ? own_cycle(arena, c, h, v)
                                    : tell_uncommitted(arena, c, h, v);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Rows in the order of columns (checker/verify/rows/bounded_rows.h), for each
// pair of columns that some condition is about.
#include "config.h"

#include "checker/verify/rows/bounded_rows.h"

#include "base/ids.h"
#include "base/memory.h"
#include "base/points.h"
#include "checker/verify/rows/condition.h"

#include <assert.h>
#include <stdlib.h>

struct ordered_rows {
  uint32_t table;
  uint8_t equal, bounded;
  struct points points; // (equal, bounded, key)
};

struct bounded_rows {
  const struct history *h;
  struct ordered_rows *all;
  uint32_t count, room;
  uint32_t *of_condition; // per condition: its place in `all`, or UINT32_MAX
  struct ids keys;        // the last answer
};

static int64_t number_in_bounded(const struct bounded_rows *r, uint8_t column,
                                 uint32_t key, const int64_t *columns) {
  return column == PREDICATE_KEY         ? r->h->rows->key_id[key]
         : column == CONDITION_NO_COLUMN ? 0
                                         : columns[column];
}

static uint32_t place_for(struct bounded_rows *r, uint32_t table,
                          const struct condition_bounds *b) {
  for (uint32_t i = 0; i < r->count; i++)
    if (r->all[i].table == table && r->all[i].equal == b->equal &&
        r->all[i].bounded == b->bounded)
      return i;
  ARRAY_RESERVE(r->all, r->count, r->room);
  r->all[r->count] = (struct ordered_rows){
      .table = table, .equal = b->equal, .bounded = b->bounded};
  return r->count++;
}

// Is the statement not known to be right without a look at other rows?
static bool looks_at_rows(const struct history *h,
                          const struct recorded_statement *s) {
  uint32_t column;
  int64_t number;
  return s->condition != NO_CONDITION && s->sort != STATEMENT_INSERT_NEW &&
         !condition_names_value(h, s, &column, &number) &&
         !condition_rows_came(h, s);
}

struct bounded_rows *bounded_rows_open(const struct history *h) {
  struct bounded_rows *r = xcalloc(1, sizeof *r);
  r->h = h;
  r->of_condition = ids_none(h->rows->ntemplates);
  for (uint32_t i = 0; i < h->rows->nstatements; i++) {
    const struct recorded_statement *s = &h->rows->statements[i];
    if (!looks_at_rows(h, s) || r->of_condition[s->condition] != UINT32_MAX)
      continue;
    const struct condition_bounds b = condition_bounds(h, s);
    if (b.equal != CONDITION_NO_COLUMN || b.bounded != CONDITION_NO_COLUMN)
      r->of_condition[s->condition] = place_for(r, s->table, &b);
  }
  return r;
}

void bounded_rows_close(struct bounded_rows *r) {
  for (uint32_t i = 0; i < r->count; i++)
    points_free(&r->all[i].points);
  FREE_EACH(r->all, r->of_condition, r->keys.items);
  free(r);
}

static void change(struct bounded_rows *r, uint32_t key, const int64_t *columns,
                   void (*how)(struct points *, struct point)) {
  for (uint32_t i = 0; i < r->count; i++) {
    struct ordered_rows *o = &r->all[i];
    if (o->table == r->h->rows->key_table[key])
      how(&o->points,
          (struct point){number_in_bounded(r, o->equal, key, columns),
                         number_in_bounded(r, o->bounded, key, columns), key});
  }
}

void bounded_rows_add(struct bounded_rows *r, uint32_t key,
                      const int64_t *columns) {
  change(r, key, columns, points_add);
}

void bounded_rows_remove(struct bounded_rows *r, uint32_t key,
                         const int64_t *columns) {
  change(r, key, columns, points_remove);
}

static void add_bounded(struct bounded_rows *r, const struct points *points,
                        int64_t number, int64_t low, int64_t high) {
  struct points_place place = points_from(points, number, low);
  for (const struct point *p; (p = points_next(points, &place)) &&
                              p->major == number && p->minor <= high;)
    ids_add(&r->keys, p->id);
}

bool bounded_rows_of(struct bounded_rows *r, const struct recorded_statement *s,
                     const uint32_t **keys, uint32_t *n) {
  if (s->sort == STATEMENT_INSERT_NEW || s->condition == NO_CONDITION ||
      r->of_condition[s->condition] == UINT32_MAX)
    return false;
  const struct ordered_rows *o = &r->all[r->of_condition[s->condition]];
  const struct condition_bounds b = condition_bounds(r->h, s);
  assert(o->table == s->table);
  r->keys.count = 0;
  for (uint32_t i = 0; i < b.nnumbers; i++)
    add_bounded(r, &o->points, b.numbers[i], b.low, b.high);
  *keys = r->keys.items;
  *n = r->keys.count;
  return true;
}

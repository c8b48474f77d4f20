// SPDX-License-Identifier: GPL-3.0-or-later
// The rows at one place of a commit order (checker/rows/current_rows.h).  A
// condition that compares a column with one number has an index that is a hash
// table of lists of keys, which serves a condition that has one of several
// numbers as well; one that has bounds for a column, and perhaps one
// number for another one, has the rows in the order of these two.  More rows
// than those that satisfy the condition may be met, so that it is evaluated in
// any case.
#include "config.h"

#include "checker/rows/current_rows.h"

#include "base/ids.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

#define NO_KEY UINT32_MAX

// In place of columns, of which PREDICATE_KEY is one.
enum { NO_COLUMN = PREDICATE_KEY - 1 };

// An index of absent rows has keys of which the current version is dead.
struct row_index {
  uint32_t table;
  uint8_t equal, bounded; // columns; only `equal`: lists, all rows in one if
                          // there is none, either
  bool absent;
  uint32_t next_index;       // of the table, or UINT32_MAX
  uint32_t mask;             // of the hash
  uint32_t *head;            // per list: a key, or NO_KEY
  uint32_t *next, *previous; // keys, per place in the table
  struct points points;      // (equal, bounded, key)
};

static uint32_t list_of_number(const struct row_index *index, int64_t number) {
  if (index->equal == NO_COLUMN)
    return 0;
  return (uint32_t)(((uint64_t)number * UINT64_C(0x9e3779b97f4a7c15)) >> 32) &
         index->mask;
}

static int64_t number_in_current(const struct current_rows *s, uint8_t column,
                                 uint32_t key, const int64_t *row) {
  return column == PREDICATE_KEY ? s->h->rows->key_id[key]
         : column == NO_COLUMN   ? 0
                                 : row[column];
}

static void link_current_row(const struct current_rows *s, struct row_index *i,
                             uint32_t key, uint32_t list) {
  const uint32_t place = s->place[key], first = i->head[list];
  assert(list <= i->mask);
  i->previous[place] = NO_KEY;
  i->next[place] = first;
  if (first != NO_KEY)
    i->previous[s->place[first]] = key;
  i->head[list] = key;
}

static void unlink_key(const struct current_rows *s, struct row_index *i,
                       uint32_t key, uint32_t list) {
  const uint32_t place = s->place[key];
  const uint32_t next = i->next[place], previous = i->previous[place];
  assert(previous != NO_KEY || i->head[list] == key);
  if (next != NO_KEY)
    i->previous[s->place[next]] = previous;
  if (previous != NO_KEY)
    i->next[s->place[previous]] = next;
  else
    i->head[list] = next;
}

// Takes the key to where this row belongs in the index, or away from there.
static void put_in(const struct current_rows *s, struct row_index *i,
                   uint32_t key, const int64_t *row) {
  const int64_t equal = number_in_current(s, i->equal, key, row);
  if (i->bounded == NO_COLUMN)
    link_current_row(s, i, key, list_of_number(i, equal));
  else
    points_add(
        &i->points,
        (struct point){equal, number_in_current(s, i->bounded, key, row), key});
}

static void take_out(const struct current_rows *s, struct row_index *i,
                     uint32_t key, const int64_t *row) {
  const int64_t equal = number_in_current(s, i->equal, key, row);
  if (i->bounded == NO_COLUMN)
    unlink_key(s, i, key, list_of_number(i, equal));
  else
    points_remove(
        &i->points,
        (struct point){equal, number_in_current(s, i->bounded, key, row), key});
}

// Are two rows of a key, as far as they are there, at one place of the index?
static bool stays(const struct current_rows *s, const struct row_index *i,
                  uint32_t key, const int64_t *before, const int64_t *after) {
  return number_in_current(s, i->equal, key, before) ==
             number_in_current(s, i->equal, key, after) &&
         number_in_current(s, i->bounded, key, before) ==
             number_in_current(s, i->bounded, key, after);
}

void current_rows_put(struct current_rows *s, uint32_t key, uint32_t version) {
  assert(key < s->h->nkeys && version < s->h->nops + s->h->nkeys);
  const int64_t *before = rows_version(s->h, s->version[key]),
                *after = rows_version(s->h, version);
  const uint32_t table = s->h->rows->key_table[key];
  s->version[key] = version;
  for (uint32_t n = table == ROWS_NONE ? UINT32_MAX : s->table_index[table];
       n != UINT32_MAX; n = s->indexes[n].next_index) {
    struct row_index *i = &s->indexes[n];
    const bool was = (before == NULL) == i->absent,
               is = (after == NULL) == i->absent;
    if (was && is && stays(s, i, key, before, after))
      continue;
    if (was)
      take_out(s, i, key, before);
    if (is)
      put_in(s, i, key, after);
  }
}

// --- Opening.

// All rows of a condition have the number in one column, or one of those of an
// IN, and lie between two bounds, both included, in another one.
struct bounds {
  uint8_t equal, bounded; // columns
  int64_t number, low, high;
  const struct predicate_node *among; // or NULL
};

// By a comparison that all rows of the condition satisfy.
static void narrow_bounds(struct bounds *b, const struct predicate_node *n,
                          const int64_t *parameters) {
  const bool equal = n->op == PREDICATE_EQUAL;
  const bool bound = n->op >= PREDICATE_LESS && n->op <= PREDICATE_AT_LEAST;
  if (!equal && !bound)
    return;
  uint8_t *column = equal ? &b->equal : &b->bounded;
  if (*column == NO_COLUMN)
    *column = n->column;
  else if (equal || *column != n->column)
    return;
  if (!parameters)
    return;
  const int64_t right =
      n->right.parameter ? parameters[n->right.number] : n->right.number;
  if (equal)
    b->number = right;
  else if (n->op == PREDICATE_LESS || n->op == PREDICATE_AT_MOST)
    b->high = right < b->high ? right : b->high;
  else
    b->low = right > b->low ? right : b->low;
}

static void narrow_all(struct bounds *b, const struct predicate *p,
                       uint32_t node, const int64_t *parameters) {
  const struct predicate_node *n = &p->nodes[node];
  if (n->op == PREDICATE_AND) {
    narrow_all(b, p, n->first, parameters);
    narrow_all(b, p, n->end, parameters);
  } else
    narrow_bounds(b, n, parameters);
}

// An IN that all rows of the condition satisfy, or NULL.
static const struct predicate_node *all_are_among(const struct predicate *p,
                                                  uint32_t node) {
  const struct predicate_node *n = &p->nodes[node];
  if (n->op != PREDICATE_AND)
    return n->op == PREDICATE_IN ? n : NULL;
  const struct predicate_node *among = all_are_among(p, n->first);
  return among ? among : all_are_among(p, n->end);
}

// Without parameters only the columns.
static struct bounds bounds_of(const struct predicate *p,
                               const int64_t *parameters) {
  struct bounds b = {NO_COLUMN, NO_COLUMN, 0, INT64_MIN, INT64_MAX, NULL};
  narrow_all(&b, p, p->nnodes - 1, parameters);
  if (b.equal == NO_COLUMN)
    b.among = all_are_among(p, p->nnodes - 1);
  if (b.among)
    b.equal = b.among->column;
  return b;
}

static uint32_t index_for(struct current_rows *s, uint32_t table,
                          const struct bounds *b, bool absent, uint32_t nrows) {
  for (uint32_t n = 0; n < s->nindexes; n++)
    if (s->indexes[n].table == table && s->indexes[n].equal == b->equal &&
        s->indexes[n].bounded == b->bounded && s->indexes[n].absent == absent)
      return n;
  assert(s->nindexes < 2 * (size_t)s->h->rows->ntemplates);
  struct row_index *i = &s->indexes[s->nindexes];
  *i = (struct row_index){.table = table,
                          .equal = b->equal,
                          .bounded = b->bounded,
                          .absent = absent,
                          .next_index = s->table_index[table]};
  s->table_index[table] = s->nindexes;
  while (b->equal != NO_COLUMN && i->mask < nrows)
    i->mask = 2 * i->mask + 1;
  if (b->bounded == NO_COLUMN) {
    i->head = ids_none((size_t)i->mask + 1);
    i->next = ids_none(nrows);
    i->previous = ids_none(nrows);
  }
  return s->nindexes++;
}

// One condition may look for rows in one statement and for absent rows in
// another.
static void index_conditions(struct current_rows *s, const uint32_t *nrows) {
  const struct rows *rows = s->h->rows;
  for (uint32_t n = 0; n < rows->nstatements; n++) {
    const struct recorded_statement *st = &rows->statements[n];
    const bool absent = st->sort == STATEMENT_INSERT_NEW;
    if (st->condition == NO_CONDITION ||
        s->index_of[absent][st->condition] != UINT32_MAX)
      continue;
    const struct row_template *t = &rows->templates[st->condition];
    const struct bounds b = bounds_of(&t->predicate, NULL);
    s->index_of[absent][st->condition] =
        index_for(s, t->table, &b, absent, nrows[t->table]);
  }
}

void current_rows_open(struct current_rows *s, const struct history *h,
                       const uint32_t *versions) {
  const struct rows *rows = h->rows;
  uint32_t *nrows = xcalloc(rows->ntables, sizeof *nrows);
  *s = (struct current_rows){.h = h};
  s->version = xmalloc(h->nkeys * sizeof *s->version);
  s->place = xmalloc(h->nkeys * sizeof *s->place);
  s->indexes = xmalloc(2 * (size_t)rows->ntemplates * sizeof *s->indexes);
  s->table_index = ids_none(rows->ntables);
  for (int absent = 0; absent < 2; absent++)
    s->index_of[absent] = ids_none(rows->ntemplates);
  for (uint32_t key = 0; key < h->nkeys; key++)
    if (rows->key_table[key] != ROWS_NONE)
      s->place[key] = nrows[rows->key_table[key]]++;
  index_conditions(s, nrows);
  for (uint32_t key = 0; key < h->nkeys; key++) {
    s->version[key] = versions ? versions[key] : h->nops + key;
    if (rows->key_table[key] == ROWS_NONE)
      continue;
    const int64_t *row = rows_version(h, s->version[key]);
    for (uint32_t n = s->table_index[rows->key_table[key]]; n != UINT32_MAX;
         n = s->indexes[n].next_index)
      if ((row == NULL) == s->indexes[n].absent)
        put_in(s, &s->indexes[n], key, row);
  }
  free(nrows);
}

void current_rows_close(struct current_rows *s) {
  for (uint32_t n = 0; n < s->nindexes; n++) {
    struct row_index *i = &s->indexes[n];
    FREE_EACH(i->head, i->next, i->previous);
    points_free(&i->points);
  }
  FREE_EACH(s->version, s->place, s->indexes, s->table_index, s->index_of[0],
            s->index_of[1]);
}

// --- Finding.

static const struct row_index no_rows = {.equal = NO_COLUMN,
                                         .bounded = NO_COLUMN};

static void go_to_number(struct row_cursor *c, int64_t number, int64_t low) {
  c->equal = number;
  if (c->index->bounded == NO_COLUMN)
    c->next = c->index->head[list_of_number(c->index, number)];
  else
    c->behind = points_from(&c->index->points, number, low);
}

static int64_t number_among(const struct row_cursor *c, uint32_t i) {
  const struct rows *rows = c->rows->h->rows;
  const struct recorded_statement *s = &rows->statements[c->statement];
  const struct predicate_value *v =
      &rows->templates[s->condition].predicate.values[i];
  return v->parameter ? rows->parameters[s->parameters + v->number] : v->number;
}

// Goes to the next number of an IN, each of which may stand there several
// times; false: there are no more.
static bool next_number(struct row_cursor *c) {
  while (c->among && c->next_value < c->among->end) {
    const uint32_t at = c->next_value++;
    const int64_t number = number_among(c, at);
    uint32_t first = c->among->first;
    while (number_among(c, first) != number)
      first++;
    if (first == at) {
      go_to_number(c, number, c->low);
      return true;
    }
  }
  return false;
}

// Does the condition say which key its row has, and did that row come back?
// Then there is no other one.
static bool named_row_came(const struct history *h,
                           const struct recorded_statement *s,
                           const struct bounds *b) {
  if (b->equal != PREDICATE_KEY || b->among || s->end - s->first != 1)
    return false;
  const uint32_t key = h->key[s->first];
  return h->rows->key_table[key] == s->table &&
         h->rows->key_id[key] == b->number;
}

struct row_cursor row_cursor_open(const struct current_rows *s,
                                  uint32_t statement) {
  const struct rows *rows = s->h->rows;
  const struct recorded_statement *st = &rows->statements[statement];
  assert(st->condition < rows->ntemplates);
  const struct row_index *index =
      &s->indexes[s->index_of[st->sort == STATEMENT_INSERT_NEW][st->condition]];
  const struct bounds b = bounds_of(&rows->templates[st->condition].predicate,
                                    rows->parameters + st->parameters);
  struct row_cursor cursor = {.rows = s,
                              .statement = statement,
                              .index = index,
                              .low = b.low,
                              .high = b.high,
                              .next = NO_KEY,
                              .among = b.among};
  if (named_row_came(s->h, st, &b)) {
    cursor.index = &no_rows;
  } else if (b.among) {
    cursor.next_value = b.among->first;
    next_number(&cursor);
  } else {
    go_to_number(&cursor, b.number, b.low);
  }
  return cursor;
}

// The next key in the index that may be one and has the number at hand; false:
// there are no more.
static bool next_with_number(struct row_cursor *c, uint32_t *key) {
  const struct row_index *index = c->index;
  if (index->bounded != NO_COLUMN) {
    const struct point *p = points_next(&index->points, &c->behind);
    if (!p || p->major != c->equal || p->minor > c->high)
      return false;
    *key = p->id;
    return true;
  }
  bool has = false;
  while (!has && c->next != NO_KEY) {
    *key = c->next;
    c->next = index->next[c->rows->place[*key]];
    const int64_t *row = rows_version(c->rows->h, c->rows->version[*key]);
    has = number_in_current(c->rows, index->equal, *key, row) == c->equal;
  }
  return has;
}

static bool next_key(struct row_cursor *c, uint32_t *key) {
  bool has = next_with_number(c, key);
  while (!has && next_number(c))
    has = next_with_number(c, key);
  return has;
}

bool row_cursor_next(struct row_cursor *c, uint32_t *key) {
  const struct history *h = c->rows->h;
  while (next_key(c, key))
    if (rows_satisfies(h, c->statement, *key,
                       rows_version(h, c->rows->version[*key])))
      return true;
  return false;
}

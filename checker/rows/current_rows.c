// SPDX-License-Identifier: GPL-3.0-or-later
// The rows at one place of a commit order (checker/rows/current_rows.h).  An
// index is a hash table of lists of keys; rows of other values may be in a
// list, so that conditions are evaluated in any case.
#include "config.h"

#include "checker/rows/current_rows.h"

#include "base/ids.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

#define NO_KEY UINT32_MAX

// `column` is PREDICATE_KEY for the key, or ALL_ROWS for all rows in one list.
// An index of absent rows has keys of which the current version is dead.
enum { ALL_ROWS = PREDICATE_KEY - 1 };

struct row_index {
  uint32_t table;
  uint8_t column;
  bool absent;
  uint32_t mask;             // of the hash
  uint32_t *head;            // per list: a key, or NO_KEY
  uint32_t *next, *previous; // per key
};

static uint32_t list_of(const struct row_index *index, int64_t number) {
  if (index->column == ALL_ROWS)
    return 0;
  return (uint32_t)(((uint64_t)number * UINT64_C(0x9e3779b97f4a7c15)) >> 32) &
         index->mask;
}

static int64_t number_in(const struct current_rows *s,
                         const struct row_index *i, uint32_t key,
                         const int64_t *row) {
  return i->column == PREDICATE_KEY ? s->h->rows->key_id[key]
         : i->column == ALL_ROWS    ? 0
                                    : row[i->column];
}

// Does the key belong to the index, as it is now?
static bool belongs(const struct current_rows *s, const struct row_index *i,
                    uint32_t key, const int64_t *row) {
  return s->h->rows->key_table[key] == i->table && (row == NULL) == i->absent;
}

static void link_key(struct row_index *i, uint32_t key, uint32_t list) {
  assert(list <= i->mask);
  i->previous[key] = NO_KEY;
  i->next[key] = i->head[list];
  if (i->head[list] != NO_KEY)
    i->previous[i->head[list]] = key;
  i->head[list] = key;
}

static void unlink_key(struct row_index *i, uint32_t key, uint32_t list) {
  assert(i->previous[key] != NO_KEY || i->head[list] == key);
  if (i->next[key] != NO_KEY)
    i->previous[i->next[key]] = i->previous[key];
  if (i->previous[key] != NO_KEY)
    i->next[i->previous[key]] = i->next[key];
  else
    i->head[list] = i->next[key];
}

static void change_indexes(struct current_rows *s, uint32_t key,
                           void (*change)(struct row_index *, uint32_t,
                                          uint32_t)) {
  const int64_t *row = rows_version(s->h, s->version[key]);
  for (uint32_t n = 0; n < s->nindexes; n++) {
    struct row_index *i = &s->indexes[n];
    if (belongs(s, i, key, row))
      change(i, key, list_of(i, number_in(s, i, key, row)));
  }
}

void current_rows_put(struct current_rows *s, uint32_t key, uint32_t version) {
  assert(key < s->h->nkeys && version < s->h->nops + s->h->nkeys);
  change_indexes(s, key, unlink_key);
  s->version[key] = version;
  change_indexes(s, key, link_key);
}

// --- Opening.

// A comparison with one number that all rows of the condition satisfy: NO_KEY
// if there is none.
static uint32_t comparison_of_all(const struct predicate *p, uint32_t node) {
  const struct predicate_node *n = &p->nodes[node];
  if (n->op == PREDICATE_EQUAL)
    return node;
  if (n->op != PREDICATE_AND)
    return NO_KEY;
  const uint32_t left = comparison_of_all(p, n->first);
  return left != NO_KEY ? left : comparison_of_all(p, n->end);
}

static uint32_t index_for(struct current_rows *s, uint32_t table,
                          uint8_t column, bool absent) {
  for (uint32_t n = 0; n < s->nindexes; n++)
    if (s->indexes[n].table == table && s->indexes[n].column == column &&
        s->indexes[n].absent == absent)
      return n;
  assert(s->nindexes < 2 * (size_t)s->h->rows->ntemplates);
  struct row_index *i = &s->indexes[s->nindexes];
  *i = (struct row_index){.table = table, .column = column, .absent = absent};
  while (column != ALL_ROWS && i->mask < s->h->nkeys)
    i->mask = 2 * i->mask + 1;
  i->head = ids_none((size_t)i->mask + 1);
  i->next = ids_none(s->h->nkeys);
  i->previous = ids_none(s->h->nkeys);
  return s->nindexes++;
}

// One condition may look for rows in one statement and for absent rows in
// another.
static void index_condition(struct current_rows *s, uint32_t condition,
                            bool absent) {
  const struct row_template *t = &s->h->rows->templates[condition];
  const uint32_t node =
      comparison_of_all(&t->predicate, t->predicate.nnodes - 1);
  s->node_of[condition] = node;
  s->index_of[absent][condition] = index_for(
      s, t->table,
      node == NO_KEY ? (uint8_t)ALL_ROWS : t->predicate.nodes[node].column,
      absent);
}

void current_rows_open(struct current_rows *s, const struct history *h) {
  const struct rows *rows = h->rows;
  *s = (struct current_rows){.h = h};
  s->version = xmalloc(h->nkeys * sizeof *s->version);
  s->indexes = xmalloc(2 * (size_t)rows->ntemplates * sizeof *s->indexes);
  for (int absent = 0; absent < 2; absent++)
    s->index_of[absent] = ids_none(rows->ntemplates);
  s->node_of = xmalloc(rows->ntemplates * sizeof *s->node_of);
  for (uint32_t i = 0; i < rows->nstatements; i++) {
    const struct recorded_statement *st = &rows->statements[i];
    const bool absent = st->sort == STATEMENT_INSERT_NEW;
    if (st->condition != ROWS_NONE &&
        s->index_of[absent][st->condition] == UINT32_MAX)
      index_condition(s, st->condition, absent);
  }
  for (uint32_t key = 0; key < h->nkeys; key++) {
    s->version[key] = h->nops + key;
    if (rows->key_table[key] != ROWS_NONE)
      change_indexes(s, key, link_key);
  }
}

void current_rows_close(struct current_rows *s) {
  for (uint32_t n = 0; n < s->nindexes; n++) {
    free(s->indexes[n].head);
    free(s->indexes[n].next);
    free(s->indexes[n].previous);
  }
  free(s->version);
  free(s->indexes);
  free(s->index_of[0]);
  free(s->index_of[1]);
  free(s->node_of);
}

// --- Finding.

struct row_cursor row_cursor_open(const struct current_rows *s,
                                  uint32_t statement) {
  const struct rows *rows = s->h->rows;
  const struct recorded_statement *st = &rows->statements[statement];
  assert(st->condition < rows->ntemplates);
  const struct row_index *index =
      &s->indexes[s->index_of[st->sort == STATEMENT_INSERT_NEW][st->condition]];
  const uint32_t node = s->node_of[st->condition];
  int64_t number = 0;
  if (node != NO_KEY) {
    const struct predicate_value *right =
        &rows->templates[st->condition].predicate.nodes[node].right;
    number = right->parameter
                 ? rows->parameters[st->parameters + (uint64_t)right->number]
                 : right->number;
  }
  return (struct row_cursor){.rows = s,
                             .statement = statement,
                             .index = index,
                             .next = index->head[list_of(index, number)]};
}

bool row_cursor_next(struct row_cursor *c, uint32_t *key) {
  const struct history *h = c->rows->h;
  while (c->next != NO_KEY) {
    *key = c->next;
    c->next = c->index->next[*key];
    if (rows_satisfies(h, c->statement, *key,
                       rows_version(h, c->rows->version[*key])))
      return true;
  }
  return false;
}

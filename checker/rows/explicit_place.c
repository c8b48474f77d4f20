// SPDX-License-Identifier: GPL-3.0-or-later
// Statements at place 0 (checker/rows/explicit_place.h).
#include "config.h"

#include "checker/rows/explicit_place.h"

#include "base/memory.h"
#include "checker/verdict/level_rules.h"

#include <assert.h>
#include <stdlib.h>

void explicit_place_open(struct explicit_place *e,
                         const struct place_question *question,
                         const struct current_rows *current,
                         const uint32_t *rank) {
  const struct history *h = question->h;
  *e = (struct explicit_place){
      .q = question, .current = current, .came_in = ids_none(h->nkeys)};
  sight_open(&e->sight, h, question->m, rank);
}

void explicit_place_close(struct explicit_place *e) {
  sight_close(&e->sight);
  free(e->came_in);
}

static void make_version_visible(struct explicit_place *e, uint32_t t,
                                 uint32_t version) {
  if (version < e->q->h->nops && writer_of(e->q->m, version) != t)
    sight_add(&e->sight, writer_of(e->q->m, version));
}

// How many choices come before that of the row.
static uint32_t choices_before(const struct explicit_place *e, uint32_t s,
                               uint32_t key) {
  uint32_t low = 0, high = e->q->nchoices;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    const struct found_unseen *at = &e->q->choices[middle];
    if (at->statement < s || (at->statement == s && at->key < key))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static const struct found_unseen *choice_of(const struct explicit_place *e,
                                            uint32_t s, uint32_t key) {
  const uint32_t i = choices_before(e, s, key);
  const struct found_unseen *at = e->q->choices + i;
  return i < e->q->nchoices && at->statement == s && at->key == key ? at : NULL;
}

// Shows what the transaction's operations from `first` on read, and what its
// statements from `s` on are taken to have found.
static void show_read_from(struct explicit_place *e, uint32_t t, uint32_t first,
                           uint32_t end, uint32_t s, uint32_t end_statement) {
  const struct history *h = e->q->h;
  for (uint32_t op = first; op < end; op++)
    if (op_reads(h->kind[op]))
      make_version_visible(e, t, h->saw[op]);
  for (uint32_t i = choices_before(e, s, 0);
       i < e->q->nchoices && e->q->choices[i].statement < end_statement; i++)
    make_version_visible(e, t, e->q->choices[i].version);
}

static bool wrote_before(const struct history *h, uint32_t t, uint32_t s,
                         uint32_t key) {
  const uint32_t end = h->rows->statements[s].first;
  for (uint32_t op = h->txn_first[t]; op < end; op++)
    if (h->key[op] == key && op_writes(h->kind[op]))
      return true;
  return false;
}

// Is the row, of which the statement did not return anything, right?
static bool fits_unseen(const struct explicit_place *e, uint32_t t,
                        struct unseen u, struct places *places) {
  const struct history *h = e->q->h;
  const uint32_t sight = e->sight.version[u.key];
  const uint32_t visible = sight == NO_ID ? h->nops + u.key : sight;
  const struct found_unseen *choice = choice_of(e, u.statement, u.key);
  if (choice)
    return sight_rank(&e->sight, choice->version) >=
           sight_rank(&e->sight, visible);
  const int64_t *row = rows_version(h, visible);
  if (u.inserted ? row == NULL : !rows_satisfies(h, u.statement, u.key, row))
    return true;
  ARRAY_RESERVE(places->blocked, places->nblocked, places->room);
  places->blocked[places->nblocked++] =
      (struct blocked_row){.row = u, .txn = t};
  return false;
}

static bool fits_returned(const struct explicit_place *e, uint32_t t,
                          uint32_t s) {
  const struct history *h = e->q->h;
  const struct recorded_statement *statement = &h->rows->statements[s];
  bool fits = true;
  for (uint32_t op = statement->first; op < statement->end; op++)
    if (op_reads(h->kind[op]) && e->sight.version[h->key[op]] != NO_ID &&
        !wrote_before(h, t, s, h->key[op]))
      fits &= (h->saw[op] < h->nops ? sight_rank(&e->sight, h->saw[op]) : 0) >=
              sight_rank(&e->sight, e->sight.version[h->key[op]]);
  return fits;
}

static bool fits_statement(struct explicit_place *e, uint32_t t, uint32_t s,
                           struct places *places) {
  const struct history *h = e->q->h;
  const struct recorded_statement *statement = &h->rows->statements[s];
  bool fits = fits_returned(e, t, s);
  for (uint32_t op = statement->first; op < statement->end; op++) {
    e->came_in[h->key[op]] = s;
    if (h->kind[op] == OP_ROW_INSERT && !wrote_before(h, t, s, h->key[op]))
      fits &= fits_unseen(e, t, (struct unseen){s, h->key[op], true}, places);
  }
  if (statement->condition == NO_CONDITION || e->q->options->question.by_items)
    return fits;
  struct row_cursor cursor = row_cursor_open(e->current, s);
  for (uint32_t key; row_cursor_next(&cursor, &key);)
    if (e->came_in[key] != s && e->sight.version[key] == NO_ID &&
        !wrote_before(h, t, s, key))
      fits &= fits_unseen(e, t, (struct unseen){s, key, false}, places);
  for (uint32_t i = 0; i < e->sight.touched.count; i++) {
    const uint32_t key = e->sight.touched.items[i];
    if (h->rows->key_table[key] == statement->table && e->came_in[key] != s &&
        !wrote_before(h, t, s, key))
      fits &= fits_unseen(e, t, (struct unseen){s, key, false}, places);
  }
  return fits;
}

bool explicit_place_fits(struct explicit_place *e, uint32_t t, uint32_t end,
                         struct places *places) {
  const struct history *h = e->q->h;
  const struct rows *rows = h->rows;
  const uint32_t first = rows->txn_statement[t];
  const bool at_once = level_counts_session((enum isolation)e->q->m->levels[t]);
  bool fits = true;
  if (at_once)
    show_read_from(e, t, h->txn_first[t], h->txn_first[t + 1], first,
                   rows->txn_statement[t + 1]);
  if (at_once || e->q->options->question.rc_sees_session)
    for (uint32_t u = e->q->m->previous[t]; u != NO_ID;
         u = e->q->m->previous[u])
      sight_add(&e->sight, u);
  for (uint32_t s = first; s < end; s++) {
    const uint32_t from =
        s == first ? h->txn_first[t] : rows->statements[s].first;
    if (!at_once && s == first)
      show_read_from(e, t, from, rows->statements[s].first, s, s);
    fits &= fits_statement(e, t, s, places);
    if (!at_once)
      show_read_from(e, t, rows->statements[s].first,
                     s + 1 < rows->txn_statement[t + 1]
                         ? rows->statements[s + 1].first
                         : h->txn_first[t + 1],
                     s, s + 1);
  }
  sight_forget(&e->sight);
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
    e->came_in[h->key[op]] = NO_ID;
  return fits;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// One statement at one place (checker/rows/place_sweep.h).
//
// A statement at RC may also have found a later version of a row than the
// place has.  What is visible through that version binds only the statements
// behind, and none of them stands before its writer if the next one does not.
// So a version that need not be returned, up to the place of the next
// statement, is as good as one at the place.  That is how a statement at READ
// UNCOMMITTED reads: it misses a row as one transaction has changed it, and
// returns another row that the transaction is yet to change.
//
// It may also stand before writers that its transaction observed: what they
// wrote is then visible all the same.  In which versions rows are returned that
// they wrote the order has already by the demands of RC (checker/weak/).
#include "config.h"

#include "checker/rows/place_sweep.h"

#include "base/memory.h"

#include <assert.h>

// How many later versions of a row are looked at.
enum { LATER_VERSIONS = 256 };

void place_block(struct place_sweep *w, const struct place_trial *trial,
                 uint32_t key, bool inserted, bool returned) {
  struct places *out = w->out;
  const struct unseen row = {trial->statement, key, inserted};
  ARRAY_RESERVE(out->blocked, out->nblocked, out->room);
  out->blocked[out->nblocked++] =
      (struct blocked_row){row, trial->txn, returned};
}

// Has visible what the transaction observed before the statement of writers
// that are behind the place.
static void show_observed(struct place_sweep *w,
                          const struct place_trial *trial) {
  const struct history *h = w->h;
  const uint32_t end = h->rows->statements[trial->statement].first;
  for (uint32_t op = h->txn_first[trial->txn]; op < end; op++) {
    const uint32_t version = place_read(w, trial->txn, op);
    if (version != NO_ID && sight_rank(&w->sight, version) > trial->place)
      sight_add(&w->sight, writer_of(w->m, version));
  }
}

// The version that the statement finds if it finds no later one.
static uint32_t version_at_hand(const struct place_sweep *w, uint32_t key) {
  const uint32_t visible = w->sight.version[key];
  return visible == NO_ID ? w->current.version[key] : visible;
}

static bool was_rewritten(const struct history *h,
                          const struct place_trial *trial, uint32_t key) {
  const uint32_t end = h->rows->statements[trial->statement].first;
  for (uint32_t op = h->txn_first[trial->txn]; op < end; op++)
    if (h->key[op] == key && op_writes(h->kind[op]))
      return true;
  return false;
}

static bool must_return(const struct history *h, uint32_t s, uint32_t key,
                        bool inserted, uint32_t version) {
  const int64_t *row = rows_version(h, version);
  return inserted ? row != NULL : rows_satisfies(h, s, key, row);
}

// Does the transaction stand at one place with operations of no statement
// behind this one, which see what the statement found?
static bool has_registers_behind(const struct history *h,
                                 const struct place_trial *trial) {
  const struct rows *rows = h->rows;
  const uint32_t s = trial->statement;
  const uint32_t next = s + 1 < rows->txn_statement[trial->txn + 1]
                            ? rows->statements[s + 1].first
                            : h->txn_first[trial->txn + 1];
  return next > rows->statements[s].end;
}

// Is the statement taken to have found a version of the row that came later?
static bool finds_later(struct place_sweep *w, const struct place_trial *trial,
                        uint32_t key, bool inserted) {
  struct places *out = w->out;
  const uint32_t t = trial->txn, s = trial->statement;
  uint32_t version = place_version_after(w, version_at_hand(w, key));
  if (!place_is_own(w, t) || has_registers_behind(w->h, trial))
    return false;
  for (uint32_t n = 0; n < LATER_VERSIONS && version != NO_ID &&
                       sight_rank(&w->sight, version) <= w->latest[t];
       n++, version = place_version_after(w, version))
    if (!must_return(w->h, s, key, inserted, version)) {
      ARRAY_RESERVE(out->found, out->nfound, out->found_room);
      out->found[out->nfound++] = (struct found_unseen){s, key, version};
      return true;
    }
  return false;
}

// A row that the statement would have returned at the place, where it did not
// find a later version: before the rank of its version there is none for the
// statement.  What is visible is so at all places.
static void meet_blocked(struct place_sweep *w, struct place_trial *trial,
                         uint32_t key, bool inserted) {
  const uint32_t rank = w->sight.version[key] == NO_ID
                            ? sight_rank(&w->sight, w->current.version[key])
                            : 0;
  if (finds_later(w, trial, key, inserted))
    return;
  if (trial->notes)
    place_block(w, trial, key, inserted, false);
  trial->limit = rank < trial->limit ? rank : trial->limit;
}

static void judge_inserted(struct place_sweep *w, struct place_trial *trial) {
  const struct history *h = w->h;
  const struct recorded_statement *statement =
      &h->rows->statements[trial->statement];
  for (uint32_t op = statement->first; op < statement->end; op++) {
    const uint32_t key = h->key[op];
    w->came_in[key] = trial->statement;
    if (h->kind[op] == OP_ROW_INSERT &&
        rows_version(h, version_at_hand(w, key)) &&
        !was_rewritten(h, trial, key))
      meet_blocked(w, trial, key, true);
  }
}

// Rows of which the transaction observed a version behind the place.
static void judge_observed(struct place_sweep *w, struct place_trial *trial) {
  const struct history *h = w->h;
  const uint32_t s = trial->statement;
  for (uint32_t i = 0; i < w->sight.touched.count; i++) {
    const uint32_t key = w->sight.touched.items[i];
    if (h->rows->key_table[key] == h->rows->statements[s].table &&
        w->came_in[key] != s && !was_rewritten(h, trial, key) &&
        must_return(h, s, key, false, w->sight.version[key]))
      meet_blocked(w, trial, key, false);
  }
}

static void judge_current(struct place_sweep *w, struct place_trial *trial) {
  struct row_cursor cursor = row_cursor_open(&w->current, trial->statement);
  for (uint32_t key; row_cursor_next(&cursor, &key);)
    if (w->came_in[key] != trial->statement && w->sight.version[key] == NO_ID &&
        !was_rewritten(w->h, trial, key))
      meet_blocked(w, trial, key, false);
}

void place_judge(struct place_sweep *w, struct place_trial *trial) {
  const struct history *h = w->h;
  if (place_is_own(w, trial->txn) && trial->place < w->seen[trial->txn])
    show_observed(w, trial);
  judge_inserted(w, trial);
  if (h->rows->statements[trial->statement].condition != NO_CONDITION &&
      !w->q->options->question.by_items) {
    judge_current(w, trial);
    judge_observed(w, trial);
  }
  sight_forget(&w->sight);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// The inside of places.c: the sweep, and one place of it.
#ifndef CHECKER_ROWS_PLACE_SWEEP_H
#define CHECKER_ROWS_PLACE_SWEEP_H

#include "checker/rows/current_rows.h"
#include "checker/rows/places.h"
#include "checker/rows/sight.h"
#include "checker/rows/version_numbers.h"
#include "checker/verdict/level_rules.h"

struct place_sweep {
  const struct place_question *q;
  const struct history *h;
  const struct model *m;
  struct places *out;
  struct current_rows current;
  uint32_t *rank; // per transaction: in the order, from 1
  struct version_numbers numbers;
  uint32_t *before; // per number of a final version: the version before it in
                    // the order
  uint32_t *after;  // per number of a version: the version after it, or NO_ID
  struct row_sight sight; // of the statement at hand
  uint32_t *came_in;      // per key
  uint32_t *head;         // per place: a transaction to be tried there...
  uint32_t *next;         // ...and per transaction another one
  uint32_t *at;           // per transaction at RC: its statement at hand
  uint32_t *least;        // per transaction: where its window at hand begins
  uint32_t *seen;     // per transaction: the last rank that was observed before
  uint32_t *latest;   // per transaction: the place of its next statement, or
                      // the last one before its commit
  uint8_t *ntries;    // per transaction: places before `seen` that were tried
  uint8_t *is_first;  // per transaction: was the window not tried yet?
  uint8_t *is_stuck;  // per transaction
  struct ids late;    // transactions that have no place...
  struct ids late_at; // ...and the end of their statements that have none
};

static inline bool place_is_own(const struct place_sweep *w, uint32_t t) {
  return !level_counts_session((enum isolation)w->m->levels[t]);
}

// The version after this one in the order; NO_ID: there is none, or this one is
// none itself.
static inline uint32_t place_version_after(const struct place_sweep *w,
                                           uint32_t version) {
  const uint32_t number = version_number(&w->numbers, version);
  return number == NO_ID ? NO_ID : w->after[number];
}

// The version that the operation read of another transaction, or NO_ID.
static inline uint32_t place_read(const struct place_sweep *w, uint32_t t,
                                  uint32_t op) {
  const struct history *h = w->h;
  if (!op_reads(h->kind[op]))
    return NO_ID;
  const uint32_t version =
      h->saw[op] == SAW_INITIAL ? h->nops + h->key[op] : h->saw[op];
  return version < h->nops && writer_of(w->m, version) == t ? NO_ID : version;
}

// A statement that is tried at a place.
struct place_trial {
  uint32_t txn, statement, place;
  bool notes;     // rows that are wrong are to be noted
  uint32_t limit; // places before this one alone are left
};

// Notes a row that keeps a statement from a place.
void place_block(struct place_sweep *sweep, const struct place_trial *trial,
                 uint32_t key, bool inserted, bool returned);

// The sweep is at the place.  Lowers the limit if the statement would return
// other rows there than it did; else what it is taken to have found is added.
void place_judge(struct place_sweep *sweep, struct place_trial *trial);

#endif

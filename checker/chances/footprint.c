// SPDX-License-Identifier: GPL-3.0-or-later
// Takes footprints (checker/chances/footprint.h).
#include "config.h"

#include "checker/chances/footprint.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

// Makes room for a key at its place among those from `first` on, with no use
// yet; FOOTPRINT_KEYS if there are too many.
static uint32_t place_of_key(struct footprints *f, uint32_t first,
                             uint32_t *count, uint32_t key) {
  uint32_t place = *count;
  while (place > 0 && f->key[first + place - 1] > key)
    place--;
  if (place > 0 && f->key[first + place - 1] == key)
    return place - 1;
  if (*count == FOOTPRINT_KEYS)
    return FOOTPRINT_KEYS;
  for (uint32_t i = (*count)++; i > place; i--) {
    f->key[first + i] = f->key[first + i - 1];
    f->use[first + i] = f->use[first + i - 1];
  }
  f->key[first + place] = key;
  f->use[first + place] = 0;
  return place;
}

static unsigned habits_of_read(unsigned use) {
  return HABIT_READ | (use & USE_WRITE ? HABIT_WRITE_THEN_READ : 0u) |
         (use & USE_REWRITE ? HABIT_REWRITE_THEN_READ : 0u);
}

// The use that an operation adds to the earlier uses of its key.
static unsigned use_of(unsigned kind, unsigned use) {
  const bool list = op_is_list(kind);
  unsigned added = op_reads(kind) ? USE_LOOK : 0;
  if (op_reads(kind) && (list || !(use & USE_WRITE)))
    added |= use & USE_READ ? USE_REREAD : USE_READ;
  if (op_reads(kind) && list)
    added |= USE_READ_LIST;
  if (op_writes(kind))
    added |= use & USE_WRITE ? USE_REWRITE : USE_WRITE;
  return added;
}

// By causes of which the database was sure when it ended the transaction.
static const bool refuses[CAUSE_COUNT] = {
    [CAUSE_SERIALIZATION] = true,     [CAUSE_WRITE_CONFLICT] = true,
    [CAUSE_DEADLOCK] = true,          [CAUSE_LOCK_TIMEOUT] = true,
    [CAUSE_STATEMENT_TIMEOUT] = true, [CAUSE_CONSTRAINT] = true};

// Was it the write that the database ended the transaction at?  A transaction
// may also have been ended at its commit, but the history does not say so.
static bool is_refused(const struct history *h, uint32_t t, uint32_t op) {
  return h->outcome[t] == OUTCOME_ABORTED && refuses[h->cause[t]] &&
         op + 1 == h->txn_first[t + 1];
}

static void take(struct footprints *f, uint32_t t) {
  const struct history *h = f->history;
  const uint32_t first = h->txn_first[t];
  uint32_t count = 0;
  unsigned habits = 0;
  for (uint32_t op = first; op < h->txn_first[t + 1]; op++) {
    const unsigned kind = h->kind[op];
    const uint32_t place = place_of_key(f, first, &count, h->key[op]);
    if (place == FOOTPRINT_KEYS)
      continue;
    uint8_t *use = &f->use[first + place];
    if (op_reads(kind))
      habits |= habits_of_read(*use);
    if (op_writes(kind) && *use & USE_LOOK)
      habits |= HABIT_READ_THEN_WRITE;
    *use |= (uint8_t)use_of(kind, *use);
    if (op_writes(kind) && !is_refused(h, t, op))
      *use |= USE_LEAVE;
  }
  f->count[t] = (uint8_t)count;
  f->habits[t] = (uint8_t)habits;
}

void footprints_open(struct footprints *f, const struct history *h) {
  *f = (struct footprints){
      .history = h,
      .count = xmalloc(h->ntxns + (size_t)1),
      .habits = xmalloc(h->ntxns + (size_t)1),
      .key = xmalloc((h->nops + (size_t)1) * sizeof *f->key),
      .use = xmalloc((h->nops + (size_t)1) * sizeof *f->use)};
  memset(f->count, UINT8_MAX, h->ntxns + (size_t)1);
}

void footprints_close(struct footprints *f) {
  FREE_EACH(f->count, f->habits, f->key, f->use);
  *f = (struct footprints){0};
}

struct footprint footprint_of(struct footprints *f, uint32_t txn) {
  const uint32_t first = f->history->txn_first[txn];
  if (f->count[txn] == UINT8_MAX)
    take(f, txn);
  return (struct footprint){f->count[txn], f->habits[txn], &f->key[first],
                            &f->use[first]};
}

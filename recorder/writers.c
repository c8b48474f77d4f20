// SPDX-License-Identifier: GPL-3.0-or-later
// Indexes writes by key and value (recorder/writers.h).
#include "config.h"

#include "recorder/writers.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MANY = 1 << 19 }; // operations, which no cache holds
enum { SLOTS_MIN = 16 };
enum { APART_MAX = 8 }; // of so many writes one may have the value of another

static const char *place(const struct history *h, uint32_t op, char *text,
                         size_t room) {
  uint32_t t = history_txn(h, op), s = history_session(h, t);
  snprintf(text, room, "session %" PRIu32 ", transaction %" PRIu32, s,
           t - h->session_first[s]);
  return text;
}

static int refuse_write(const struct history *h, uint32_t op, uint32_t other,
                        struct error *error) {
  char here[64], there[64], key[24], value[24];
  place(h, op, here, sizeof here);
  if (other == SAW_INITIAL)
    return error_set(error,
                     "%s writes 0 to key %s, which is its initial value: "
                     "values must be unique (or --init=explicit, or "
                     "--duplicate-values=allow)",
                     here, history_key(h, h->key[op], key));
  return error_set(error,
                   "value %s is written to key %s twice, in %s and in "
                   "%s: values must be unique per key (or "
                   "--duplicate-values=allow)",
                   history_value(h, h->value[op], value),
                   history_key(h, h->key[op], key),
                   place(h, other, there, sizeof there), here);
}

// The write puts a value there again that `first` (or nops + the key: the
// initial one) had put there before.
static void note_again(struct history *h, uint32_t first, uint32_t op) {
  const uint32_t n = h->nops + h->nkeys;
  if (!h->again) {
    h->again = xmalloc(n * sizeof *h->again);
    for (uint32_t i = 0; i < n; i++)
      h->again[i] = i;
  }
  h->again[op] = h->again[first];
  h->again[first] = op;
}

static void put(struct writers *w, uint64_t *slot, uint32_t op) {
  const struct history *h = w->history;
  *slot = (writers_hash(h->key[op], h->value[op]) >> 32 << 32) | (op + 1);
  w->nhashed++;
}

static void make_slots(struct writers *w, uint64_t nslots) {
  w->nslots = nslots > UINT32_MAX ? UINT32_MAX : (uint32_t)nslots;
  w->slots = xcalloc(w->nslots, sizeof *w->slots);
}

// Beside those by value there are others, nobody knows how many.
static void make_room(struct writers *w) {
  const struct history *h = w->history;
  uint64_t *const old = w->slots;
  const uint32_t nold = w->nslots;
  if (w->nhashed < nold - nold / 4)
    return;
  make_slots(w, 2 * (uint64_t)nold);
  w->nhashed = 0;
  for (uint32_t i = 0; i < nold; i++)
    if (old[i]) {
      const uint32_t op = (uint32_t)old[i] - 1;
      put(w,
          writers_slot(w, h->key[op], h->value[op], h->kind[op] & OP_IS_LIST),
          op);
    }
  free(old);
}

static int index_write(struct writers *w, uint32_t op, bool allow_duplicates,
                       struct error *error) {
  struct history *h = w->history;
  const unsigned list = h->kind[op] & OP_IS_LIST;
  if (h->value[op] == VALUE_INITIAL && !list &&
      w->initial == INITIAL_IMPLICIT) {
    if (!allow_duplicates)
      return refuse_write(h, op, SAW_INITIAL, error);
    note_again(h, h->nops + h->key[op], op);
    if (!w->nduplicates++) {
      w->duplicate = op;
      w->duplicated = SAW_INITIAL;
    }
    return 0;
  }
  uint32_t *const entry =
      writers_table_entry(w, h->key[op], h->value[op], list);
  if (!entry)
    make_room(w);
  uint64_t *const slot =
      entry ? NULL : writers_slot(w, h->key[op], h->value[op], list);
  const uint32_t before = entry ? *entry : (uint32_t)*slot; // + 1
  if (before && !allow_duplicates)
    return refuse_write(h, op, before - 1, error);
  if (before && !w->nduplicates++) {
    w->duplicate = op;
    w->duplicated = before - 1;
  }
  if (before)
    note_again(h, before - 1, op);
  else if (entry)
    *entry = op + 1;
  else
    put(w, slot, op);
  return 0;
}

// Whether an operation writes can not be foreseen, so that nothing depends on
// it where all goes well: what does not write goes to the entry of no value.
// False: it writes, and not a small value that is new.
static inline bool index_small(const struct small_values *small,
                               const struct history *h, uint32_t op) {
  const bool writes = op_writes(h->kind[op]) != 0;
  const uint32_t entry = small_values_entry(small, h->key[op], h->value[op]);
  const uint32_t to = pick(writes, entry, small->none);
  if (writes & ((entry == small->none) | (small->writer[to] != 0)))
    return false;
  small->writer[to] = op + 1;
  return true;
}

static int index_small_writes(struct writers *w, bool allow_duplicates,
                              struct error *error) {
  const struct small_values small = w->small;
  const uint32_t nops = w->history->nops;
  int status = 0;
  make_slots(w, SLOTS_MIN);
  for (uint32_t op = 0; op < nops && !status; op++) {
    writers_fetch_first(w, op + WRITERS_FAR_AHEAD);
    writers_fetch_entry(w, op + WRITERS_AHEAD);
    if (!index_small(&small, w->history, op))
      status = index_write(w, op, allow_duplicates, error);
  }
  small.writer[small.none] = 0;
  return status;
}

// Asks for the entries of these writes and says which they are.  False: there
// is no room for one of them.
static bool place_near(struct writers *w, const uint32_t *ops, uint32_t n,
                       uint32_t *entry) {
  const struct history *h = w->history;
  for (uint32_t i = 0; i < n; i++) {
    const uint64_t value = h->value[ops[i]];
    const bool beside =
        i && value / NEAR_BLOCK == h->value[ops[i - 1]] / NEAR_BLOCK;
    entry[i] = beside ? entry[i - 1] + (uint32_t)(value - h->value[ops[i - 1]])
                      : near_values_add(&w->near, value);
    if (!entry[i])
      return false;
    __builtin_prefetch(&w->near.writes[entry[i]]);
  }
  return true;
}

static int index_near(struct writers *w, const uint32_t *ops, uint32_t n,
                      const uint32_t *entry, bool allow_duplicates,
                      struct error *error) {
  const struct history *h = w->history;
  int status = 0;
  for (uint32_t i = 0; i < n && !status; i++) {
    struct near_write *const write = &w->near.writes[entry[i]];
    if (write->writer || h->value[ops[i]] == VALUE_INITIAL)
      status = index_write(w, ops[i], allow_duplicates, error);
    else
      *write = (struct near_write){h->key[ops[i]], ops[i] + 1};
  }
  return status;
}

// 1: the values are not near each other, or too often the same.
static int index_near_writes(struct writers *w, uint32_t nwrites,
                             bool allow_duplicates, struct error *error) {
  const struct history *h = w->history;
  uint32_t ops[WRITERS_AT_ONCE], entry[WRITERS_AT_ONCE];
  int status = 0;
  near_values_open(&w->near, nwrites);
  if (!w->near.writes)
    return 1;
  make_slots(w, SLOTS_MIN);
  for (uint32_t op = 0, end; op < h->nops && !status; op = end) {
    end = writers_end_of_some(h, op);
    const uint32_t n = writers_gather(h, op, end, OP_IS_WRITE, ops);
    if (!place_near(w, ops, n, entry) || w->nhashed > nwrites / APART_MAX)
      return 1;
    status = index_near(w, ops, n, entry, allow_duplicates, error);
  }
  return status;
}

static int index_by_hash(struct writers *w, uint32_t nwrites,
                         bool allow_duplicates, struct error *error) {
  const struct history *h = w->history;
  uint32_t ops[WRITERS_AT_ONCE];
  uint64_t hash[WRITERS_AT_ONCE];
  int status = 0;
  make_slots(w, (uint64_t)nwrites + nwrites / 3 + 2);
  for (uint32_t op = 0, end; op < h->nops && !status; op = end) {
    end = writers_end_of_some(h, op);
    const uint32_t n = writers_gather(h, op, end, OP_IS_WRITE, ops);
    writers_ask_slots(w, ops, n, hash);
    for (uint32_t i = 0; i < n && !status; i++)
      status = index_write(w, ops[i], allow_duplicates, error);
  }
  return status;
}

// As if nothing had been indexed.
static void start_again(struct writers *w) {
  near_values_close(&w->near);
  free(w->slots);
  free(w->history->again);
  w->slots = NULL;
  w->history->again = NULL;
  w->nhashed = w->nduplicates = 0;
}

int writers_index(struct writers *w, bool allow_duplicates,
                  struct error *error) {
  const struct history *h = w->history;
  uint32_t nwrites = 0;
  w->asked_below = h->nops >= MANY ? h->nops : 0;
  small_values_open(&w->small, h, w->initial == INITIAL_IMPLICIT);
  if (w->small.writer)
    return index_small_writes(w, allow_duplicates, error);
  for (uint32_t op = 0; op < h->nops; op++)
    nwrites += op_writes(h->kind[op]) != 0;
  const int status = index_near_writes(w, nwrites, allow_duplicates, error);
  if (status <= 0)
    return status;
  start_again(w);
  return index_by_hash(w, nwrites, allow_duplicates, error);
}

void writers_close(struct writers *w) {
  small_values_close(&w->small);
  near_values_close(&w->near);
  free(w->slots);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the operation that wrote what each read saw, by key and value: in a
// table where values are small (recorder/small_values.h), else by hashing them.
// The table and the operations in it are met in no order, so what will be
// needed is asked of the memory some operations ahead, where they are too many
// for the caches.
#include "config.h"

#include "recorder/building.h"
#include "recorder/initial.h"
#include "recorder/small_values.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { FAR_AHEAD = 32, AHEAD = 12 }; // operations
enum { MANY = 1 << 19 };             // operations, which no cache holds
enum { PROBES = 8 };                 // of the table, by who asks ahead
enum { SLOTS_MIN = 16 };

// Writes by key and value, but for those of small values: a table of operation
// ids + 1 with one half of their hash above them, at most three quarters full;
// 0 is free.  Equal halves are rare where nothing is equal, so that the
// operations need not be looked at.
struct writers {
  struct history *history;
  enum initial initial;
  struct small_values small;
  uint64_t *slots;
  uint32_t nslots;
  uint32_t nhashed;     // writes in there
  uint32_t asked_below; // operations for which memory is asked ahead
  uint32_t nduplicates, duplicate, duplicated; // as in struct history
  // Per key, the longest list so far: its first element and its length.
  uint32_t *longest, *length;
};

static inline uint64_t hash_of(uint32_t key, uint64_t value) {
  return number_mix(value ^ key * UINT64_C(0x9e3779b97f4a7c15));
}

// The other half says where a search begins.
static inline uint32_t first_slot(const struct writers *w, uint64_t hash) {
  return (uint32_t)((hash & UINT32_MAX) * w->nslots >> 32);
}

static inline uint32_t next_slot(const struct writers *w, uint32_t i) {
  return i + 1 < w->nslots ? i + 1 : 0;
}

static inline bool is_write(const struct history *h, uint64_t slot,
                            uint32_t key, uint64_t value, unsigned list) {
  const uint32_t op = (uint32_t)slot - 1;
  return h->value[op] == value && h->key[op] == key &&
         (!h->lists || (h->kind[op] & OP_IS_LIST) == list);
}

// The slot of the write of `value` to `key`, or the free one where it belongs.
static inline uint64_t *writer_slot(const struct writers *w, uint32_t key,
                                    uint64_t value, unsigned list) {
  const uint64_t hash = hash_of(key, value);
  uint32_t i = first_slot(w, hash);
  for (; w->slots[i]; i = next_slot(w, i))
    if (w->slots[i] >> 32 == hash >> 32 &&
        is_write(w->history, w->slots[i], key, value, list))
      break;
  return &w->slots[i];
}

// Functions that do nothing but ask are left out by GCC unless they are inlined
// before it notices.
#define ASKING static inline __attribute__((always_inline))

// Asks for the slot that is needed soon, or for what tells where the entry of a
// small value is.
ASKING void fetch_slot(const struct writers *w, uint32_t op) {
  const struct history *h = w->history;
  if (op >= w->asked_below)
    return;
  if (w->small.writer)
    __builtin_prefetch(&w->small.first[h->key[op]]);
  else
    __builtin_prefetch(
        &w->slots[first_slot(w, hash_of(h->key[op], h->value[op]))]);
}

// Asks for that entry.
ASKING void fetch_entry(const struct writers *w, uint32_t op) {
  const struct history *h = w->history;
  if (op < w->asked_below && w->small.writer)
    __builtin_prefetch(
        &w->small
             .writer[small_values_entry(&w->small, h->key[op], h->value[op])]);
}

// Asks for the operation whose slot has come.
ASKING void fetch_writer(const struct writers *w, uint32_t op) {
  const struct history *h = w->history;
  if (op >= w->asked_below || w->small.writer || h->kind[op] != OP_READ)
    return;
  const uint64_t hash = hash_of(h->key[op], h->value[op]);
  uint32_t i = first_slot(w, hash);
  for (int n = 0; n < PROBES && w->slots[i]; n++, i = next_slot(w, i)) {
    const uint32_t writer = (uint32_t)w->slots[i] - 1;
    if (w->slots[i] >> 32 != hash >> 32)
      continue;
    __builtin_prefetch(&h->value[writer]);
    __builtin_prefetch(&h->key[writer]);
    return;
  }
}

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
                     "values must be unique (or --duplicate-values=allow)",
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

// The entry of a small value, NULL for others.
static inline uint32_t *small_entry(const struct writers *w, uint32_t op) {
  const struct history *h = w->history;
  const uint32_t entry =
      w->small.writer ? small_values_entry(&w->small, h->key[op], h->value[op])
                      : w->small.none;
  return entry == w->small.none ? NULL : &w->small.writer[entry];
}

static void put(struct writers *w, uint64_t *slot, uint32_t op) {
  const struct history *h = w->history;
  *slot = (hash_of(h->key[op], h->value[op]) >> 32 << 32) | (op + 1);
  w->nhashed++;
}

static void make_slots(struct writers *w, uint64_t nslots) {
  w->nslots = nslots > UINT32_MAX ? UINT32_MAX : (uint32_t)nslots;
  w->slots = xcalloc(w->nslots, sizeof *w->slots);
}

// Beside small values there are others, nobody knows how many.
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
      put(w, writer_slot(w, h->key[op], h->value[op], 0), op);
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
  uint32_t *const entry = small_entry(w, op);
  if (!entry)
    make_room(w);
  uint64_t *const slot =
      entry ? NULL : writer_slot(w, h->key[op], h->value[op], list);
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
    fetch_slot(w, op + FAR_AHEAD);
    fetch_entry(w, op + AHEAD);
    if (!index_small(&small, w->history, op))
      status = index_write(w, op, allow_duplicates, error);
  }
  small.writer[small.none] = 0;
  return status;
}

static int index_writes(struct writers *w, bool allow_duplicates,
                        struct error *error) {
  const struct history *h = w->history;
  uint32_t nwrites = 0;
  small_values_open(&w->small, h, w->initial == INITIAL_IMPLICIT);
  if (w->small.writer)
    return index_small_writes(w, allow_duplicates, error);
  for (uint32_t op = 0; op < h->nops; op++)
    nwrites += op_writes(h->kind[op]) != 0;
  make_slots(w, (uint64_t)nwrites + nwrites / 3 + 2);
  for (uint32_t op = 0; op < h->nops; op++) {
    fetch_slot(w, op + FAR_AHEAD);
    if (op_writes(h->kind[op]) && index_write(w, op, allow_duplicates, error))
      return -1;
  }
  return 0;
}

static inline uint32_t find_writer(const struct writers *w, uint32_t key,
                                   uint64_t value, unsigned list) {
  if (value == VALUE_INITIAL && !list && w->initial == INITIAL_IMPLICIT)
    return SAW_INITIAL;
  if (w->small.writer) {
    const uint32_t entry = small_values_entry(&w->small, key, value);
    if (entry != w->small.none)
      return w->small.writer[entry] ? w->small.writer[entry] - 1 : SAW_THIN_AIR;
  }
  const uint64_t slot = *writer_slot(w, key, value, list);
  return slot ? (uint32_t)slot - 1 : SAW_THIN_AIR;
}

// Most lists begin as the longest one of the key did.
static void resolve_list(struct writers *w, struct history *h, uint32_t op) {
  const uint32_t key = h->key[op], list = h->saw[op];
  const uint32_t first = h->list[list].first, end = history_list_end(h, list);
  const uint32_t before = w->longest[key];
  uint32_t i = first;
  for (; i < end && i - first < w->length[key] &&
         h->element_value[i] == h->element_value[before + (i - first)];
       i++)
    h->element[i] = h->element[before + (i - first)];
  for (; i < end; i++)
    h->element[i] = find_writer(w, key, h->element_value[i], OP_IS_LIST);
  if (end - first > w->length[key]) {
    w->longest[key] = first;
    w->length[key] = end - first;
  }
}

// As index_small: the entry of no value says 0, which becomes SAW_INITIAL.
static void resolve_small_reads(const struct writers *w, struct history *h,
                                const uint64_t *expected) {
  const struct small_values small = w->small;
  const bool implicit = w->initial == INITIAL_IMPLICIT;
  for (uint32_t op = 0; op < h->nops; op++) {
    const uint32_t key = h->key[op];
    const uint64_t value = h->value[op];
    const unsigned kind = h->kind[op];
    fetch_slot(w, op + FAR_AHEAD);
    fetch_entry(w, op + AHEAD);
    const uint32_t writer =
        small.writer[small_values_entry(&small, key, value)];
    const bool found = (writer != 0) | (implicit & (value == VALUE_INITIAL));
    const bool reads = kind == OP_READ;
    h->saw[op] = pick_if(reads, writer - 1);
    if (kind == OP_CAS)
      h->saw[op] = find_writer(w, key, *expected++, 0);
    else if (reads & !found)
      h->saw[op] = find_writer(w, key, value, 0);
  }
}

static void resolve_reads(struct writers *w, struct history *h,
                          const uint64_t *expected) {
  if (w->small.writer) {
    resolve_small_reads(w, h, expected);
    return;
  }
  if (h->lists) {
    w->longest = xcalloc(h->nkeys, sizeof *w->longest);
    w->length = xcalloc(h->nkeys, sizeof *w->length);
  }
  for (uint32_t op = 0; op < h->nops; op++) {
    fetch_slot(w, op + FAR_AHEAD);
    fetch_writer(w, op + AHEAD);
    if (h->kind[op] == OP_READ)
      h->saw[op] = find_writer(w, h->key[op], h->value[op], 0);
    else if (h->kind[op] == OP_READ_LIST)
      resolve_list(w, h, op);
    else if (h->kind[op] == OP_CAS)
      h->saw[op] = find_writer(w, h->key[op], *expected++, 0);
  }
  free(w->longest);
  free(w->length);
}

// Does a transaction write 0 to a register?
static bool writes_zero(const struct history *h) {
  bool zero = false;
  for (uint32_t op = 0; op < h->nops && !zero; op++)
    zero = h->value[op] == VALUE_INITIAL && op_writes(h->kind[op]) &&
           !op_is_list(h->kind[op]);
  return zero;
}

int builder_resolve(const struct builder *b, struct history *h,
                    const uint64_t *expected, struct error *error) {
  struct writers w = {.history = h, .initial = b->initial};
  if (w.initial == INITIAL_BY_FORMAT)
    w.initial = INITIAL_IMPLICIT;
  if (w.initial == INITIAL_BY_CONTENT)
    w.initial = writes_zero(h) ? INITIAL_EXPLICIT : INITIAL_IMPLICIT;
  w.asked_below = h->nops >= MANY ? h->nops : 0;
  h->element = xmalloc((size_t)h->nelements * sizeof *h->element);
  if (b->allow_duplicates && (uint64_t)h->nops + h->nkeys > HISTORY_MAX)
    return error_set(error, "too many operations for values that are written "
                            "more than once");
  const int status = index_writes(&w, b->allow_duplicates, error);
  if (status == 0)
    resolve_reads(&w, h, expected);
  if (status == 0 && w.initial == INITIAL_FIRST_READ)
    history_take_first_reads(h, expected);
  h->nduplicates = w.nduplicates;
  h->duplicate = w.duplicate;
  h->duplicated = w.duplicated;
  small_values_close(&w.small);
  free(w.slots);
  return status;
}

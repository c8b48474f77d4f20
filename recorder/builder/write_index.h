// SPDX-License-Identifier: GPL-3.0-or-later
// The writes of a history by key and value, hashed.  Slots and the operations
// in them are met in no order, so they are prefetched some operations ahead.
#ifndef RECORDER_BUILDER_WRITE_INDEX_H
#define RECORDER_BUILDER_WRITE_INDEX_H

#include "base/stop.h"
#include "recorder/builder/builder.h"
#include "recorder/builder/number_map.h"

enum { WRITES_AT_ONCE = 256 }; // operations of which the memory is asked

// Writes by key and value: a table of operation ids + 1 with one half of their
// hash above them, at most a quarter full, or with rows half; 0 is free.  Equal
// halves are rare where nothing is equal, so that the operations need not be
// looked at.
struct write_index {
  struct history *history;
  bool has_initial; // every register holds a value at first:
  uint64_t initial;
  uint64_t *slots;
  uint32_t nslots;
  uint32_t nduplicates, duplicate, duplicated; // as in struct history
  struct patience *patience;
};

// Indexes the writes of the history; the rest of the structure is zero but for
// what registers hold at first, and the patience.  -1 with a sentence if a
// value is written twice to a key, without one if the patience ended.
int write_index_fill(struct write_index *writers, bool allow_duplicates,
                     struct error *error);
void write_index_close(struct write_index *writers);

static inline uint64_t write_index_hash(uint32_t key, uint64_t value) {
  return number_mix(value ^ key * UINT64_C(0x9e3779b97f4a7c15));
}

// The other half says where a search begins.
static inline uint32_t write_index_first_slot(const struct write_index *w,
                                              uint64_t hash) {
  return (uint32_t)((hash & UINT32_MAX) * w->nslots >> 32);
}

static inline uint32_t write_index_next_slot(const struct write_index *w,
                                             uint32_t i) {
  return i + 1 < w->nslots ? i + 1 : 0;
}

// Rows, elements of lists and values of registers are different sorts.
static inline unsigned write_index_sort(unsigned kind) {
  return kind & (OP_IS_LIST | OP_IS_ROW);
}

static inline bool write_index_is(const struct history *h, uint64_t slot,
                                  uint32_t key, uint64_t value, unsigned sort) {
  const uint32_t op = (uint32_t)slot - 1;
  return h->value[op] == value && h->key[op] == key &&
         (!h->lists || write_index_sort(h->kind[op]) == sort);
}

// The slot of the write of `value` to `key`, or the free one where it belongs.
static inline uint64_t *write_index_slot(const struct write_index *w,
                                         uint64_t hash, uint32_t key,
                                         uint64_t value, unsigned sort) {
  uint32_t i = write_index_first_slot(w, hash);
  for (; w->slots[i]; i = write_index_next_slot(w, i))
    if (w->slots[i] >> 32 == hash >> 32 &&
        write_index_is(w->history, w->slots[i], key, value, sort))
      break;
  return &w->slots[i];
}

static inline uint32_t write_index_end_of_some(const struct history *h,
                                               uint32_t first) {
  return h->nops - first < WRITES_AT_ONCE ? h->nops : first + WRITES_AT_ONCE;
}

// Asks for the slots of these operations and says where they are.
static inline void write_index_ask_slots(const struct write_index *w,
                                         const uint32_t *ops, uint32_t n,
                                         uint64_t *hash) {
  const struct history *h = w->history;
  for (uint32_t i = 0; i < n; i++) {
    hash[i] = write_index_hash(h->key[ops[i]], h->value[ops[i]]);
    __builtin_prefetch(&w->slots[write_index_first_slot(w, hash[i])]);
  }
}

// The operation that wrote what was read, or SAW_...
static inline uint32_t write_index_find(const struct write_index *w,
                                        uint32_t key, uint64_t value,
                                        unsigned sort) {
  if (value == w->initial && !sort && w->has_initial)
    return SAW_INITIAL;
  const uint64_t hash = write_index_hash(key, value);
  const uint32_t writer =
      (uint32_t)*write_index_slot(w, hash, key, value, sort); // + 1
  return writer ? writer - 1 : SAW_THIN_AIR;
}

#endif

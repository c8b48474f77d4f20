// SPDX-License-Identifier: GPL-3.0-or-later
// Lookups in a history that the verifiers and the referee share.
#ifndef CHECKER_VERIFY_LOOK_UP_H
#define CHECKER_VERIFY_LOOK_UP_H

#include "recorder/history.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

static inline bool writes_key(const struct history *h, uint32_t op,
                              uint32_t key) {
  return op_writes(h->kind[op]) && h->key[op] == key;
}

// The last write to the key among the operations `first` to `end`; `end` if
// there is none.
static inline uint32_t last_write(const struct history *h, uint32_t first,
                                  uint32_t end, uint32_t key) {
  assert(first <= end && end <= h->nops);
  for (uint32_t op = end; op-- > first;)
    if (writes_key(h, op, key))
      return op;
  return end;
}

// The elements that a list read shows; of others: without the reader's own at
// the end.
struct listed {
  const uint32_t *first, *end;
};

static inline struct listed listed_by(const struct history *h, uint32_t read) {
  assert(h->kind[read] == OP_READ_LIST && h->saw[read] < h->nlists);
  const uint32_t *first = h->element + h->list[h->saw[read]].first;
  return (struct listed){first, first + h->list[h->saw[read]].count};
}

static inline struct listed listed_of_others(const struct history *h,
                                             uint32_t reader, uint32_t read) {
  assert(reader < h->ntxns && read < h->nops);
  struct listed list = listed_by(h, read);
  while (list.end > list.first && list.end[-1] >= h->txn_first[reader] &&
         list.end[-1] < h->txn_first[reader + 1])
    list.end--;
  return list;
}

static inline uint32_t listed_count(struct listed list) {
  return (uint32_t)(list.end - list.first);
}

// Where the element stands in the list; NULL if it does not.
static inline const uint32_t *listed_find(struct listed list,
                                          uint32_t element) {
  for (const uint32_t *at = list.first; at < list.end; at++)
    if (*at == element)
      return at;
  return NULL;
}

// Did some read see what a lost part of the file wrote?
static inline bool lost_was_read(const struct history *h) {
  for (uint32_t op = 0; op < h->nops; op++)
    if (h->saw[op] == SAW_LOST)
      return true;
  for (uint32_t e = 0; e < h->nelements; e++)
    if (h->element[e] == SAW_LOST)
      return true;
  return false;
}

#endif

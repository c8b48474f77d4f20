// SPDX-License-Identifier: GPL-3.0-or-later
// Range queries (builder_range).  Which keys one did not find is known when the
// whole history is: then it becomes reads of nothing, in front of the rows that
// it found.  There they see no more than the query did, also where each read
// counts alone, at READ COMMITTED.
#include "config.h"

#include "recorder/builder/building.h"

#include "base/memory.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct told_range {
  uint32_t txn, first, end; // operations that it found
  int64_t low, high;
};

// A key that is a number, and its id.
struct numbered {
  int64_t number;
  uint32_t key;
};

void builder_range(struct builder *b, int64_t low, int64_t high,
                   uint32_t nrows) {
  assert(b->h.ntxns && nrows <= b->h.nops);
  ARRAY_RESERVE(b->ranges, b->nranges, b->ranges_room);
  b->ranges[b->nranges++] = (struct told_range){.txn = b->h.ntxns - 1,
                                                .first = b->h.nops - nrows,
                                                .end = b->h.nops,
                                                .low = low,
                                                .high = high};
}

void builder_forget_ranges(struct builder *b) {
  while (b->nranges && b->ranges[b->nranges - 1].txn == b->h.ntxns - 1)
    b->nranges--;
}

// Is the key a whole number, or a text that is one?
static bool key_is_number(const struct builder *b, uint32_t key,
                          int64_t *number) {
  const uint64_t outside = b->keys.numbers[key];
  *number = (int64_t)outside;
  if (outside < VALUE_NAMED)
    return true;
  char *end;
  const char *text = key < b->nnames ? b->names[key] : NULL;
  errno = 0;
  *number = text ? strtoll(text, &end, 10) : 0;
  return text && (*text == '-' || (*text >= '0' && *text <= '9')) && !*end &&
         !errno;
}

static int by_key_number(const void *a, const void *b) {
  const struct numbered *x = a, *y = b;
  return (x->number > y->number) - (x->number < y->number);
}

// The keys that may be missing from a range, in order; returns how many.
static uint32_t gather_keys(const struct builder *b, struct numbered *keys) {
  uint8_t *held = xcalloc(b->keys.count, 1);
  uint32_t n = 0;
  for (uint32_t op = 0; op < b->h.nops; op++)
    held[b->h.key[op]] |=
        op_writes(b->h.kind[op]) && !op_is_list(b->h.kind[op]);
  // There is room for the first values of more keys than there are.
  for (uint32_t key = 0; key < b->nfirst && key < b->keys.count; key++)
    held[key] |= b->first_value[key] != VALUE_INITIAL;
  for (uint32_t key = 0; key < b->keys.count; key++)
    if (held[key] && key_is_number(b, key, &keys[n].number))
      keys[n++].key = key;
  free(held);
  qsort(keys, n, sizeof *keys, by_key_number);
  return n;
}

// The first key that is not below the number.
static uint32_t first_from(const struct numbered *keys, uint32_t n,
                           int64_t number) {
  uint32_t low = 0, high = n;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (keys[middle].number < number)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// The keys of the range that it did not find, as reads of nothing.  `found`
// has, by key, the last range that found it, counted from 1.
static void put_missing(const struct builder *b, uint32_t range,
                        const struct numbered *keys, uint32_t nkeys,
                        uint32_t *found, struct history *to) {
  const struct told_range *r = &b->ranges[range];
  for (uint32_t op = r->first; op < r->end; op++)
    found[b->h.key[op]] = range + 1;
  for (uint32_t i = first_from(keys, nkeys, r->low);
       i < nkeys && keys[i].number <= r->high; i++)
    if (found[keys[i].key] != range + 1)
      history_append(to, OP_READ, keys[i].key,
                     value_of_nothing(b->options.initial), 0);
}

// How many operations there will be, at most; HISTORY_MAX where that is too
// many.
static uint32_t operations_at_most(const struct builder *b,
                                   const struct numbered *keys,
                                   uint32_t nkeys) {
  uint64_t n = b->h.nops;
  for (uint32_t i = 0; i < b->nranges; i++) {
    const struct told_range *r = &b->ranges[i];
    for (uint32_t k = first_from(keys, nkeys, r->low);
         k < nkeys && keys[k].number <= r->high; k++)
      n++;
    if (n >= HISTORY_MAX)
      return HISTORY_MAX;
  }
  return (uint32_t)n;
}

static void put_keys_in_order(struct builder *b, const struct numbered *keys,
                              uint32_t nkeys, struct history *to) {
  uint32_t *found = xcalloc(b->keys.count, sizeof *found), range = 0;
  for (uint32_t t = 0, op = 0; t < b->h.ntxns; t++) {
    const uint32_t end = t + 1 < b->h.ntxns ? b->h.txn_first[t + 1] : b->h.nops;
    b->h.txn_first[t] = to->nops;
    for (; op < end || (range < b->nranges && b->ranges[range].txn == t);) {
      if (range < b->nranges && b->ranges[range].txn == t &&
          b->ranges[range].first == op)
        put_missing(b, range++, keys, nkeys, found, to);
      else {
        history_append(to, b->h.kind[op], b->h.key[op], b->h.value[op],
                       b->h.saw[op]);
        op++;
      }
    }
  }
  free(found);
}

void builder_add_missing(struct builder *b) {
  if (!b->nranges || b->too_large)
    return;
  assert(!b->rows);
  struct numbered *keys = xmalloc(b->keys.count * sizeof *keys);
  const uint32_t nkeys = gather_keys(b, keys);
  const uint32_t room = operations_at_most(b, keys, nkeys);
  if (room == HISTORY_MAX)
    b->too_large = true;
  else {
    struct history wider = b->h;
    wider.nops = 0;
    wider.kind = NULL;
    wider.key = wider.saw = NULL;
    wider.value = NULL;
    history_reserve_ops(&wider, (size_t)room + 1);
    put_keys_in_order(b, keys, nkeys, &wider);
    FREE_EACH(b->h.kind, b->h.key, b->h.value, b->h.saw);
    b->h = wider;
    b->op_room = room + 1;
  }
  free(keys);
}

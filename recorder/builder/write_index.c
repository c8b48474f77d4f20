// SPDX-License-Identifier: GPL-3.0-or-later
// Indexes writes by key and value (recorder/builder/write_index.h).
#include "config.h"

#include "recorder/builder/write_index.h"

#include "base/memory.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *describe_place(const struct history *h, uint32_t op,
                                  char *text, size_t room) {
  uint32_t t = history_txn(h, op), s = history_session(h, t);
  snprintf(text, room, "session %" PRIu32 ", transaction %" PRIu32, s,
           t - h->session_first[s]);
  return text;
}

static int refuse_write(const struct history *h, uint32_t op, uint32_t other,
                        struct error *error) {
  char here[64], there[64], key[24], value[24];
  const char *const written = history_value(h, h->value[op], value);
  describe_place(h, op, here, sizeof here);
  if (history_is_of_set(h, op))
    return error_set(error,
                     "element %s is added to set %s twice, in %s and in %s: an "
                     "element may be added once (or "
                     "--duplicate-values=allow)",
                     history_value(h, h->member[h->key[op]], value),
                     history_key(h, h->key[op], key),
                     describe_place(h, other, there, sizeof there), here);
  if (other == SAW_INITIAL)
    return error_set(error,
                     "%s writes %s to key %s, which is its initial value: "
                     "values must be unique (or --init=explicit, or "
                     "--duplicate-values=allow)",
                     here, written, history_key(h, h->key[op], key));
  return error_set(error,
                   "value %s is written to key %s twice, in %s and in "
                   "%s: values must be unique per key (or "
                   "--duplicate-values=allow)",
                   written, history_key(h, h->key[op], key),
                   describe_place(h, other, there, sizeof there), here);
}

// The write puts a value there again that `first` (or nops + the key: the
// initial one) had put there before.
static void note_again(struct history *h, uint32_t first, uint32_t op) {
  assert(op_writes(h->kind[op]));
  const uint32_t n = h->nops + h->nkeys;
  if (!h->again) {
    h->again = xmalloc(n * sizeof *h->again);
    for (uint32_t i = 0; i < n; i++)
      h->again[i] = i;
  }
  h->again[op] = h->again[first];
  h->again[first] = op;
}

static void make_slots(struct write_index *w, uint64_t nslots) {
  w->nslots = nslots > UINT32_MAX ? UINT32_MAX : (uint32_t)nslots;
  w->slots = xmalloc_large(w->nslots, sizeof *w->slots);
  memset(w->slots, 0, w->nslots * sizeof *w->slots);
}

// The value was there `before`: the write of it, or SAW_INITIAL.
static int write_again(struct write_index *w, uint32_t op, uint32_t before,
                       bool allow_duplicates, struct error *error) {
  struct history *h = w->history;
  if (!allow_duplicates)
    return refuse_write(h, op, before, error);
  note_again(h, before == SAW_INITIAL ? h->nops + h->key[op] : before, op);
  if (!w->nduplicates++) {
    w->duplicate = op;
    w->duplicated = before;
  }
  return 0;
}

static int index_write(struct write_index *w, uint32_t op, uint64_t hash,
                       bool allow_duplicates, struct error *error) {
  assert(op_writes(w->history->kind[op]));
  const struct history *h = w->history;
  const unsigned sort = write_index_sort(h->kind[op]);
  if (h->value[op] == w->initial && !sort && w->has_initial)
    return write_again(w, op, SAW_INITIAL, allow_duplicates, error);
  uint64_t *const slot =
      write_index_slot(w, hash, h->key[op], h->value[op], sort);
  if (*slot)
    return write_again(w, op, (uint32_t)*slot - 1, allow_duplicates, error);
  *slot = hash >> 32 << 32 | (op + 1);
  return 0;
}

// The writes of `first` to `end`.  Which these are cannot be foreseen.
static uint32_t gather_writes(const struct history *h, uint32_t first,
                              uint32_t end, uint32_t *ops) {
  uint32_t n = 0;
  for (uint32_t op = first; op < end; op++) {
    ops[n] = op;
    n += op_writes(h->kind[op]);
  }
  return n;
}

int write_index_fill(struct write_index *w, bool allow_duplicates,
                     struct error *error) {
  const struct history *h = w->history;
  uint32_t ops[WRITES_AT_ONCE] = {0}, nwrites = 0;
  uint64_t hash[WRITES_AT_ONCE];
  int status = 0;
  for (uint32_t op = 0; op < h->nops; op++)
    nwrites += op_writes(h->kind[op]) != 0;
  // Rows have more arrays beside the index, and most writes are found at once.
  make_slots(w, (h->rows ? 2 : 4) * (uint64_t)nwrites + 2);
  for (uint32_t op = 0, end; op < h->nops && !status; op = end) {
    end = write_index_end_of_some(h, op);
    if (patience_ends(w->patience, end - op))
      return -1;
    const uint32_t n = gather_writes(h, op, end, ops);
    write_index_ask_slots(w, ops, n, hash);
    for (uint32_t i = 0; i < n && !status; i++)
      status = index_write(w, ops[i], hash[i], allow_duplicates, error);
  }
  return status;
}

void write_index_close(struct write_index *w) { free(w->slots); }

// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the operation that wrote what each read saw, by key and value
// (recorder/builder/write_index.h).
#include "config.h"

#include "recorder/builder/building.h"
#include "recorder/builder/first_reads.h"
#include "recorder/builder/write_index.h"

#include "base/memory.h"
#include "base/pick.h"

#include <assert.h>
#include <stdlib.h>

struct reads_resolving {
  const struct write_index *w;
  struct history *h;
  const uint64_t *expected; // by the next operation that reads and writes
  // Per key, the longest list so far: its first element and its length.
  uint32_t *longest, *length;
};

// Most lists begin as the longest one of the key did.
static void resolve_list(const struct reads_resolving *r, uint32_t op) {
  assert(r->h->kind[op] == OP_READ_LIST);
  struct history *h = r->h;
  const uint32_t key = h->key[op], list = h->saw[op];
  const uint32_t first = h->list[list].first, end = history_list_end(h, list);
  const uint32_t before = r->longest[key];
  uint32_t i = first;
  if (first == before)
    i += r->length[key] < end - first ? r->length[key] : end - first;
  for (; i < end && i - first < r->length[key] &&
         h->element_value[i] == h->element_value[before + (i - first)];
       i++)
    h->element[i] = h->element[before + (i - first)];
  for (; i < end; i++)
    h->element[i] =
        write_index_find(r->w, key, h->element_value[i], OP_IS_LIST);
  if (end - first > r->length[key]) {
    r->longest[key] = first;
    r->length[key] = end - first;
  }
}

static void resolve_op(struct reads_resolving *r, uint32_t op) {
  assert(op_reads(r->h->kind[op]));
  struct history *h = r->h;
  const unsigned kind = h->kind[op];
  if (kind == OP_READ_LIST) {
    resolve_list(r, op);
    return;
  }
  const uint64_t saw = op_compares(kind) ? *r->expected++ : h->value[op];
  // The stamp of a row that nobody has written is 0, whatever registers hold.
  if (op_is_row(kind) && saw == VALUE_INITIAL)
    h->saw[op] = SAW_INITIAL;
  else
    h->saw[op] =
        write_index_find(r->w, h->key[op], saw, write_index_sort(kind));
}

// Finds the slots with the same half of the hash and asks for what is in them.
static void ask_writers(const struct write_index *w, const uint64_t *hash,
                        uint32_t n, uint64_t *slot) {
  const struct history *h = w->history;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t at = write_index_first_slot(w, hash[i]);
    while (w->slots[at] && w->slots[at] >> 32 != hash[i] >> 32)
      at = write_index_next_slot(w, at);
    slot[i] = w->slots[at];
    const uint32_t writer = (uint32_t)slot[i] - (slot[i] != 0);
    __builtin_prefetch(&h->value[writer]);
    __builtin_prefetch(&h->key[writer]);
  }
}

// The reads of `first` to `end` that did not see what registers hold at first.
static uint32_t gather_reads(const struct reads_resolving *r, uint32_t first,
                             uint32_t end, uint32_t *ops) {
  struct history *h = r->h;
  uint32_t n = 0;
  for (uint32_t op = first; op < end; op++) {
    const bool initial = (h->kind[op] == OP_READ) & r->w->has_initial &
                         (h->value[op] == r->w->initial);
    h->saw[op] = pick(initial, SAW_INITIAL, h->saw[op]);
    ops[n] = op;
    n += op_reads(h->kind[op]) & !initial;
  }
  return n;
}

static void resolve_all(struct reads_resolving *r) {
  struct history *h = r->h;
  uint32_t ops[WRITES_AT_ONCE];
  uint64_t hash[WRITES_AT_ONCE], slot[WRITES_AT_ONCE];
  for (uint32_t first = 0, end; first < h->nops; first = end) {
    end = write_index_end_of_some(h, first);
    if (patience_ends(r->w->patience, end - first))
      return;
    const uint32_t n = gather_reads(r, first, end, ops);
    write_index_ask_slots(r->w, ops, n, hash);
    ask_writers(r->w, hash, n, slot);
    for (uint32_t i = 0; i < n; i++) {
      const uint32_t op = ops[i];
      if (h->kind[op] == OP_READ && slot[i] &&
          write_index_is(h, slot[i], h->key[op], h->value[op], 0))
        h->saw[op] = (uint32_t)slot[i] - 1;
      else
        resolve_op(r, op);
    }
  }
}

static void resolve_reads(const struct write_index *w, struct history *h,
                          const uint64_t *expected) {
  struct reads_resolving r = {.w = w, .h = h, .expected = expected};
  if (h->lists) {
    r.longest = xcalloc(h->nkeys, sizeof *r.longest);
    r.length = xcalloc(h->nkeys, sizeof *r.length);
  }
  resolve_all(&r);
  free(r.longest);
  free(r.length);
}

// Notes values that compare-and-sets expected and nobody wrote, but for
// nothing.
static void note_cas_expected(struct history *h, const uint64_t *expected) {
  uint32_t room = 0;
  for (uint32_t op = 0; op < h->nops && expected; op++) {
    if (!op_compares(h->kind[op]))
      continue;
    const uint64_t value = *expected++;
    if (h->saw[op] < h->nops || value == VALUE_INITIAL)
      continue;
    ARRAY_RESERVE(h->cas_expected, h->ncas_expected, room);
    h->cas_expected[h->ncas_expected++] = (struct cas_expected){op, value};
  }
}

int builder_resolve(struct builder *b, struct history *h,
                    const uint64_t *expected, struct error *error) {
  struct write_index w = {.patience = &b->patience,
                          .history = h,
                          .has_initial = b->has_initial,
                          .initial = b->initial_value};
  h->element = xcalloc(h->nelements, sizeof *h->element);
  if (b->options.allow_duplicates && (uint64_t)h->nops + h->nkeys > HISTORY_MAX)
    return error_set(error, "too many operations for values that are written "
                            "more than once");
  int status = write_index_fill(&w, b->options.allow_duplicates, error);
  if (status == 0) {
    resolve_reads(&w, h, expected);
    note_cas_expected(h, expected);
    status = builder_is_stopped(b) ? -1 : 0;
  }
  const bool first_reads = b->options.initial == INITIAL_FIRST_READ;
  if (status == 0 && h->member)
    history_see_members(h, first_reads);
  if (status == 0 && first_reads)
    history_take_first_reads(h);
  if (status == 0 && h->member)
    history_name_members(h);
  h->nduplicates = w.nduplicates;
  h->duplicate = w.duplicate;
  h->duplicated = w.duplicated;
  write_index_close(&w);
  if (status == 0 && h->rows)
    history_drop_row_values(h);
  return status;
}

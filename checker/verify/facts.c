// SPDX-License-Identifier: GPL-3.0-or-later
// Rules out the writes that a read cannot have seen (checker/verify/facts.h).
// Shares no code with the engine.
#include "config.h"

#include "checker/verify/facts.h"

#include "base/memory.h"
#include "base/sort.h"
#include "checker/verify/levels.h"
#include "checker/verify/verify.h"

#include <assert.h>
#include <stdlib.h>

// A write by a transaction that committed, with times.
struct dated {
  uint64_t begin, end;
};

struct facts {
  const struct history *h;
  const struct check_options *options;
  // Where real time counts, else NULL: those of each key by end; `begin` is the
  // latest of those of the key up to here.
  struct dated *dated;
  uint32_t *first; // per key
};

static bool is_dated(const struct history *h, uint32_t t) {
  assert(t < h->ntxns);
  return h->outcome[t] == OUTCOME_OK && h->begin && h->end &&
         h->begin[t] != TIME_UNKNOWN && h->end[t] != TIME_UNKNOWN;
}

static int by_end(const void *a, const void *b) {
  const struct dated *x = a, *y = b;
  return (x->end > y->end) - (x->end < y->end);
}

// Puts them into their keys, so that first[key + 1] is the end of each.
static void deal_out(struct facts *f, struct patience *patience) {
  const struct history *h = f->h;
  for (uint32_t t = 0; t < h->ntxns && !stops_at(h, t, patience); t++)
    for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
      if (op_writes(h->kind[op]) && is_dated(h, t))
        f->dated[f->first[h->key[op] + 1]++] =
            (struct dated){h->begin[t], h->end[t]};
}

static void sort_key(const struct facts *f, uint32_t key,
                     struct patience *patience) {
  struct dated *dated = f->dated + f->first[key];
  const uint32_t n = f->first[key + 1] - f->first[key];
  sort_patiently(dated, n, sizeof *dated, by_end, patience);
  for (uint32_t i = 1; i < n; i++)
    if (dated[i].begin < dated[i - 1].begin)
      dated[i].begin = dated[i - 1].begin;
}

// Takes long, and so is left once the patience ends.
static void date_writes(struct facts *f, struct patience *patience) {
  const struct history *h = f->h;
  f->dated = xmalloc(h->nops * sizeof *f->dated);
  f->first = xcalloc((size_t)h->nkeys + 2, sizeof *f->first);
  for (uint32_t t = 0; t < h->ntxns && !stops_at(h, t, patience); t++)
    for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
      f->first[h->key[op] + 2] += op_writes(h->kind[op]) && is_dated(h, t);
  for (uint32_t key = 0; key < h->nkeys; key++)
    f->first[key + 2] += f->first[key + 1];
  if (!patience->ended)
    deal_out(f, patience);
  for (uint32_t key = 0; key < h->nkeys && !patience->ended; key++)
    sort_key(f, key, patience);
}

// Had a write of the key begun after `after`, and ended before `before`?
static bool lies_between(const struct facts *f, uint32_t key, bool from_start,
                         uint64_t after, uint64_t before) {
  assert(key < f->h->nkeys);
  uint32_t low = f->first[key], high = f->first[key + 1];
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (f->dated[middle].end < before)
      low = middle + 1;
    else
      high = middle;
  }
  return low > f->first[key] && (from_start || f->dated[low - 1].begin > after);
}

static bool is_out_of_time(const struct facts *f, uint32_t reader, uint32_t key,
                           uint32_t writer) {
  const struct history *h = f->h;
  if (!f->dated || !is_dated(h, reader))
    return false;
  if (writer == SAW_INITIAL)
    return lies_between(f, key, true, 0, h->begin[reader]);
  const uint32_t t = history_txn(h, writer);
  if (t == reader)
    return false;
  if (h->begin[t] != TIME_UNKNOWN && h->begin[t] > h->end[reader])
    return true;
  return is_dated(h, t) &&
         lies_between(f, key, false, h->end[t], h->begin[reader]);
}

// The last write to the key among the operations `first` to `end`; `end` if
// there is none.
static uint32_t last_write(const struct history *h, uint32_t first,
                           uint32_t end, uint32_t key) {
  assert(first <= end);
  for (uint32_t op = end; op-- > first;)
    if (op_writes(h->kind[op]) && h->key[op] == key)
      return op;
  return end;
}

struct facts *facts_open(const struct history *history,
                         const struct check_options *options,
                         struct patience *patience) {
  struct facts *f = xcalloc(1, sizeof *f);
  *f = (struct facts){.h = history, .options = options};
  if (!options->recorded && !proves_nothing(options->level) &&
      !must_see_earlier_reads(options->level) &&
      (must_keep_real_time(options->level) || options->real_time))
    date_writes(f, patience);
  return f;
}

void facts_close(struct facts *facts) {
  if (facts) {
    free(facts->dated);
    free(facts->first);
  }
  free(facts);
}

bool facts_rule_out(const struct facts *f, uint32_t place, uint32_t writer) {
  const struct history *h = f->h;
  if (place >= h->nops) // of a list
    return false;
  const uint32_t t = history_txn(h, place), key = h->key[place];
  if (h->outcome[t] == OUTCOME_ABORTED ||
      (f->options->recorded && proves_nothing((enum isolation)h->level[t])))
    return false;
  const uint32_t own = last_write(h, h->txn_first[t], place, key);
  if (own != place)
    return writer != own;
  if (writer == SAW_INITIAL)
    return is_out_of_time(f, t, key, writer);
  const uint32_t w = history_txn(h, writer);
  if (w == t)
    return writer >= place;
  const uint32_t end = h->txn_first[w + 1];
  return h->outcome[w] == OUTCOME_ABORTED ||
         last_write(h, h->txn_first[w], end, key) != writer ||
         is_out_of_time(f, t, key, writer);
}

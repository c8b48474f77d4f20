// SPDX-License-Identifier: GPL-3.0-or-later
// Finds where a violation begins (cli/jobs/first_violation.h) by checking
// beginnings of the history: longer and longer ones until one is broken, then
// by bisection.  Most of them are short, so this is less work than checking the
// whole history was.
#include "config.h"

#include "cli/jobs/first_violation.h"

#include "base/memory.h"
#include "checker/part/subhistory.h"
#include "cli/process/signals.h"

#include <assert.h>
#include <stdlib.h>

enum { FIRST_LENGTH = 64, GROWTH = 4, EXACT_UP_TO = 4096, PRECISION = 32 };

struct violation_search {
  const struct history *history;
  const struct verdict *verdict; // of all of it
  uint64_t *ends;                // of the committed transactions, ascending
  uint64_t count;
};

static int by_txn_number(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static void collect_ends(struct violation_search *search) {
  const struct history *h = search->history;
  search->ends = xcalloc(h->ntxns, sizeof *search->ends);
  for (uint32_t t = 0; t < h->ntxns; t++)
    if (h->outcome[t] == OUTCOME_OK)
      search->ends[search->count++] = h->end[t];
  qsort(search->ends, search->count, sizeof *search->ends, by_txn_number);
}

// All that ended up to `time`, as far as it stands alone.
static void extract_until(const struct history *whole, uint64_t time,
                          struct history *part) {
  struct operations ops = {0};
  for (uint32_t t = 0; t < whole->ntxns; t++)
    for (uint32_t op = whole->txn_first[t];
         whole->end[t] <= time && op < whole->txn_first[t + 1]; op++) {
      ARRAY_RESERVE(ops.op, ops.count, ops.room);
      ops.op[ops.count++] = op;
    }
  subhistory_close(whole, &ops);
  subhistory_extract(whole, &ops, part, NULL);
  free(ops.op);
}

static int check_until(const struct violation_search *search, uint64_t time,
                       bool *broken, struct error *error) {
  const struct check_options options = {
      .question = search->verdict->question,
  };
  struct history part;
  struct verdict verdict;
  extract_until(search->history, time, &part);
  const int failed = check(&part, &options, &verdict, error);
  if (!failed) {
    *broken = verdict.kind == VERDICT_VIOLATION;
    verdict_free(&verdict);
  }
  history_free(&part);
  return failed;
}

// The end of the operations that the verdict rests on.
static uint64_t end_of_part(const struct history *h, const struct verdict *v) {
  uint64_t end = 0;
  for (uint32_t i = 0; i < v->npart; i++) {
    const uint32_t t = history_txn(h, v->part[i]);
    if (h->end[t] > end)
      end = h->end[t];
  }
  return end;
}

// How many had committed when the first violation that is told was complete.
static uint64_t count_until_told(const struct violation_search *search) {
  const struct verdict *verdict = search->verdict;
  uint64_t earliest = end_of_part(search->history, verdict), n = 0;
  for (uint32_t i = 0; i < verdict->nothers; i++) {
    const uint64_t end = end_of_part(search->history, &verdict->others[i]);
    earliest = end < earliest ? end : earliest;
  }
  while (n < search->count && search->ends[n] <= earliest)
    n++;
  return n;
}

static bool is_precise(uint64_t low, uint64_t high) {
  return high - low <= (high <= EXACT_UP_TO ? 1 : high / PRECISION);
}

// The `high` first ones break it, and the `low` first ones, so far, do not.
static int narrow_search(const struct violation_search *search, uint64_t *high,
                         struct error *error) {
  uint64_t low = 0, next = FIRST_LENGTH;
  bool growing = true;
  while (!is_precise(low, *high) && !*signals_stop()) {
    bool broken;
    growing &= next < *high;
    if (!growing)
      next = low + (*high - low) / 2;
    if (check_until(search, search->ends[next - 1], &broken, error))
      return -1;
    growing &= !broken;
    *(broken ? high : &low) = next;
    next *= GROWTH;
  }
  return 0;
}

int first_violation_find(const struct history *history,
                         const struct verdict *verdict,
                         struct first_violation *first, struct error *error) {
  struct violation_search search = {.history = history, .verdict = verdict};
  assert(verdict->kind == VERDICT_VIOLATION && history->end);
  collect_ends(&search);
  uint64_t high = count_until_told(&search);
  const int failed = history->rows ? 0 : narrow_search(&search, &high, error);
  *first = (struct first_violation){high, high ? search.ends[high - 1] : 0};
  free(search.ends);
  return failed;
}

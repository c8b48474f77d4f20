// SPDX-License-Identifier: GPL-3.0-or-later
// The axiom of CC for many transactions at once (checker/verify/weak.h): the
// replay is over, so every write that others may see has its place.  It is
// known of every transaction what it had observed of every session, some
// sessions at a time so that this does not take more memory than the history
// itself.
#include "config.h"

#include "checker/verify/weak.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 32 }; // of clocks that are kept at once, each of a session

struct judging {
  struct axioms *a;
  // Per transaction and column from `first_column` on, 1 + the last
  // transaction of a session that was observed, or that it is itself.
  uint32_t *clock, first_column;
  // One of unknown outcome leads nothing behind it in its session, and no clock
  // says who observed it, unless it is the last one there.  Per transaction:
  // its row in `readers`, or UINT32_MAX; per row and column: the first of a
  // session that read from it, directly or through others that have rows.
  uint32_t *row, *readers;
};

static uint32_t *clock_of(const struct judging *j, uint32_t t) {
  assert(j->clock);
  return j->clock + (size_t)t * COLUMNS;
}

static uint32_t *readers_of(const struct judging *j, uint32_t t) {
  assert(j->row[t] != UINT32_MAX);
  return j->readers + (size_t)j->row[t] * COLUMNS;
}

// COLUMNS or more if its session is not at hand.
static uint32_t column_of(const struct judging *j, uint32_t t) {
  return j->a->session_of[t] - j->first_column;
}

static bool observed_a_reader(const struct judging *j, uint32_t t,
                              uint32_t other) {
  const uint32_t *clock = clock_of(j, t), *first = readers_of(j, other);
  bool observed = j->a->met[other] == j->a->search;
  for (int i = 0; i < COLUMNS; i++)
    observed |= clock[i] > first[i];
  return observed;
}

static bool has_observed(const struct judging *j, uint32_t t, uint32_t other) {
  if (!j->clock)
    return j->a->met[other] == j->a->search;
  if (j->row[other] != UINT32_MAX)
    return observed_a_reader(j, t, other);
  const uint32_t column = column_of(j, other);
  return column < COLUMNS && clock_of(j, t)[column] > other;
}

// Who observed a transaction before, or one that comes after it in its session,
// observes nothing new.
static void join(struct judging *j, uint32_t t, uint32_t past) {
  assert(t != past);
  uint32_t *clock = clock_of(j, t);
  const uint32_t *other = clock_of(j, past), column = column_of(j, past);
  if (j->row[past] == UINT32_MAX && column < COLUMNS && clock[column] > past)
    return;
  for (int i = 0; i < COLUMNS; i++)
    clock[i] = other[i] > clock[i] ? other[i] : clock[i];
}

// In the order, whose transactions come after all they observed.
static void set_clocks(struct judging *j) {
  struct axioms *a = j->a;
  const struct history *h = a->h;
  for (uint32_t i = 0; i < a->verdict->norder; i++) {
    const uint32_t t = a->verdict->order[i], column = column_of(j, t);
    if (axioms_are_stopped(a, t))
      return;
    memset(clock_of(j, t), 0, COLUMNS * sizeof *j->clock);
    if (a->previous[t] != UINT32_MAX)
      join(j, t, a->previous[t]);
    for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
      const struct observed_writes seen = axioms_observed(a, t, op);
      for (uint32_t k = 0; k < seen.count; k++)
        if (a->txn_of[seen.write[k]] != t)
          join(j, t, a->txn_of[seen.write[k]]);
    }
    if (j->row[t] == UINT32_MAX && column < COLUMNS)
      clock_of(j, t)[column] = t + 1;
  }
}

// The other has a row, and t read from it.
static void note_reader(struct judging *j, uint32_t t, uint32_t other) {
  assert(j->row[other] != UINT32_MAX);
  uint32_t *first = readers_of(j, other);
  const uint32_t column = column_of(j, t);
  if (j->row[t] != UINT32_MAX) {
    const uint32_t *through = readers_of(j, t);
    for (int i = 0; i < COLUMNS; i++)
      first[i] = through[i] < first[i] ? through[i] : first[i];
  } else if (column < COLUMNS && t < first[column]) {
    first[column] = t;
  }
}

// Backwards in the order, where those who read come first.
static void set_readers(struct judging *j, uint32_t nrows) {
  struct axioms *a = j->a;
  memset(j->readers, 0xff, (size_t)nrows * COLUMNS * sizeof *j->readers);
  for (uint32_t i = nrows ? a->verdict->norder : 0; i-- > 0;) {
    const uint32_t t = a->verdict->order[i];
    if (axioms_are_stopped(a, t))
      return;
    for (uint32_t op = a->h->txn_first[t]; op < a->h->txn_first[t + 1]; op++) {
      const struct observed_writes seen = axioms_observed(a, t, op);
      for (uint32_t k = 0; k < seen.count; k++) {
        const uint32_t writer = a->txn_of[seen.write[k]];
        if (writer != t && j->row[writer] != UINT32_MAX)
          note_reader(j, t, writer);
      }
    }
  }
}

static void meet_writers(struct judging *j, uint32_t t, uint32_t op,
                         uint32_t *n) {
  struct axioms *a = j->a;
  const struct observed_writes seen = axioms_observed(a, t, op);
  for (uint32_t k = 0; k < seen.count; k++) {
    const uint32_t writer = a->txn_of[seen.write[k]];
    if (writer == t || j->row[writer] == UINT32_MAX ||
        a->met[writer] == a->search)
      continue;
    a->met[writer] = a->search;
    a->queue[(*n)++] = writer;
  }
}

// Marks those with rows that t, which has one, read from, directly or through
// others that have; no member of a session need have.
static void search_rows(struct judging *j, uint32_t t) {
  assert(j->row[t] != UINT32_MAX);
  struct axioms *a = j->a;
  uint32_t n = 0;
  a->queue[n++] = t;
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t at = a->queue[i];
    if (axioms_are_stopped(a, at))
      return;
    for (uint32_t op = a->h->txn_first[at]; op < a->h->txn_first[at + 1]; op++)
      meet_writers(j, at, op, &n);
  }
}

// No writer of the key between what was read and the reader was observed.
static int judge_causally(struct judging *j, uint32_t t) {
  struct axioms *a = j->a;
  const struct history *h = a->h;
  if (axioms_are_stopped(a, t))
    return -1;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
    const uint32_t key = h->key[op];
    uint32_t write = axioms_external(a, t, op)
                         ? axioms_next(a, key, axioms_seen(a, t, op))
                         : SAW_INITIAL;
    for (; write != SAW_INITIAL && axioms_place(a, write) < a->place[t];
         write = axioms_next(a, key, write))
      if (patience_ends(&a->patience, 1))
        return -1;
      else if (has_observed(j, t, a->txn_of[write]))
        return axioms_refuse(a, op, "missed a write in its causal past");
    if (op_writes(h->kind[op]))
      a->key[key].own = op;
  }
  return 0;
}

// Returns how many there are.
static uint32_t set_rows(struct judging *j) {
  const struct history *h = j->a->h;
  uint32_t nrows = 0;
  j->row = xmalloc(h->ntxns * sizeof *j->row);
  for (uint32_t t = 0; t < h->ntxns; t++) {
    const uint32_t end = h->session_first[j->a->session_of[t] + 1];
    const bool apart =
        j->a->counted[t] && h->outcome[t] != OUTCOME_OK && t + 1 < end;
    j->row[t] = apart ? nrows++ : UINT32_MAX;
  }
  return nrows;
}

static int judge_by_clocks(struct judging *j, uint32_t t) {
  assert(j->clock && j->readers);
  axioms_begin_search(j->a);
  if (j->row[t] != UINT32_MAX)
    search_rows(j, t);
  return judge_causally(j, t);
}

static int judge_all_by_clocks(struct judging *j) {
  const struct history *h = j->a->h;
  const uint32_t nrows = set_rows(j);
  const size_t width = COLUMNS * sizeof *j->clock;
  int result = 0;
  j->clock = xmalloc(h->ntxns * width);
  j->readers = xmalloc(nrows * width);
  for (; j->first_column < h->nsessions && !result;
       j->first_column += COLUMNS) {
    set_clocks(j);
    set_readers(j, nrows);
    for (uint32_t t = 0; t < h->ntxns && !result; t++)
      if (j->a->doubtful[t])
        result = judge_by_clocks(j, t);
  }
  free(j->clock);
  free(j->readers);
  free(j->row);
  return result;
}

// Without session order every transaction would be a session of its own: the
// past of each is searched.
static int judge_all_by_search(struct judging *j) {
  const struct history *h = j->a->h;
  int result = 0;
  for (uint32_t t = 0; t < h->ntxns && !result; t++) {
    if (!j->a->doubtful[t])
      continue;
    j->a->effort = UINT64_MAX;
    axioms_search_past(j->a, t, 0);
    result = judge_causally(j, t);
  }
  return result;
}

int axioms_judge(struct axioms *a) {
  assert(a->place);
  struct judging j = {.a = a};
  return a->options->session_order ? judge_all_by_clocks(&j)
                                   : judge_all_by_search(&j);
}

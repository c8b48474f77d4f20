// SPDX-License-Identifier: GPL-3.0-or-later
// The axiom of CC for many transactions at once (checker/verify/weak.h).  The
// execution is over, so every write that others may see has its place, and the
// axiom says: the newest write of a key, by the order, that a transaction had
// observed is the one that it saw.
//
// The order is gone through for some keys at a time, so that this does not take
// more memory than the history itself.  What is newest of a key is handed on by
// session order and reads.  A key matters from the first write that some read
// in doubt may have missed up to the last such read; keys that matter at
// different times share a column.
#include "config.h"

#include "checker/verify/weak.h"

#include "base/ids.h"
#include "base/memory.h"
#include "base/pick.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 64 }; // that are gone through at once

// When a key matters, and where: places in the order.
struct matter {
  uint32_t first, last;  // none: the first is after the last
  uint32_t column;       // UINT32_MAX: it never does
  uint32_t starts, ends; // the next key that starts, or ends, at that place
};

struct causal_judging {
  struct axioms *a;
  struct matter *matter; // per key
  // Per transaction: if it is in the past of such in doubt, the first place
  // (from 1) of a write that they may have missed; or UINT32_MAX.
  uint32_t *from;
  uint32_t ncolumns;
  uint32_t first_column; // of those at hand
  // Per place (from 0) and column: the place of the newest write that the
  // transaction had observed, its own included once it is judged.
  uint32_t *newest;
  // Per session: who observed one of its transactions last, and which.
  uint32_t *observer, *observed;
};

// The write that comes after what the read saw, or SAW_INITIAL.  As long as the
// operations of t are gone through in their order.
static uint32_t first_missed(const struct axioms *a, uint32_t t, uint32_t op) {
  return axioms_external(a, t, op)
             ? axioms_next(a, a->h->key[op], axioms_seen(a, t, op))
             : SAW_INITIAL;
}

static void note_own_writes(struct axioms *a, uint32_t op) {
  if (op_writes(a->h->kind[op]))
    a->key[a->h->key[op]].own = op;
}

// --- Which keys matter when.

static void find_reads_in_doubt(struct causal_judging *j, uint32_t t) {
  struct axioms *a = j->a;
  for (uint32_t op = a->h->txn_first[t]; op < a->h->txn_first[t + 1]; op++) {
    const uint32_t missed = first_missed(a, t, op);
    const uint32_t place = axioms_place(a, missed);
    struct matter *m = &j->matter[a->h->key[op]];
    if (place && place < a->place[t]) {
      m->first = place < m->first ? place : m->first;
      m->last = a->place[t] > m->last ? a->place[t] : m->last;
      j->from[t] = place < j->from[t] ? place : j->from[t];
    }
    note_own_writes(a, op);
  }
}

static void give_columns(struct causal_judging *j) {
  const uint32_t nkeys = j->a->h->nkeys, nplaces = j->a->verdict->norder + 1;
  uint32_t *starts = ids_none(nplaces), *ends = ids_none(nplaces);
  struct ids left = {0}; // columns of keys that do not matter any more
  for (uint32_t key = 0; key < nkeys; key++) {
    struct matter *m = &j->matter[key];
    if (m->first > m->last)
      continue;
    m->starts = starts[m->first];
    starts[m->first] = key;
    assert(m->last < nplaces);
    m->ends = ends[m->last];
    ends[m->last] = key;
  }
  for (uint32_t place = 0; place < nplaces; place++) {
    for (uint32_t k = starts[place]; k != UINT32_MAX; k = j->matter[k].starts)
      j->matter[k].column =
          left.count ? left.items[--left.count] : j->ncolumns++;
    for (uint32_t k = ends[place]; k != UINT32_MAX; k = j->matter[k].ends)
      ids_add(&left, j->matter[k].column);
  }
  FREE_EACH(left.items, starts, ends);
}

static void lead_from(struct causal_judging *j, uint32_t before,
                      uint32_t from) {
  assert(before < j->a->h->ntxns && from > 0);
  if (j->a->place[before] >= from && j->from[before] > from)
    j->from[before] = from;
}

// Whose observations matter: only writes are looked for that come no earlier
// than those that a read in doubt may have missed.
static void find_past(struct causal_judging *j) {
  struct axioms *a = j->a;
  for (uint32_t i = a->verdict->norder; i-- > 0;) {
    const uint32_t t = a->verdict->order[i], from = j->from[t];
    if (from == UINT32_MAX)
      continue;
    if (stops_at(a->h, t, &a->patience))
      return;
    if (a->previous[t] != UINT32_MAX)
      lead_from(j, a->previous[t], from);
    for (uint32_t op = a->h->txn_first[t]; op < a->h->txn_first[t + 1]; op++) {
      const struct listed seen = axioms_observed(a, t, op);
      for (const uint32_t *write = seen.first; write < seen.end; write++)
        lead_from(j, a->txn_of[*write], from);
    }
  }
}

static void find_matters(struct causal_judging *j) {
  const struct history *h = j->a->h;
  j->from = ids_none(h->ntxns);
  j->matter = xmalloc(h->nkeys * sizeof *j->matter);
  for (uint32_t key = 0; key < h->nkeys; key++)
    j->matter[key] = (struct matter){.first = UINT32_MAX, .column = UINT32_MAX};
  for (uint32_t t = 0; t < h->ntxns && !stops_at(j->a->h, t, &j->a->patience);
       t++)
    if (j->a->doubtful[t])
      find_reads_in_doubt(j, t);
  find_past(j);
  give_columns(j);
}

// --- Going through the order.

static uint32_t *newest_at(const struct causal_judging *j, uint32_t place) {
  return j->newest + (size_t)place * COLUMNS;
}

// The observations of t come before its place, which is counted from 0.  Who
// observes one of a session's transactions observes those that committed in
// this session before it.
static void hand_on_observed(const struct causal_judging *j, uint32_t place,
                             uint32_t t, uint32_t before) {
  const struct axioms *a = j->a;
  const uint32_t other = a->place[before] - 1; // UINT32_MAX: has none
  const uint32_t session = a->session_of[before];
  if (other >= place || j->from[before] == UINT32_MAX ||
      (j->observer[session] == t && before <= j->observed[session] &&
       a->h->outcome[before] == OUTCOME_OK &&
       a->options->question.session_order))
    return;
  j->observer[session] = t;
  j->observed[session] = before;
  pick_larger(newest_at(j, place), newest_at(j, other), COLUMNS);
}

static void observe_past(const struct causal_judging *j, uint32_t place,
                         uint32_t t) {
  const struct axioms *a = j->a;
  assert(place < a->verdict->norder && a->place[t] == place + 1);
  memset(newest_at(j, place), 0, COLUMNS * sizeof *j->newest);
  if (a->previous[t] != UINT32_MAX)
    hand_on_observed(j, place, t, a->previous[t]);
  for (uint32_t op = a->h->txn_first[t]; op < a->h->txn_first[t + 1]; op++) {
    const struct listed seen = axioms_observed(a, t, op);
    for (const uint32_t *write = seen.end; write > seen.first;)
      hand_on_observed(j, place, t,
                       a->txn_of[*--write]); // mostly the latest one first
  }
}

// COLUMNS or more if the key is not at hand.
static uint32_t column_of_key(const struct causal_judging *j, uint32_t op) {
  return j->matter[j->a->h->key[op]].column - j->first_column;
}

// An entry that another key left in the column comes before all that this one's
// reads may have missed.
static int judge_causal_reads(const struct causal_judging *j, uint32_t place,
                              uint32_t t) {
  struct axioms *a = j->a;
  const uint32_t *newest = newest_at(j, place);
  for (uint32_t op = a->h->txn_first[t]; op < a->h->txn_first[t + 1]; op++) {
    const uint32_t missed = axioms_place(a, first_missed(a, t, op));
    const uint32_t column = column_of_key(j, op);
    if (missed && column < COLUMNS && newest[column] >= missed)
      return axioms_refuse(a, op, "missed a write in its causal past");
    note_own_writes(a, op);
  }
  return 0;
}

static void add_own_writes(const struct causal_judging *j, uint32_t place,
                           uint32_t t) {
  const struct axioms *a = j->a;
  for (uint32_t op = a->h->txn_first[t]; op < a->h->txn_first[t + 1]; op++) {
    const struct matter *m = &j->matter[a->h->key[op]];
    if (op_writes(a->h->kind[op]) && column_of_key(j, op) < COLUMNS &&
        m->first <= place + 1 && place + 1 <= m->last)
      newest_at(j, place)[column_of_key(j, op)] = place + 1;
  }
}

static int judge_columns(struct causal_judging *j) {
  struct axioms *a = j->a;
  int result = 0;
  memset(j->observer, 0xff, a->h->nsessions * sizeof *j->observer);
  for (uint32_t i = 0; i < a->verdict->norder && !result; i++) {
    const uint32_t t = a->verdict->order[i];
    if (j->from[t] == UINT32_MAX)
      continue;
    if (stops_at(a->h, t, &a->patience))
      return -1;
    observe_past(j, i, t);
    if (a->doubtful[t])
      result = judge_causal_reads(j, i, t);
    add_own_writes(j, i, t);
  }
  return result;
}

int axioms_judge(struct axioms *a) {
  struct causal_judging j = {.a = a};
  int result = 0;
  axioms_index(a);
  j.newest = xmalloc((size_t)a->verdict->norder * COLUMNS * sizeof *j.newest);
  j.observer = xmalloc(a->h->nsessions * sizeof *j.observer);
  j.observed = xmalloc(a->h->nsessions * sizeof *j.observed);
  find_matters(&j);
  for (; j.first_column < j.ncolumns && !result; j.first_column += COLUMNS)
    result = judge_columns(&j);
  FREE_EACH(j.newest, j.from, j.matter, j.observer, j.observed);
  return result;
}

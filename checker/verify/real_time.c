// SPDX-License-Identifier: GPL-3.0-or-later
// Checks a commit order in real time, where that counts as session order does,
// at RA and CC (checker/verify/weak.h): what ended before a transaction began,
// and at CC what had led to that, is not to be missed by its reads.
//
// At CC the latest begin of those that led to a transaction, and the earliest
// end of those that it led to, are handed on over sessions and reads: along the
// order and back, in which real time is kept.  Then a transaction led to
// another over real time if the earliest end comes before the latest begin.
#include "config.h"

#include "checker/verify/weak.h"

#include "base/ids.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct timing {
  struct axioms *a;
  // Own begin and end, and [1] the latest and earliest handed on, for CC; per
  // transaction.
  uint64_t *begin[2], *end[2];
  // From the end of the order up to here, per key: the earliest end of those
  // that wrote it; and of two transactions, so that one's own can be left out.
  struct first_end {
    uint64_t end, second;
    uint32_t writer;
  } * first_end[2];
  uint32_t *missed; // per operation: the next read of the same version, which
                    // is judged where the writer of that version is passed
  uint32_t *reads; // per version (of a key's initial one at nops + key): a read
};

// --- What is handed on.

static void hand_on_ended(const struct timing *w, uint32_t t, uint32_t before,
                          bool forward) {
  uint64_t *begin = w->begin[1], *end = w->end[1];
  if (forward && begin[before] > begin[t])
    begin[t] = begin[before];
  if (!forward && end[t] < end[before])
    end[before] = end[t];
}

static void hand_on_to(struct timing *w, uint32_t t, bool forward) {
  struct axioms *a = w->a;
  if (stops_at(a->h, t, &a->patience))
    return;
  if (a->previous[t] != UINT32_MAX)
    hand_on_ended(w, t, a->previous[t], forward);
  for (uint32_t op = a->h->txn_first[t]; op < a->h->txn_first[t + 1]; op++) {
    const struct listed seen = axioms_observed(a, t, op);
    if (patience_ends(&a->patience, listed_count(seen)))
      return;
    for (const uint32_t *write = seen.first; write < seen.end; write++)
      hand_on_ended(w, t, a->txn_of[*write], forward);
  }
}

static void set_times(struct timing *w) {
  const struct history *h = w->a->h;
  const struct verdict *v = w->a->verdict;
  assert(w->a->txn_of && w->a->previous);
  for (int causal = 0; causal < 2; causal++)
    for (uint32_t t = 0; t < h->ntxns; t++) {
      w->begin[causal][t] = history_began(h, t);
      w->end[causal][t] = history_ended(h, t);
    }
  for (uint32_t i = 0; i < v->norder; i++)
    hand_on_to(w, v->order[i], true);
  for (uint32_t i = v->norder; i-- > 0;)
    hand_on_to(w, v->order[i], false);
}

// --- The reads.

static void list_reads(struct timing *w, uint32_t t) {
  struct axioms *a = w->a;
  const struct history *h = a->h;
  const enum isolation level = binding_level(h, a->options, t);
  if (stops_at(h, t, &a->patience) ||
      (!must_see_reads_and_session(level) && !must_see_causes(level)))
    return;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
    if (!op_reads(h->kind[op]))
      continue;
    const uint32_t saw = axioms_seen(a, t, op);
    if (saw < h->nops && a->txn_of[saw] == t)
      continue;
    const uint32_t version = saw < h->nops ? saw : h->nops + h->key[op];
    w->missed[op] = w->reads[version];
    w->reads[version] = op;
  }
}

// Did one that wrote the key later in the order lead to the reader?
static bool missed_a_write(const struct timing *w, uint32_t op) {
  const struct axioms *a = w->a;
  assert(op < a->h->nops);
  const uint32_t t = a->txn_of[op];
  const bool causal = must_see_causes(binding_level(a->h, a->options, t));
  const struct first_end *first = &w->first_end[causal][a->h->key[op]];
  const uint64_t end = first->writer == t ? first->second : first->end;
  return end < w->begin[causal][t];
}

static int judge_reads_of(struct timing *w, uint32_t version) {
  for (uint32_t op = w->reads[version]; op != UINT32_MAX; op = w->missed[op])
    if (patience_ends(&w->a->patience, 1))
      return -1;
    else if (missed_a_write(w, op))
      return error_set(w->a->error,
                       "the order that was found is wrong: operation %u missed "
                       "a write that had ended before",
                       op);
  return 0;
}

static void note_end(struct first_end *first, uint32_t t, uint64_t end) {
  if (first->writer == t)
    return;
  if (end < first->end) {
    first->second = first->end;
    first->end = end;
    first->writer = t;
  } else if (end < first->second) {
    first->second = end;
  }
}

// Backwards: a version's reads are judged where all later writers are known.
static int judge_timed_reads(struct timing *w) {
  const struct history *h = w->a->h;
  const struct verdict *v = w->a->verdict;
  int result = 0;
  for (uint32_t i = v->norder; i-- > 0 && !result;) {
    const uint32_t t = v->order[i];
    if (stops_at(h, t, &w->a->patience))
      return -1;
    for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1] && !result;
         op++)
      if (op_writes(h->kind[op]))
        result = judge_reads_of(w, op);
    for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
      for (int causal = 0; op_writes(h->kind[op]) && causal < 2; causal++)
        note_end(&w->first_end[causal][h->key[op]], t, w->end[causal][t]);
  }
  for (uint32_t key = 0; key < h->nkeys && !result; key++)
    result = judge_reads_of(w, h->nops + key);
  return result;
}

int axioms_judge_times(struct axioms *a) {
  const struct history *h = a->h;
  struct timing w = {.a = a,
                     .missed = xmalloc(h->nops * sizeof *w.missed),
                     .reads = ids_none((size_t)h->nops + h->nkeys)};
  for (int causal = 0; causal < 2; causal++) {
    w.begin[causal] = xmalloc(h->ntxns * sizeof *w.begin[causal]);
    w.end[causal] = xmalloc(h->ntxns * sizeof *w.end[causal]);
    w.first_end[causal] = xmalloc(h->nkeys * sizeof *w.first_end[causal]);
    for (uint32_t key = 0; key < h->nkeys; key++)
      w.first_end[causal][key] =
          (struct first_end){TIME_UNKNOWN, TIME_UNKNOWN, UINT32_MAX};
  }
  axioms_index(a);
  set_times(&w);
  for (uint32_t i = 0; i < a->verdict->norder; i++)
    list_reads(&w, a->verdict->order[i]);
  const int result = a->patience.ended ? -1 : judge_timed_reads(&w);
  FREE_EACH(w.missed, w.reads, w.begin[0], w.begin[1], w.end[0], w.end[1],
            w.first_end[0], w.first_end[1]);
  return result;
}

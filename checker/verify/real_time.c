// SPDX-License-Identifier: GPL-3.0-or-later
// Checks a commit order in real time, where that counts as session order does,
// at RA and CC: what ended before a transaction began, and at CC what had led
// to that, is not to be missed by its reads.  Shares no code with the engine
// (checker/verify/verify.h).
//
// At CC the latest begin of those that led to a transaction, and the earliest
// end of those that it led to, are handed on over sessions and reads: along the
// order and back, in which real time is kept.  Then a transaction led to
// another over real time if the earliest end comes before the latest begin.
#include "config.h"

#include "checker/verify/levels.h"
#include "checker/verify/verify.h"

#include "base/ids.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct timing {
  const struct history *h;
  const struct check_options *options;
  const struct verdict *verdict;
  struct patience patience;
  uint32_t *txn_of;   // per operation
  uint32_t *previous; // session_leaders

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

// The write of another transaction that was seen; UINT32_MAX for the initial
// value or one of its own.
static uint32_t write_seen(const struct timing *w, uint32_t op) {
  const struct history *h = w->h;
  uint32_t saw = h->saw[op];
  if (h->kind[op] == OP_READ_LIST) {
    const struct listed list = listed_of_others(h, w->txn_of[op], op);
    saw = list.end > list.first ? list.end[-1] : UINT32_MAX;
  }
  return saw < h->nops && w->txn_of[saw] != w->txn_of[op] ? saw : UINT32_MAX;
}

static bool sees_an_own_write(const struct timing *w, uint32_t op) {
  const uint32_t saw = w->h->saw[op];
  return w->h->kind[op] != OP_READ_LIST && saw < w->h->nops &&
         w->txn_of[saw] == w->txn_of[op];
}

// --- What is handed on.

static void hand_on(const struct timing *w, uint32_t t, uint32_t before,
                    bool forward) {
  uint64_t *begin = w->begin[1], *end = w->end[1];
  if (forward && begin[before] > begin[t])
    begin[t] = begin[before];
  if (!forward && end[t] < end[before])
    end[before] = end[t];
}

static void hand_on_to_appenders(struct timing *w, uint32_t t, uint32_t list,
                                 bool forward) {
  assert(list < w->h->nlists);
  const struct history *h = w->h;
  if (patience_ends(&w->patience, h->list[list].count))
    return;
  for (uint32_t i = h->list[list].first; i < history_list_end(h, list); i++)
    if (w->txn_of[h->element[i]] != t)
      hand_on(w, t, w->txn_of[h->element[i]], forward);
}

static void hand_on_to(struct timing *w, uint32_t t, bool forward) {
  const struct history *h = w->h;
  if (stops_at(w->h, t, &w->patience))
    return;
  if (w->previous[t] != UINT32_MAX)
    hand_on(w, t, w->previous[t], forward);
  if (proves_nothing(binding_level(w->h, w->options, t)))
    return;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
    if (h->kind[op] == OP_READ_LIST)
      hand_on_to_appenders(w, t, h->saw[op], forward);
    else if (op_reads(h->kind[op]) && write_seen(w, op) != UINT32_MAX)
      hand_on(w, t, w->txn_of[write_seen(w, op)], forward);
  }
}

static void set_times(struct timing *w) {
  const struct history *h = w->h;
  for (uint32_t t = 0; t < h->ntxns && !stops_at(w->h, t, &w->patience); t++) {
    for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
      w->txn_of[op] = t;
    w->begin[0][t] = history_began(h, t);
    w->end[0][t] = history_ended(h, t);
  }
  if (w->patience.ended)
    return;
  memcpy(w->begin[1], w->begin[0], h->ntxns * sizeof *w->begin[0]);
  memcpy(w->end[1], w->end[0], h->ntxns * sizeof *w->end[0]);
  for (uint32_t i = 0; i < w->verdict->norder; i++)
    hand_on_to(w, w->verdict->order[i], true);
  for (uint32_t i = w->verdict->norder; i-- > 0;)
    hand_on_to(w, w->verdict->order[i], false);
}

// --- The reads.

static void list_reads(struct timing *w, uint32_t t) {
  const struct history *h = w->h;
  const enum isolation level = binding_level(w->h, w->options, t);
  if (stops_at(w->h, t, &w->patience))
    return;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
    if ((!must_see_reads_and_session(level) && !must_see_causes(level)) ||
        !op_reads(h->kind[op]) || sees_an_own_write(w, op))
      continue;
    const uint32_t saw = write_seen(w, op);
    const uint32_t version = saw == UINT32_MAX ? h->nops + h->key[op] : saw;
    w->missed[op] = w->reads[version];
    w->reads[version] = op;
  }
}

// Did one that wrote the key later in the order lead to the reader?
static bool missed_a_write(const struct timing *w, uint32_t op) {
  assert(op < w->h->nops);
  const uint32_t t = w->txn_of[op];
  const bool causal = must_see_causes(binding_level(w->h, w->options, t));
  const struct first_end *first = &w->first_end[causal][w->h->key[op]];
  const uint64_t end = first->writer == t ? first->second : first->end;
  return end < w->begin[causal][t];
}

static int judge_reads_of(struct timing *w, uint32_t version,
                          struct error *error) {
  for (uint32_t op = w->reads[version]; op != UINT32_MAX; op = w->missed[op])
    if (patience_ends(&w->patience, 1))
      return -1;
    else if (missed_a_write(w, op))
      return error_set(error,
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
static int judge(struct timing *w, struct error *error) {
  const struct history *h = w->h;
  int result = 0;
  for (uint32_t i = w->verdict->norder; i-- > 0 && !result;) {
    const uint32_t t = w->verdict->order[i];
    if (stops_at(w->h, t, &w->patience))
      return -1;
    for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1] && !result;
         op++)
      if (op_writes(h->kind[op]))
        result = judge_reads_of(w, op, error);
    for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
      for (int causal = 0; op_writes(h->kind[op]) && causal < 2; causal++)
        note_end(&w->first_end[causal][h->key[op]], t, w->end[causal][t]);
  }
  for (uint32_t key = 0; key < h->nkeys && !result; key++)
    result = judge_reads_of(w, h->nops + key, error);
  return result;
}

enum verified verify_timely(const struct history *h, const uint8_t *counted,
                            const struct check_options *options,
                            const struct verdict *verdict,
                            struct error *error) {
  struct timing w = {.h = h,
                     .options = options,
                     .verdict = verdict,
                     .patience = {.stop = options->stop}};
  const size_t nversions = (size_t)h->nops + h->nkeys;
  w.txn_of = xmalloc(h->nops * sizeof *w.txn_of);
  w.previous = session_leaders(h, counted, options);
  w.missed = xmalloc(h->nops * sizeof *w.missed);
  w.reads = ids_none(nversions);
  for (int causal = 0; causal < 2; causal++) {
    w.begin[causal] = xmalloc(h->ntxns * sizeof *w.begin[causal]);
    w.end[causal] = xmalloc(h->ntxns * sizeof *w.end[causal]);
    w.first_end[causal] = xmalloc(h->nkeys * sizeof *w.first_end[causal]);
    for (uint32_t key = 0; key < h->nkeys; key++)
      w.first_end[causal][key] =
          (struct first_end){TIME_UNKNOWN, TIME_UNKNOWN, UINT32_MAX};
  }
  set_times(&w);
  for (uint32_t i = 0; i < verdict->norder && !w.patience.ended; i++)
    list_reads(&w, verdict->order[i]);
  const int result = w.patience.ended ? -1 : judge(&w, error);
  FREE_EACH(w.txn_of, w.previous, w.missed, w.reads, w.begin[0], w.begin[1],
            w.end[0], w.end[1], w.first_end[0], w.first_end[1]);
  return verified(result, &w.patience);
}

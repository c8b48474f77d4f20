// SPDX-License-Identifier: GPL-3.0-or-later
// Executes the commit order of a PASS against a store that holds the current
// version of every key: each read must find what the history says it saw.
// Knows nothing of graphs (checker/verify/verify.h).
#include "config.h"

#include "checker/verify/verify.h"

#include "base/buckets.h"
#include "base/ids.h"
#include "base/memory.h"
#include "checker/verify/levels.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// A list as it is at some point of the execution.
struct appends {
  uint32_t *op;
  uint32_t count, room;
};

struct execution {
  const struct history *h;
  const uint8_t *counted;
  const struct check_options *options;
  const struct verdict *verdict;
  struct error *error;
  struct patience *patience;
  uint32_t *latest;      // per key: the operation that wrote it last
  struct appends *lists; // per key; NULL without lists
  uint32_t *position;    // per transaction: in the order
  // With snapshots:
  uint32_t *own;          // per key: last write of the transaction at hand
  uint32_t *committed_at; // per key: position + 1 of its last writer
};

static int wrong_read(const struct execution *r, uint32_t op) {
  assert(op < r->h->nops);
  char key[24];
  return error_set(r->error,
                   "the order that was found is wrong: operation %u, a read of "
                   "key %s, does not find what it saw",
                   op, history_key(r->h, r->h->key[op], key));
}

static int wrong_place(const struct execution *r, uint32_t t,
                       const char *what) {
  return error_set(r->error,
                   "the order that was found is wrong: transaction %u %s", t,
                   what);
}

// Every transaction that counts is there once, and no other.
static int check_members(struct execution *r) {
  const struct verdict *v = r->verdict;
  uint32_t ncounted = 0;
  for (uint32_t t = 0; t < r->h->ntxns; t++)
    ncounted += r->counted[t];
  if (v->norder != ncounted)
    return error_set(
        r->error,
        "the order that was found is wrong: it has %u transactions "
        "and not %u",
        v->norder, ncounted);
  memset(r->position, 0xff, r->h->ntxns * sizeof *r->position);
  for (uint32_t i = 0; i < v->norder; i++) {
    const uint32_t t = v->order[i];
    if (t >= r->h->ntxns || !r->counted[t] || r->position[t] != UINT32_MAX)
      return wrong_place(r, t, "is there twice or does not count");
    if (v->snapshot && v->snapshot[i] > i)
      return wrong_place(r, t, "took its snapshot after its commit");
    r->position[t] = i;
  }
  return 0;
}

// How many had committed when the transaction took its snapshot: of those that
// have none of their own, all before it.
static uint32_t start_of_txn(const struct execution *r, uint32_t i) {
  assert(i < r->verdict->norder);
  const uint32_t *snapshot = r->verdict->snapshot;
  if (!snapshot)
    return i;
  const bool none = r->options->question.recorded &&
                    !may_read_before_commit(
                        binding_level(r->h, r->options, r->verdict->order[i]));
  return none ? i : snapshot[i];
}

// One of unknown outcome may take effect at any time after its answer was lost.
uint32_t *session_leaders(const struct history *h, const uint8_t *counted,
                          const struct check_options *options) {
  uint32_t *leader = ids_none(h->ntxns);
  for (uint32_t s = 0; s < h->nsessions && options->question.session_order;
       s++) {
    uint32_t last = UINT32_MAX;
    for (uint32_t t = h->session_first[s]; t < h->session_first[s + 1]; t++) {
      leader[t] = last;
      last = counted[t] && h->outcome[t] == OUTCOME_OK ? t : last;
    }
  }
  return leader;
}

static int check_sessions(const struct execution *r) {
  const uint32_t ntxns = r->h->ntxns;
  if (patience_ends(r->patience, ntxns))
    return -1;
  uint32_t *leader = session_leaders(r->h, r->counted, r->options);
  int result = 0;
  for (uint32_t t = 0; t < ntxns && !result; t++)
    if (r->counted[t] && leader[t] != UINT32_MAX &&
        start_of_txn(r, r->position[t]) <= r->position[leader[t]])
      result = wrong_place(r, t, "comes too early in its session");
  free(leader);
  return result;
}

// The first end of those at each place of the order and after it.
static uint64_t *first_ends(const struct execution *r) {
  const uint32_t n = r->verdict->norder;
  uint64_t *first = xmalloc(((size_t)n + 1) * sizeof *first);
  first[n] = TIME_UNKNOWN;
  for (uint32_t i = n; i-- > 0;) {
    const uint64_t end = history_ended(r->h, r->verdict->order[i]);
    first[i] = end < first[i + 1] ? end : first[i + 1];
  }
  return first;
}

// After MTC algorithm 2, step 2: no transaction began after one had ended that
// comes later in the order, or that its snapshot misses.
static int check_real_time(const struct execution *r) {
  const struct history *h = r->h;
  if (!r->options->question.real_time &&
      !must_keep_real_time(r->options->question.level))
    return 0;
  if (!h->begin || !h->end)
    return error_set(r->error, "the history has no times");
  if (patience_ends(r->patience, r->verdict->norder))
    return -1;
  uint64_t *first = first_ends(r);
  const bool all_matter =
      r->options->question.real_time || !r->options->question.recorded;
  int result = 0;
  for (uint32_t i = 0; i < r->verdict->norder && !result; i++) {
    const uint32_t t = r->verdict->order[i];
    const bool matters =
        all_matter || must_keep_real_time(binding_level(h, r->options, t));
    if (matters && history_began(h, t) > first[start_of_txn(r, i)])
      result = wrong_place(r, t, "began after a later one had ended");
  }
  free(first);
  return result;
}

// The list must be what was appended so far, then the appends of the
// transaction itself that are in [own_first, op).
static bool finds_list(const struct execution *r, uint32_t op,
                       uint32_t own_first) {
  assert(r->lists && op_is_list(r->h->kind[op]));
  const struct history *h = r->h;
  const struct appends *now = &r->lists[h->key[op]];
  if (patience_ends(r->patience, now->count + (op - own_first)))
    return false;
  const uint32_t *element = h->element + h->list[h->saw[op]].first;
  const uint32_t *end = h->element + history_list_end(h, h->saw[op]);
  if ((size_t)(end - element) < now->count ||
      (now->count && memcmp(element, now->op, now->count * sizeof *element)))
    return false;
  element += now->count;
  for (uint32_t own = own_first; own < op; own++)
    if (h->kind[own] == OP_APPEND && h->key[own] == h->key[op])
      if (element == end || *element++ != own)
        return false;
  return element == end;
}

static void apply_write(struct execution *r, uint32_t op) {
  assert(op_writes(r->h->kind[op]));
  const uint32_t key = r->h->key[op];
  r->latest[key] = op;
  if (!op_is_list(r->h->kind[op]))
    return;
  struct appends *list = &r->lists[key];
  ARRAY_RESERVE(list->op, list->count, list->room);
  list->op[list->count++] = op;
}

// One transaction after the other, each all at once.
static int execute_serially(struct execution *r) {
  const struct history *h = r->h;
  for (uint32_t i = 0; i < r->verdict->norder; i++) {
    const uint32_t t = r->verdict->order[i];
    if (stops_at(r->h, t, r->patience))
      return -1;
    for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
      const unsigned kind = h->kind[op];
      if (kind == OP_READ_LIST) {
        if (!finds_list(r, op, op))
          return wrong_read(r, op);
      } else if (op_reads(kind) && h->saw[op] != r->latest[h->key[op]]) {
        return wrong_read(r, op);
      }
      if (op_writes(kind))
        apply_write(r, op);
    }
  }
  return 0;
}

// All reads of a transaction find what was committed when it took its snapshot,
// and its own writes.
static int execute_snapshot(struct execution *r, uint32_t t) {
  assert(t < r->h->ntxns && r->counted[t]);
  const struct history *h = r->h;
  const uint32_t first = h->txn_first[t];
  if (r->options->question.recorded &&
      !must_see_prefix(binding_level(r->h, r->options, t)))
    return 0; // left to verify_weak
  if (stops_at(r->h, t, r->patience))
    return -1;
  for (uint32_t op = first; op < h->txn_first[t + 1]; op++) {
    const uint32_t key = h->key[op], own = r->own[key];
    if (h->kind[op] == OP_READ_LIST) {
      if (!finds_list(r, op, first))
        return wrong_read(r, op);
    } else if (op_reads(h->kind[op])) {
      const bool wrote = own >= first && own < op;
      if (h->saw[op] != (wrote ? own : r->latest[key]))
        return wrong_read(r, op);
    }
    if (op_writes(h->kind[op]))
      r->own[key] = op;
  }
  return 0;
}

// No key that it writes was committed by another since its snapshot.
static int execute_commit(struct execution *r, uint32_t i) {
  assert(i < r->verdict->norder);
  const struct history *h = r->h;
  const uint32_t t = r->verdict->order[i];
  const bool conflicts_matter =
      forbids_concurrent_writes(binding_level(r->h, r->options, t));
  if (stops_at(r->h, t, r->patience))
    return -1;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
    if (!op_writes(h->kind[op]))
      continue;
    uint32_t *at = &r->committed_at[h->key[op]];
    if (conflicts_matter && *at > start_of_txn(r, i) && *at != i + 1)
      return wrong_place(r, t, "overlaps another writer of its key");
    *at = i + 1;
    apply_write(r, op);
  }
  return 0;
}

static uint32_t snapshot_at(const void *execution, uint32_t i) {
  return start_of_txn(execution, i);
}

static int execute_with_snapshots(struct execution *r) {
  assert(r->verdict->snapshot);
  const struct verdict *v = r->verdict;
  // Places in the order by their snapshots; a snapshot may be after all of
  // them.
  struct buckets txns = buckets_make(v->norder + 1, v->norder, snapshot_at, r);
  int result = 0;
  for (uint32_t k = 0; k < v->norder && !result; k++) {
    for (uint32_t i = txns.first[k]; i < txns.first[k + 1] && !result; i++)
      result = execute_snapshot(r, v->order[txns.items[i]]);
    if (!result)
      result = execute_commit(r, k);
  }
  buckets_free(&txns);
  return result;
}

// Are there transactions below PC, whose reads the execution does not judge?
static bool is_left_to_axioms(const struct execution *r) {
  return r->options->question.recorded ||
         (!r->verdict->snapshot &&
          !must_see_prefix(r->options->question.level));
}

static void execution_open(struct execution *r) {
  const struct history *h = r->h;
  _Static_assert(SAW_INITIAL == UINT32_MAX, "a key that nobody wrote");
  r->latest = ids_none(h->nkeys);
  r->position = xmalloc(h->ntxns * sizeof *r->position);
  if (h->lists)
    r->lists = xcalloc(h->nkeys, sizeof *r->lists);
  if (r->verdict->snapshot) {
    r->own = ids_none(h->nkeys);
    r->committed_at = xcalloc(h->nkeys, sizeof *r->committed_at);
  }
}

static void execution_close(struct execution *r) {
  for (uint32_t key = 0; r->lists && key < r->h->nkeys; key++)
    free(r->lists[key].op);
  FREE_EACH(r->lists, r->latest, r->position, r->own, r->committed_at);
}

// Has the verdict snapshots where, and only where, the level may?
static int check_kind(const struct execution *r) {
  const struct check_options *options = r->options;
  if (options->question.recorded && !r->verdict->snapshot)
    return error_set(r->error, "the order that was found has no snapshots");
  // They are no proof of more than SI: [x==? y:=1] and [y==? x:=2] have some.
  if (!options->question.recorded && r->verdict->snapshot &&
      must_read_at_commit(options->question.level))
    return error_set(r->error,
                     "the order that was found has snapshots, which "
                     "are no proof of %s",
                     isolation_name(options->question.level));
  return 0;
}

enum verified verify_pass(const struct history *history, const uint8_t *counted,
                          const struct check_options *options,
                          const struct verdict *verdict, struct error *error) {
  struct patience patience = {.stop = options->stop};
  struct execution r = {.h = history,
                        .counted = counted,
                        .options = options,
                        .verdict = verdict,
                        .error = error,
                        .patience = &patience};
  execution_open(&r);
  const bool weak = is_left_to_axioms(&r);
  int result = check_members(&r);
  if (!result)
    result = check_sessions(&r);
  if (!result)
    result = check_real_time(&r);
  if (!result)
    result = check_kind(&r);
  if (!result && verdict->snapshot)
    result = execute_with_snapshots(&r);
  else if (!result && !weak)
    result = execute_serially(&r);
  execution_close(&r);
  return !result && weak && !patience.ended
             ? verify_weak(history, counted, options, verdict, error)
             : verified(result, &patience);
}

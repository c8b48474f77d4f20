// SPDX-License-Identifier: GPL-3.0-or-later
// Checks a commit order against the axioms of RC, RA and CC as they are written
// (dbcop, figure 2): whatever a transaction had observed and wrote the key that
// it reads must not come after what it read.  Shares no code with the engine
// (checker/verify/verify.h).
//
// The order is executed once.  All that a transaction had observed, directly or
// through others, comes in the order no later than the last of those that it
// observed directly.  So a read is beyond doubt if no write of its key comes
// between what it saw and that one.  Otherwise it is looked at who these
// writers are; at CC by checker/verify/causal.c, for all transactions at once.
#include "config.h"

#include "checker/verify/weak.h"

#include "base/memory.h"
#include "base/pick.h"
#include "checker/verify/levels.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FAR = 16, NEAR = 6 }; // transactions ahead for which memory is asked
enum { MANY = 1 << 19 };     // for, if there are so many operations

int axioms_refuse(const struct axioms *a, uint32_t op, const char *what) {
  assert(op < a->h->nops);
  char key[24];
  return error_set(a->error,
                   "the order that was found is wrong: operation %u, which "
                   "reads key %s, %s",
                   op, history_key(a->h, a->h->key[op], key), what);
}

struct listed axioms_observed(const struct axioms *a, uint32_t t, uint32_t op) {
  const uint32_t *saw = &a->h->saw[op];
  if (!axioms_counts(a, t, op))
    return (struct listed){NULL, NULL};
  return a->h->kind[op] == OP_READ_LIST
             ? listed_of_others(a->h, t, op)
             : (struct listed){saw, saw + (*saw < a->h->nops)};
}

// --- Every read by itself.

// All appends up to the last one seen, in the order, then all own ones so far.
static int judge_read_of_list(struct axioms *a, uint32_t t, uint32_t op) {
  const struct history *h = a->h;
  const struct listed list = listed_by(h, op);
  const uint32_t *foreign_end = listed_of_others(h, t, op).end;
  const uint32_t *element = list.first, key = h->key[op];
  if (patience_ends(&a->patience, listed_count(list) + (op - h->txn_first[t])))
    return -1;
  uint32_t write = a->key[key].first;
  for (; element < foreign_end; element++) {
    if (write != *element)
      return axioms_refuse(a, op, "saw elements in another order");
    write = axioms_next(a, key, write);
  }
  if (write != UINT32_MAX && foreign_end > list.first &&
      a->written[write].place == a->written[foreign_end[-1]].place)
    return axioms_refuse(a, op, "saw only part of what another one appended");
  for (uint32_t i = h->txn_first[t]; i < op; i++)
    if (h->kind[i] == OP_APPEND && h->key[i] == key)
      if (element == list.end || *element++ != i)
        return axioms_refuse(a, op, "missed an append of its own");
  return element == list.end ? 0
                             : axioms_refuse(a, op, "saw too much of its own");
}

// --- A closer look.

void axioms_index(struct axioms *a) {
  const struct history *h = a->h;
  if (a->place)
    return;
  a->place = xcalloc(h->ntxns, sizeof *a->place);
  a->txn_of = xmalloc(h->nops * sizeof *a->txn_of);
  a->previous = session_leaders(h, a->counted, a->options);
  a->met = xcalloc(h->ntxns, sizeof *a->met);
  for (uint32_t t = 0; t < h->ntxns; t++)
    for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
      a->txn_of[op] = t;
  for (uint32_t i = 0; i < a->verdict->norder; i++)
    a->place[a->verdict->order[i]] = i + 1;
}

// Nothing is marked with the number of the search from now on.
static void begin_search(struct axioms *a) {
  if (++a->search == 0) { // the marks wrapped around
    memset(a->met, 0, a->h->ntxns * sizeof *a->met);
    a->search = 1;
  }
}

// The work that a pass over a transaction leaves for the end of it.
struct leftovers {
  uint32_t *stale, nstale; // reads of others that did not see the newest
  uint32_t *writes, nwrites;
  uint32_t last; // the last place of those that it observed directly
  uint32_t met;  // the operations before this one are among those met
};

// Marks those whom the operations before `end` read from.
static void meet_read(struct axioms *a, uint32_t t, struct leftovers *left,
                      uint32_t end) {
  if (left->met == a->h->txn_first[t])
    begin_search(a);
  for (; left->met < end; left->met++) {
    const struct listed seen = axioms_observed(a, t, left->met);
    if (patience_ends(&a->patience, 1 + listed_count(seen)))
      return;
    for (const uint32_t *write = seen.first; write < seen.end; write++)
      a->met[a->txn_of[*write]] = a->search;
  }
}

// The premise of the axiom, of those that are marked then: at RC what was read
// before the operation was observed, at RA whatever the transaction reads and
// its session did.
static bool had_observed_txn(const struct axioms *a, uint32_t t,
                             uint32_t other) {
  return a->met[other] == a->search ||
         (must_see_reads_and_session(binding_level(a->h, a->options, t)) &&
          a->options->question.session_order && other < t &&
          a->h->outcome[other] == OUTCOME_OK &&
          a->session_of[other] == a->session_of[t]);
}

static int look_closer(struct axioms *a, uint32_t t, uint32_t read,
                       struct leftovers *left) {
  const enum isolation level = binding_level(a->h, a->options, t);
  const uint32_t key = a->h->key[read];
  axioms_index(a);
  meet_read(a, t, left,
            must_see_earlier_reads(level) ? history_event(a->h, read)
                                          : a->h->txn_first[t + 1]);
  for (uint32_t write = axioms_next(a, key, axioms_seen(a, t, read));
       write != SAW_INITIAL && axioms_place(a, write) <= left->last;
       write = axioms_next(a, key, write)) {
    if (patience_ends(&a->patience, 1))
      return -1;
    if (had_observed_txn(a, t, a->txn_of[write]))
      return axioms_refuse(a, read, "missed a write that it had observed");
  }
  return 0;
}

// --- The execution.

static void observe_left(struct leftovers *left, uint32_t place) {
  left->last = place > left->last ? place : left->last;
}

static int judge_foreign_read(const struct axioms *a, uint32_t t, uint32_t op,
                              struct leftovers *left) {
  const struct key_state *key = &a->key[a->h->key[op]];
  const uint32_t write = axioms_seen(a, t, op);
  if (write == key->newest) {
    observe_left(left, write == SAW_INITIAL ? 0 : key->place);
    return 0;
  }
  left->stale[left->nstale++] = op;
  if (write == SAW_INITIAL)
    return 0;
  if (write >= a->h->nops || a->h->key[write] != a->h->key[op])
    return axioms_refuse(a, op, "saw what was never committed");
  observe_left(left, a->written[write].place);
  return a->written[write].place
             ? 0
             : axioms_refuse(a, op, "saw what was not committed before");
}

// The writes of others were executed before and could be seen.  A transaction
// that finds a write of its own has observed nobody by it.
static int judge_weak_read(struct axioms *a, uint32_t t, uint32_t op,
                           struct leftovers *left) {
  if (a->h->lists && a->h->kind[op] == OP_READ_LIST &&
      judge_read_of_list(a, t, op))
    return -1;
  if (axioms_external(a, t, op))
    return judge_foreign_read(a, t, op, left);
  return axioms_seen(a, t, op) == a->key[a->h->key[op]].own
             ? 0
             : axioms_refuse(a, op, "missed a write of its own");
}

static int judge_operations(struct axioms *a, uint32_t t, bool judged,
                            struct leftovers *left) {
  const struct history *h = a->h;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
    if (judged && op_reads(h->kind[op]) && judge_weak_read(a, t, op, left))
      return -1;
    if (op_writes(h->kind[op])) {
      a->key[h->key[op]].own = op;
      left->writes[left->nwrites++] = op;
    }
  }
  return 0;
}

static bool is_in_doubt(const struct axioms *a, uint32_t t, uint32_t op,
                        uint32_t last) {
  const uint32_t next = axioms_next(a, a->h->key[op], axioms_seen(a, t, op));
  return next != SAW_INITIAL && axioms_place(a, next) <= last;
}

// Only below PC are reads judged here.
static int judge_txn_at(struct axioms *a, uint32_t t, struct leftovers *left) {
  const enum isolation level = binding_level(a->h, a->options, t);
  const bool judged = !proves_nothing(level) && !must_see_prefix(level);
  int result = judge_operations(a, t, judged, left);
  for (uint32_t i = 0; i < left->nstale && !result; i++) {
    if (!is_in_doubt(a, t, left->stale[i], left->last))
      continue;
    if (must_see_causes(level))
      a->doubtful[t] = 1;
    else
      result = look_closer(a, t, left->stale[i], left);
  }
  a->doubt |= a->doubtful[t];
  return result;
}

// Others may see the last write to each key, and all appends.
static void put_writes(struct axioms *a, const struct leftovers *left,
                       uint32_t place) {
  const struct history *h = a->h;
  for (uint32_t i = 0; i < left->nwrites; i++) {
    const uint32_t op = left->writes[i];
    struct key_state *key = &a->key[h->key[op]];
    if (key->own != op && h->kind[op] != OP_APPEND)
      continue;
    if (key->newest == SAW_INITIAL)
      key->first = op;
    else
      a->written[key->newest].next = op;
    a->written[op] = (struct axiom_write){place, SAW_INITIAL};
    key->newest = op;
    key->place = place;
  }
}

// Fetches memory that the next transactions will look at.
static inline void prefetch(const struct axioms *a, uint32_t i) {
  const struct history *h = a->h;
  if (i + FAR >= a->verdict->norder)
    return;
  uint32_t t = a->verdict->order[i + FAR];
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op += 16) {
    __builtin_prefetch(&h->kind[op]);
    __builtin_prefetch(&h->key[op]);
    __builtin_prefetch(&h->saw[op]);
  }
  t = a->verdict->order[i + NEAR];
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
    __builtin_prefetch(&a->key[h->key[op]]);
    __builtin_prefetch(&a->written[pick(h->saw[op] < h->nops, h->saw[op], op)]);
  }
}

static uint32_t longest_txn(const struct history *h) {
  uint32_t longest = 0;
  for (uint32_t t = 0; t < h->ntxns; t++) {
    const uint32_t n = h->txn_first[t + 1] - h->txn_first[t];
    longest = n > longest ? n : longest;
  }
  return longest;
}

static int execute_weak(struct axioms *a) {
  const struct verdict *v = a->verdict;
  const size_t longest = longest_txn(a->h);
  uint32_t *session_place = xcalloc(a->h->nsessions, sizeof *session_place);
  uint32_t *room = xmalloc(2 * longest * sizeof *room);
  int result = 0;
  const bool many = a->h->nops >= MANY;
  for (uint32_t i = 0; i < v->norder && !result; i++) {
    if (many)
      prefetch(a, i);
    const uint32_t t = v->order[i], session = a->session_of[t];
    if (stops_at(a->h, t, &a->patience)) {
      result = -1;
      break;
    }
    struct leftovers left = {.stale = room,
                             .writes = room + longest,
                             .last = session_place[session],
                             .met = a->h->txn_first[t]};
    result = judge_txn_at(a, t, &left);
    put_writes(a, &left, i + 1);
    if (a->options->question.session_order && a->h->outcome[t] == OUTCOME_OK)
      session_place[session] = i + 1;
  }
  free(session_place);
  free(room);
  return result;
}

static void axioms_open(struct axioms *a) {
  const struct history *h = a->h;
  a->session_of = xmalloc(h->ntxns * sizeof *a->session_of);
  for (uint32_t s = 0; s < h->nsessions; s++)
    for (uint32_t t = h->session_first[s]; t < h->session_first[s + 1]; t++)
      a->session_of[t] = s;
  a->key = xmalloc(h->nkeys * sizeof *a->key);
  for (uint32_t key = 0; key < h->nkeys; key++)
    a->key[key] = (struct key_state){UINT32_MAX, SAW_INITIAL, 0, SAW_INITIAL};
  a->written = xcalloc(h->nops, sizeof *a->written);
  a->doubtful = xcalloc(h->ntxns, 1);
}

static void axioms_close(struct axioms *a) {
  FREE_EACH(a->written, a->key, a->session_of, a->place, a->txn_of, a->previous,
            a->met, a->doubtful);
}

enum verified verify_weak(const struct history *history, const uint8_t *counted,
                          const struct check_options *options,
                          const struct verdict *verdict, struct error *error) {
  struct axioms a = {.patience = {.stop = options->stop},
                     .h = history,
                     .counted = counted,
                     .options = options,
                     .verdict = verdict,
                     .error = error};
  axioms_open(&a);
  int result = execute_weak(&a);
  if (!result && a.doubt)
    result = axioms_judge(&a);
  if (!result && options->question.real_time)
    result = axioms_judge_times(&a);
  axioms_close(&a);
  return verified(result, &a.patience);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Checks a commit order against the axioms of RC, RA and CC as they are written
// (dbcop, figure 2): whatever a transaction had observed and wrote the key that
// it reads must not come after what it read.  Shares no code with the engine
// (checker/verify.h).
//
// All that a transaction had observed, directly or through others, comes in the
// order no later than the last of those that it observed directly.  So a read
// is beyond doubt if no write of its key comes between what it saw and that
// one. The order is replayed once for that; only transactions with a read that
// is in doubt are held against the axioms.
#include "config.h"

#include "checker/verify.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

struct axioms {
  const struct history *h;
  const uint8_t *counted;
  const struct check_options *options;
  const struct verdict *verdict;
  struct error *error;
  uint32_t *place;  // per transaction: 1 + its place in the order; the initial
                    // version is at 0
  uint32_t *txn_of; // per operation
  uint32_t *session_of; // per transaction

  uint32_t *own; // per key: the last write of the transaction at hand, if it is
                 // one of its operations

  // The replay, and what it found.
  uint32_t *newest; // per key: its last write so far
  uint32_t *next;   // per operation: the next write of the key that it wrote...
  uint32_t *first;  // ...and per key the first one
  uint8_t *doubtful; // per transaction
  bool doubt;        // about any

  // Per key what it held; an entry counts only with the stamp of the reader at
  // hand (observed) or of its session (past).
  struct mark {
    uint32_t observed, observed_of; // greatest place of an observed writer
    uint32_t past, past_of;         // place of the last writer in the session
  } * mark;

  // Per key its writes that others may see, by place.
  uint32_t *first_write, *write;
  uint8_t *visible; // per operation: the transaction's last write to its key,
                    // or an append

  // CC: what each transaction has observed, as 1 + the last transaction of each
  // session; without session order, the search at hand.
  uint32_t *clock;
  uint32_t *queue, *met;
};

// The level that binds the reads of a transaction.
static enum isolation level_of(const struct axioms *a, uint32_t t) {
  return a->options->recorded ? (enum isolation)a->h->level[t]
                              : a->options->level;
}

// Do some transactions have to be at the level?
static bool some_are_at(const struct axioms *a, enum isolation level) {
  return a->options->recorded || a->options->level == level;
}

static int wrong(const struct axioms *a, uint32_t op, const char *what) {
  char key[24];
  return error_set(a->error,
                   "the order that was found is wrong: operation %u, which "
                   "reads key %s, %s",
                   op, history_key(a->h, a->h->key[op], key), what);
}

static bool is_list_read(const struct axioms *a, uint32_t op) {
  return a->h->kind[op] == OP_READ_LIST;
}

static const uint32_t *elements_of(const struct axioms *a, uint32_t op,
                                   uint32_t *count) {
  const uint32_t list = a->h->saw[op];
  *count = a->h->list_first[list + 1] - a->h->list_first[list];
  return a->h->element + a->h->list_first[list];
}

// How many elements at the end of a list are the reader's own.
static uint32_t own_elements(const struct axioms *a, const uint32_t *element,
                             uint32_t count, uint32_t t) {
  uint32_t own = 0;
  while (own < count && element[count - 1 - own] < a->h->nops &&
         a->txn_of[element[count - 1 - own]] == t)
    own++;
  return own;
}

// The write of another transaction that was seen, or SAW_INITIAL.
static uint32_t seen_write(const struct axioms *a, uint32_t op) {
  uint32_t count;
  if (!is_list_read(a, op))
    return a->h->saw[op];
  const uint32_t *element = elements_of(a, op, &count);
  count -= own_elements(a, element, count, a->txn_of[op]);
  return count ? element[count - 1] : SAW_INITIAL;
}

static uint32_t place_of_write(const struct axioms *a, uint32_t write) {
  return write < a->h->nops ? a->place[a->txn_of[write]] : 0;
}

static uint32_t *all_ones(size_t n) {
  uint32_t *ids = xmalloc(n * sizeof *ids);
  memset(ids, 0xff, n * sizeof *ids);
  return ids;
}

// --- Every read by itself.

static bool wrote_itself(const struct axioms *a, uint32_t op) {
  const uint32_t own = a->own[a->h->key[op]];
  return own >= a->h->txn_first[a->txn_of[op]] && own < op;
}

static bool is_external(const struct axioms *a, uint32_t op) {
  return op_reads(a->h->kind[op]) &&
         (is_list_read(a, op) || !wrote_itself(a, op));
}

// All appends up to the last one seen, in the order, then all own ones so far.
static int judge_list(const struct axioms *a, uint32_t op) {
  const struct history *h = a->h;
  const uint32_t t = a->txn_of[op], key = h->key[op];
  uint32_t count;
  const uint32_t *element = elements_of(a, op, &count);
  const uint32_t own = own_elements(a, element, count, t);
  for (uint32_t i = 0; i < count - own; i++) {
    const uint32_t at = a->first_write[key] + i;
    if (at >= a->first_write[key + 1] || a->write[at] != element[i])
      return wrong(a, op, "saw elements in another order");
  }
  const uint32_t *next = element + count - own;
  for (uint32_t i = h->txn_first[t]; i < op; i++)
    if (h->kind[i] == OP_APPEND && h->key[i] == key)
      if (next == element + count || *next++ != i)
        return wrong(a, op, "missed an append of its own");
  return next == element + count ? 0 : wrong(a, op, "saw too much of its own");
}

static int judge_read(const struct axioms *a, uint32_t op) {
  const uint32_t write = seen_write(a, op), t = a->txn_of[op];
  if (is_list_read(a, op) && judge_list(a, op))
    return -1;
  if (!is_external(a, op))
    return write == a->own[a->h->key[op]]
               ? 0
               : wrong(a, op, "missed a write of its own");
  if (write == SAW_INITIAL)
    return 0;
  if (write >= a->h->nops || !a->visible[write] ||
      a->h->key[write] != a->h->key[op])
    return wrong(a, op, "saw what was never committed");
  return place_of_write(a, write) < a->place[t]
             ? 0
             : wrong(a, op, "comes before what it saw");
}

// --- What a reader has observed, at RC and RA.

static void observe(struct axioms *a, uint32_t reader, uint32_t writer) {
  const struct history *h = a->h;
  for (uint32_t op = h->txn_first[writer]; op < h->txn_first[writer + 1];
       op++) {
    if (!a->visible[op])
      continue;
    struct mark *mark = &a->mark[h->key[op]];
    if (mark->observed_of != reader + 1 || mark->observed < a->place[writer])
      mark->observed = a->place[writer];
    mark->observed_of = reader + 1;
  }
}

static int judge_against_observed(const struct axioms *a, uint32_t op) {
  const struct mark *mark = &a->mark[a->h->key[op]];
  const uint32_t place = place_of_write(a, seen_write(a, op));
  if (mark->observed_of == a->txn_of[op] + 1 && mark->observed > place)
    return wrong(a, op, "missed a write that it had observed");
  return 0;
}

static int judge_against_session(const struct axioms *a, uint32_t op) {
  const struct mark *mark = &a->mark[a->h->key[op]];
  if (mark->past_of == a->session_of[a->txn_of[op]] + 1 &&
      mark->past > place_of_write(a, seen_write(a, op)))
    return wrong(a, op, "missed a write of its session");
  return 0;
}

static void observe_read(struct axioms *a, uint32_t op) {
  const uint32_t write = seen_write(a, op);
  if (write < a->h->nops)
    observe(a, a->txn_of[op], a->txn_of[write]);
}

// --- ...and at CC.

static bool has_observed(const struct axioms *a, uint32_t t, uint32_t other) {
  if (!a->options->session_order)
    return a->met[other] == t + 1;
  const uint32_t session = a->session_of[other];
  return a->clock[(size_t)t * a->h->nsessions + session] > other;
}

static void join(struct axioms *a, uint32_t t, uint32_t past) {
  const uint32_t n = a->h->nsessions;
  uint32_t *clock = a->clock + (size_t)t * n;
  const uint32_t *other = a->clock + (size_t)past * n;
  for (uint32_t s = 0; s < n; s++)
    clock[s] = other[s] > clock[s] ? other[s] : clock[s];
  if (clock[a->session_of[past]] < past + 1)
    clock[a->session_of[past]] = past + 1;
}

static uint32_t writer_seen(const struct axioms *a, uint32_t op) {
  if (!op_reads(a->h->kind[op]) || level_of(a, a->txn_of[op]) == ISOLATION_NONE)
    return UINT32_MAX;
  const uint32_t write = seen_write(a, op);
  return write < a->h->nops && a->txn_of[write] != a->txn_of[op]
             ? a->txn_of[write]
             : UINT32_MAX;
}

// The clocks, in the order, whose transactions come after all they observed.
static void set_clocks(struct axioms *a) {
  const struct history *h = a->h;
  uint32_t *last = xmalloc(h->nsessions * sizeof *last);
  memset(last, 0xff, h->nsessions * sizeof *last);
  a->clock = xcalloc((size_t)h->ntxns * h->nsessions, sizeof *a->clock);
  for (uint32_t i = 0; i < a->verdict->norder; i++) {
    const uint32_t t = a->verdict->order[i], session = a->session_of[t];
    if (last[session] != UINT32_MAX)
      join(a, t, last[session]);
    last[session] = t;
    for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
      if (writer_seen(a, op) != UINT32_MAX)
        join(a, t, writer_seen(a, op));
  }
  free(last);
}

static void search_past(struct axioms *a, uint32_t t) {
  const struct history *h = a->h;
  uint32_t head = 0, tail = 0;
  a->queue[tail++] = t;
  while (head < tail) {
    const uint32_t at = a->queue[head++];
    for (uint32_t op = h->txn_first[at]; op < h->txn_first[at + 1]; op++) {
      const uint32_t writer = writer_seen(a, op);
      if (writer == UINT32_MAX || a->met[writer] == t + 1)
        continue;
      a->met[writer] = t + 1;
      a->queue[tail++] = writer;
    }
  }
}

// No writer of the key between what was read and the reader was observed.
static int judge_against_past(const struct axioms *a, uint32_t op) {
  const uint32_t t = a->txn_of[op], key = a->h->key[op];
  const uint32_t from = place_of_write(a, seen_write(a, op));
  uint32_t low = a->first_write[key], high = a->first_write[key + 1];
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (place_of_write(a, a->write[middle]) <= from)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low < a->first_write[key + 1]; low++) {
    const uint32_t other = a->txn_of[a->write[low]];
    if (a->place[other] >= a->place[t])
      break;
    if (has_observed(a, t, other))
      return wrong(a, op, "missed a write in its causal past");
  }
  return 0;
}

// --- Transactions.

static int judge_external(struct axioms *a, uint32_t op) {
  const enum isolation level = level_of(a, a->txn_of[op]);
  if (level == ISOLATION_CC)
    return judge_against_past(a, op);
  if (level == ISOLATION_RA && a->options->session_order &&
      judge_against_session(a, op))
    return -1;
  if (judge_against_observed(a, op))
    return -1;
  if (level == ISOLATION_RC)
    observe_read(a, op);
  return 0;
}

// At RC what was read before the operation was observed, at RA whatever the
// transaction reads.
static int judge_txn(struct axioms *a, uint32_t t) {
  const struct history *h = a->h;
  const uint32_t first = h->txn_first[t], end = h->txn_first[t + 1];
  const enum isolation level = level_of(a, t);
  if (level == ISOLATION_CC && !a->options->session_order)
    search_past(a, t);
  for (uint32_t op = first; level == ISOLATION_RA && op < end; op++)
    if (writer_seen(a, op) != UINT32_MAX)
      observe_read(a, op);
  for (uint32_t op = first; op < end; op++) {
    if (is_external(a, op) && judge_external(a, op))
      return -1;
    if (op_writes(h->kind[op]))
      a->own[h->key[op]] = op;
  }
  return 0;
}

static void remember_writes(struct axioms *a, uint32_t t) {
  for (uint32_t op = a->h->txn_first[t]; op < a->h->txn_first[t + 1]; op++)
    if (a->visible[op]) {
      a->mark[a->h->key[op]].past = a->place[t];
      a->mark[a->h->key[op]].past_of = a->session_of[t] + 1;
    }
}

// --- The replay.

// The last place of those that t observed directly.
static uint32_t last_observed(const struct axioms *a, uint32_t t,
                              uint32_t previous) {
  const struct history *h = a->h;
  uint32_t last = previous == UINT32_MAX ? 0 : a->place[previous];
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
    if (writer_seen(a, op) != UINT32_MAX) {
      const uint32_t place = a->place[writer_seen(a, op)];
      last = place > last ? place : last;
    }
  return last;
}

static bool is_in_doubt(const struct axioms *a, uint32_t op, uint32_t last) {
  const uint32_t write = seen_write(a, op), key = a->h->key[op];
  if (write == a->newest[key])
    return false;
  const uint32_t next = write == SAW_INITIAL ? a->first[key] : a->next[write];
  return next != UINT32_MAX && place_of_write(a, next) <= last;
}

static int judge_reads(struct axioms *a, uint32_t t, uint32_t previous) {
  const struct history *h = a->h;
  const uint32_t last = last_observed(a, t, previous);
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
    if (op_reads(h->kind[op])) {
      if (judge_read(a, op))
        return -1;
      if (is_external(a, op) && is_in_doubt(a, op, last))
        a->doubtful[t] = 1;
    }
    if (op_writes(h->kind[op]))
      a->own[h->key[op]] = op;
  }
  a->doubt |= a->doubtful[t];
  return 0;
}

static void put_writes(struct axioms *a, uint32_t t) {
  const struct history *h = a->h;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
    if (!a->visible[op])
      continue;
    const uint32_t newest = a->newest[h->key[op]];
    *(newest == SAW_INITIAL ? &a->first[h->key[op]] : &a->next[newest]) = op;
    a->newest[h->key[op]] = op;
  }
}

static int replay(struct axioms *a) {
  const struct verdict *v = a->verdict;
  uint32_t *previous = all_ones(a->h->nsessions);
  int result = 0;
  for (uint32_t i = 0; i < v->norder && !result; i++) {
    const uint32_t t = v->order[i];
    uint32_t *before = &previous[a->session_of[t]];
    const enum isolation level = level_of(a, t);
    if (level >= ISOLATION_RC && level < ISOLATION_PC)
      result =
          judge_reads(a, t, a->options->session_order ? *before : UINT32_MAX);
    put_writes(a, t);
    *before = t;
  }
  free(previous);
  return result;
}

// --- Preparing.

static void mark_visible(struct axioms *a, uint32_t t) {
  const struct history *h = a->h;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
    if (!op_writes(h->kind[op]))
      continue;
    if (wrote_itself(a, op) && !op_is_list(h->kind[op]))
      a->visible[a->own[h->key[op]]] = 0;
    a->visible[op] = 1;
    a->own[h->key[op]] = op;
  }
}

// Every operation's transaction and session, and which writes others may see.
static void look_around(struct axioms *a) {
  const struct history *h = a->h;
  for (uint32_t s = 0; s < h->nsessions; s++)
    for (uint32_t t = h->session_first[s]; t < h->session_first[s + 1]; t++) {
      a->session_of[t] = s;
      for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
        a->txn_of[op] = t;
      if (a->counted[t])
        mark_visible(a, t);
    }
  for (uint32_t i = 0; i < a->verdict->norder; i++)
    a->place[a->verdict->order[i]] = i + 1;
}

static void sort_writes(struct axioms *a) {
  const struct history *h = a->h;
  uint32_t *first = xcalloc((size_t)h->nkeys + 2, sizeof *first);
  for (uint32_t op = 0; op < h->nops; op++)
    if (a->visible[op])
      first[h->key[op] + 2]++;
  for (uint32_t key = 0; key < h->nkeys; key++)
    first[key + 2] += first[key + 1];
  a->write = xmalloc(h->nops * sizeof *a->write);
  for (uint32_t i = 0; i < a->verdict->norder; i++) {
    const uint32_t t = a->verdict->order[i];
    for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
      if (a->visible[op])
        a->write[first[h->key[op] + 1]++] = op;
  }
  a->first_write = first;
}

static void axioms_open(struct axioms *a) {
  const struct history *h = a->h;
  a->place = xcalloc(h->ntxns, sizeof *a->place);
  a->txn_of = xmalloc(h->nops * sizeof *a->txn_of);
  a->session_of = xmalloc(h->ntxns * sizeof *a->session_of);
  a->visible = xcalloc(h->nops, 1);
  a->own = all_ones(h->nkeys);
  a->newest = all_ones(h->nkeys);
  a->next = all_ones(h->nops);
  a->first = all_ones(h->nkeys);
  a->doubtful = xcalloc(h->ntxns, 1);
  look_around(a);
  if (h->lists)
    sort_writes(a);
}

static void axioms_close(struct axioms *a) {
  void *const owned[] = {a->place, a->txn_of,      a->session_of, a->own,
                         a->mark,  a->first_write, a->write,      a->visible,
                         a->clock, a->queue,       a->met,        a->newest,
                         a->next,  a->first,       a->doubtful};
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
    free(owned[i]);
}

// Every transaction in doubt, in the order of its session.
static int judge_doubtful(struct axioms *a) {
  const struct history *h = a->h;
  const bool sessions =
      some_are_at(a, ISOLATION_RA) && a->options->session_order;
  int result = 0;
  a->mark = xcalloc(h->nkeys, sizeof *a->mark);
  if (some_are_at(a, ISOLATION_CC) && !a->write)
    sort_writes(a);
  if (some_are_at(a, ISOLATION_CC) && a->options->session_order) {
    set_clocks(a);
  } else if (some_are_at(a, ISOLATION_CC)) {
    a->queue = xmalloc(h->ntxns * sizeof *a->queue);
    a->met = xcalloc(h->ntxns, sizeof *a->met);
  }
  for (uint32_t t = 0; t < h->ntxns && !result; t++) {
    if (a->doubtful[t])
      result = judge_txn(a, t);
    if (sessions && a->counted[t])
      remember_writes(a, t);
  }
  return result;
}

int verify_weak(const struct history *history, const uint8_t *counted,
                const struct check_options *options,
                const struct verdict *verdict, struct error *error) {
  struct axioms a = {.h = history,
                     .counted = counted,
                     .options = options,
                     .verdict = verdict,
                     .error = error};
  axioms_open(&a);
  int result = replay(&a);
  if (!result && a.doubt)
    result = judge_doubtful(&a);
  axioms_close(&a);
  return result;
}

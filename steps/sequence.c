// SPDX-License-Identifier: GPL-3.0-or-later
// Orders the transactions of a counterexample (steps/sequence.h).  These are
// few, so that every event is chosen by looking at all.
#include "config.h"

#include "steps/sequence.h"

#include "base/memory.h"

#include <stdlib.h>

// ---- Events

static double time_of_event(const struct history *h, uint32_t txn,
                            const struct sequence_event *event,
                            uint32_t position, uint32_t length) {
  const uint32_t op = event->first, s = event->statement;
  if (!h->begin || h->begin[txn] == TIME_UNKNOWN || h->end[txn] == TIME_UNKNOWN)
    return position + 1 == length ? 1e9 : position; // ends come last
  if (op < event->end && h->op_begin && h->op_begin[op] &&
      h->op_begin[op] != TIME_UNKNOWN)
    return (double)h->op_begin[op];
  if (s != ROWS_NONE && h->rows->times.count)
    return (double)statement_times_at(&h->rows->times, s).begin;
  const double begin = (double)h->begin[txn], end = (double)h->end[txn];
  return begin + (end - begin) * position / (length - 1);
}

// Puts the beginning and the end of a transaction around its acts, of which
// there is one at least.
static void add_txn_events(struct sequence *o, uint32_t txn,
                           const struct sequence_event *acts, uint32_t nacts) {
  const uint32_t i = o->ntxns++;
  o->txns[i] = txn;
  o->first_event[i] = o->nevents;
  for (uint32_t j = 0; j < nacts + 2; j++) {
    struct sequence_event *event = &o->events[o->nevents++];
    *event = (struct sequence_event){
        .statement = ROWS_NONE, .is_begin = j == 0, .is_end = j == nacts + 1};
    if (!event->is_begin && !event->is_end)
      *event = acts[j - 1];
    event->txn = i;
    event->when = time_of_event(o->history, txn, event, j, nacts + 2);
  }
  o->first_event[i + 1] = o->nevents;
}

static void add_acts(struct sequence *o, const struct sequence_event *acts,
                     const uint32_t *txn, uint32_t nacts) {
  o->txns = xcalloc((size_t)nacts + 1, sizeof *o->txns);
  o->events = xcalloc(3 * (size_t)nacts + 1, sizeof *o->events);
  o->first_event = xcalloc((size_t)nacts + 1, sizeof *o->first_event);
  for (uint32_t first = 0, end; first < nacts; first = end) {
    for (end = first; end < nacts && txn[end] == txn[first];)
      end++;
    add_txn_events(o, txn[first], acts + first, end - first);
  }
}

void sequence_ops(struct sequence *o, const struct history *history,
                  const uint32_t *ops, uint32_t nops) {
  struct sequence_event *acts = xcalloc((size_t)nops + 1, sizeof *acts);
  uint32_t *txn = xcalloc((size_t)nops + 1, sizeof *txn);
  *o = (struct sequence){.history = history};
  for (uint32_t i = 0; i < nops; i++) {
    acts[i] = (struct sequence_event){
        .first = ops[i], .end = ops[i] + 1, .statement = ROWS_NONE};
    txn[i] = history_txn(history, ops[i]);
  }
  add_acts(o, acts, txn, nops);
  free(acts);
  free(txn);
}

void sequence_statements(struct sequence *o, const struct history *history,
                         const uint8_t *statement, const uint8_t *key) {
  const struct rows *rows = history->rows;
  struct sequence_event *acts =
      xcalloc((size_t)rows->nstatements + 1, sizeof *acts);
  uint32_t *txn = xcalloc((size_t)rows->nstatements + 1, sizeof *txn);
  uint32_t n = 0;
  *o = (struct sequence){.history = history, .key = key};
  for (uint32_t t = 0; t < history->ntxns; t++)
    for (uint32_t s = rows->txn_statement[t]; s < rows->txn_statement[t + 1];
         s++) {
      if (!statement[s])
        continue;
      acts[n] = (struct sequence_event){.first = rows->statements[s].first,
                                        .end = rows->statements[s].end,
                                        .statement = s};
      txn[n++] = t;
    }
  add_acts(o, acts, txn, n);
  free(acts);
  free(txn);
}

void sequence_free(struct sequence *o) {
  free(o->txns);
  free(o->events);
  free(o->first_event);
}

bool sequence_same_session(const struct sequence *o, uint32_t i, uint32_t j) {
  return history_session(o->history, o->txns[i]) ==
         history_session(o->history, o->txns[j]);
}

static bool is_chosen_op(const struct sequence *o, uint32_t op) {
  return !o->key || o->key[o->history->key[op]];
}

uint32_t sequence_event_of(const struct sequence *o, uint32_t op) {
  uint32_t e = 0;
  while (e < o->nevents &&
         (op >= SAW_LOST || op < o->events[e].first || op >= o->events[e].end))
    e++;
  return e < o->nevents && is_chosen_op(o, op) ? e : NO_EVENT;
}

// Everything before it in its session has been taken.
static bool is_next(const struct sequence *o, uint32_t e) {
  const uint32_t i = o->events[e].txn;
  bool next = e == o->first_event[i] || o->events[e - 1].taken;
  for (uint32_t j = 0; next && e == o->first_event[i] && j < i; j++)
    next = !sequence_same_session(o, i, j) ||
           o->events[o->first_event[j + 1] - 1].taken;
  return next;
}

static uint32_t end_of_event(const struct sequence *o, uint32_t e) {
  return o->first_event[o->events[e].txn + 1] - 1;
}

// The write that `writer`, which wrote the key, replaced, as far as it read the
// key itself; SAW_THIN_AIR if it did not.
static uint32_t replaced_by(const struct history *h, uint32_t writer) {
  const uint32_t txn = history_txn(h, writer);
  for (uint32_t op = h->txn_first[txn]; op <= writer; op++)
    if (h->key[op] == h->key[writer] && op_reads(h->kind[op]))
      return h->saw[op];
  return SAW_THIN_AIR;
}

// Did transaction `txn` write the version `version` of a key, or one that it
// replaced, directly or through others?
static bool comes_before(const struct history *h, uint32_t txn,
                         uint32_t version) {
  uint32_t left = h->ntxns; // wrong histories may go in circles
  while (version < SAW_LOST && history_txn(h, version) != txn && left--)
    version = replaced_by(h, version);
  return version < SAW_LOST && history_txn(h, version) == txn;
}

// ---- Who would see more

static bool writes_key_in_events(const struct history *h, uint32_t txn,
                                 uint32_t key) {
  bool writes = false;
  for (uint32_t w = h->txn_first[txn]; w < h->txn_first[txn + 1]; w++)
    writes |= op_writes(h->kind[w]) && h->key[w] == key;
  return writes;
}

// Would this read see another version once the transaction has committed?
static bool op_would_see(const struct sequence *o, uint32_t op, uint32_t txn) {
  const struct history *h = o->history;
  return op_reads(h->kind[op]) && is_chosen_op(o, op) &&
         !op_is_list(h->kind[op]) && !comes_before(h, txn, h->saw[op]) &&
         writes_key_in_events(h, txn, h->key[op]);
}

static bool touches(const struct history *h, uint32_t first, uint32_t end,
                    uint32_t key) {
  bool touched = false;
  for (uint32_t op = first; op < end; op++)
    touched |= h->key[op] == key;
  return touched;
}

// Has some chosen transaction made a version behind this one that the statement
// does not find?  Whoever reads the row later has read it before that.
static bool is_hidden_later(const struct sequence *o, uint32_t statement,
                            uint32_t write) {
  const struct history *h = o->history;
  const uint32_t key = h->key[write], txn = history_txn(h, write);
  bool hidden = false;
  for (uint32_t e = 0; e < o->nevents && !hidden; e++)
    for (uint32_t w = o->events[e].first; w < o->events[e].end; w++)
      hidden |= h->key[w] == key && op_writes(h->kind[w]) &&
                history_txn(h, w) != txn &&
                comes_before(h, txn, replaced_by(h, w)) &&
                !(rows_version(h, w) &&
                  rows_satisfies(h, statement, key, rows_version(h, w)));
  return hidden;
}

// Would the statement return a row that it did not, once the transaction has
// committed?
static bool would_find(const struct sequence *o,
                       const struct sequence_event *event, uint32_t txn) {
  const struct history *h = o->history;
  const struct recorded_statement *s = &h->rows->statements[event->statement];
  const uint32_t reader = o->txns[event->txn];
  bool finds = false;
  if (s->condition == NO_CONDITION || s->sort == STATEMENT_INSERT_NEW)
    return false;
  for (uint32_t w = h->txn_first[txn]; w < h->txn_first[txn + 1]; w++) {
    const uint32_t key = h->key[w];
    if (!op_writes(h->kind[w]) || !is_chosen_op(o, w) ||
        h->rows->key_table[key] != s->table ||
        touches(h, w + 1, h->txn_first[txn + 1], key) ||
        touches(h, h->txn_first[reader], event->end, key))
      continue;
    const int64_t *image = rows_version(h, w);
    finds |= image && rows_satisfies(h, event->statement, key, image) &&
             (touches(h, event->end, h->txn_first[reader + 1], key) ||
              !is_hidden_later(o, event->statement, w));
  }
  return finds;
}

// Does the statement see one row that the transaction wrote, and not another?
// Then it had chosen its rows when it waited for the transaction's lock.
static bool waits_for_lock_of(const struct sequence *o,
                              const struct sequence_event *event,
                              uint32_t txn) {
  if (event->statement == ROWS_NONE)
    return false;
  const enum statement_sort sort =
      (enum statement_sort)o->history->rows->statements[event->statement].sort;
  return sort != STATEMENT_SELECT && would_find(o, event, txn);
}

// ---- What can come next

// Has what the event saw been committed, or at least written?
static bool has_been_written(const struct sequence *o, uint32_t e, uint32_t saw,
                             bool committed) {
  const uint32_t writer = sequence_event_of(o, saw);
  if (writer == NO_EVENT || o->events[writer].txn == o->events[e].txn)
    return true;
  const uint32_t txn = o->txns[o->events[writer].txn];
  const bool commits = o->history->outcome[txn] != OUTCOME_ABORTED &&
                       !waits_for_lock_of(o, &o->events[e], txn);
  return o->events[committed && commits ? end_of_event(o, writer) : writer]
      .taken;
}

static bool op_can_see(const struct sequence *o, uint32_t e, uint32_t op,
                       bool committed) {
  const struct history *h = o->history;
  if (!op_reads(h->kind[op]) || !is_chosen_op(o, op))
    return true;
  if (!op_is_list(h->kind[op]))
    return has_been_written(o, e, h->saw[op], committed);
  bool seen = true;
  for (uint32_t i = h->list[h->saw[op]].first;
       seen && i < history_list_end(h, h->saw[op]); i++)
    seen = has_been_written(o, e, h->element[i], committed);
  return seen;
}

static bool can_see(const struct sequence *o, uint32_t e, bool committed) {
  const struct sequence_event *event = &o->events[e];
  bool seen = true;
  for (uint32_t op = event->first; op < event->end; op++)
    seen &= op_can_see(o, e, op, committed);
  return seen;
}

// Would this event, which is still to come, see more than it saw once the
// transaction has committed?
static bool would_see(const struct sequence *o, uint32_t e, uint32_t txn) {
  const struct sequence_event *event = &o->events[e];
  bool sees = false;
  if (event->taken || o->txns[event->txn] == txn)
    return false;
  for (uint32_t op = event->first; op < event->end; op++)
    sees |= op_would_see(o, op, txn);
  return sees || (event->statement != ROWS_NONE && would_find(o, event, txn));
}

// A commit that would show others more than they saw.
static bool is_too_early(const struct sequence *o, uint32_t e) {
  bool early = false;
  for (uint32_t r = 0; o->events[e].is_end && r < o->nevents; r++)
    early |= would_see(o, r, o->txns[o->events[e].txn]);
  return early;
}

// ---- The next event

// Demands on it, each given up if no event meets it.
enum demand {
  SEES_ONLY_COMMITTED,
  SEES_COMMITTED,
  SEES_WRITTEN,
  SEES_ANYTHING
};

static bool is_met(const struct sequence *o, uint32_t e, enum demand demand) {
  return demand == SEES_ANYTHING ||
         (can_see(o, e, demand <= SEES_COMMITTED) &&
          (demand != SEES_ONLY_COMMITTED || !is_too_early(o, e)));
}

static uint32_t earliest(const struct sequence *o, enum demand demand) {
  uint32_t best = NO_EVENT;
  for (uint32_t e = 0; e < o->nevents; e++)
    if (!o->events[e].taken && is_next(o, e) && is_met(o, e, demand) &&
        (best == NO_EVENT || o->events[e].when < o->events[best].when))
      best = e;
  return best;
}

// Does it read what is only being written, perhaps by one that will roll back?
static bool is_dirty(const struct sequence *o, uint32_t e) {
  const struct history *h = o->history;
  bool dirty = false;
  for (uint32_t op = o->events[e].first; op < o->events[e].end; op++) {
    if (!op_reads(h->kind[op]) || op_is_list(h->kind[op]) ||
        !is_chosen_op(o, op))
      continue;
    const uint32_t writer = sequence_event_of(o, h->saw[op]);
    dirty |=
        writer != NO_EVENT && o->events[writer].txn != o->events[e].txn &&
        !o->events[end_of_event(o, writer)].taken &&
        !waits_for_lock_of(o, &o->events[e], o->txns[o->events[writer].txn]);
  }
  return dirty;
}

uint32_t sequence_next(struct sequence *o, bool *sees_last) {
  enum demand demand = SEES_ONLY_COMMITTED;
  uint32_t e;
  while ((e = earliest(o, demand)) == NO_EVENT)
    ++demand;
  *sees_last &= demand == SEES_ONLY_COMMITTED && !is_dirty(o, e);
  o->events[e].taken = true;
  return e;
}

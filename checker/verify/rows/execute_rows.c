// SPDX-License-Identifier: GPL-3.0-or-later
// Executes a proof (checker/verify/rows/execute_rows.h).
//
// Below PC an axiom (dbcop, section 2) says: where an event read a key from t1,
// and t2 wrote it, too, and is visible to the event, t2 does not come after t1.
// At RC visible are those that the transaction read from in earlier events
// (and, if that is asked for, all before it in its session), at RA all that it
// read from and all before it in its session.  Of those within the event's
// place none comes after the version that is current there; the versions of
// those behind it are looked at one by one.  Rows that did not come back are
// taken to be as they are current, so that whom they were read from is within
// the place; which is why the places of a transaction ascend.
#include "config.h"

#include "checker/verify/rows/execute_rows.h"

#include "base/buckets.h"
#include "base/ids.h"
#include "base/memory.h"
#include "checker/verify/levels.h"
#include "checker/verify/rows/executed.h"
#include "checker/verify/rows/latest_reads.h"

#include <assert.h>
#include <stdlib.h>

#define NOTHING UINT32_MAX

// --- Events.

// Goes through the events of a transaction from an operation and a statement
// on: the next one, with its statement or NOTHING.  False: there are no more
// before the end.
struct event_walk {
  const struct history *h;
  uint32_t txn, op, statement;          // the next ones
  uint32_t first, end, event_statement; // of the event at hand
};

static bool next_event(struct event_walk *w, const struct event_group *end) {
  const struct rows *rows = w->h->rows;
  const bool is_last = !end || end->txn != w->txn;
  const uint32_t last = rows->txn_statement[w->txn + 1];
  if (is_last ? w->op >= w->h->txn_first[w->txn + 1] && w->statement >= last
              : w->op >= end->op && w->statement >= end->statement)
    return false;
  const bool comes =
      w->statement < last && rows->statements[w->statement].first == w->op;
  w->first = w->op;
  w->event_statement = comes ? w->statement++ : NOTHING;
  w->end = comes ? rows->statements[w->event_statement].end : w->op + 1;
  w->op = w->end;
  return true;
}

static struct event_walk walk_from_start(const struct history *h, uint32_t t) {
  return (struct event_walk){.h = h,
                             .txn = t,
                             .op = h->txn_first[t],
                             .statement = h->rows->txn_statement[t]};
}

static bool found_latest(const struct execution_of_rows *r, uint32_t s) {
  return s != NOTHING && reads_latest(r->options, &r->h->rows->statements[s]);
}

// Has visible what the events up to a group, or NULL for all, read.
static void show_events(struct execution_of_rows *r, uint32_t t, uint32_t place,
                        const struct event_group *end) {
  struct event_walk w = walk_from_start(r->h, t);
  while (next_event(&w, end))
    if (!found_latest(r, w.event_statement))
      visible_show(r->seen, t, place, w.event_statement, w.first, w.end);
}

static void open_group(struct execution_of_rows *r,
                       const struct event_group *g) {
  const struct history *h = r->h;
  const enum isolation level = binding_level(h, r->options, g->txn);
  const bool at_once = must_see_reads_and_session(level);
  r->at = g;
  r->weak = !must_see_prefix(level);
  for (uint32_t op = h->txn_first[g->txn]; op < g->op; op++)
    if (op_writes(h->kind[op]))
      r->own[h->key[op]] = op;
  if (must_see_causes(level))
    pasts_show(&r->pasts, r->seen, g->txn);
  if (!r->weak || must_see_causes(level))
    return;
  show_events(r, g->txn, g->place, at_once ? NULL : g);
  if (at_once || r->options->question.rc_sees_session)
    visible_show_session(r->seen, g->txn, g->place);
}

static void close_group(struct execution_of_rows *r, uint32_t end) {
  const struct history *h = r->h;
  for (uint32_t op = h->txn_first[r->at->txn]; op < end; op++)
    r->own[h->key[op]] = NOTHING;
  if (r->weak)
    visible_forget(r->seen);
}

static int execute_group(struct execution_of_rows *r,
                         const struct event_group *g) {
  const struct history *h = r->h;
  const enum isolation level = binding_level(h, r->options, g->txn);
  const struct event_group *next =
      g + 1 < r->groups + r->ngroups ? g + 1 : NULL;
  struct event_walk w = {
      .h = h, .txn = g->txn, .op = g->op, .statement = g->statement};
  int result = 0;
  open_group(r, g);
  while (!result && next_event(&w, next)) {
    const bool latest = found_latest(r, w.event_statement);
    // Registers at PC and above are left to verify_pass.
    if (!latest && (r->weak || w.event_statement != NOTHING))
      result = execute_event(r, w.event_statement, w.first, w.end);
    if (r->weak && !latest && !must_see_causes(level))
      visible_show(r->seen, g->txn, g->place, w.event_statement, w.first,
                   w.end);
    for (uint32_t op = w.first; op < w.end; op++)
      if (op_writes(h->kind[op]))
        r->own[h->key[op]] = op;
  }
  close_group(r, w.op);
  return result;
}

// --- Places.

static uint32_t place_of_statement(const struct execution_of_rows *r,
                                   uint32_t s) {
  return r->proof->place ? r->proof->place[s] : 0;
}

// Its place is at least `from`, and at most `limit`.
static int add_group(struct execution_of_rows *r, struct event_group g,
                     uint32_t from, uint32_t limit) {
  ARRAY_RESERVE(r->groups, r->ngroups, r->groups_room);
  r->groups[r->ngroups++] = g;
  return g.place >= from && g.place <= limit
             ? 0
             : error_set(r->error,
                         "the order that was found is wrong: the place of "
                         "transaction %u",
                         g.txn);
}

// A group for each place of a transaction at RC, in ascending order.
static int group_statements(struct execution_of_rows *r, uint32_t t,
                            uint32_t limit) {
  const struct rows *rows = r->h->rows;
  const uint32_t end = rows->txn_statement[t + 1];
  struct event_group g = {
      .txn = t, .op = r->h->txn_first[t], .statement = rows->txn_statement[t]};
  if (g.statement < end && rows->statements[g.statement].first == g.op)
    g.place = place_of_statement(r, g.statement);
  int result = add_group(r, g, 0, limit);
  for (uint32_t s = g.statement; s < end && !result; s++) {
    const uint32_t place = place_of_statement(r, s);
    if (place == g.place)
      continue;
    const uint32_t before = g.place;
    g = (struct event_group){t, place, rows->statements[s].first, s};
    result = add_group(r, g, before, limit);
  }
  return result;
}

// Where a transaction stands that is not at RC.  At PC and above that is its
// commit, unless the proof has snapshots; at CC there is no such place.
static uint32_t place_of_txn(const struct execution_of_rows *r, uint32_t i,
                             enum isolation level) {
  const uint32_t *snapshot = r->proof->snapshot;
  if (must_see_prefix(level))
    return snapshot && may_read_before_commit(level) ? snapshot[i] : i;
  return snapshot && !must_see_causes(level) ? snapshot[i] : 0;
}

static int group_txn(struct execution_of_rows *r, uint32_t i) {
  const uint32_t t = r->proof->order[i];
  const enum isolation level = binding_level(r->h, r->options, t);
  if (proves_nothing(level))
    return 0;
  if (must_see_earlier_reads(level))
    return group_statements(r, t, i);
  const struct event_group whole = {.txn = t,
                                    .place = place_of_txn(r, i, level),
                                    .op = r->h->txn_first[t],
                                    .statement = r->h->rows->txn_statement[t]};
  return add_group(r, whole, 0, i);
}

static uint32_t place_of_group(const void *execution, uint32_t g) {
  const struct execution_of_rows *r = execution;
  return r->groups[g].place;
}

static int execute_groups(struct execution_of_rows *r) {
  const struct rows_proof *proof = r->proof;
  int result = 0;
  for (uint32_t i = 0; i < proof->norder && !result; i++)
    result = group_txn(r, i);
  if (result)
    return result;
  struct buckets groups =
      buckets_make(proof->norder + 1, r->ngroups, place_of_group, r);
  for (uint32_t at = 0; at < proof->norder && !result; at++) {
    for (uint32_t i = groups.first[at]; i < groups.first[at + 1] && !result;
         i++)
      result = execute_group(r, &r->groups[groups.items[i]]);
    live_rows_commit(&r->live, proof->order[at]);
  }
  buckets_free(&groups);
  return result;
}

static bool any_level(const struct history *h, const uint8_t *counted,
                      const struct check_options *options,
                      bool (*is)(enum isolation level)) {
  bool any = false;
  for (uint32_t t = 0; t < h->ntxns && !any; t++)
    any = counted[t] && is(binding_level(h, options, t));
  return any;
}

static enum verified execute_proof(const struct history *h,
                                   const struct check_options *options,
                                   const struct rows_proof *proof,
                                   struct visible *seen, struct error *error) {
  struct patience patience = {.stop = options->stop};
  struct execution_of_rows r = {.h = h,
                                .proof = proof,
                                .options = options,
                                .error = error,
                                .patience = &patience,
                                .seen = seen,
                                .own = ids_none(h->nkeys),
                                .op_on = ids_none(h->nkeys)};
  int result = 0;
  if (seen && any_level(h, seen->counted, options, must_see_causes))
    result = pasts_find(&r.pasts, seen, &patience, error);
  live_rows_open(&r.live, h);
  result = result ? result : execute_groups(&r);
  live_rows_close(&r.live);
  pasts_free(&r.pasts);
  FREE_EACH(r.own, r.op_on, r.groups);
  return verified(result, &patience);
}

// --- All of it.

// The levels, without those below PC, and the snapshots of the others.
static enum verified
verify_snapshots(const struct history *h, const struct history *registers,
                 const uint8_t *counted, const struct check_options *options,
                 const struct rows_proof *proof, struct error *error) {
  struct history of_snapshots = *registers;
  const bool mixed = options->question.recorded;
  struct verdict order = {
      .kind = VERDICT_PASS,
      .question = {.level = options->question.level, .recorded = mixed},
      .norder = proof->norder,
      .order = ids_copy(proof->order, proof->norder)};
  if (proof->snapshot)
    order.snapshot = ids_copy(proof->snapshot, proof->norder);
  of_snapshots.level = xmalloc(h->ntxns);
  for (uint32_t t = 0; t < h->ntxns; t++)
    of_snapshots.level[t] = must_see_prefix((enum isolation)h->level[t])
                                ? h->level[t]
                                : ISOLATION_NONE;
  const enum verified result = verify_pass(mixed ? &of_snapshots : registers,
                                           counted, options, &order, error);
  FREE_EACH(of_snapshots.level, order.order, order.snapshot);
  return result;
}

static enum verified verify_visible(const struct history *h,
                                    const uint8_t *counted,
                                    const struct check_options *options,
                                    const struct rows_proof *proof,
                                    struct error *error) {
  struct visible seen;
  visible_open(&seen, h, counted, options, proof);
  const enum verified result =
      visible_check_order(&seen, error)
          ? VERIFY_REFUSED
          : execute_proof(h, options, proof, &seen, error);
  visible_close(&seen);
  return result;
}

static bool is_below_pc(enum isolation level) {
  return !must_see_prefix(level);
}

enum verified verify_rows(const struct history *h,
                          const struct history *registers,
                          const uint8_t *counted,
                          const struct check_options *options,
                          const struct rows_proof *proof, struct error *error) {
  const bool weak = any_level(h, counted, options, is_below_pc);
  enum verified result = VERIFIED;
  if (!weak || any_level(h, counted, options, must_see_prefix))
    result = verify_snapshots(h, registers, counted, options, proof, error);
  if (result == VERIFIED && weak)
    result = verify_visible(h, counted, options, proof, error);
  else if (result == VERIFIED)
    result = execute_proof(h, options, proof, NULL, error);
  return result == VERIFIED
             ? verify_latest_reads(h, counted, options, proof->order,
                                   proof->norder, error)
             : result;
}

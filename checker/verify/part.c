// SPDX-License-Identifier: GPL-3.0-or-later
// Checks a counterexample as a history of its own (checker/verify/verify.h):
// takes the part out of the whole, which is what makes it one, and has
// everything that is said about it, and the part itself, judged there.
#include "config.h"

#include "checker/verify/verify.h"

#include "base/ids.h"
#include "base/memory.h"
#include "checker/part/subhistory.h"
#include "checker/verify/look_up.h"
#include "checker/verify/referee_question.h"
#include "recorder/rows.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define NOT_ALONE "the part of the history that was found cannot stand alone"

struct taken {
  const struct verdict *verdict; // about the whole
  struct operations ops;
  struct history part;
  uint32_t *txn_of_part;
  struct verdict about; // the part
};

// The place of an id among those taken, ascending; another that names nothing
// if it was not taken.  Ids that mean no operation or transaction stay.
static uint32_t place_in_part(const uint32_t *taken, uint32_t n, uint32_t id) {
  if (id > HISTORY_MAX)
    return id;
  const uint32_t place = ids_below(taken, n, id);
  return place < n && taken[place] == id ? place : HISTORY_MAX;
}

static uint32_t op_of_part(const struct taken *t, uint32_t op) {
  return place_in_part(t->ops.op, t->ops.count, op);
}

static uint32_t txn_of_part(const struct taken *t, uint32_t txn) {
  return place_in_part(t->txn_of_part, t->part.ntxns, txn);
}

static uint32_t event_of_part(const struct taken *t, uint32_t event) {
  if (event > HISTORY_MAX)
    return event;
  const uint32_t txn = txn_of_part(t, event / 2);
  return txn == HISTORY_MAX ? HISTORY_MAX : 2 * txn + event % 2;
}

// Is it said that an aborted statement wrote what was read, one that says no
// rows?  No operation wrote that, so the part has it out of thin air.
static bool is_of_rolled_back(const struct verdict *v) {
  return v->anomaly == ANOMALY_ABORTED_READ && v->other_op > HISTORY_MAX;
}

static void say_of_part(struct taken *t) {
  const struct verdict *v = t->verdict;
  t->about = *v;
  if (is_of_rolled_back(v))
    t->about.anomaly = ANOMALY_THIN_AIR_READ;
  t->about.op = op_of_part(t, v->op);
  t->about.other_op = op_of_part(t, v->other_op);
  t->about.edges = xmalloc(v->nedges * sizeof *t->about.edges);
  for (uint32_t i = 0; i < v->nedges; i++) {
    const struct edge *edge = &v->edges[i];
    t->about.edges[i] = (struct edge){.kind = edge->kind,
                                      .from = txn_of_part(t, edge->from),
                                      .to = txn_of_part(t, edge->to),
                                      .from_op = op_of_part(t, edge->from_op),
                                      .to_op = op_of_part(t, edge->to_op)};
  }
  struct argument *a = &t->about.argument;
  a->steps = xmalloc(a->nsteps * sizeof *a->steps);
  for (uint32_t i = 0; i < a->nsteps; i++) {
    struct inference step = v->argument.steps[i];
    step.from = event_of_part(t, step.from);
    step.to = event_of_part(t, step.to);
    step.from_op = op_of_part(t, step.from_op);
    step.to_op = op_of_part(t, step.to_op);
    step.read = op_of_part(t, step.read);
    a->steps[i] = step;
  }
}

// An argument may come short of what the referee found out by itself.
static enum verified ask_referee(const struct taken *t,
                                 const struct check_options *options,
                                 bool *is_enough, struct error *error) {
  const struct referee_options question = question_about(&t->part, options);
  const enum referee_answer answer =
      referee_decide(&t->part, &question, NULL, NULL);
  *is_enough = answer == REFEREE_BROKEN && t->about.op != UINT32_MAX &&
               !t->about.argument.nsteps;
  if (answer == REFEREE_STOPPED)
    return VERIFY_STOPPED;
  if (answer == REFEREE_KEPT) {
    error_set(error, "the referee denies the counterexample");
    return VERIFY_REFUSED;
  }
  return VERIFIED;
}

static enum verified judge_by_referee(const struct taken *t,
                                      const struct check_options *asked,
                                      struct error *error) {
  // A part that breaks a level breaks all stronger levels (dbcop, lemma 2.4).
  struct check_options weakest = *asked;
  if (!asked->question.recorded)
    weakest.question.level = t->verdict->broken;
  uint32_t nlost;
  uint8_t *counted = history_counted(&t->part, &nlost);
  bool is_enough = false;
  enum verified result =
      verify_evidence(&t->part, counted, asked, &t->about, error);
  if (result == VERIFIED)
    result = ask_referee(t, &weakest, &is_enough, error);
  if (result == VERIFIED && !is_enough)
    result =
        verify_argument(&t->part, counted, &weakest, &t->about.argument, error);
  free(counted);
  return result;
}

// --- What is said of the whole.

static void mark_shown(const struct history *h, uint32_t t, uint32_t read,
                       uint8_t *shown) {
  const struct listed list = listed_by(h, read);
  for (const uint32_t *at = list.first; at < list.end; at++)
    if (*at < h->nops && history_txn(h, *at) != t)
      shown[*at] = 1;
}

// Per operation: is it an append that a transaction which counts, and neither
// made it nor is `but`, read?
static uint8_t *appends_read(const struct history *h, uint32_t but) {
  uint32_t nlost;
  uint8_t *counted = history_counted(h, &nlost);
  uint8_t *shown = xcalloc(h->nops, 1);
  for (uint32_t t = 0; t < h->ntxns; t++)
    for (uint32_t op = h->txn_first[t];
         counted[t] && t != but && op < h->txn_first[t + 1]; op++)
      if (h->kind[op] == OP_READ_LIST)
        mark_shown(h, t, op, shown);
  free(counted);
  return shown;
}

// The one edge that leads to a later version; NULL unless all others say that
// the transaction of that version came before.
static const struct edge *overwriting_edge(const struct verdict *v) {
  const struct edge *found = NULL;
  for (uint32_t i = 0; i < v->nedges; i++) {
    const struct edge *edge = &v->edges[i];
    const bool later = edge->kind == EDGE_RW || edge->kind == EDGE_WW;
    if (later && found)
      return NULL;
    if (later)
      found = edge;
  }
  return found;
}

static bool comes_later(const struct history *h, uint32_t t, uint32_t u,
                        const struct check_options *options) {
  assert(t < h->ntxns && u < h->ntxns);
  if (options->question.session_order && t < u &&
      history_session(h, t) == history_session(h, u))
    return true;
  return history_ended(h, t) < history_began(h, u);
}

// Was an append to the key read whose transaction came later than that of this
// one, in its session or in time?
static bool later_was_read(const struct history *h, uint32_t append,
                           const uint8_t *shown,
                           const struct check_options *options) {
  assert(op_is_list(h->kind[append]));
  const uint32_t t = history_txn(h, append);
  bool found = false;
  for (uint32_t op = 0; op < h->nops && !found; op++)
    found = shown[op] && h->key[op] == h->key[append] &&
            comes_later(h, t, history_txn(h, op), options);
  return found;
}

// An append is lost if it was committed, and no read of the whole history shows
// it though some read shows one that came later: as the cycle tells, which was
// checked, or else by itself.
static int check_loss(const struct history *h,
                      const struct check_options *options,
                      const struct verdict *v, struct error *error) {
  const struct edge *edge = overwriting_edge(v);
  if (!edge)
    return error_set(error, "the cycle does not name the append that was lost");
  uint8_t *shown = appends_read(h, edge->to);
  const bool lost =
      h->kind[edge->to_op] == OP_APPEND && h->outcome[edge->to] == OUTCOME_OK &&
      !shown[edge->to_op] &&
      (edge->kind == EDGE_WW ? shown[edge->from_op]
                             : later_was_read(h, edge->to_op, shown, options));
  free(shown);
  return lost ? 0
              : error_set(error,
                          "the append that was reported lost was not lost");
}

static bool is_ascending(const struct history *h, const struct verdict *v) {
  for (uint32_t i = 0; i < v->npart; i++)
    if (v->part[i] >= h->nops || (i && v->part[i] <= v->part[i - 1]))
      return false;
  return true;
}

// A part lacks the statements of which the whole knows who was rolled back.
static int check_rolled_back(const struct history *h, const struct verdict *v,
                             struct error *error) {
  if (v->op < h->nops && rows_rolled_back(h, v->op) != ROWS_NONE)
    return 0;
  return error_set(error, "no aborted transaction wrote what operation %u read",
                   v->op);
}

static int check_part_claim(const struct history *h,
                            const struct check_options *options,
                            const struct verdict *v, struct error *error) {
  if (!is_ascending(h, v))
    return error_set(error, "%s", NOT_ALONE);
  if (v->broken <= ISOLATION_NONE || v->broken > options->question.level)
    return error_set(
        error,
        "the violation that was found breaks neither level %s nor a weaker one",
        isolation_name(options->question.level));
  return 0;
}

enum verified verify_violation(const struct history *history,
                               const struct check_options *options,
                               const struct verdict *verdict,
                               struct error *error) {
  if (check_part_claim(history, options, verdict, error))
    return VERIFY_REFUSED;
  struct taken t = {.verdict = verdict};
  t.ops.op = xmalloc(verdict->npart * sizeof *t.ops.op);
  t.ops.count = verdict->npart;
  if (verdict->npart)
    memcpy(t.ops.op, verdict->part, verdict->npart * sizeof *t.ops.op);
  subhistory_close(history, &t.ops);
  enum verified result = VERIFY_REFUSED;
  if (t.ops.count < verdict->npart) {
    error_set(error, "%s", NOT_ALONE);
  } else {
    subhistory_extract(history, &t.ops, &t.part, &t.txn_of_part);
    say_of_part(&t);
    result = judge_by_referee(&t, options, error);
    if (!result && verdict->anomaly == ANOMALY_LOST_WRITE)
      result = check_loss(history, options, verdict, error);
    if (!result && is_of_rolled_back(verdict))
      result = check_rolled_back(history, verdict, error);
  }
  FREE_EACH(t.ops.op, t.txn_of_part, t.about.edges, t.about.argument.steps);
  history_free(&t.part);
  return result;
}

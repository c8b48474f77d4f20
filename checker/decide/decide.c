// SPDX-License-Identifier: GPL-3.0-or-later
// Which way decides a level (checker/decide/decide.h).  Two for each: a quick
// one that may fail to tell, and one that tells.
//
//   RC, RA, CC  the recorded order, or SI's order of the known edges, for a
//               history that keeps SI keeps them (dbcop, lemma 2.4); CC of
//               many sessions without times: a brief search for PC's order;
//               saturation
//   PC          SI's order of the known edges; the search among the orders of
//               versions
//   SI and up   the order of the known edges, which also tells what breaks
//               them; the search, if it leaves something open
#include "config.h"

#include "checker/decide/decide.h"

#include "base/memory.h"
#include "checker/evidence/core.h"
#include "checker/evidence/evidence.h"
#include "checker/verdict/level_rules.h"
#include "checker/weak/recorded_order.h"

#include <assert.h>
#include <stdlib.h>

enum {
  SESSIONS_OF_CLOCKS = 32, // a clock each; above, PC's order is tried first,
  CLOCKS_PER_STEP = 512    // with as many steps as the clocks would take
};

// --- Answers.

// Takes the operations over.
static void break_by_operations(struct decision *d, struct operations core) {
  d->answer = ANSWER_BROKEN;
  d->core = core;
}

// `on_cycle`: as problem_build says.
static void break_by_cycle_at(struct decision *d, const struct problem *p,
                              uint32_t on_cycle) {
  if (on_cycle != NO_ID)
    break_by_operations(d, core_of_node(p, on_cycle));
}

// Takes the order over.
static void keep_order(struct decision *d, struct order *order) {
  assert(order->n == 0 || order->txn);
  d->answer = ANSWER_KEPT;
  d->norder = order->n;
  d->order = order->txn;
  d->snapshot = order->snapshot;
  order->txn = order->snapshot = NULL;
}

static void take_witness(struct decision *d, const struct problem *p,
                         const uint32_t *node_at) {
  const struct model *m = p->m;
  const bool split = p->scale == 2;
  uint32_t *taken_at = split ? xmalloc(m->h->ntxns * sizeof *taken_at) : NULL;
  d->answer = ANSWER_KEPT;
  d->order = xmalloc(m->h->ntxns * sizeof *d->order);
  if (split)
    d->snapshot = xmalloc(m->h->ntxns * sizeof *d->snapshot);
  for (uint32_t i = 0; i < p->nnodes; i++) {
    const uint32_t t = problem_txn(p, node_at[i]);
    assert(node_at[i] < p->nnodes);
    if (t == NO_ID || !m->counted[t])
      continue;
    if (split && node_at[i] % 2 == 0) {
      taken_at[t] = d->norder;
      continue;
    }
    if (split)
      d->snapshot[d->norder] = problem_splits(p, t) ? taken_at[t] : d->norder;
    d->order[d->norder++] = t;
  }
  free(taken_at);
}

// --- The ways that tell.

// `effort`: until it is given up; 0: any.
static void decide_problem(struct decision *d, const struct problem *p,
                           uint64_t effort, struct check_progress *progress) {
  const struct choice_problem choices = {.graph = &p->graph,
                                         .guess = p->guess,
                                         .nkeys = p->m->h->nkeys,
                                         .key_first = p->key_first,
                                         .chains = p->chains,
                                         .readers = p->readers,
                                         .effort = effort,
                                         .stop = p->m->stop,
                                         .progress = progress};
  struct choice_result result;
  const enum choice_answer answer = choices_solve(&choices, &result);
  if (answer == CHOICES_ORDERED)
    take_witness(d, p, result.node_at);
  else if (answer == CHOICES_IMPOSSIBLE)
    break_by_operations(d, core_of_choices(p, &result));
  choice_result_free(&result);
}

// By the graph of the level; `levels` of all transactions, or NULL.  Where
// nothing is left to choose, any order of it keeps the level.
static void decide_by_graph(struct decision *d, const struct model *m,
                            enum isolation level, const uint8_t *levels,
                            const struct demands *demands, uint64_t effort,
                            struct check_progress *progress) {
  struct problem p;
  uint32_t on_cycle;
  if (!problem_build(&p, m, level, levels, demands, &on_cycle))
    break_by_cycle_at(d, &p, on_cycle);
  else if (p.searched)
    decide_problem(d, &p, effort, progress);
  else
    take_witness(d, &p, p.guess);
  problem_free(&p);
}

// The transactions in an order that keeps session order and write-read; none,
// with what is wrong in the decision, if there is no such order.
static struct decision causal_order(const struct model *m) {
  struct decision order = {.answer = ANSWER_STOPPED};
  if (!m->h->lists && !m->levels && !m->real_time)
    order.order = recorded_order_find(m, weakest_level, &order.norder);
  // That of a weaker level is as good a start.
  if (!order.order && !model_is_stopped(m))
    decide_by_graph(&order, m, ISOLATION_CC, NULL, NULL, 0, NULL);
  return order;
}

// The demands on the readers at a level below PC.  False: there is no causal
// order, and the decision says so, or no time for it.
static bool make_demands(struct decision *d, const struct model *m,
                         enum isolation level, struct demands *demands) {
  struct decision first = {0};
  if (level_is_causal(level)) // whose demands follow the order
    first = causal_order(m);
  if (first.answer == ANSWER_BROKEN) {
    *d = first;
    return false;
  }
  if (!model_is_stopped(m)) {
    saturate(m, level, first.order, first.norder, demands);
    if (m->real_time && level_counts_session(level))
      saturate_in_time(m, level, first.order, first.norder, demands);
  }
  decision_free(&first);
  return !model_is_stopped(m);
}

static void saturate_level(struct decision *d, const struct model *m,
                           enum isolation level) {
  struct demands demands = {0};
  if (make_demands(d, m, level, &demands))
    decide_by_graph(d, m, level, NULL, &demands, 0, NULL);
  demands_free(&demands);
}

// Demands for those below PC, choices for the others.
static void decide_mixed(struct decision *d, const struct model *m,
                         enum isolation level,
                         struct check_progress *progress) {
  bool present[ISOLATION_COUNT] = {false};
  struct demands demands = {0};
  bool causal = true;
  for (uint32_t t = 0; t < m->h->ntxns; t++)
    present[m->levels[t]] |= m->counted[t] != 0;
  for (enum isolation weak = weakest_level; level_saturates(weak) && causal;
       weak++)
    causal = !present[weak] || make_demands(d, m, weak, &demands);
  if (causal)
    decide_by_graph(d, m, level, m->levels, &demands, 0, progress);
  demands_free(&demands);
}

// As many as the clocks would take; of few sessions twice as many, but not more
// than one for each operation: uniform keys of 200 sessions need that.
static uint64_t steps_of_brief_search(const struct history *h) {
  const uint64_t once = 1 + (uint64_t)h->nops,
                 steps = once * h->nsessions / CLOCKS_PER_STEP;
  return steps >= once ? steps : 2 * steps < once ? 2 * steps : once;
}

// Clocks of very many sessions take long, and the times tell no order.  Nearly
// every database that keeps CC keeps PC then, whose order is one of CC, too
// (dbcop, lemma 2.4).
static bool keeps_more(struct decision *d, const struct model *m) {
  const struct history *h = m->h;
  if (h->end || m->real_time || h->nsessions <= SESSIONS_OF_CLOCKS)
    return false;
  decide_by_graph(d, m, ISOLATION_PC, NULL, NULL, steps_of_brief_search(h),
                  NULL);
  if (d->answer == ANSWER_KEPT)
    return true;
  decision_free(d);
  *d = (struct decision){.answer = ANSWER_STOPPED};
  return false;
}

static void decide_open(struct decision *d, struct model *m,
                        enum isolation level, struct check_progress *progress) {
  if (model_is_stopped(m) || !model_reach(m, MODEL_WALKABLE))
    return;
  if (m->levels)
    decide_mixed(d, m, level, progress);
  else if (level_is_causal(level) && keeps_more(d, m))
    return;
  else if (level_saturates(level))
    saturate_level(d, m, level);
  else
    decide_by_graph(d, m, level, NULL, NULL, 0, progress);
}

// --- The order of the known edges.

// Which contradicts itself or, if not that, real time.
static void break_by_order(struct decision *d, struct model *m,
                           const struct order *order) {
  if (!model_reach(m, MODEL_WALKABLE))
    return;
  if (order->nback) {
    break_by_operations(d, core_of_order(m, order));
    return;
  }
  cycle_of_real_time(&d->cycle, m, order);
  break_by_operations(d, evidence_of_cycle(m, d->cycle.edges, d->cycle.nedges));
}

// SI, SER and SSER.
static void decide_strong(struct decision *d, struct model *m,
                          struct tangle *tangle, enum isolation level,
                          struct check_progress *progress) {
  struct order *order = &tangle->order;
  if (!tangle_make(tangle, m, level_splits(level)))
    return;
  if (order->nback || ((m->real_time || level_keeps_time(level)) &&
                       !order_keeps_real_time(m->h, order)))
    break_by_order(d, m, order);
  else if (m->open_versions || order_tails_overlap(m, order))
    decide_open(d, m, level, progress);
  else
    keep_order(d, order);
}

// Does SI's order of the known edges keep all of them and real time?
static bool keeps_known_edges(const struct model *m, struct tangle *tangle) {
  const struct order *order = &tangle->order;
  return m->wrong_read.anomaly == ANOMALY_NONE && m->diverged == NO_ID &&
         !m->open_versions && tangle_make(tangle, m, true) && !order->nback &&
         !order_tails_overlap(m, order) &&
         (!m->real_time || order_keeps_real_time(m->h, order));
}

// --- The recorded order.

// Without times none is near enough to search the pasts of readers for causal
// consistency.
static bool has_recorded_order(const struct model *m, enum isolation level) {
  const struct history *h = m->h;
  return level_saturates(level) && !h->lists && !m->levels && !m->real_time &&
         (!level_is_causal(level) || h->end);
}

static bool decide_quickly(struct decision *d, struct model *m,
                           enum isolation level) {
  if (!has_recorded_order(m, level))
    return false;
  if (model_reach(m, MODEL_JUDGED) && !decide_has_wrong_read(m, level))
    d->order = recorded_order_find(m, level, &d->norder);
  d->answer = d->order ? ANSWER_KEPT : ANSWER_STOPPED;
  return d->order != NULL;
}

static void decide_linked(struct decision *d, struct model *m,
                          struct tangle *tangle, enum isolation level,
                          struct check_progress *progress) {
  if (!model_reach(m, MODEL_ANCHORED))
    return;
  if (level_conflicts(level) && m->diverged != NO_ID) {
    if (model_reach(m, MODEL_WALKABLE))
      break_by_operations(d, core_of_divergence(m));
  } else if (m->levels) {
    decide_open(d, m, level, progress);
  } else if (level_conflicts(level)) {
    decide_strong(d, m, tangle, level, progress);
  } else if (keeps_known_edges(m, tangle)) {
    keep_order(d, &tangle->order);
  } else {
    decide_open(d, m, level, progress);
  }
}

// --- Public.

void decide(struct decision *d, struct model *m, struct tangle *tangle,
            enum isolation level, struct check_progress *progress) {
  assert(level_binds_reads(level));
  *d = (struct decision){.answer = ANSWER_STOPPED};
  if (decide_quickly(d, m, level) || model_is_stopped(m))
    return;
  if (!model_reach(m, MODEL_LINKED))
    return;
  d->by_read = decide_has_wrong_read(m, level);
  if (d->by_read)
    d->answer = ANSWER_BROKEN;
  else
    decide_linked(d, m, tangle, level, progress);
}

void decision_free(struct decision *d) {
  FREE_EACH(d->order, d->snapshot, d->core.op);
  cycle_free(&d->cycle);
  *d = (struct decision){0};
}

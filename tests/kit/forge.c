// SPDX-License-Identifier: GPL-3.0-or-later
// Forges proofs (tests/kit/forge.h).
#include "config.h"

#include "tests/kit/forge.h"

#include "base/memory.h"

enum { EDGES_MAX = 4, STEPS_MAX = 6, PATH_MAX_STEPS = 3 };

static unsigned below(gsl_rng *random, unsigned n) {
  return (unsigned)gsl_rng_uniform_int(random, n);
}

static bool one_in(gsl_rng *random, unsigned n) {
  return below(random, n) == 0;
}

// One of the history's, or none where there are none.
static uint32_t any_id(gsl_rng *random, uint32_t n) {
  return n == 0 || one_in(random, 32) ? UINT32_MAX : below(random, n);
}

static uint32_t any_op(gsl_rng *random, const struct history *h) {
  return any_id(random, h->nops);
}

// Mostly of the same key.
static uint32_t op_beside(gsl_rng *random, const struct history *h,
                          uint32_t op) {
  uint32_t other = any_op(random, h);
  for (int i = 0;
       i < 8 && op < h->nops && other < h->nops && h->key[other] != h->key[op];
       i++)
    other = any_op(random, h);
  return other;
}

static uint32_t txn_of(const struct history *h, uint32_t op) {
  return op < h->nops ? history_txn(h, op) : 0;
}

// --- That the level was kept.

static void forge_order(gsl_rng *random, const struct history *h,
                        struct verdict *v) {
  v->order = xmalloc(h->ntxns * sizeof *v->order);
  for (uint32_t t = 0; t < h->ntxns; t++)
    if (h->outcome[t] == OUTCOME_OK || one_in(random, 2))
      v->order[v->norder++] = t;
  for (uint32_t i = v->norder; i-- > 1;) {
    const uint32_t j = one_in(random, 2) ? i : below(random, i + 1);
    const uint32_t t = v->order[i];
    v->order[i] = v->order[j];
    v->order[j] = t;
  }
  if (one_in(random, 2))
    return;
  v->snapshot = xmalloc(v->norder * sizeof *v->snapshot);
  for (uint32_t i = 0; i < v->norder; i++)
    v->snapshot[i] = below(random, i + 1);
}

// --- That it was broken.

static void forge_part(gsl_rng *random, const struct history *h,
                       struct verdict *v) {
  const bool all = !one_in(random, 4);
  v->part = xmalloc(h->nops * sizeof *v->part);
  for (uint32_t op = 0; op < h->nops; op++)
    if (all || !one_in(random, 4))
      v->part[v->npart++] = op;
}

static void forge_cycle(gsl_rng *random, const struct history *h,
                        struct verdict *v) {
  v->nedges = below(random, EDGES_MAX + 1);
  v->edges = xcalloc(v->nedges, sizeof *v->edges);
  for (uint32_t i = 0; i < v->nedges; i++) {
    struct edge *edge = &v->edges[i];
    edge->kind = (uint8_t)below(random, EDGE_RW + 1);
    edge->from_op = any_op(random, h);
    edge->to_op = op_beside(random, h, edge->from_op);
    edge->from = txn_of(h, edge->from_op);
    edge->to = txn_of(h, edge->to_op);
  }
}

// Events of the operations, the later one of a transaction half the time.
static void place_step(gsl_rng *random, const struct history *h,
                       struct inference *step) {
  step->from = 2 * txn_of(h, step->from_op) + below(random, 2);
  step->to = 2 * txn_of(h, step->to_op) + below(random, 2);
  if (!one_in(random, 8))
    return;
  step->from = any_id(random, 2 * h->ntxns);
  step->to = any_id(random, 2 * h->ntxns);
}

static void forge_path(gsl_rng *random, struct argument *a, uint32_t s) {
  a->steps[s].first = a->npath;
  for (unsigned n = s ? below(random, PATH_MAX_STEPS + 1) : 0; n > 0; n--)
    a->path[a->npath++] = below(random, s);
  a->steps[s].end = a->npath;
}

static void forge_argument(gsl_rng *random, const struct history *h,
                           struct argument *a) {
  a->nsteps = below(random, STEPS_MAX + 1);
  a->steps = xcalloc(a->nsteps, sizeof *a->steps);
  a->path = xmalloc(STEPS_MAX * PATH_MAX_STEPS * sizeof *a->path);
  for (uint32_t s = 0; s < a->nsteps; s++) {
    struct inference *step = &a->steps[s];
    step->why = (uint8_t)below(random, REASON_LEMMA + 1);
    step->kind = (uint8_t)below(random, EDGE_RW + 1);
    step->from_op = any_op(random, h);
    step->to_op = op_beside(random, h, step->from_op);
    step->read = op_beside(random, h, step->from_op);
    step->lemma = any_id(random, s);
    place_step(random, h, step);
    forge_path(random, a, s);
  }
}

static void forge_violation(gsl_rng *random, const struct history *h,
                            struct verdict *v) {
  v->broken = (enum isolation)(1 + below(random, v->question.level));
  v->anomaly = (enum anomaly)(1 + below(random, ANOMALY_COUNT - 1));
  forge_part(random, h, v);
  if (one_in(random, 2)) {
    v->op = any_op(random, h);
    v->other_op = op_beside(random, h, v->op);
  } else {
    forge_cycle(random, h, v);
  }
  forge_argument(random, h, &v->argument);
}

struct verdict forge(gsl_rng *random, const struct history *h,
                     const struct check_options *question) {
  struct verdict v = {
      .question = {.level = question->question.level,
                   .recorded = question->question.recorded,
                   .session_order = question->question.session_order,
                   .real_time = question->question.real_time},
      .op = UINT32_MAX,
      .other_op = UINT32_MAX};
  v.kind = one_in(random, 4) ? VERDICT_PASS : VERDICT_VIOLATION;
  if (v.kind == VERDICT_PASS)
    forge_order(random, h, &v);
  else
    forge_violation(random, h, &v);
  return v;
}

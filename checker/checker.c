// SPDX-License-Identifier: GPL-3.0-or-later
// The road from a history to a proved verdict (checker/checker.h).
#include "config.h"

#include "checker/checker.h"

#include "base/memory.h"
#include "checker/census.h"
#include "checker/confirm.h"
#include "checker/cycle.h"
#include "checker/engine.h"
#include "checker/model.h"
#include "checker/open.h"
#include "checker/order.h"
#include "checker/prefix.h"
#include "checker/question.h"
#include "checker/referee.h"
#include "checker/verify.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct engine {
  struct model m;
  const struct check_options *options; // `now`
  struct verdict *verdict;
  const struct history *history;
  struct history h;              // the same, but for the kinds
  uint8_t *kind;                 // see kinds_that_matter
  struct check_options all, now; // as asked for; at the level at hand
};

static void __attribute__((format(printf, 2, 3)))
leave_undecided(struct engine *c, const char *format, ...) {
  va_list args;
  va_start(args, format);
  c->verdict->kind = VERDICT_UNDECIDED;
  vsnprintf(c->verdict->why, sizeof c->verdict->why, format, args);
  va_end(args);
}

static void blame_read(struct engine *c) {
  const struct finding *finding = &c->m.finding;
  c->verdict->kind = VERDICT_VIOLATION;
  c->verdict->anomaly = finding->anomaly;
  c->verdict->op = finding->op;
  c->verdict->other_op = finding->other_op;
}

// Takes the cycle over.
static void blame_cycle(struct engine *c, const struct cycle *cycle) {
  c->verdict->kind = VERDICT_VIOLATION;
  c->verdict->anomaly = cycle->anomaly;
  c->verdict->nedges = cycle->nedges;
  c->verdict->edges = cycle->edges;
}

// Takes the order over.
static void pass(struct engine *c, struct order *order) {
  c->verdict->kind = VERDICT_PASS;
  c->verdict->norder = order->n;
  c->verdict->order = order->txn;
  c->verdict->snapshot = order->snapshot;
  order->txn = order->snapshot = NULL;
}

// The best cycle of known edges; ANOMALY_NONE if there is none.
static struct cycle best_cycle(struct model *m, const struct order *order) {
  struct cycle cycle = {0};
  if (!m->first_over)
    model_link_overwriters(m);
  if (order->nback)
    cycle_find(&cycle, m, order);
  if (m->diverged != NO_ID &&
      (cycle.anomaly == ANOMALY_NONE ||
       anomaly_info(cycle.anomaly)->weakest >= ISOLATION_SI)) {
    cycle_free(&cycle);
    cycle_of_divergence(&cycle, m, m->diverged);
  }
  return cycle;
}

// Was the order of transactions that append to one list, and were never read,
// left open with snapshots that overlap?
static bool tails_overlap(const struct model *m, const struct order *order) {
  if (!m->has_tails || !order->snapshot)
    return false;
  uint32_t *written_at = xcalloc(m->h->nkeys, sizeof *written_at);
  bool overlap = false;
  for (uint32_t i = 0; i < order->n; i++) {
    const uint32_t t = order->txn[i];
    for (uint32_t op = m->h->txn_first[t]; op < m->h->txn_first[t + 1]; op++) {
      if (!(m->role[op] & ROLE_FINAL))
        continue;
      overlap |= written_at[m->h->key[op]] > order->snapshot[i];
      written_at[m->h->key[op]] = i + 1;
    }
  }
  free(written_at);
  return overlap;
}

// --- What the known edges leave open.

static bool part_breaks(const struct engine *c, const struct history *part,
                        enum isolation level) {
  struct referee_options options = question_about(part, c->options);
  options.level = level;
  options.levels = NULL;
  return referee_decide(part, &options, NULL, NULL) == REFEREE_BROKEN;
}

// Does the part, which breaks the level, keep it without real time?
static bool needs_real_time(const struct engine *c, const struct history *part,
                            enum isolation level) {
  struct referee_options options = question_about(part, c->options);
  options.level = level;
  options.levels = NULL;
  options.real_time = false;
  return c->options->real_time &&
         referee_decide(part, &options, NULL, NULL) == REFEREE_KEPT;
}

// What to call a violation of a level, and of none that is weaker, whose
// dependencies have no cycle that could be named.
static const enum anomaly example[ISOLATION_COUNT] = {
    [ISOLATION_RC] = ANOMALY_CYCLE_G1C,
    [ISOLATION_RA] = ANOMALY_FRACTURED_READ,
    [ISOLATION_CC] = ANOMALY_CAUSALITY_VIOLATION,
    [ISOLATION_PC] = ANOMALY_LONG_FORK,
    [ISOLATION_SI] = ANOMALY_CYCLE_G_SINGLE,
    [ISOLATION_SER] = ANOMALY_CYCLE_G2_ITEM,
    [ISOLATION_SSER] = ANOMALY_STALE_READ};

// The name of the cycle of known edges in the part that breaks the level and
// none that is weaker, if it has one.
static enum anomaly anomaly_of_level(const struct engine *c,
                                     const struct history *part,
                                     enum isolation level) {
  struct model m;
  struct error error;
  enum anomaly anomaly = example[level];
  struct check_options same_for_all = *c->options;
  same_for_all.recorded = false;
  if (needs_real_time(c, part, level))
    return ANOMALY_STALE_READ;
  if (model_build(&m, part, &same_for_all, &error))
    return anomaly;
  struct order order;
  chains_anchor(&m);
  order_build(&order, &m, level <= ISOLATION_SI, NULL);
  struct cycle cycle = best_cycle(&m, &order);
  if (cycle.anomaly != ANOMALY_NONE &&
      anomaly_info(cycle.anomaly)->weakest == level)
    anomaly = cycle.anomaly;
  cycle_free(&cycle);
  order_free(&order);
  model_free(&m);
  return anomaly;
}

static enum anomaly anomaly_of_part(const struct engine *c) {
  const struct operations ops = {.op = c->verdict->part,
                                 .count = c->verdict->npart};
  struct history part;
  enum isolation level = ISOLATION_RC;
  subhistory_extract(c->m.h, &ops, &part, NULL);
  while (level < c->options->level && !part_breaks(c, &part, level))
    level++;
  const enum anomaly anomaly = anomaly_of_level(c, &part, level);
  history_free(&part);
  return anomaly;
}

static void blame_part(struct engine *c, struct open_decision *d) {
  uint32_t ntxns = 0, last = NO_ID;
  open_minimise(&d->core, c->m.h, c->options);
  for (uint32_t i = 0; i < d->core.count; i++) {
    ntxns += c->m.txn_of[d->core.op[i]] != last;
    last = c->m.txn_of[d->core.op[i]];
  }
  if (ntxns > REFEREE_MAX_TXNS) {
    leave_undecided(c,
                    "%u transactions contradict each other, more than can be "
                    "confirmed by trying all orders",
                    ntxns);
    return;
  }
  c->verdict->kind = VERDICT_VIOLATION;
  c->verdict->part = d->core.op;
  c->verdict->npart = d->core.count;
  d->core.op = NULL;
  c->verdict->anomaly = anomaly_of_part(c);
}

// The cycle of known edges that breaks the level, if there is one: it tells
// more than a part of the history does.
static bool blame_known_cycle(struct engine *c) {
  struct order order;
  struct cycle cycle = {0};
  if (c->m.finding.anomaly != ANOMALY_NONE)
    return false;
  order_build(&order, &c->m, c->options->level <= ISOLATION_SI,
              c->options->stop);
  if (!order.stopped)
    cycle = best_cycle(&c->m, &order);
  order_free(&order);
  const bool breaks = cycle.anomaly != ANOMALY_NONE &&
                      anomaly_info(cycle.anomaly)->weakest <= c->options->level;
  if (breaks)
    blame_cycle(c, &cycle);
  else
    cycle_free(&cycle);
  return breaks;
}

static void decide_open(struct engine *c) {
  struct open_decision d;
  open_decide(&d, &c->m, c->options->level, c->options->stop);
  switch (d.answer) {
  case OPEN_KEPT:
    c->verdict->kind = VERDICT_PASS;
    c->verdict->norder = d.norder;
    c->verdict->order = d.order;
    c->verdict->snapshot = d.snapshot;
    d.order = d.snapshot = NULL;
    break;
  case OPEN_BROKEN:
    if (c->options->recorded || !blame_known_cycle(c))
      blame_part(c, &d);
    break;
  case OPEN_STOPPED:
    leave_undecided(c, "stopped before it was decided");
    break;
  }
  open_decision_free(&d);
}

// --- What they decide.

// Does real time matter to any transaction?
static bool in_real_time(const struct engine *c) {
  return c->options->real_time || c->options->level == ISOLATION_SSER;
}

// All edges are kept: only real time can be against it.
static void decide_acyclic(struct engine *c, struct order *order) {
  struct cycle cycle = {0};
  if (in_real_time(c))
    cycle_of_real_time(&cycle, &c->m, order);
  if (cycle.anomaly != ANOMALY_NONE)
    blame_cycle(c, &cycle);
  else if (c->m.open_versions || tails_overlap(&c->m, order))
    decide_open(c);
  else
    pass(c, order);
}

// SI, SER and SSER.
static void decide_strong(struct engine *c) {
  struct order order;
  chains_anchor(&c->m);
  order_build(&order, &c->m, c->options->level == ISOLATION_SI,
              c->options->stop);
  struct cycle cycle = {0};
  if (order.stopped)
    leave_undecided(c, "stopped before it was decided");
  else if (order.nback || c->m.diverged != NO_ID)
    cycle = best_cycle(&c->m, &order);
  else
    decide_acyclic(c, &order);
  if (cycle.anomaly != ANOMALY_NONE)
    blame_cycle(c, &cycle);
  order_free(&order);
}

// The recorded order, nearly: what decides most histories that keep the level.
// Without times there is none that is near enough to search the pasts of
// readers for causal consistency: clocks are faster then.
static bool keeps_recorded_order(struct engine *c) {
  if (c->m.finding.anomaly != ANOMALY_NONE || c->m.h->lists ||
      c->options->real_time || c->options->level >= ISOLATION_PC ||
      (c->options->level == ISOLATION_CC && !c->m.h->end))
    return false;
  c->verdict->order = prefix_order(&c->m, c->options->level, c->options->stop,
                                   &c->verdict->norder);
  if (c->verdict->order)
    c->verdict->kind = VERDICT_PASS;
  return c->verdict->order != NULL;
}

// A level below SI is kept by a history that keeps SI (dbcop, lemma 2.4), which
// is found out faster where nothing is open.
static void decide_weak(struct engine *c) {
  const struct model *m = &c->m;
  struct order order = {0};
  if (keeps_recorded_order(c))
    return;
  chains_anchor(&c->m);
  if (m->finding.anomaly == ANOMALY_NONE && m->diverged == NO_ID &&
      !m->open_versions)
    order_build(&order, m, true, c->options->stop);
  if (order.stopped)
    leave_undecided(c, "stopped before it was decided");
  else if (!order.txn || order.nback || tails_overlap(m, &order) ||
           (c->options->real_time && !order_keeps_real_time(m->h, &order)))
    decide_open(c);
  else
    pass(c, &order);
  order_free(&order);
}

static void decide(struct engine *c) {
  const enum isolation level = c->options->level;
  const enum anomaly anomaly = c->m.finding.anomaly;
  if (level == ISOLATION_NONE)
    leave_undecided(c, "level none promises nothing that could be checked");
  else if (anomaly != ANOMALY_NONE && anomaly_info(anomaly)->weakest <= level)
    blame_read(c);
  else if (c->options->recorded)
    decide_open(c);
  else if (level >= ISOLATION_SI)
    decide_strong(c);
  else
    decide_weak(c);
  if (c->verdict->kind == VERDICT_PASS && in_real_time(c) &&
      !(c->m.h->begin && c->m.h->end))
    leave_undecided(
        c, "this history keeps %s, but it has no times to decide %s",
        c->options->level == ISOLATION_SSER ? isolation_title(ISOLATION_SER)
                                            : "the level without real time",
        c->options->level == ISOLATION_SSER ? isolation_title(ISOLATION_SSER)
                                            : "real time");
}

static int prove(const struct engine *c, struct error *error) {
  const struct model *m = &c->m;
  const struct history *h = c->history;
  switch (c->verdict->kind) {
  case VERDICT_PASS:
    return verify_pass(h, m->counted, c->options, c->verdict, error);
  case VERDICT_VIOLATION:
    if (verify_violation(h, m->counted, c->options, c->verdict, error))
      return -1;
    if (c->verdict->npart)
      return 0; // the referee has been asked
    return confirm_violation(m, c->options, c->verdict, error);
  case VERDICT_UNDECIDED:
    break;
  }
  return 0;
}

// --- What each transaction is checked at.

// Where all were run at one level, that is the level of all; where not, the
// strongest of them stands for the verdict.
static struct check_options settled(const struct history *h,
                                    const struct check_options *options) {
  struct check_options settled = *options;
  enum isolation weakest = ISOLATION_SSER, strongest = ISOLATION_NONE;
  if (!options->recorded)
    return settled;
  for (uint32_t t = 0; t < h->ntxns; t++) {
    const enum isolation level = (enum isolation)h->level[t];
    if (h->outcome[t] == OUTCOME_ABORTED)
      continue;
    strongest = level > strongest ? level : strongest;
    weakest = level < weakest ? level : weakest;
  }
  settled.level = strongest;
  settled.recorded = weakest < strongest;
  return settled;
}

// The kinds of operations without the reads of those that were run at a level
// that promises nothing; NULL if there are none.
static uint8_t *kinds_that_matter(const struct history *h,
                                  const struct check_options *options) {
  uint8_t *kind = NULL;
  for (uint32_t t = 0; t < h->ntxns && options->recorded; t++) {
    if (h->level[t] != ISOLATION_NONE)
      continue;
    if (!kind)
      kind = memcpy(xmalloc(h->nops), h->kind, h->nops);
    for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
      kind[op] &= (uint8_t)~OP_IS_READ;
  }
  return kind;
}

// --- Public.

int engine_open(struct engine **engine, const struct history *history,
                const struct check_options *options, struct error *error) {
  struct engine *c = xcalloc(1, sizeof *c);
  assert(options->level < ISOLATION_COUNT);
  c->history = history;
  c->all = settled(history, options);
  c->kind = kinds_that_matter(history, &c->all);
  c->h = *history; // its arrays are still the caller's
  if (c->kind)
    c->h.kind = c->kind;
  *engine = c;
  if (!model_build(&c->m, &c->h, &c->all, error))
    return 0;
  engine_close(c);
  *engine = NULL;
  return -1;
}

static void set_level(struct engine *c, enum isolation level) {
  c->now = c->all;
  if (level != ISOLATION_NONE)
    c->now.level = level;
  c->options = &c->now;
}

int engine_check(struct engine *c, enum isolation level,
                 struct verdict *verdict, struct error *error) {
  set_level(c, level);
  c->verdict = verdict;
  *verdict = (struct verdict){.kind = VERDICT_UNDECIDED,
                              .level = c->now.level,
                              .mixed = c->now.recorded,
                              .session_order = c->now.session_order,
                              .real_time = c->now.real_time,
                              .counts = c->m.counts,
                              .op = UINT32_MAX,
                              .other_op = UINT32_MAX};
  decide(c);
  return prove(c, error);
}

void engine_find_others(struct engine *c, struct verdict *verdict) {
  set_level(c, verdict->level);
  if (verdict->kind == VERDICT_VIOLATION && c->now.max_examples &&
      !c->now.recorded)
    census_take(&c->m, &c->now, verdict);
}

bool engine_proves(struct engine *c, enum isolation level,
                   struct verdict *violation) {
  struct error error;
  set_level(c, level);
  c->verdict = violation;
  return !prove(c, &error);
}

void engine_close(struct engine *c) {
  model_free(&c->m);
  free(c->kind);
  free(c);
}

int check(const struct history *history, const struct check_options *options,
          struct verdict *verdict, struct error *error) {
  struct engine *engine;
  *verdict = (struct verdict){.kind = VERDICT_UNDECIDED};
  if (engine_open(&engine, history, options, error))
    return -1;
  const int result = engine_check(engine, ISOLATION_NONE, verdict, error);
  if (!result)
    engine_find_others(engine, verdict);
  engine_close(engine);
  return result;
}

void verdict_free(struct verdict *verdict) {
  free(verdict->order);
  free(verdict->snapshot);
  free(verdict->edges);
  free(verdict->part);
  for (uint32_t i = 0; i < verdict->nothers; i++)
    verdict_free(&verdict->others[i]);
  free(verdict->others);
  *verdict = (struct verdict){0};
}

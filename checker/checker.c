// SPDX-License-Identifier: GPL-3.0-or-later
// The road from a history to a proved verdict (checker/checker.h).
#include "config.h"

#include "checker/checker.h"

#include "base/memory.h"
#include "checker/assign.h"
#include "checker/blame.h"
#include "checker/census.h"
#include "checker/cycle.h"
#include "checker/engine.h"
#include "checker/model.h"
#include "checker/open.h"
#include "checker/prefix.h"
#include "checker/settled.h"
#include "checker/time_scan.h"
#include "checker/verify.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SESSIONS_OF_CLOCKS = 1 << 10 }; // a clock each; above, other ways first
enum { OPS_IN_A_MOMENT = 1 << 24 };    // about a second of reading them

struct engine {
  struct model m;
  const struct check_options *options; // `now`
  struct verdict *verdict;
  int result; // -1, with a sentence: what was found could not be argued
  struct error *error;
  const struct history *history;
  struct history h;               // the same, but for the kinds
  uint8_t *kind;                  // see settled_kinds
  struct check_options all, now;  // as asked for; at the level at hand
  struct check_progress progress; // of `now`, if nobody else wants to know
  struct tangle tangle;           // of the known edges, once it is made
  bool late;                      // stopped before the level was asked for
};

static void __attribute__((format(printf, 2, 3)))
leave_undecided(struct engine *c, const char *format, ...) {
  va_list args;
  va_start(args, format);
  c->verdict->kind = VERDICT_UNDECIDED;
  vsnprintf(c->verdict->why, sizeof c->verdict->why, format, args);
  va_end(args);
}

// At the level: below it reads may be wrong that others can be relied on with.
static bool has_wrong_read(const struct engine *c) {
  const enum anomaly anomaly = c->m.finding.anomaly;
  return anomaly != ANOMALY_NONE &&
         anomaly_info(anomaly)->weakest <= c->options->level;
}

static void blame_finding(struct engine *c) {
  c->result =
      blame_read(&c->m, c->options, &c->m.finding, c->verdict, c->error);
}

// Takes the cycle over.
static void blame_found(struct engine *c, struct cycle *cycle) {
  c->result =
      blame_cycle(&c->m, c->options, cycle, false, c->verdict, c->error);
}

static bool make_order(struct engine *c, bool snapshots) {
  return tangle_make(&c->tangle, &c->m, snapshots, c->options->stop);
}

// Takes the order over.
static void pass(struct engine *c) {
  struct order *order = &c->tangle.order;
  c->verdict->kind = VERDICT_PASS;
  c->verdict->norder = order->n;
  c->verdict->order = order->txn;
  c->verdict->snapshot = order->snapshot;
  order->txn = order->snapshot = NULL;
}

// --- What the known edges leave open.

// Takes the cycle over, and blames it if it breaks the level.
static bool blame_if_it_breaks(struct engine *c, struct cycle *cycle) {
  const bool breaks =
      cycle->anomaly != ANOMALY_NONE &&
      anomaly_info(cycle->anomaly)->weakest <= c->options->level;
  if (breaks)
    blame_found(c, cycle);
  else
    cycle_free(cycle);
  return breaks;
}

// The cycle of known edges that breaks the level, if there is one: it tells
// more than a part of the history does.
static bool blame_known_cycle(struct engine *c) {
  struct cycle cycle = {0};
  if (c->m.finding.anomaly != ANOMALY_NONE)
    return false;
  if (make_order(c, c->options->level <= ISOLATION_SI))
    cycle_best(&cycle, &c->m, &c->tangle, c->options->level);
  return blame_if_it_breaks(c, &cycle);
}

static void leave_open(struct engine *c) {
  char known[CHECK_PROGRESS_TEXT];
  check_progress_text(c->now.progress, known);
  leave_undecided(c, "stopped before it was decided%s%s", *known ? "; " : "",
                  known);
}

// Takes the decision over.
static void settle(struct engine *c, struct open_decision *d) {
  switch (d->answer) {
  case OPEN_KEPT:
    c->verdict->kind = VERDICT_PASS;
    c->verdict->norder = d->norder;
    c->verdict->order = d->order;
    c->verdict->snapshot = d->snapshot;
    d->order = d->snapshot = NULL;
    break;
  case OPEN_BROKEN:
    if (c->options->recorded || !blame_known_cycle(c))
      c->result = blame_part(&c->m, c->options, &d->core, c->options->level,
                             c->verdict, c->error);
    break;
  case OPEN_STOPPED:
    leave_open(c);
    break;
  }
  open_decision_free(d);
}

static void decide_open(struct engine *c) {
  struct open_decision d;
  open_decide(&d, &c->m, c->options->level, c->now.progress);
  settle(c, &d);
}

// --- What they decide.

// Does real time matter to any transaction?
static bool in_real_time(const struct engine *c) {
  return c->options->real_time || c->options->level == ISOLATION_SSER;
}

// All edges are kept: only real time can be against it.
static void decide_acyclic(struct engine *c) {
  struct cycle cycle = {0};
  if (in_real_time(c))
    cycle_of_real_time(&cycle, &c->m, &c->tangle.order);
  if (cycle.anomaly != ANOMALY_NONE)
    blame_found(c, &cycle);
  else if (c->m.open_versions || order_tails_overlap(&c->m, &c->tangle.order))
    decide_open(c);
  else
    pass(c);
}

// SI, SER and SSER.
static void decide_strong(struct engine *c) {
  struct cycle cycle = {0};
  chains_anchor(&c->m);
  if (!make_order(c, c->options->level == ISOLATION_SI))
    leave_undecided(c, "stopped before it was decided");
  else if (c->tangle.order.nback || c->m.diverged != NO_ID)
    cycle_best(&cycle, &c->m, &c->tangle, c->options->level);
  else
    decide_acyclic(c);
  if (cycle.anomaly != ANOMALY_NONE)
    blame_found(c, &cycle);
}

// Is this asked for although the time is over?  A scorecard asks about weaker
// levels when a stronger one was left undecided: what takes a moment is told.
static bool is_late(const struct engine *c) {
  return c->late && c->m.h->nops <= OPS_IN_A_MOMENT;
}

// The recorded order, nearly: what decides most histories that keep the level.
// Without times there is none that is near enough to search the pasts of
// readers for causal consistency: clocks are faster then, but of very many
// sessions.
// False if it does not tell.
static bool decide_by_recorded_order(struct engine *c) {
  if (c->m.h->lists || c->options->real_time || c->options->recorded ||
      c->options->level >= ISOLATION_PC ||
      (c->options->level == ISOLATION_CC && !c->m.h->end &&
       c->m.h->nsessions <= SESSIONS_OF_CLOCKS))
    return false;
  reads_judge(&c->m);
  if (has_wrong_read(c))
    return false;
  c->verdict->order =
      prefix_order(&c->m, c->options->level,
                   is_late(c) ? NULL : c->options->stop, &c->verdict->norder);
  if (c->verdict->order)
    c->verdict->kind = VERDICT_PASS;
  return c->verdict->order != NULL;
}

// A level below SI is kept by a history that keeps SI (dbcop, lemma 2.4), which
// is found out faster where nothing is open.
static void decide_weak(struct engine *c) {
  const struct model *m = &c->m;
  chains_anchor(&c->m);
  if (m->finding.anomaly != ANOMALY_NONE || m->diverged != NO_ID ||
      m->open_versions)
    decide_open(c);
  else if (!make_order(c, true))
    leave_undecided(c, "stopped before it was decided");
  else if (c->tangle.order.nback || order_tails_overlap(m, &c->tangle.order) ||
           (c->options->real_time &&
            !order_keeps_real_time(m->h, &c->tangle.order)))
    decide_open(c);
  else
    pass(c);
}

static void decide_linked(struct engine *c) {
  const bool stopped = check_is_stopped(c->options->stop);
  if (!stopped)
    reads_link(&c->m);
  if (stopped)
    leave_open(c);
  else if (has_wrong_read(c))
    blame_finding(c);
  else if (c->options->recorded)
    decide_open(c);
  else if (c->options->level >= ISOLATION_SI)
    decide_strong(c);
  else
    decide_weak(c);
}

static void decide(struct engine *c) {
  if (c->options->level == ISOLATION_NONE)
    leave_undecided(c, "level none promises nothing that could be checked");
  else if (!decide_by_recorded_order(c))
    decide_linked(c);
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
    return verify_violation(h, c->options, c->verdict, error);
  case VERDICT_UNDECIDED:
    break;
  }
  return 0;
}

// --- Public.

int engine_open(struct engine **engine, const struct history *history,
                const struct check_options *options, struct error *error) {
  struct engine *c = xcalloc(1, sizeof *c);
  assert(options->level < ISOLATION_COUNT);
  c->history = history;
  c->all = settled_options(history, options);
  c->kind = settled_kinds(history, &c->all);
  c->h = *history; // its arrays are still the caller's
  if (c->kind)
    c->h.kind = c->kind;
  *engine = c;
  if (!model_understand(&c->m, &c->h, &c->all, error))
    return 0;
  engine_close(c);
  *engine = NULL;
  return -1;
}

static void set_level(struct engine *c, enum isolation level) {
  c->now = c->all;
  if (level != ISOLATION_NONE)
    c->now.level = level;
  if (!c->now.progress)
    c->now.progress = &c->progress;
  *c->now.progress = (struct check_progress){0};
  c->options = &c->now;
}

int engine_check(struct engine *c, enum isolation level,
                 struct verdict *verdict, struct error *error) {
  set_level(c, level);
  c->late = check_is_stopped(c->options->stop);
  c->verdict = verdict;
  *verdict = (struct verdict){.kind = VERDICT_UNDECIDED,
                              .level = c->now.level,
                              .mixed = c->now.recorded,
                              .session_order = c->now.session_order,
                              .real_time = c->now.real_time,
                              .counts = c->m.counts,
                              .op = UINT32_MAX,
                              .other_op = UINT32_MAX};
  c->error = error;
  c->result = 0;
  decide(c);
  return c->result ? c->result : prove(c, error);
}

void engine_find_others(struct engine *c, struct verdict *verdict) {
  set_level(c, verdict->level);
  if (verdict->kind != VERDICT_VIOLATION || !c->now.max_examples ||
      c->now.recorded)
    return;
  census_take(&c->m, &c->tangle, &c->now, verdict);
}

bool engine_proves(struct engine *c, enum isolation level,
                   struct verdict *violation) {
  struct error error;
  set_level(c, level);
  c->verdict = violation;
  return !prove(c, &error);
}

void engine_close(struct engine *c) {
  tangle_free(&c->tangle);
  model_free(&c->m);
  free(c->kind);
  free(c);
}

int check(const struct history *history, const struct check_options *options,
          struct verdict *verdict, struct error *error) {
  struct engine *engine;
  *verdict = (struct verdict){.kind = VERDICT_UNDECIDED};
  if (history->again)
    return check_ambiguous(history, options, verdict, error);
  if (engine_open(&engine, history, options, error))
    return -1;
  const int result = engine_check(engine, ISOLATION_NONE, verdict, error);
  if (!result)
    engine_find_others(engine, verdict);
  engine_close(engine);
  return result;
}

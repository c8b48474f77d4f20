// SPDX-License-Identifier: GPL-3.0-or-later
// The road from a history to a proved verdict: understand it, decide, explain
// what breaks the level, prove (checker/verdict/verdict.h).
#include "config.h"

#include "checker/verdict/level_rules.h"
#include "checker/verdict/verdict.h"

#include "base/memory.h"
#include "checker/decide/decide.h"
#include "checker/duplicates/check_ambiguous.h"
#include "checker/engine.h"
#include "checker/explain/count.h"
#include "checker/explain/counterexample.h"
#include "checker/graph/classify.h"
#include "checker/graph/lost_writes.h"
#include "checker/part/row_registers.h"
#include "checker/rows/check_rows.h"
#include "checker/session_rc.h"
#include "checker/verdict/effective_options.h"
#include "checker/verify/verify.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct engine {
  const struct history *history;
  struct history h;         // the same, but for the kinds
  uint8_t *kind;            // see settled_kinds
  struct check_options all; // as asked for
  struct model m;
  struct tangle tangle; // of the known edges, once it is made
};

// One level of it.
struct engine_question {
  struct engine *engine;
  struct check_options options;
  struct check_progress progress; // if nobody else wants to know
  bool late; // the time is over, but the answer may take but a moment
  struct verdict *verdict;
  struct error *error;
};

// `level` ISOLATION_NONE: that of the options.
static void ask_engine(struct engine_question *q, struct engine *c,
                       enum isolation level, struct verdict *verdict,
                       struct error *error) {
  *q = (struct engine_question){
      .engine = c, .options = c->all, .verdict = verdict, .error = error};
  if (level != ISOLATION_NONE)
    q->options.question.level = level;
  if (!q->options.progress)
    q->options.progress = &q->progress;
  *q->options.progress = (struct check_progress){0};
}

// --level=auto asks about weaker levels when a stronger one was left undecided.
static bool is_answered_late(const struct engine_question *q) {
  return stop_is_set(q->options.stop) &&
         level_observes_directly(q->options.question.level) &&
         model_takes_a_moment(&q->engine->m);
}

static void __attribute__((format(printf, 2, 3)))
leave_undecided(const struct engine_question *q, const char *format, ...) {
  va_list args;
  va_start(args, format);
  q->verdict->kind = VERDICT_UNDECIDED;
  vsnprintf(q->verdict->why, sizeof q->verdict->why, format, args);
  va_end(args);
}

static void leave_open(const struct engine_question *q) {
  char known[CHECK_PROGRESS_TEXT];
  check_progress_text(q->options.progress, known);
  leave_undecided(q, "stopped before it was decided%s%s", *known ? "; " : "",
                  known);
}

// --- Explaining.

// A lost append comes first: it breaks every level, and is what its user must
// know.
static bool find_lost_write(const struct engine_question *q,
                            struct cycle *cycle) {
  struct model *m = &q->engine->m;
  lost_writes_first(m, q->options.question.level, cycle);
  if (cycle->anomaly != ANOMALY_NONE && !model_reach(m, MODEL_WALKABLE))
    cycle_free(cycle);
  return cycle->anomaly != ANOMALY_NONE;
}

// The cycle of known edges that breaks the level, if there is one: it tells
// more than a part of the history does.
static struct cycle find_cycle(const struct engine_question *q,
                               struct decision *d) {
  struct engine *c = q->engine;
  struct cycle cycle = d->cycle, lost;
  d->cycle = (struct cycle){0};
  if (q->options.question.recorded || c->m.wrong_read.anomaly != ANOMALY_NONE)
    return cycle;
  if (find_lost_write(q, &lost)) {
    cycle_free(&cycle);
    return lost;
  }
  if (cycle.anomaly != ANOMALY_NONE)
    return cycle;
  cycle_of_known_edges(&cycle, &c->m, &c->tangle, q->options.question.level);
  if (!anomaly_breaks(cycle.anomaly, &q->options))
    cycle_free(&cycle);
  return cycle;
}

static int explain(const struct engine_question *q, struct decision *d) {
  const struct model *m = &q->engine->m;
  if (d->by_read)
    return counterexample_of_read(m, &q->options, &m->wrong_read, q->verdict,
                                  q->error);
  struct cycle cycle = find_cycle(q, d);
  return cycle.anomaly != ANOMALY_NONE
             ? counterexample_of_cycle(m, &q->options, &cycle, false,
                                       q->verdict, q->error)
             : counterexample_of_part(m, &q->options, &d->core,
                                      q->options.question.level, q->verdict,
                                      q->error);
}

// --- Answering.

// Takes the order over.
static void pass(const struct engine_question *q, struct decision *d) {
  q->verdict->kind = VERDICT_PASS;
  q->verdict->norder = d->norder;
  q->verdict->order = d->order;
  q->verdict->snapshot = d->snapshot;
  d->order = d->snapshot = NULL;
}

static bool question_lacks_times(const struct engine_question *q) {
  const struct history *h = q->engine->history;
  return (q->options.question.real_time ||
          level_keeps_time(q->options.question.level)) &&
         !(h->begin && h->end);
}

static void leave_real_time(const struct engine_question *q) {
  const bool strict = level_keeps_time(q->options.question.level);
  leave_undecided(
      q, "this history keeps %s, but it has no times to decide %s",
      strict ? isolation_title(ISOLATION_SER) : "the level without real time",
      strict ? isolation_title(q->options.question.level) : "real time");
}

static int answer_question(const struct engine_question *q) {
  struct decision d;
  struct model *m = &q->engine->m;
  volatile const bool *const stop = m->stop;
  int result = 0;
  m->stop = q->late ? NULL : stop;
  decide(&d, m, &q->engine->tangle, q->options.question.level,
         q->options.progress);
  m->stop = stop;
  if (d.answer == ANSWER_STOPPED)
    leave_open(q);
  else if (d.answer == ANSWER_BROKEN && q->options.passes_only)
    leave_undecided(q, "the rows that statements returned break %s",
                    isolation_title(q->options.question.level));
  else if (d.answer == ANSWER_BROKEN)
    result = explain(q, &d);
  else
    pass(q, &d);
  if (q->verdict->kind == VERDICT_PASS && question_lacks_times(q))
    leave_real_time(q);
  decision_free(&d);
  return result;
}

// --- Proving.

static enum verified verify_answer(const struct engine_question *q) {
  const struct history *h = q->engine->history;
  struct check_options options = q->options;
  if (q->verdict->kind == VERDICT_VIOLATION)
    return verify_violation(h, &options, q->verdict, q->error);
  options.stop = q->late ? NULL : options.stop;
  return verify_pass(h, q->engine->m.counted, &options, q->verdict, q->error);
}

static int prove(const struct engine_question *q) {
  if (q->verdict->kind == VERDICT_UNDECIDED)
    return 0;
  const enum verified verified = verify_answer(q);
  if (verified == VERIFY_STOPPED && q->verdict->kind == VERDICT_VIOLATION)
    leave_unproved(q->engine->history, q->verdict);
  else if (verified == VERIFY_STOPPED)
    leave_undecided(q,
                    "stopped when an order that keeps %s had been found, but "
                    "before it was proved: a larger --timeout tells",
                    isolation_name(q->options.question.level));
  return verified == VERIFY_REFUSED ? -1 : 0;
}

// --- Public.

int engine_open(struct engine **engine, const struct history *history,
                const struct check_options *options, struct error *error) {
  struct engine *c = xcalloc(1, sizeof *c);
  assert(options->question.level < ISOLATION_COUNT);
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

int engine_check(struct engine *c, enum isolation level,
                 struct verdict *verdict, struct error *error) {
  struct engine_question q;
  ask_engine(&q, c, level, verdict, error);
  q.late = is_answered_late(&q);
  *verdict = verdict_open(&q.options.question);
  verdict->counts = c->m.counts;
  if (!level_binds_reads(q.options.question.level))
    leave_undecided(&q, "level none promises nothing that could be checked");
  else if (answer_question(&q))
    return -1;
  return prove(&q);
}

void engine_find_others(struct engine *c, struct verdict *verdict) {
  struct engine_question q;
  struct error error;
  ask_engine(&q, c, verdict->question.level, verdict, &error);
  if (verdict->kind != VERDICT_VIOLATION || !q.options.max_examples ||
      q.options.question.recorded)
    return;
  count_violations(&c->m, &c->tangle, &q.options, verdict);
  if (q.options.count_stronger && q.options.question.level < ISOLATION_SSER)
    count_stronger(&c->m, &q.options, verdict);
}

bool engine_proves(struct engine *c, enum isolation level,
                   struct verdict *violation) {
  struct engine_question q;
  struct error error;
  ask_engine(&q, c, level, violation, &error);
  return verify_answer(&q) == VERIFIED;
}

void engine_close(struct engine *c) {
  tangle_free(&c->tangle);
  model_free(&c->m);
  free(c->kind);
  free(c);
}

// A search finds one violation of rows.  Everything that the rows that came
// back show is counted besides.
static void count_returned_rows(const struct history *history,
                                const struct check_options *options,
                                struct verdict *verdict) {
  struct engine *engine;
  struct error error;
  struct check_options every = *options;
  if (verdict->kind != VERDICT_VIOLATION || verdict->found[verdict->anomaly] ||
      !options->count_stronger || !options->max_examples ||
      options->question.recorded)
    return;
  struct history registers =
      rows_registers(history, options->question.plain_reads);
  every.question.level = ISOLATION_NONE;
  if (!registers.again && !engine_open(&engine, &registers, &every, &error)) {
    if (model_reach(&engine->m, MODEL_WALKABLE))
      count_stronger(&engine->m, &every, verdict);
    engine_close(engine);
  }
  if (!verdict->found[verdict->anomaly]) {
    verdict->found[verdict->anomaly] = 1;
    verdict->found_more = true;
  }
  rows_as_registers_free(&registers);
}

int check(const struct history *history, const struct check_options *options,
          struct verdict *verdict, struct error *error) {
  struct engine *engine;
  *verdict = (struct verdict){.kind = VERDICT_UNDECIDED};
  if (history->rows) {
    const int failed = check_rows(history, options, verdict, error);
    if (!failed)
      count_returned_rows(history, options, verdict);
    return failed;
  }
  if (session_rc_is_asked(history, options))
    return session_rc_check(history, options, verdict, error);
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

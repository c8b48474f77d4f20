// SPDX-License-Identifier: GPL-3.0-or-later
// Counts anomalies and keeps the smallest of each (checker/explain/count.h).
#include "config.h"

#include "checker/explain/count.h"

#include "base/memory.h"
#include "checker/decide/decide.h"
#include "checker/evidence/evidence.h"
#include "checker/explain/clarity.h"
#include "checker/explain/counted.h"
#include "checker/explain/counterexample.h"
#include "checker/explain/examples.h"
#include "checker/explain/subsumed_cycles.h"
#include "checker/graph/classify.h"
#include "checker/graph/lost_writes.h"
#include "checker/part/subhistory.h"
#include "checker/verdict/level_rules.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct cycles {
  struct cycle *items; // owned
  uint32_t count, room;
};

struct anomaly_count {
  struct example_search s;
  struct tangle *tangle;
  struct shelf shelves[ANOMALY_COUNT];
  struct subsumed subsumed;
  struct cycles cycles; // that are still to be counted
  uint8_t *lost;        // per operation: it was counted as a lost append
};

// --- Keeping the smallest.

// The earliest transaction of a cycle, or the read: decides between equally
// small ones, whatever the order in which they are found.
static uint32_t place_in_history(const struct verdict *v) {
  uint32_t first = v->nedges ? v->edges[0].from : v->op;
  for (uint32_t i = 1; i < v->nedges; i++)
    if (v->edges[i].from < first)
      first = v->edges[i].from;
  return first;
}

// The plainer one, if they are equally small.
static bool is_smaller(const struct history *h, const struct verdict *a,
                       const struct verdict *b) {
  if (a->nedges != b->nedges)
    return a->nedges < b->nedges;
  const unsigned one = violation_obscurity(h, a);
  const unsigned other = violation_obscurity(h, b);
  return one != other ? one < other : place_in_history(a) < place_in_history(b);
}

// More than will be shown: some show another anomaly when they are cut down,
// and the next ones stand in for them.
enum { SPARE_EXAMPLES = 63 };

static uint32_t room_on_shelf(const struct anomaly_count *c) {
  const uint32_t shown = c->s.options->max_examples;
  return shown && shown < UINT32_MAX - SPARE_EXAMPLES ? shown + SPARE_EXAMPLES
                                                      : shown;
}

// Takes the example over.
static void offer(struct anomaly_count *c, struct verdict *example) {
  assert(example->anomaly != ANOMALY_NONE);
  struct shelf *shelf = &c->shelves[example->anomaly];
  uint32_t at = shelf->count;
  while (at > 0 && is_smaller(c->s.m->h, example, &shelf->items[at - 1]))
    at--;
  if (at == room_on_shelf(c)) {
    verdict_free(example);
    return;
  }
  if (shelf->count == room_on_shelf(c))
    verdict_free(&shelf->items[--shelf->count]);
  ARRAY_RESERVE(shelf->items, shelf->count, shelf->room);
  memmove(&shelf->items[at + 1], &shelf->items[at],
          (shelf->count - at) * sizeof *shelf->items);
  shelf->items[at] = *example;
  shelf->count++;
}

// An UPDATE of a row that its transaction had read anew: the reads are counted.
static bool is_told_by_reads(const struct history *h,
                             const struct wrong_read *found,
                             enum anomaly name) {
  return name == ANOMALY_NON_REPEATABLE_READS && h->of_rows &&
         op_writes(h->kind[found->op]) && is_read_anew(h, found->op);
}

static void count_wrong_reads(struct anomaly_count *c) {
  const struct history *h = c->s.m->h;
  for (uint32_t i = 0; i < c->s.m->wrong_reads.count; i++) {
    const struct wrong_read *f = &c->s.m->wrong_reads.items[i];
    const enum anomaly name = anomaly_of_read(h, f);
    if (!anomaly_breaks(f->anomaly, c->s.options) ||
        is_told_by_reads(h, f, name))
      continue;
    struct verdict example = examples_violation(&c->s, name);
    example.op = f->op;
    example.other_op = f->other_op;
    c->s.tally.found[name]++;
    counted_note_read(&c->s.tally, name, f->op);
    offer(c, &example);
  }
}

static void count_cycle(struct anomaly_count *c, struct cycle *cycle) {
  if (!anomaly_breaks(cycle->anomaly, c->s.options) ||
      !subsumed_first(&c->subsumed, cycle)) {
    cycle_free(cycle);
    return;
  }
  struct verdict example = examples_violation(&c->s, cycle->anomaly);
  example.nedges = cycle->nedges;
  example.edges = cycle->edges;
  c->s.tally.found[cycle->anomaly]++;
  counted_note_cycle(&c->s.tally, cycle);
  offer(c, &example);
}

// A lost append counts once, however many cycles tell that it is lost.
static bool count_lost_write(void *context, struct cycle *cycle) {
  struct anomaly_count *c = context;
  const uint32_t op = cycle_only_edge(cycle, EDGES_WW_RW)->to_op;
  if (c->lost[op])
    cycle_free(cycle);
  else
    count_cycle(c, cycle);
  c->lost[op] = 1;
  return true;
}

// Is a lost append, which counts by itself, why the cycle is one?  Two that
// read and appended at once tell how it got lost.
static bool is_of_lost_write(const struct anomaly_count *c,
                             const struct cycle *cycle) {
  bool lost = false;
  for (uint32_t i = 0; i < cycle->nedges; i++) {
    const struct edge *edge = &cycle->edges[i];
    lost |= (edge->kind == EDGE_WW || edge->kind == EDGE_RW) &&
            c->lost[edge->to_op];
  }
  return lost && cycle->anomaly != ANOMALY_LOST_UPDATE;
}

static void keep_to_count(void *context, struct cycle *cycle) {
  struct anomaly_count *c = context;
  subsumed_note(&c->subsumed, cycle);
  ARRAY_RESERVE(c->cycles.items, c->cycles.count, c->cycles.room);
  c->cycles.items[c->cycles.count++] = *cycle;
}

// Adds the cycles that a read of those to be counted makes by itself, if it
// takes several reads to make the other one.  False if time ran out.
static bool keep_those_of_reads(struct anomaly_count *c) {
  struct edge *missed;
  const uint32_t n = subsumed_reads(c->cycles.items, c->cycles.count, &missed);
  const bool all = cycle_each_of_reads(c->s.m, missed, n, keep_to_count, c);
  free(missed);
  return all;
}

// All that are lost are known before others are counted.
static void count_kept_lost_writes(struct anomaly_count *c) {
  for (uint32_t i = 0; i < c->cycles.count; i++) {
    struct cycle *cycle = &c->cycles.items[i];
    if (cycle->anomaly != ANOMALY_LOST_WRITE)
      continue;
    count_lost_write(c, cycle);
    *cycle = (struct cycle){0};
  }
}

// A cycle that another one explains, which may have been found later, does not
// count.
static void count_kept(struct anomaly_count *c) {
  count_kept_lost_writes(c);
  for (uint32_t i = 0; i < c->cycles.count; i++) {
    struct cycle *cycle = &c->cycles.items[i];
    if (subsumed_has(&c->subsumed, cycle) || is_of_lost_write(c, cycle))
      cycle_free(cycle);
    else if (cycle->nedges)
      count_cycle(c, cycle);
  }
  free(c->cycles.items);
  c->cycles = (struct cycles){0};
}

// --- Looking for them.

static void count_divergences(struct anomaly_count *c) {
  const struct model *m = c->s.m;
  for (uint32_t op = 0; op < m->h->nops; op++) {
    struct cycle cycle;
    if (!(m->role[op] & ROLE_DIVERGED))
      continue;
    cycle_of_divergence(&cycle, m, op);
    keep_to_count(c, &cycle);
  }
}

// The cycles of the tangle, which are taken over: who asks again about a weaker
// level has it searched again.
static void keep_tangle(struct anomaly_count *c) {
  struct tangle *t = c->tangle;
  tangle_search(t, c->s.m, c->s.options->question.level);
  for (uint32_t i = 0; i < t->ncycles; i++)
    keep_to_count(c, &t->cycles[i]);
  t->ncycles = 0;
  t->searched = ISOLATION_NONE;
}

static void count_cycles(struct anomaly_count *c) {
  struct model *m = c->s.m;
  const struct order *order = &c->tangle->order;
  bool all =
      tangle_make(c->tangle, m, !level_sees_all(c->s.options->question.level));
  c->s.tally.more = true;
  if (!model_reach(m, MODEL_WALKABLE))
    return;
  c->lost = xcalloc(m->h->nops, 1);
  lost_writes_each(m, c->s.options->question.level, count_lost_write, c);
  if (m->diverged != NO_ID && anomaly_breaks(ANOMALY_LOST_UPDATE, c->s.options))
    count_divergences(c);
  if (all && order->nback) {
    keep_tangle(c);
    all = c->tangle->all;
  } else if (all && m->diverged == NO_ID && m->h->begin && m->h->end &&
             anomaly_breaks(ANOMALY_STALE_READ, c->s.options)) {
    all = cycle_each_of_real_time(m, order, keep_to_count, c);
  }
  if (order->nback)
    all &= keep_those_of_reads(c);
  c->s.tally.more = !all;
  count_kept(c);
  free(c->lost);
}

// --- What is wrong besides wrong reads.

// Marks the plain reads by which the transaction contradicts itself: the wrong
// one or, where that writes, those before it.  False if there are none: what is
// more than a read of a register cannot simply be left out.
static bool mark_wrong(const struct history *h, const struct wrong_read *found,
                       uint8_t *wrong) {
  if (h->kind[found->op] == OP_READ) {
    wrong[found->op] = 1;
    return true;
  }
  if (found->anomaly != ANOMALY_NON_REPEATABLE_READS ||
      op_is_list(h->kind[found->op]))
    return false;
  for (uint32_t op = found->other_op; op < found->op; op++)
    wrong[op] |= h->key[op] == h->key[found->op] && h->kind[op] == OP_READ;
  return true;
}

// The operations but for the wrong reads; false if one of those cannot be left
// out.
static bool take_right_ones(const struct anomaly_count *c,
                            struct operations *ops) {
  const struct history *h = c->s.m->h;
  uint8_t *wrong = xcalloc(h->nops, 1);
  bool plain = true;
  for (uint32_t i = 0; i < c->s.m->wrong_reads.count; i++)
    plain &= mark_wrong(h, &c->s.m->wrong_reads.items[i], wrong);
  if (plain) {
    ops->op = xmalloc(h->nops * sizeof *ops->op);
    for (uint32_t op = 0; op < h->nops; op++)
      if (!wrong[op])
        ops->op[ops->count++] = op;
    subhistory_close(h, ops);
  }
  free(wrong);
  return plain;
}

// Takes what was found in the part of the history over, as of the whole.
static void take_from_part(struct anomaly_count *c, struct example_tally *part,
                           const struct operations *ops,
                           const uint32_t *txn_of_part) {
  for (int a = 0; a < ANOMALY_COUNT; a++)
    c->s.tally.found[a] += part->found[a];
  counted_take(&c->s.tally, part, ops->op, NULL);
  c->s.tally.more |= part->more;
  for (uint32_t i = 0; i < part->nothers; i++) {
    struct verdict *other = &part->others[i];
    other->counts = c->s.verdict->counts;
    verdict_rename(other, ops->count, ops->op, txn_of_part);
    tally_add(&c->s.tally, other);
  }
  free(part->others);
}

static void count_in_part(struct anomaly_count *c, const struct history *part,
                          const struct operations *ops,
                          const uint32_t *txn_of_part) {
  struct model m;
  struct error error;
  if (model_build(&m, part, c->s.options, &error))
    return;
  c->s.tally.more |= m.patience.ended;
  struct verdict verdict = examples_violation(&c->s, ANOMALY_NONE);
  struct tangle tangle = {0};
  struct anomaly_count rest = {
      .s = {.m = &m, .options = c->s.options, .verdict = &verdict},
      .tangle = &tangle};
  const enum anomaly wrong = m.wrong_read.anomaly;
  if (!m.patience.ended &&
      (wrong == ANOMALY_NONE || !anomaly_breaks(wrong, c->s.options)))
    count_cycles(&rest);
  for (int a = 0; a < ANOMALY_COUNT; a++)
    examples_add(&rest.s, &rest.shelves[a], false);
  take_from_part(c, &rest.s.tally, ops, txn_of_part);
  subsumed_free(&rest.subsumed);
  tangle_free(&tangle);
  model_free(&m);
}

// A history without its wrong reads is a part of it that a violation can be
// looked for in: what breaks the level there breaks it in the whole.
static void count_cycles_besides(struct anomaly_count *c) {
  struct operations ops = {0};
  struct history part;
  uint32_t *txn_of_part;
  if (take_right_ones(c, &ops)) {
    subhistory_extract(c->s.m->h, &ops, &part, &txn_of_part);
    count_in_part(c, &part, &ops, txn_of_part);
    history_free(&part);
    free(txn_of_part);
  } else {
    c->s.tally.more = true;
  }
  free(ops.op);
}

// The anomaly that is told first was found, though perhaps not counted.
static void tell_counts(const struct example_tally *tally, enum anomaly first,
                        struct verdict *verdict) {
  memcpy(verdict->found, tally->found, sizeof verdict->found);
  if (verdict->found[first] == 0)
    verdict->found[first] = 1;
  verdict->found_more = tally->more;
  verdict->counted = tally->counted;
  verdict->ncounted = tally->ncounted;
  verdict->others = tally->others;
  verdict->nothers = tally->nothers;
}

// Counts at the level of the options.
static void count_all(struct anomaly_count *c) {
  const enum anomaly wrong = c->s.m->wrong_read.anomaly;
  count_wrong_reads(c);
  if (wrong == ANOMALY_NONE || !anomaly_breaks(wrong, c->s.options))
    count_cycles(c);
  else
    count_cycles_besides(c);
}

void count_violations(struct model *m, struct tangle *tangle,
                      const struct check_options *options,
                      struct verdict *verdict) {
  assert(verdict->kind == VERDICT_VIOLATION && options->max_examples > 0);
  struct anomaly_count c = {
      .s = {.m = m, .options = options, .verdict = verdict}, .tangle = tangle};
  const enum anomaly wrong = m->wrong_read.anomaly;
  count_all(&c);
  if (wrong != ANOMALY_NONE && anomaly_breaks(wrong, options)) {
    const enum anomaly name = anomaly_of_read(m->h, &m->wrong_read);
    examples_put_first(&c.s, &c.shelves[name], name);
  }
  const enum anomaly first = verdict->anomaly;
  for (int a = 0; a < ANOMALY_COUNT; a++)
    examples_add(&c.s, &c.shelves[a], a == (int)first);
  tell_counts(&c.s.tally, first, verdict);
  subsumed_free(&c.subsumed);
}

// Counts all that breaks the level and shows none of it.
static struct example_tally count_alone(struct model *m, struct tangle *tangle,
                                        const struct check_options *options,
                                        const struct verdict *verdict) {
  struct verdict none = *verdict;
  struct anomaly_count c = {.s = {.m = m, .options = options, .verdict = &none},
                            .tangle = tangle};
  assert(options->max_examples == 0);
  count_all(&c);
  for (int a = 0; a < ANOMALY_COUNT; a++)
    free(c.shelves[a].items);
  subsumed_free(&c.subsumed);
  return c.s.tally;
}

// Real time is looked at only where nothing else is wrong.
static bool may_be_stale(const struct model *m, const struct tangle *tangle) {
  return m->h->begin && m->h->end && !tangle->order.nback;
}

// The tangle that is there may be one with snapshots, which the next question
// needs.
void count_stronger(struct model *m, const struct check_options *options,
                    struct verdict *verdict) {
  struct check_options all = *options;
  struct tangle tangle = {0};
  struct example_tally counted = counted_of(verdict);
  assert(verdict->kind == VERDICT_VIOLATION);
  all.question.level = ISOLATION_SER;
  all.max_examples = 0;
  struct example_tally tally = count_alone(m, &tangle, &all, verdict);
  if (may_be_stale(m, &tangle)) {
    all.question.level = ISOLATION_SSER;
    struct example_tally timed = count_alone(m, &tangle, &all, verdict);
    tally.found[ANOMALY_STALE_READ] = timed.found[ANOMALY_STALE_READ];
    tally.more |= timed.more;
    free(timed.counted);
  }
  for (int a = ANOMALY_NONE + 1; a < ANOMALY_COUNT; a++)
    if (!anomaly_breaks((enum anomaly)a, options))
      verdict->found[a] = tally.found[a];
  counted_take(&counted, &tally, NULL, options);
  verdict->counted = counted.counted;
  verdict->ncounted = counted.ncounted;
  verdict->found_more |= tally.more;
  tangle_free(&tangle);
}

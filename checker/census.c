// SPDX-License-Identifier: GPL-3.0-or-later
// Counts anomalies and keeps the smallest of each (checker/census.h).
#include "config.h"

#include "checker/census.h"

#include "base/memory.h"
#include "checker/anomaly.h"
#include "checker/blame.h"
#include "checker/cycle.h"
#include "checker/evidence.h"
#include "checker/explained.h"
#include "checker/hunt.h"
#include "checker/order.h"
#include "checker/prefix.h"
#include "checker/seen.h"
#include "checker/subhistory.h"
#include "checker/verify.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// A counterexample that may be shown.
struct example {
  uint32_t ntxns;         // of its part, or somewhat more
  uint32_t cost;          // operations of the transactions of its cycle
  struct verdict verdict; // owned
};

// The smallest examples of one anomaly, smallest first.
struct shelf {
  struct example *items;
  uint32_t count, room;
};

struct cycles {
  struct cycle *items; // owned
  uint32_t count, room;
};

struct census {
  struct model *m;
  const struct check_options *options;
  struct verdict *verdict; // the first violation
  struct shelf shelves[ANOMALY_COUNT];
  struct explained explained;
  struct cycles cycles; // that are still to be counted
  struct seen seen;     // the cycles so far
};

static bool breaks_level(const struct census *c, enum anomaly anomaly) {
  return anomaly_breaks(anomaly, c->options);
}

static uint32_t length_of(const struct census *c, uint32_t txn) {
  const uint32_t *first = c->m->h->txn_first;
  return first[txn + 1] - first[txn];
}

static uint32_t cost_of_cycle(const struct census *c, const struct edge *edges,
                              uint32_t n) {
  uint32_t cost = 0;
  for (uint32_t i = 0; i < n; i++)
    cost += length_of(c, edges[i].from);
  return cost;
}

static uint32_t cost_of_read(const struct census *c, uint32_t op,
                             uint32_t other_op) {
  const uint32_t t = c->m->txn_of[op];
  const uint32_t other = other_op < c->m->h->nops ? c->m->txn_of[other_op] : t;
  return length_of(c, t) + (other == t ? 0 : length_of(c, other));
}

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

static bool is_smaller(const struct example *a, const struct example *b) {
  if (a->ntxns != b->ntxns)
    return a->ntxns < b->ntxns;
  if (a->verdict.nedges != b->verdict.nedges)
    return a->verdict.nedges < b->verdict.nedges;
  if (a->cost != b->cost)
    return a->cost < b->cost;
  return place_in_history(&a->verdict) < place_in_history(&b->verdict);
}

// More than will be shown: some show another anomaly when they are cut down,
// and the next ones stand in for them.
enum { SPARE_EXAMPLES = 63 };

static uint32_t room_on_shelf(const struct census *c) {
  const uint32_t shown = c->options->max_examples;
  return shown < UINT32_MAX - SPARE_EXAMPLES ? shown + SPARE_EXAMPLES : shown;
}

// Takes the example over.
static void offer(struct census *c, struct example *example) {
  struct shelf *shelf = &c->shelves[example->verdict.anomaly];
  uint32_t at = shelf->count;
  while (at > 0 && is_smaller(example, &shelf->items[at - 1]))
    at--;
  if (at == room_on_shelf(c)) {
    verdict_free(&example->verdict);
    return;
  }
  if (shelf->count == room_on_shelf(c))
    verdict_free(&shelf->items[--shelf->count].verdict);
  ARRAY_RESERVE(shelf->items, shelf->count, shelf->room);
  memmove(&shelf->items[at + 1], &shelf->items[at],
          (shelf->count - at) * sizeof *shelf->items);
  shelf->items[at] = *example;
  shelf->count++;
}

static struct verdict violation(const struct census *c, enum anomaly anomaly) {
  return (struct verdict){.kind = VERDICT_VIOLATION,
                          .level = c->verdict->level,
                          .session_order = c->verdict->session_order,
                          .real_time = c->verdict->real_time,
                          .anomaly = anomaly,
                          .counts = c->verdict->counts,
                          .op = UINT32_MAX,
                          .other_op = UINT32_MAX};
}

static void count_reads(struct census *c) {
  for (uint32_t i = 0; i < c->m->findings.count; i++) {
    const struct finding *f = &c->m->findings.items[i];
    if (!breaks_level(c, f->anomaly))
      continue;
    struct example example = {.cost = cost_of_read(c, f->op, f->other_op),
                              .verdict = violation(c, f->anomaly)};
    example.verdict.op = f->op;
    example.verdict.other_op = f->other_op;
    c->verdict->found[f->anomaly]++;
    offer(c, &example);
  }
}

static bool offer_cycle(struct census *c, struct cycle *cycle) {
  if (!breaks_level(c, cycle->anomaly) || !seen_first(&c->seen, cycle)) {
    cycle_free(cycle);
    return false;
  }
  struct example example = {
      .ntxns = evidence_txns_of_cycle(c->m, cycle->edges, cycle->nedges),
      .cost = cost_of_cycle(c, cycle->edges, cycle->nedges),
      .verdict = violation(c, cycle->anomaly)};
  example.verdict.nedges = cycle->nedges;
  example.verdict.edges = cycle->edges;
  offer(c, &example);
  return true;
}

static void count_cycle(void *context, struct cycle *cycle) {
  struct census *c = context;
  const enum anomaly anomaly = cycle->anomaly;
  if (offer_cycle(c, cycle))
    c->verdict->found[anomaly]++;
}

static void keep_to_count(void *context, struct cycle *cycle) {
  struct census *c = context;
  explained_note(&c->explained, cycle);
  ARRAY_RESERVE(c->cycles.items, c->cycles.count, c->cycles.room);
  c->cycles.items[c->cycles.count++] = *cycle;
}

// Adds the cycles that a read of those to be counted makes by itself, if it
// takes several reads to make the other one.  False if time ran out.
static bool keep_those_of_reads(struct census *c) {
  struct edge *missed;
  const uint32_t n = explained_reads(c->cycles.items, c->cycles.count, &missed);
  const bool all = cycle_each_of_reads(c->m, missed, n, keep_to_count, c);
  free(missed);
  return all;
}

// What is explained by another one, which may have been found later, does not
// count.
static void count_kept(struct census *c) {
  for (uint32_t i = 0; i < c->cycles.count; i++)
    if (explained_has(&c->explained, &c->cycles.items[i]))
      cycle_free(&c->cycles.items[i]);
    else
      count_cycle(c, &c->cycles.items[i]);
  free(c->cycles.items);
  c->cycles = (struct cycles){0};
}

// One of an anomaly that was counted without it.
static void take_another(void *context, struct cycle *cycle) {
  struct census *c = context;
  if (c->verdict->found[cycle->anomaly] && !explained_has(&c->explained, cycle))
    offer_cycle(c, cycle);
  else
    cycle_free(cycle);
}

// --- Looking for them.

static void count_divergences(struct census *c) {
  const struct model *m = c->m;
  for (uint32_t op = 0; op < m->h->nops; op++) {
    struct cycle cycle;
    if (!(m->role[op] & ROLE_DIVERGED))
      continue;
    cycle_of_divergence(&cycle, m, op);
    keep_to_count(c, &cycle);
  }
}

// Smaller ones are looked for than of so many transactions.
enum { HANDFUL = 4 };

static void count_cycles(struct census *c) {
  struct model *m = c->m;
  struct order order;
  order_build(&order, m, c->options->level <= ISOLATION_SI, c->options->stop);
  bool all = !order.stopped;
  if (!m->first_over)
    model_link_overwriters(m);
  if (m->diverged != NO_ID && breaks_level(c, ANOMALY_LOST_UPDATE))
    count_divergences(c);
  if (all && order.nback)
    all = cycle_each(m, &order, keep_to_count, c);
  else if (all && m->diverged == NO_ID && m->h->begin && m->h->end &&
           breaks_level(c, ANOMALY_STALE_READ))
    all = cycle_each_of_real_time(m, &order, keep_to_count, c);
  if (order.nback)
    all &= keep_those_of_reads(c);
  c->verdict->found_more = !all;
  count_kept(c);
  for (enum anomaly a = ANOMALY_NONE; order.nback && a < ANOMALY_COUNT; a++)
    if (c->verdict->found[a] && c->shelves[a].items[0].ntxns > HANDFUL)
      cycle_each_like(m, &order, a, take_another, c);
  order_free(&order);
}

// --- What is shown.

static bool has_same_part(const struct verdict *a, const struct verdict *b) {
  return a->npart == b->npart &&
         !memcmp(a->part, b->part, a->npart * sizeof *a->part);
}

// Is the part rightly called by its cycle?  Not if it breaks a weaker level
// than such a cycle does.
static bool fits_its_name(const struct census *c, const struct verdict *v) {
  return anomaly_info(v->anomaly)->weakest <= v->broken ||
         c->options->real_time;
}

// Makes what was found a violation that is proved, with its own part; false,
// with nothing in `verdict`, if that is not one of the same name.
static bool prove_found(const struct census *c, const struct verdict *found,
                        enum blame_how how, struct verdict *verdict) {
  const struct model *m = c->m;
  struct error error;
  const size_t bytes = found->nedges * sizeof *found->edges;
  struct cycle cycle = {found->anomaly, found->nedges, NULL};
  const struct finding finding = {found->anomaly, found->op, found->other_op};
  *verdict = violation(c, ANOMALY_NONE);
  if (found->nedges)
    cycle.edges = memcpy(xmalloc(bytes), found->edges, bytes);
  const int failed =
      found->nedges ? blame_cycle(m, c->options, &cycle, how, verdict, &error)
                    : blame_read(m, c->options, &finding, verdict, &error);
  if (!failed && verdict->kind == VERDICT_VIOLATION &&
      verdict->anomaly == found->anomaly && fits_its_name(c, verdict) &&
      !verify_violation(m->h, c->options, verdict, &error))
    return true;
  verdict_free(verdict);
  return false;
}

// The same for an example, by shorter ways if it keeps its name with them.
static bool prove(const struct census *c, struct verdict *example) {
  struct verdict found = *example;
  const bool proved =
      prove_found(c, &found, BLAME_BRIEFLY, example) ||
      (found.nedges && prove_found(c, &found, BLAME_AS_FOUND, example));
  verdict_free(&found);
  return proved;
}

// Swaps all but what is said of the whole history.
static void swap_counterexamples(struct verdict *first, struct verdict *other) {
  const struct verdict was = *first;
  *first = *other;
  memcpy(first->found, was.found, sizeof first->found);
  first->found_more = was.found_more;
  first->others = was.others;
  first->nothers = was.nothers;
  *other = was;
  memset(other->found, 0, sizeof other->found);
  other->others = NULL;
  other->nothers = 0;
}

// A counterexample may turn out to show another anomaly when it is cut down.
// Then one of the kind that was found first is looked for, to be told first.
static void put_first_kind_first(struct census *c, enum anomaly wanted) {
  struct shelf *shelf = &c->shelves[wanted];
  const struct verdict was = *c->verdict;
  if (wanted == was.anomaly)
    return;
  for (uint32_t i = 0; i < shelf->count; i++) {
    struct verdict other = shelf->items[i].verdict;
    shelf->items[i] = shelf->items[--shelf->count];
    i--;
    if (!prove(c, &other))
      continue;
    memcpy(other.found, was.found, sizeof other.found);
    other.found_more = was.found_more;
    *c->verdict = other;
    struct verdict dropped = was;
    verdict_free(&dropped);
    return;
  }
}

static uint32_t txns_of_part(const struct census *c, const struct verdict *v) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < v->npart; i++)
    n += !i || c->m->txn_of[v->part[i]] != c->m->txn_of[v->part[i - 1]];
  return n;
}

static int compare(uint32_t a, uint32_t b) { return (a > b) - (a < b); }

// Which is smaller to tell?  Of parts with equally many transactions one with a
// cycle is told more easily than one with an argument alone.
static int compare_parts(const struct census *c, const struct verdict *a,
                         const struct verdict *b) {
  int order = compare(txns_of_part(c, a), txns_of_part(c, b));
  if (!order)
    order = compare(verdict_by_argument(a), verdict_by_argument(b));
  return order ? order : compare(a->npart, b->npart);
}

// The earlier one in the history, if they are equally small.
static int compare_examples(const void *a, const void *b, void *context) {
  const struct verdict *one = &((const struct example *)a)->verdict;
  const struct verdict *other = &((const struct example *)b)->verdict;
  int order = compare_parts(context, one, other);
  for (uint32_t i = 0; i < one->npart && !order; i++)
    order = compare(one->part[i], other->part[i]);
  return order;
}

static void sort(struct census *c, struct shelf *shelf) {
  if (shelf->count > 1)
    qsort_r(shelf->items, shelf->count, sizeof *shelf->items, compare_examples,
            c);
}

// Parts are looked at until there are enough to show and so many operations
// were to be cut down: small ones are compared, large ones take too long.
enum { OPERATIONS_COMPARED = 1000 };

static uint32_t operations_to_cut_down(const struct census *c,
                                       const struct verdict *found) {
  struct operations ops = {0};
  if (!found->nedges)
    return 1;
  evidence_of_cycle(c->m, found->edges, found->nedges, &ops);
  free(ops.op);
  return ops.count;
}

// Leaves only those that are proved on the shelf, the smallest parts first.
static void prove_and_sort(struct census *c, struct shelf *shelf) {
  uint32_t n = 0, nops = 0;
  for (uint32_t i = 0; i < shelf->count; i++) {
    struct example example = shelf->items[i];
    if ((n == 0 || n >= c->options->max_examples) &&
        nops > OPERATIONS_COMPARED) {
      verdict_free(&example.verdict);
      continue;
    }
    nops += operations_to_cut_down(c, &example.verdict);
    if (!prove(c, &example.verdict))
      continue;
    shelf->items[n++] = example;
  }
  shelf->count = n;
  sort(c, shelf);
}

// Parts of more transactions are worth trying all ways to smaller ones, but
// only so far: operations of histories that are checked for one.
enum { SMALL_PART = 6, HUNT_OPERATIONS = 1 << 18 };

// The smallest one of its kind that is to be shown.
static void make_smaller(struct census *c, struct verdict *v) {
  struct check_options options = *c->options;
  struct error error;
  options.level = v->broken;
  struct hunt hunt = {.h = c->m->h,
                      .options = &options,
                      .budget = HUNT_OPERATIONS,
                      .ntxns = txns_of_part(c, v)};
  if (hunt.ntxns <= SMALL_PART || options.real_time || options.recorded)
    return;
  hunt_smaller(&hunt);
  if (!hunt.part.op)
    return;
  struct verdict smaller = violation(c, ANOMALY_NONE);
  if (!blame_part(c->m, c->options, &hunt.part, v->broken, &smaller, &error) &&
      smaller.kind == VERDICT_VIOLATION && smaller.anomaly == v->anomaly &&
      txns_of_part(c, &smaller) < txns_of_part(c, v) &&
      !verify_violation(c->m->h, c->options, &smaller, &error))
    swap_counterexamples(v, &smaller);
  verdict_free(&smaller);
}

static bool is_shown(const struct verdict *v, const struct verdict *other) {
  bool shown = has_same_part(other, v);
  for (uint32_t i = 0; i < v->nothers && !shown; i++)
    shown = has_same_part(other, &v->others[i]);
  return shown;
}

static void show(struct census *c, struct shelf *shelf, bool first_is_here) {
  struct verdict *v = c->verdict;
  const uint32_t from = v->nothers;
  const uint32_t room = c->options->max_examples - (first_is_here ? 1 : 0);
  if (room > 0 || first_is_here)
    prove_and_sort(c, shelf);
  if (first_is_here && shelf->count &&
      compare_parts(c, &shelf->items[0].verdict, v) < 0) {
    swap_counterexamples(v, &shelf->items[0].verdict);
    sort(c, shelf);
  }
  if (first_is_here)
    make_smaller(c, v);
  else if (room > 0 && shelf->count)
    make_smaller(c, &shelf->items[0].verdict);
  for (uint32_t i = 0; i < shelf->count; i++) {
    struct verdict *other = &shelf->items[i].verdict;
    if (v->nothers - from == room || is_shown(v, other)) {
      verdict_free(other);
      continue;
    }
    v->others = xrealloc(v->others, v->nothers + 1, sizeof *v->others);
    v->others[v->nothers++] = *other;
  }
  free(shelf->items);
}

// --- What is wrong besides wrong reads.

// The operations but for the wrong reads; false if one of those is more than a
// read of a register, which can not simply be left out.
static bool take_right_ones(const struct census *c, struct operations *ops) {
  const struct history *h = c->m->h;
  uint8_t *wrong = xcalloc(h->nops, 1);
  bool plain = true;
  for (uint32_t i = 0; i < c->m->findings.count; i++) {
    const uint32_t op = c->m->findings.items[i].op;
    wrong[op] = 1;
    plain &= h->kind[op] == OP_READ;
  }
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
static void take_from_part(struct census *c, struct verdict *part,
                           const struct operations *ops,
                           const uint32_t *txn_of_part) {
  struct verdict *v = c->verdict;
  for (int a = 0; a < ANOMALY_COUNT; a++)
    v->found[a] += part->found[a];
  v->found_more |= part->found_more;
  for (uint32_t i = 0; i < part->nothers; i++) {
    struct verdict *other = &part->others[i];
    other->counts = v->counts;
    blame_rename(other, ops->op, txn_of_part);
    v->others = xrealloc(v->others, v->nothers + 1, sizeof *v->others);
    v->others[v->nothers++] = *other;
  }
  free(part->others);
}

static void count_in_part(struct census *c, const struct history *part,
                          const struct operations *ops,
                          const uint32_t *txn_of_part) {
  struct model m;
  struct error error;
  if (model_build(&m, part, c->options, &error))
    return;
  struct verdict verdict = violation(c, ANOMALY_NONE);
  struct census rest = {.m = &m, .options = c->options, .verdict = &verdict};
  const enum anomaly wrong = m.finding.anomaly;
  if (wrong == ANOMALY_NONE || !breaks_level(c, wrong))
    count_cycles(&rest);
  for (int a = 0; a < ANOMALY_COUNT; a++)
    show(&rest, &rest.shelves[a], false);
  take_from_part(c, &verdict, ops, txn_of_part);
  seen_free(&rest.seen);
  explained_free(&rest.explained);
  model_free(&m);
}

// Is nothing else wrong?  Below PC that is told fast.
static bool rest_keeps_level(struct census *c) {
  struct model *m = c->m;
  const uint32_t n = m->findings.count;
  if (c->options->level >= ISOLATION_PC || m->h->lists || c->options->real_time)
    return false;
  uint32_t *sees = xmalloc(n * sizeof *sees);
  for (uint32_t i = 0; i < n; i++) {
    sees[i] = m->sees[m->findings.items[i].op];
    m->sees[m->findings.items[i].op] = NO_ID;
  }
  uint32_t norder;
  uint32_t *order =
      prefix_order(m, c->options->level, c->options->stop, &norder, NULL);
  for (uint32_t i = n; i-- > 0;)
    m->sees[m->findings.items[i].op] = sees[i];
  free(sees);
  free(order);
  return order != NULL;
}

// A history without its wrong reads is a part of it that a violation can be
// looked for in: what breaks the level there breaks it in the whole.
static void count_cycles_besides(struct census *c) {
  struct operations ops = {0};
  struct history part;
  uint32_t *txn_of_part;
  if (take_right_ones(c, &ops)) {
    subhistory_extract(c->m->h, &ops, &part, &txn_of_part);
    count_in_part(c, &part, &ops, txn_of_part);
    history_free(&part);
    free(txn_of_part);
  } else {
    c->verdict->found_more = true;
  }
  free(ops.op);
}

void census_take(struct model *m, const struct check_options *options,
                 struct verdict *verdict) {
  assert(verdict->kind == VERDICT_VIOLATION && options->max_examples > 0);
  struct census c = {.m = m, .options = options, .verdict = verdict};
  count_reads(&c);
  const enum anomaly wrong = m->finding.anomaly;
  if (wrong == ANOMALY_NONE || !breaks_level(&c, wrong))
    count_cycles(&c);
  else if (!rest_keeps_level(&c))
    count_cycles_besides(&c);
  if (wrong != ANOMALY_NONE && breaks_level(&c, wrong))
    put_first_kind_first(&c, wrong);
  if (verdict->found[verdict->anomaly] == 0)
    verdict->found[verdict->anomaly] = 1;
  for (int a = 0; a < ANOMALY_COUNT; a++)
    show(&c, &c.shelves[a], a == (int)verdict->anomaly);
  seen_free(&c.seen);
  explained_free(&c.explained);
}

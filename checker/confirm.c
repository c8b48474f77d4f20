// SPDX-License-Identifier: GPL-3.0-or-later
// Takes the operations that a violation rests on (checker/confirm.h).  For an
// edge between versions these are all that lie between them, since the referee
// knows their order only from reads.
#include "config.h"

#include "checker/confirm.h"

#include "base/memory.h"
#include "checker/question.h"
#include "checker/subhistory.h"

#include <stdlib.h>

// More operations than this can not be of few enough transactions to matter.
enum { MAX_OPERATIONS = 4096 };

struct evidence {
  const struct model *m;
  struct operations ops; // unsorted, with repetitions, until they are all there
};

static void take(struct evidence *e, uint32_t op) {
  if (op >= e->m->h->nops || e->ops.count == MAX_OPERATIONS)
    return;
  ARRAY_RESERVE(e->ops.op, e->ops.count, e->ops.room);
  e->ops.op[e->ops.count++] = op;
}

// All that the transaction of an operation did with its key.
static void take_with_key(struct evidence *e, uint32_t op) {
  const struct history *h = e->m->h;
  if (op >= h->nops)
    return;
  const uint32_t t = e->m->txn_of[op];
  for (uint32_t o = h->txn_first[t]; o < h->txn_first[t + 1]; o++)
    if (h->key[o] == h->key[op])
      take(e, o);
}

// The versions of a register from `version` back to `first`.  If a blind write
// is among them, back to the initial one, for that chain is why it comes later.
static void take_chain(struct evidence *e, uint32_t version, uint32_t first) {
  const struct model *m = e->m;
  bool blind = false;
  for (uint32_t i = 0; i < MAX_OPERATIONS && !is_initial(m, version); i++) {
    take_with_key(e, version);
    if (version == first && !blind)
      return;
    blind |= (m->role[version] & ROLE_BLIND) != 0;
    version = m->over[version];
  }
}

// A read that shows append `one`, to tell that what it does not show comes
// later.
static void take_reader_of(struct evidence *e, uint32_t one) {
  const struct model *m = e->m;
  uint32_t version = one;
  while (version != NO_ID && m->first_reader[version] == NO_ID)
    version = m->first_over[version];
  take_with_key(e, version == NO_ID ? one : m->first_reader[version]);
}

static void take_edge(struct evidence *e, const struct edge *edge) {
  const struct model *m = e->m;
  if (edge->kind == EDGE_SO || edge->kind == EDGE_RT)
    return;
  take_with_key(e, edge->from_op);
  take_with_key(e, edge->to_op);
  const bool list = op_is_list(m->h->kind[edge->to_op]);
  if (edge->kind == EDGE_WW && list)
    take_reader_of(e, edge->from_op);
  if (edge->kind == EDGE_WR || list)
    return;
  const uint32_t first =
      edge->kind == EDGE_RW ? m->sees[edge->from_op] : edge->from_op;
  take_chain(e, edge->to_op, first);
  take_with_key(e, first);
}

// What a read saw, if `op` is one.
static void take_seen(struct evidence *e, uint32_t op) {
  const struct history *h = e->m->h;
  if (op >= h->nops || !op_reads(h->kind[op]))
    return;
  if (!op_is_list(h->kind[op])) {
    take_with_key(e, h->saw[op]);
    return;
  }
  const uint32_t list = h->saw[op];
  for (uint32_t i = h->list_first[list]; i < h->list_first[list + 1]; i++)
    take_with_key(e, h->element[i]);
}

static void take_read(struct evidence *e, const struct verdict *v) {
  take_with_key(e, v->op);
  take_with_key(e, v->other_op);
  take_seen(e, v->op);
  take_seen(e, v->other_op);
}

static bool is_taken(const struct evidence *e, uint32_t op) {
  bool found = false;
  for (uint32_t i = 0; i < e->ops.count; i++)
    found |= e->ops.op[i] == op;
  return found;
}

// A compare-and-set can not be taken as a write without the write that it saw.
static void take_what_cas_saw(struct evidence *e) {
  const struct history *h = e->m->h;
  for (uint32_t i = 0; i < e->ops.count; i++) {
    const uint32_t op = e->ops.op[i];
    if (h->kind[op] == OP_CAS && !is_taken(e, h->saw[op]))
      take_with_key(e, h->saw[op]);
  }
}

static int by_number(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

static void sort_and_unite(struct operations *ops) {
  qsort(ops->op, ops->count, sizeof *ops->op, by_number);
  uint32_t n = 0;
  for (uint32_t i = 0; i < ops->count; i++)
    if (n == 0 || ops->op[i] != ops->op[n - 1])
      ops->op[n++] = ops->op[i];
  ops->count = n;
}

// An element that nobody appended can not be taken along.
static bool has_thin_air_element(const struct evidence *e,
                                 const struct verdict *v) {
  return v->anomaly == ANOMALY_THIN_AIR_READ &&
         op_is_list(e->m->h->kind[v->op]);
}

// A transaction that is there only to come between two others in its session or
// in time may have nothing to show.
static bool has_all_members(const struct evidence *e, const struct verdict *v) {
  for (uint32_t i = 0; i < v->nedges; i++) {
    bool found = false;
    for (uint32_t j = 0; j < e->ops.count; j++)
      found |= e->m->txn_of[e->ops.op[j]] == v->edges[i].from;
    if (!found)
      return false;
  }
  return true;
}

// Those that count did commit, though one that is unknown may have done so at
// any time.
static void settle_unknown(struct history *part) {
  for (uint32_t t = 0; t < part->ntxns; t++)
    if (part->outcome[t] == OUTCOME_UNKNOWN) {
      part->outcome[t] = OUTCOME_OK;
      part->end[t] = TIME_UNKNOWN;
    }
}

static enum referee_answer ask(const struct evidence *e,
                               const struct check_options *options) {
  struct history part;
  subhistory_extract(e->m->h, &e->ops, &part, NULL);
  settle_unknown(&part);
  const struct referee_options question = question_about(&part, options);
  const enum referee_answer answer =
      referee_decide(&part, &question, NULL, NULL);
  history_free(&part);
  return answer;
}

int confirm_violation(const struct model *m,
                      const struct check_options *options,
                      const struct verdict *verdict, struct error *error) {
  struct evidence e = {.m = m};
  for (uint32_t i = 0; i < verdict->nedges; i++)
    take_edge(&e, &verdict->edges[i]);
  if (!verdict->nedges)
    take_read(&e, verdict);
  take_what_cas_saw(&e);
  bool kept = false;
  if (e.ops.count < MAX_OPERATIONS) {
    sort_and_unite(&e.ops);
    subhistory_close(m->h, &e.ops);
    kept = has_all_members(&e, verdict) && !has_thin_air_element(&e, verdict) &&
           ask(&e, options) == REFEREE_KEPT;
  }
  free(e.ops.op);
  return kept
             ? error_set(error, "the referee does not see %s in what was found",
                         anomaly_info(verdict->anomaly)->name)
             : 0;
}

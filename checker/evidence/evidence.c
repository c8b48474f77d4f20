// SPDX-License-Identifier: GPL-3.0-or-later
// Takes the transactions that a violation rests on
// (checker/evidence/evidence.h).  For an edge between versions these are all
// that lie between them, since without them nobody knows their order.
#include "config.h"

#include "checker/evidence/evidence.h"

#include "base/ids.h"
#include "base/memory.h"
#include "checker/graph/dependency_order.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { HAS_SOME = 1, HAS_ALL = 2, SHOWN_TO_COUNT = 4 }; // of a transaction

static void add_op_evidence(struct evidence *e, uint32_t op) {
  if (op >= e->m->h->nops || e->has_op[op])
    return;
  e->has_op[op] = 1;
  e->has_txn[e->m->txn_of[op]] |= HAS_SOME;
  ARRAY_RESERVE(e->ops.op, e->ops.count, e->ops.room);
  e->ops.op[e->ops.count++] = op;
}

// All that the transaction of an operation did with its key.
static void add_with_key(struct evidence *e, uint32_t op) {
  const struct history *h = e->m->h;
  if (op >= h->nops)
    return;
  const uint32_t t = e->m->txn_of[op];
  for (uint32_t o = h->txn_first[t]; o < h->txn_first[t + 1]; o++)
    if (h->key[o] == h->key[op])
      add_op_evidence(e, o);
}

// Most lists of a key begin at the same element.
static void add_list_evidence(struct evidence *e, struct seen_list list) {
  const struct history *h = e->m->h;
  if (!e->added)
    e->added = xcalloc((size_t)h->nelements + 1, sizeof *e->added);
  uint32_t *added = &e->added[list.first];
  for (; *added < list.count; ++*added)
    add_with_key(e, h->element[list.first + *added]);
}

// An unknown transaction counts because others saw what it wrote: one that did,
// and what shows that this one counts.
static void add_outcomes(struct evidence *e) {
  const struct model *m = e->m;
  for (uint32_t i = 0; i < e->ops.count; i++) {
    const uint32_t t = m->txn_of[e->ops.op[i]];
    if (m->h->outcome[t] != OUTCOME_UNKNOWN || e->has_txn[t] & SHOWN_TO_COUNT)
      continue;
    e->has_txn[t] |= SHOWN_TO_COUNT;
    for (uint32_t op = m->h->txn_first[t]; op < m->h->txn_first[t + 1]; op++)
      if (op_writes(m->h->kind[op]) && m->first_reader[op] != NO_ID) {
        add_with_key(e, op);
        add_with_key(e, m->first_reader[op]);
      }
  }
}

// --- The past of a reader.

// The search for a way back from a reader.
struct way_back {
  const struct model *m;
  uint32_t *from; // per transaction: the one after it on the way, or NO_ID
  uint32_t *queue, head, tail;
  const uint32_t *ended; // by their ends...
  uint32_t nended, at;   // ...those before `at` are met
};

static void meet_on_way_back(struct way_back *way, uint32_t t, uint32_t from) {
  if (way->from[t] != NO_ID)
    return;
  way->from[t] = from;
  way->queue[way->tail++] = t;
}

static void meet_all_before(struct way_back *way, uint32_t t) {
  const struct model *m = way->m;
  if (m->previous[t] != NO_ID)
    meet_on_way_back(way, m->previous[t], t);
  for (uint32_t op = m->h->txn_first[t]; op < m->h->txn_first[t + 1]; op++) {
    const bool reads = op_reads(m->h->kind[op]);
    const struct shown shown = reads ? shown_by(m, op) : (struct shown){0};
    for (uint32_t i = 0; i < shown.count; i++)
      meet_on_way_back(way, m->txn_of[shown.write[i]], t);
  }
  for (; way->at < way->nended &&
         history_ended(m->h, way->ended[way->at]) < history_began(m->h, t);
       way->at++)
    meet_on_way_back(way, way->ended[way->at], t);
}

// --- Versions.

static void add_version_evidence(struct evidence *e, uint32_t version,
                                 bool whole) {
  assert(!is_initial(e->m, version));
  if (whole)
    evidence_txn(e, writer_of(e->m, version));
  else
    add_with_key(e, version);
}

static void add_versions(struct evidence *e, uint32_t version, uint32_t first,
                         bool whole) {
  const struct model *m = e->m;
  bool blind = false;
  for (uint32_t i = 0;
       i < m->h->nops && version != NO_ID && !is_initial(m, version); i++) {
    add_version_evidence(e, version, whole);
    if (version == first && !blind)
      return;
    blind |= (m->role[version] & ROLE_BLIND) != 0;
    version = m->over[version];
  }
}

// --- Cycles.

// Adds a list read together with the last append that it shows.
static void add_list_read(struct evidence *e, uint32_t read) {
  assert(e->m->h->kind[read] == OP_READ_LIST);
  add_with_key(e, read);
  add_with_key(e, e->m->sees[read]);
}

// A list read that shows append `one`, to tell that what it does not show comes
// later.
static void add_reader_of(struct evidence *e, uint32_t one) {
  const struct model *m = e->m;
  uint32_t version = one;
  while (version != NO_ID && m->first_reader[version] == NO_ID)
    version = m->first_over[version];
  if (version != NO_ID)
    add_list_read(e, m->first_reader[version]);
}

// Adds the operations on the key of an edge; whole transactions might show
// another anomaly as well.
static void add_edge_evidence(struct evidence *e, const struct edge *edge) {
  const struct model *m = e->m;
  if (edge->kind == EDGE_SO || edge->kind == EDGE_RT)
    return;
  add_with_key(e, edge->from_op);
  add_with_key(e, edge->to_op);
  const bool list = op_is_list(m->h->kind[edge->to_op]);
  if (edge->kind == EDGE_WW && list)
    add_reader_of(e, edge->from_op);
  if (edge->kind == EDGE_RW && list)
    add_list_read(e, edge->from_op);
  if (edge->kind == EDGE_WR || list)
    return;
  const uint32_t first =
      edge->kind == EDGE_RW ? m->sees[edge->from_op] : edge->from_op;
  add_versions(e, edge->to_op, first, false);
  add_with_key(e, first);
}

// A transaction that is there only to come between two others in its session or
// in time may have nothing to show: then all that it did.
static void add_members(struct evidence *e, const struct edge *edges,
                        uint32_t nedges) {
  for (uint32_t i = 0; i < nedges; i++) {
    if (e->has_txn[edges[i].from])
      continue;
    evidence_txn(e, edges[i].from);
    evidence_seen(e);
  }
}

// --- Public.

struct evidence evidence_open(const struct model *m) {
  return (struct evidence){.m = m,
                           .has_txn = xcalloc(m->h->ntxns, 1),
                           .has_op = xcalloc(m->h->nops, 1)};
}

void evidence_txn(struct evidence *e, uint32_t t) {
  assert(t < e->m->h->ntxns);
  const struct history *h = e->m->h;
  if (e->has_txn[t] & HAS_ALL)
    return;
  e->has_txn[t] |= HAS_ALL;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
    add_op_evidence(e, op);
}

void evidence_versions(struct evidence *e, uint32_t version, uint32_t first) {
  add_versions(e, version, first, true);
}

void evidence_seen(struct evidence *e) {
  const struct history *h = e->m->h;
  for (uint32_t n = e->ops.count, k = 0; k < n; k++) {
    const uint32_t op = e->ops.op[k];
    if (op_reads(h->kind[op]) && op_is_list(h->kind[op]))
      add_list_evidence(e, h->list[h->saw[op]]);
    else if (op_reads(h->kind[op]))
      add_with_key(e, h->saw[op]);
  }
}

void evidence_before_blind_writes(struct evidence *e) {
  const struct model *m = e->m;
  for (uint32_t n = e->ops.count, k = 0; k < n; k++) {
    const uint32_t op = e->ops.op[k];
    if (m->role[op] & ROLE_BLIND)
      evidence_versions(e, m->over[op], NO_ID);
  }
}

void evidence_past(struct evidence *e, uint32_t reader, uint32_t past) {
  assert(reader < e->m->h->ntxns && past < e->m->h->ntxns);
  const struct model *m = e->m;
  const uint32_t n = m->h->ntxns;
  struct way_back way = {
      .m = m, .from = ids_none(n), .queue = xmalloc(n * sizeof *way.queue)};
  if (m->real_time) {
    way.ended = m->guess;
    way.nended = m->nguess;
  }
  meet_on_way_back(&way, reader, reader);
  while (way.head < way.tail && way.from[past] == NO_ID)
    meet_all_before(&way, way.queue[way.head++]);
  for (uint32_t t = past; way.from[t] != NO_ID && t != reader; t = way.from[t])
    evidence_txn(e, t);
  FREE_EACH(way.from, way.queue);
}

struct operations evidence_take(struct evidence *e) {
  add_outcomes(e);
  struct operations ops = e->ops;
  FREE_EACH(e->has_txn, e->has_op, e->added);
  operations_sort(&ops);
  subhistory_close(e->m->h, &ops);
  *e = (struct evidence){0};
  return ops;
}

struct operations evidence_of_read(const struct model *m, uint32_t op,
                                   uint32_t other_op) {
  struct evidence e = evidence_open(m);
  add_with_key(&e, op);
  add_with_key(&e, other_op);
  evidence_seen(&e);
  return evidence_take(&e);
}

// The append of a transaction other than these two readers.
static bool is_of_others(const struct model *m, uint32_t append, uint32_t one,
                         uint32_t other) {
  return append < m->h->nops && m->txn_of[append] != m->txn_of[one] &&
         m->txn_of[append] != m->txn_of[other];
}

struct operations evidence_of_lost_element(const struct model *m, uint32_t op,
                                           uint32_t other_op) {
  assert(op_is_list(m->h->kind[op]) && op_is_list(m->h->kind[other_op]));
  struct evidence e = evidence_open(m);
  const struct history *h = m->h;
  const struct seen_list list = h->list[h->saw[op]];
  const struct seen_list other = h->list[h->saw[other_op]];
  uint8_t *in_list = xcalloc(h->nops, 1);
  uint32_t lost = NO_ID, later = NO_ID;
  for (uint32_t i = list.first; i < list.first + list.count; i++)
    if (h->element[i] < h->nops)
      in_list[h->element[i]] = 1;
  for (uint32_t i = other.first; i < other.first + other.count; i++) {
    const uint32_t append = h->element[i];
    if (later != NO_ID || !is_of_others(m, append, op, other_op))
      continue;
    if (!in_list[append] && m->role[append] & ROLE_COUNTED)
      lost = append;
    else if (in_list[append] && lost != NO_ID)
      later = append;
  }
  free(in_list);
  add_with_key(&e, op);
  add_with_key(&e, other_op);
  add_op_evidence(&e, lost);
  add_op_evidence(&e, later);
  return evidence_take(&e);
}

struct operations evidence_of_cycle(const struct model *m,
                                    const struct edge *edges, uint32_t nedges) {
  assert(m->stage >= MODEL_WALKABLE && nedges > 0);
  struct evidence e = evidence_open(m);
  for (uint32_t i = 0; i < nedges; i++)
    add_edge_evidence(&e, &edges[i]);
  add_members(&e, edges, nedges);
  return evidence_take(&e);
}

void evidence_widen(const struct model *m, struct operations *ops) {
  struct evidence e = evidence_open(m);
  for (uint32_t i = 0; i < ops->count; i++)
    evidence_txn(&e, m->txn_of[ops->op[i]]);
  evidence_seen(&e);
  free(ops->op);
  *ops = evidence_take(&e);
}

void evidence_everything(const struct model *m, struct operations *ops) {
  free(ops->op);
  *ops = (struct operations){0};
  operations_take_all(ops, m->h->nops);
}

// SPDX-License-Identifier: GPL-3.0-or-later
#include "config.h"

#include "checker/graph/candidate.h"

#include "checker/graph/classify.h"
#include "checker/graph/edges.h"
#include "checker/verdict/level_rules.h"

#include <assert.h>

// Versions after the one that was read from which a search may start.
enum { MAX_CHAIN = 1 << 16 };

struct between {
  uint32_t to;
  bool rw;
  uint64_t looks;
  struct edge best; // kind UINT8_MAX: none
};

// WR before SO before WW, since cycles of them break weaker levels.  Of WR the
// earliest read, and of RW the latest: that makes a read non-monotonic.
static bool is_better_edge(const struct edge *edge, const struct edge *best) {
  static const int rank[] = {[EDGE_SO] = 1,
                             [EDGE_RT] = 3,
                             [EDGE_WR] = 0,
                             [EDGE_WW] = 2,
                             [EDGE_RW] = 0};
  if (best->kind == UINT8_MAX)
    return true;
  if (edge->kind != best->kind)
    return rank[edge->kind] < rank[best->kind];
  return edge->kind == EDGE_RW ? edge->from_op > best->from_op
                               : edge->to_op < best->to_op;
}

static bool compare_edge(void *context, const struct edge *edge) {
  struct between *b = context;
  b->looks++;
  if (edge->to == b->to && (edge->kind == EDGE_RW) == b->rw &&
      is_better_edge(edge, &b->best))
    b->best = *edge;
  return true;
}

bool candidate_edge(struct cycle_search *s, uint32_t from, uint32_t to, bool rw,
                    struct edge *edge) {
  assert(from < s->m->h->ntxns && to < s->m->h->ntxns);
  struct between b = {.to = to, .rw = rw, .best = {.kind = UINT8_MAX}};
  for_each_edge(s->m, from, compare_edge, &b);
  search_spend(s, b.looks);
  *edge = b.best;
  return edge->kind != UINT8_MAX;
}

static void choose_edges(struct cycle_search *s, struct cycle *c) {
  for (uint32_t i = 0; i < c->nedges; i++) {
    struct edge *edge = &c->edges[i], best;
    if (edge->kind != EDGE_RT &&
        candidate_edge(s, edge->from, edge->to, edge->kind == EDGE_RW, &best))
      *edge = best;
  }
}

bool candidate_is_better(const struct cycle *c, const struct cycle *best) {
  if (best->anomaly == ANOMALY_NONE)
    return true;
  const enum isolation level = anomaly_weakest(c->anomaly);
  const enum isolation best_level = anomaly_weakest(best->anomaly);
  return level != best_level ? level < best_level : c->nedges < best->nedges;
}

void candidate_keep_better(struct cycle *best, struct cycle *c) {
  assert(c->anomaly != ANOMALY_NONE && c->nedges > 0);
  if (candidate_is_better(c, best)) {
    struct cycle was = *best;
    *best = *c;
    *c = was;
  }
  cycle_free(c);
}

static void finish_cycle(struct cycle_search *s, struct cycle *c) {
  cycle_shorten(c, s->m);
  c->anomaly = anomaly_of_cycle(s->m, c->edges, c->nedges);
}

// The version made from the given one by a read-modify-write, or the next one
// of a list; NO_ID if there is none.
static uint32_t find_next_version(const struct model *m, uint32_t version) {
  assert(version < m->nversions);
  uint32_t next = m->first_over[version];
  while (next != NO_ID && m->role[next] & (ROLE_DIVERGED | ROLE_TAIL))
    next = model_next_over(m, next);
  return next;
}

void candidate_of_later_version(struct cycle_search *s, struct cycle *best,
                                const struct edge *missed, uint64_t limit) {
  assert(missed->kind == EDGE_RW);
  const struct model *m = s->m;
  s->mode = MODE_NO_RW;
  s->closing = (struct back_edge){missed->from, missed->to, true};
  search_start(s);
  struct edge edge = *missed;
  const uint32_t seen = m->sees[missed->from_op];
  uint32_t version = seen;
  for (uint32_t i = 0; i < MAX_CHAIN && i < limit; i++) {
    version = find_next_version(m, version);
    const bool all_around = version == seen; // each was made from another
    if (version == NO_ID || all_around || m->txn_of[version] == missed->from)
      break;
    edge.to_op = version;
    edge.to = m->txn_of[version];
    search_start_at(s, &edge);
  }
  search_spend(s, s->steps.count);
  if (!search_run(s, limit))
    return;
  struct cycle c = {0};
  c.edges = search_way(s, &c.nedges);
  uint32_t start = s->found;
  while (s->steps.items[start].before != NO_ID)
    start = s->steps.items[start].before;
  choose_edges(s, &c);
  c.edges[c.nedges++] = s->steps.items[start].edge;
  finish_cycle(s, &c);
  candidate_keep_better(best, &c);
}

void candidate_offer(struct cycle_search *s, struct cycle *best,
                     struct edge *edges, uint32_t n, uint64_t limit) {
  assert(n > 0);
  struct cycle c = {.edges = edges, .nedges = n};
  choose_edges(s, &c);
  finish_cycle(s, &c);
  const struct edge *rw = cycle_only_edge(&c, EDGES_RW);
  const struct edge missed = rw ? *rw : (struct edge){0};
  const bool could_be_shorter = rw && c.nedges > 2;
  candidate_keep_better(best, &c);
  if (could_be_shorter)
    candidate_of_later_version(s, best, &missed, limit);
}

bool candidate_is_best(const struct cycle *c) {
  return c->nedges == 2 && anomaly_weakest(c->anomaly) == weakest_level;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Makes a cycle shorter to tell, without making it weaker.
#include "config.h"

#include "checker/graph/cycle.h"

#include "checker/graph/edges.h"

#include <assert.h>
#include <string.h>

enum { MAX_ROUND = 64 }; // edges

// Can `next` be left out, since `edge` holds as well for where it leads to?  If
// so, `edge` is made to lead there.
static bool absorbs(const struct model *m, struct edge *edge,
                    const struct edge *next) {
  if (edge->kind == EDGE_SO && next->kind == EDGE_SO) {
    edge->to = next->to;
    return true;
  }
  const bool overwrites = edge->kind == EDGE_RW || edge->kind == EDGE_WW;
  if (!overwrites || (next->kind != EDGE_WW && next->kind != EDGE_WR) ||
      edge->to_op != next->from_op || next->to == edge->from)
    return false;
  const uint32_t write = overwriter_in(m, edge->to_op, next->to);
  const bool all_around =
      edge->kind == EDGE_RW && write == m->sees[edge->from_op];
  if (write == NO_ID || all_around)
    return false;
  edge->to = next->to;
  edge->to_op = write;
  return true;
}

// An append and the next one, and a list read that shows both: it shows the
// first by itself.
static bool shows_both(const struct model *m, struct edge *edge,
                       const struct edge *next) {
  if (edge->kind != EDGE_WW || next->kind != EDGE_WR ||
      edge->to_op != next->from_op || next->to == edge->from ||
      !op_is_list(m->h->kind[edge->to_op]) ||
      !(m->role[edge->to_op] & ROLE_LISTED))
    return false;
  *edge =
      (struct edge){EDGE_WR, edge->from, next->to, edge->from_op, next->to_op};
  return true;
}

static void remove_edge(struct cycle *c, uint32_t i) {
  assert(i < c->nedges);
  c->nedges--;
  memmove(&c->edges[i], &c->edges[i + 1], (c->nedges - i) * sizeof *c->edges);
}

// Would two RW edges follow each other without the edge after i?  SI permits
// such a cycle.
static bool keeps_rw_apart(const struct cycle *c, uint32_t i) {
  return c->edges[i].kind == EDGE_RW &&
         c->edges[(i + 2) % c->nedges].kind == EDGE_RW;
}

// May one edge follow another in a cycle?  RW starts at the snapshot, and ends
// at the commit, as WW does where only SI has it end at the snapshot.
static bool may_follow(const struct edge *edge, const struct edge *before) {
  return edge->kind != EDGE_RW ||
         (before->kind != EDGE_RW && before->kind != EDGE_WW);
}

// Keeps no more than what is between two times that the cycle leaves the same
// transaction, if that is one by itself.  False if it is not.
static bool cut_round(struct cycle *c, uint32_t first, uint32_t end) {
  assert(first <= end && end <= c->nedges);
  if (c->edges[first].from != c->edges[end].from ||
      !may_follow(&c->edges[first], &c->edges[end - 1]))
    return false;
  c->nedges = end - first;
  memmove(c->edges, &c->edges[first], c->nedges * sizeof *c->edges);
  return true;
}

// A search that wants more RW edges than there are may go round twice.
static void leave_out_rounds(struct cycle *c) {
  for (uint32_t end = 1; end < c->nedges; end++)
    for (uint32_t n = 1; n <= end && n <= MAX_ROUND; n++)
      if (cut_round(c, end - n, end))
        return;
}

void cycle_shorten(struct cycle *c, const struct model *m) {
  assert(c->nedges > 0);
  leave_out_rounds(c);
  for (uint32_t i = 0; i < c->nedges && c->nedges > 2;) {
    const uint32_t next = (i + 1) % c->nedges;
    if ((!keeps_rw_apart(c, i) && absorbs(m, &c->edges[i], &c->edges[next])) ||
        shows_both(m, &c->edges[i], &c->edges[next])) {
      remove_edge(c, next);
      i = 0;
    } else {
      i++;
    }
  }
}

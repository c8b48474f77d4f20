// SPDX-License-Identifier: GPL-3.0-or-later
// The incremental topological order (checker/graph/toporder.h).
#include "config.h"

#include "checker/graph/toporder.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static bool visit_once(struct toporder *order, uint32_t node) {
  if (order->stamp[node] == order->now)
    return false;
  order->stamp[node] = order->now;
  order->work++;
  return true;
}

static void new_search(struct toporder *order) {
  if (++order->now == 0) { // the marks wrapped around
    memset(order->stamp, 0, order->graph->nnodes * sizeof *order->stamp);
    order->now = 1;
  }
}

static void reach_node(struct toporder *order, uint32_t from, uint32_t edge,
                       uint32_t node, uint32_t limit) {
  if (order->position[node] > limit || !visit_once(order, node))
    return;
  order->parent[node] = from;
  order->parent_edge[node] = edge;
  ids_add(&order->ahead, node);
}

// Breadth first, so that a cycle found is short: the nodes reachable from
// `start` at positions up to that of `goal`.  False if the goal is among them.
static bool search_ahead(struct toporder *order, uint32_t start,
                         uint32_t goal) {
  const struct static_graph *graph = order->graph;
  const uint32_t limit = order->position[goal];
  order->ahead.count = 0;
  reach_node(order, TOPORDER_NONE, TOPORDER_NONE, start, limit);
  for (uint32_t i = 0; i < order->ahead.count; i++) {
    const uint32_t node = order->ahead.items[i];
    if (node == goal)
      return false;
    for (uint32_t e = graph->out_first[node]; e < graph->out_first[node + 1];
         e++)
      reach_node(order, node, TOPORDER_NONE, graph->out[e], limit);
    for (uint32_t e = order->first_out[node]; e != TOPORDER_NONE;
         e = order->edges[e].next_out)
      reach_node(order, node, e, order->edges[e].to, limit);
  }
  return true;
}

static void reach_back(struct toporder *order, uint32_t node, uint32_t limit) {
  if (order->position[node] >= limit && visit_once(order, node))
    ids_add(&order->behind, node);
}

// The nodes that reach `goal` from positions not before that of `start`.
static void search_behind(struct toporder *order, uint32_t start,
                          uint32_t goal) {
  const struct static_graph *graph = order->graph;
  const uint32_t limit = order->position[start];
  order->behind.count = 0;
  reach_back(order, goal, limit);
  for (uint32_t i = 0; i < order->behind.count; i++) {
    const uint32_t node = order->behind.items[i];
    for (uint32_t e = graph->in_first[node]; e < graph->in_first[node + 1]; e++)
      reach_back(order, graph->in[e], limit);
    for (uint32_t e = order->first_in[node]; e != TOPORDER_NONE;
         e = order->edges[e].next_in)
      reach_back(order, order->edges[e].from, limit);
  }
}

static void place_node(struct toporder *order, uint32_t node,
                       uint32_t position) {
  assert(order->position[node] < order->graph->nnodes &&
         position < order->graph->nnodes);
  order->position[node] = position;
  order->node_at[position] = node;
  ids_add(&order->moved, node);
}

// Puts positions in the place of the nodes that have them, in order, and adds
// the nodes in that order to those to be placed.
static void take_positions(struct toporder *order, struct ids *nodes) {
  for (uint32_t i = 0; i < nodes->count; i++)
    nodes->items[i] = order->position[nodes->items[i]];
  ids_sort(nodes->items, nodes->count);
  for (uint32_t i = 0; i < nodes->count; i++)
    ids_add(&order->placed, order->node_at[nodes->items[i]]);
}

// Gives the positions that both sets have now to those behind first, then to
// those ahead, each set in its old order.
static void rearrange(struct toporder *order) {
  struct ids *behind = &order->behind, *ahead = &order->ahead;
  assert(ahead->count > 0 && behind->count > 0);
  order->placed.count = 0;
  take_positions(order, behind);
  take_positions(order, ahead);
  uint32_t a = 0, b = 0;
  for (uint32_t i = 0; i < order->placed.count; i++) {
    const bool is_ahead =
        b == behind->count ||
        (a < ahead->count && ahead->items[a] < behind->items[b]);
    place_node(order, order->placed.items[i],
               is_ahead ? ahead->items[a++] : behind->items[b++]);
  }
}

static void note_path(struct toporder *order, uint32_t from) {
  uint32_t n = 0;
  for (uint32_t node = from; order->parent[node] != TOPORDER_NONE;
       node = order->parent[node])
    n++;
  order->path = xrealloc(order->path, n, sizeof *order->path);
  order->npath = n;
  for (uint32_t node = from; n > 0; node = order->parent[node]) {
    const uint32_t edge = order->parent_edge[node];
    order->path[--n] = (struct path_step){
        order->parent[node],
        edge == TOPORDER_NONE ? TOPORDER_NONE : order->edges[edge].reason};
  }
}

static void link_edge(struct toporder *order, uint32_t from, uint32_t to,
                      uint32_t reason) {
  assert(order->position[from] < order->position[to]);
  ARRAY_RESERVE(order->edges, order->nedges, order->edges_room);
  order->edges[order->nedges] = (struct moving_edge){
      from, to, order->first_out[from], order->first_in[to], reason};
  order->first_out[from] = order->first_in[to] = order->nedges++;
}

bool toporder_insert(struct toporder *order, uint32_t from, uint32_t to,
                     uint32_t reason) {
  assert(from < order->graph->nnodes && to < order->graph->nnodes);
  if (order->position[from] >= order->position[to]) {
    new_search(order);
    if (!search_ahead(order, to, from)) {
      note_path(order, from);
      return false;
    }
    search_behind(order, to, from);
    rearrange(order);
  }
  link_edge(order, from, to, reason);
  return true;
}

void toporder_truncate(struct toporder *order, uint32_t nedges) {
  assert(nedges <= order->nedges);
  while (order->nedges > nedges) {
    const struct moving_edge *edge = &order->edges[--order->nedges];
    order->first_out[edge->from] = edge->next_out;
    order->first_in[edge->to] = edge->next_in;
  }
}

void toporder_init(struct toporder *order, const struct static_graph *graph,
                   const uint32_t *node_at) {
  const uint32_t n = graph->nnodes;
  *order = (struct toporder){.graph = graph, .node_at = ids_copy(node_at, n)};
  order->position = xmalloc(n * sizeof *order->position);
  order->first_out = ids_none(n);
  order->first_in = ids_none(n);
  order->stamp = xcalloc(n, sizeof *order->stamp);
  order->parent = xmalloc(n * sizeof *order->parent);
  order->parent_edge = xmalloc(n * sizeof *order->parent_edge);
  for (uint32_t i = 0; i < n; i++)
    order->position[node_at[i]] = i;
}

void toporder_free(struct toporder *order) {
  FREE_EACH(order->position, order->node_at, order->edges, order->first_out,
            order->first_in, order->moved.items, order->path, order->stamp,
            order->parent_edge, order->parent, order->ahead.items,
            order->behind.items, order->placed.items);
  *order = (struct toporder){0};
}

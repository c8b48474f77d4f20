// SPDX-License-Identifier: GPL-3.0-or-later
// The incremental topological order (checker/graph/toporder.h).
#include "config.h"

#include "checker/graph/toporder.h"

#include "base/ids.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// A node found on the way forward, and how it was reached.
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

static void push(uint32_t **items, uint32_t *count, uint32_t *room,
                 uint32_t item) {
  ARRAY_RESERVE(*items, *count, *room);
  (*items)[(*count)++] = item;
}

static void reach(struct toporder *order, uint32_t *count, uint32_t from,
                  uint32_t edge, uint32_t node, uint32_t limit) {
  if (order->position[node] > limit || !visit_once(order, node))
    return;
  order->parent[node] = from;
  order->parent_edge[node] = edge;
  push(&order->ahead, count, &order->ahead_room, node);
}

// Breadth first, so that a cycle found is short: the nodes reachable from
// `start` at positions up to that of `goal`.  False if the goal is among them.
static bool search_ahead(struct toporder *order, uint32_t start, uint32_t goal,
                         uint32_t *count) {
  const struct static_graph *graph = order->graph;
  uint32_t limit = order->position[goal];
  *count = 0;
  reach(order, count, TOPORDER_NONE, TOPORDER_NONE, start, limit);
  for (uint32_t i = 0; i < *count; i++) {
    uint32_t node = order->ahead[i];
    if (node == goal)
      return false;
    for (uint32_t e = graph->out_first[node]; e < graph->out_first[node + 1];
         e++)
      reach(order, count, node, TOPORDER_NONE, graph->out[e], limit);
    for (uint32_t e = order->first_out[node]; e != TOPORDER_NONE;
         e = order->edges[e].next_out)
      reach(order, count, node, e, order->edges[e].to, limit);
  }
  return true;
}

static void reach_back(struct toporder *order, uint32_t *count, uint32_t node,
                       uint32_t limit) {
  if (order->position[node] >= limit && visit_once(order, node))
    push(&order->behind, count, &order->behind_room, node);
}

// The nodes that reach `goal` from positions not before that of `start`.
static void search_behind(struct toporder *order, uint32_t start, uint32_t goal,
                          uint32_t *count) {
  const struct static_graph *graph = order->graph;
  uint32_t limit = order->position[start];
  *count = 0;
  reach_back(order, count, goal, limit);
  for (uint32_t i = 0; i < *count; i++) {
    uint32_t node = order->behind[i];
    for (uint32_t e = graph->in_first[node]; e < graph->in_first[node + 1]; e++)
      reach_back(order, count, graph->in[e], limit);
    for (uint32_t e = order->first_in[node]; e != TOPORDER_NONE;
         e = order->edges[e].next_in)
      reach_back(order, count, order->edges[e].from, limit);
  }
}

static void to_positions(const struct toporder *order, uint32_t *nodes,
                         uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    nodes[i] = order->position[nodes[i]];
  ids_sort(nodes, count);
}

static void place(struct toporder *order, uint32_t node, uint32_t position) {
  assert(order->position[node] < order->graph->nnodes &&
         position < order->graph->nnodes);
  order->position[node] = position;
  order->node_at[position] = node;
  push(&order->moved, &order->nmoved, &order->moved_room, node);
}

// Gives the positions that both sets have now to those behind first, then to
// those ahead, each set in its old order.
static void rearrange(struct toporder *order, uint32_t nbehind,
                      uint32_t nahead) {
  assert(nahead > 0 && nbehind > 0);
  uint32_t all = nbehind + nahead;
  while (order->pool_room < all * 2) {
    order->pool_room = order->pool_room ? order->pool_room * 2 : 64;
    order->pool = xrealloc(order->pool, order->pool_room, sizeof *order->pool);
  }
  uint32_t *pool = order->pool, *nodes = order->pool + all;
  to_positions(order, order->behind, nbehind);
  to_positions(order, order->ahead, nahead);
  for (uint32_t i = 0; i < nbehind; i++)
    nodes[i] = order->node_at[order->behind[i]];
  for (uint32_t i = 0; i < nahead; i++)
    nodes[nbehind + i] = order->node_at[order->ahead[i]];
  uint32_t a = 0, b = 0;
  for (uint32_t i = 0; i < all; i++) // merge the two sorted lists of positions
    pool[i] = b == nbehind || (a < nahead && order->ahead[a] < order->behind[b])
                  ? order->ahead[a++]
                  : order->behind[b++];
  for (uint32_t i = 0; i < all; i++)
    place(order, nodes[i], pool[i]);
}

static void note_path(struct toporder *order, uint32_t from) {
  order->npath = 0;
  for (uint32_t node = from; node != TOPORDER_NONE;
       node = order->parent[node]) {
    ARRAY_RESERVE(order->path, order->npath, order->path_room);
    uint32_t before = order->parent[node], edge = order->parent_edge[node];
    order->path[order->npath++] = (struct path_step){
        before,
        edge == TOPORDER_NONE ? TOPORDER_NONE : order->edges[edge].reason};
  }
  order->npath--; // the start has no edge into it
  for (uint32_t i = 0; i < order->npath / 2; i++) {
    struct path_step swap = order->path[i];
    order->path[i] = order->path[order->npath - 1 - i];
    order->path[order->npath - 1 - i] = swap;
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
    uint32_t nahead, nbehind;
    new_search(order);
    if (!search_ahead(order, to, from, &nahead)) {
      note_path(order, from);
      return false;
    }
    search_behind(order, to, from, &nbehind);
    rearrange(order, nbehind, nahead);
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
  uint32_t n = graph->nnodes;
  *order = (struct toporder){.graph = graph};
  order->position = xmalloc(n * sizeof *order->position);
  order->node_at = xmalloc(n * sizeof *order->node_at);
  order->first_out = ids_none(n);
  order->first_in = ids_none(n);
  order->stamp = xcalloc(n, sizeof *order->stamp);
  order->parent = xmalloc(n * sizeof *order->parent);
  order->parent_edge = xmalloc(n * sizeof *order->parent_edge);
  for (uint32_t i = 0; i < n; i++) {
    order->node_at[i] = node_at[i];
    order->position[node_at[i]] = i;
  }
}

void toporder_free(struct toporder *order) {
  FREE_EACH(order->position, order->node_at, order->edges, order->first_out,
            order->first_in, order->moved, order->path, order->stamp,
            order->parent_edge, order->parent, order->ahead, order->behind,
            order->pool);
  *order = (struct toporder){0};
}

// SPDX-License-Identifier: GPL-3.0-or-later
// A topological order of a graph that is kept up to date while edges are
// inserted and taken back again (Pearce and Kelly, "A dynamic topological sort
// algorithm for directed acyclic graphs", 2006).  Taking an edge back leaves
// the order as it is: it is still one.
#ifndef CHECKER_GRAPH_TOPORDER_H
#define CHECKER_GRAPH_TOPORDER_H

#include "base/ids.h"

#include <stdbool.h>
#include <stdint.h>

// Edges that never go away, as arrays: the successors of node n are
// out[out_first[n]] to out[out_first[n + 1] - 1]; likewise the predecessors.
struct static_graph {
  uint32_t nnodes;
  uint32_t *out_first, *out, *in_first, *in;
};

enum { TOPORDER_NONE = UINT32_MAX };

struct moving_edge {
  uint32_t from, to;
  uint32_t next_out, next_in; // in the lists of from and of to
  uint32_t reason;            // the caller's
};

// One step of a path: the edge from `node` to the next step's node.
struct path_step {
  uint32_t node;
  uint32_t reason; // TOPORDER_NONE: an edge of the static graph
};

struct toporder {
  const struct static_graph *graph;
  uint32_t *position; // of each node
  uint32_t *node_at;  // each position

  struct moving_edge *edges; // inserted ones, oldest first
  uint32_t nedges, edges_room;
  uint32_t *first_out, *first_in; // newest inserted edge of each node

  struct ids moved; // nodes that the insertions moved; the caller empties it

  struct path_step *path; // after a refused insertion: from `to` to `from`
  uint32_t npath;

  uint64_t work; // nodes visited since the start, a measure of effort

  uint32_t *stamp, now; // visited marks
  uint32_t *parent_edge, *parent;
  struct ids ahead, behind, placed; // scratch
};

// `node_at` is a topological order of the graph and is copied.
void toporder_init(struct toporder *order, const struct static_graph *graph,
                   const uint32_t *node_at);
void toporder_free(struct toporder *order);

// Inserts an edge and repairs the order; false, with nothing changed but
// `path`, if it would close a cycle.
bool toporder_insert(struct toporder *order, uint32_t from, uint32_t to,
                     uint32_t reason);

// Takes back all but the first `nedges` inserted edges.
void toporder_truncate(struct toporder *order, uint32_t nedges);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the cycle that explains a violation best: one that breaks the weakest
// level, and of these a shortest one.
#ifndef CHECKER_GRAPH_CYCLE_H
#define CHECKER_GRAPH_CYCLE_H

#include "checker/graph/dependency_order.h"
#include "checker/model/model.h"

struct cycle {
  enum anomaly anomaly; // ANOMALY_NONE: no cycle
  uint32_t nedges;
  struct edge *edges; // owned; free with cycle_free
};
void cycle_free(struct cycle *cycle);

// The cycle's only edge of one of these kinds; NULL if it has none or several.
enum { EDGES_RW = 1 << EDGE_RW, EDGES_WW_RW = EDGES_RW | 1 << EDGE_WW };
const struct edge *cycle_only_edge(const struct cycle *cycle, uint32_t kinds);

// The order of the known edges, and the cycles that are in its way.
struct tangle {
  struct order order;
  // For each edge that closed a cycle, a short cycle through it that breaks a
  // level as weak as possible, if one is found soon.  Cycles may come twice.
  struct cycle *cycles; // owned
  uint32_t ncycles, room;
  enum isolation searched; // those that break this level; NONE: not yet
  bool all;        // time did not run out before all edges were looked at
  uint64_t budget; // what may still be looked at
};

// Makes the order, with snapshots or without, unless it is there; the tangle is
// all zero at first.  False if the model was stopped.
bool tangle_make(struct tangle *tangle, const struct model *m, bool snapshots);
void tangle_free(struct tangle *tangle);

// Finds the cycles, unless it was done.  The model's overwriters are linked.
void tangle_search(struct tangle *tangle, const struct model *m,
                   enum isolation level);

// Takes the cycle over: its edges are the visitor's to free.
typedef void cycle_visitor(void *context, struct cycle *cycle);

// For each of the RW edges a cycle of its read, without another RW edge.  False
// if time ran out before all were looked at.
bool cycle_each_of_reads(const struct model *m, const struct edge *missed,
                         uint32_t n, cycle_visitor *visit, void *context);

// Sets *cycle to two transactions that read the same version and overwrote it
// (MTC definition 10): the one that wrote `two`, which has ROLE_DIVERGED, and
// the first one.  Free with cycle_free.
void cycle_of_divergence(struct cycle *cycle, const struct model *m,
                         uint32_t two);

// A cycle with one real-time edge, in a history whose order is right but for
// real time; none if real time is kept.  Links the model's overwriters.
void cycle_of_real_time(struct cycle *cycle, struct model *m,
                        const struct order *order);

// Visits a cycle for each transaction of the order that had ended before one at
// an earlier place began.  False if time ran out before all were looked at. The
// model's overwriters are linked.
bool cycle_each_of_real_time(const struct model *m, const struct order *order,
                             cycle_visitor *visit, void *context);

// The best cycle of known edges, and of real time if that counts, that breaks
// the level; ANOMALY_NONE if there is none, or below PC, where other ways tell,
// none that is found soon, or if the model was stopped.  At worst it is one
// that the order met and that breaks a stronger level.  Links the model's
// overwriters.
void cycle_of_known_edges(struct cycle *cycle, struct model *m,
                          struct tangle *tangle, enum isolation level);

// Joins edges that together are one: of a session, and of overwriting a version
// by later and later ones (checker/graph/shorten.c).
void cycle_shorten(struct cycle *cycle, const struct model *m);

#endif

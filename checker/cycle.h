// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the cycle that explains a violation best: one that breaks the weakest
// level, and of these a shortest one.
#ifndef CHECKER_CYCLE_H
#define CHECKER_CYCLE_H

#include "checker/model.h"
#include "checker/order.h"

struct cycle {
  enum anomaly anomaly; // ANOMALY_NONE: no cycle
  uint32_t nedges;
  struct edge *edges; // owned; free with cycle_free
};
void cycle_free(struct cycle *cycle);

// The cycles of an order that could not be kept.  Every cycle is looked at from
// the edges that closed one; within bounds on time, so that in a history full
// of cycles a good one is found rather than the best.
void cycle_find(struct cycle *cycle, const struct model *m,
                const struct order *order);

// The same as a list: for each edge that closed a cycle, a short cycle through
// it that breaks a level as weak as possible, if one is found soon.  Cycles may
// come twice.  False if time ran out before all edges were looked at.
typedef void cycle_visitor(void *context, struct cycle *cycle); // takes it over
bool cycle_each(const struct model *m, const struct order *order,
                cycle_visitor *visit, void *context);

// The same for each of the RW edges: a cycle of its read, without another RW
// edge.
bool cycle_each_of_reads(const struct model *m, const struct edge *missed,
                         uint32_t n, cycle_visitor *visit, void *context);

// As cycle_each once more, but only such as the anomaly may be, even where
// another one breaks a weaker level.
void cycle_each_like(const struct model *m, const struct order *order,
                     enum anomaly anomaly, cycle_visitor *visit, void *context);

// Two transactions that read the same version and overwrote it (MTC definition
// 10): the one that wrote `two`, which has ROLE_DIVERGED, and the first one.
void cycle_of_divergence(struct cycle *cycle, const struct model *m,
                         uint32_t two);

// Did whatever ended before a transaction began commit before it, or before its
// snapshot where the order has snapshots?
bool order_keeps_real_time(const struct history *h, const struct order *order);

// A cycle with one real-time edge, in a history whose order is right but for
// real time; none if real time is kept.  Links the model's overwriters.
void cycle_of_real_time(struct cycle *cycle, struct model *m,
                        const struct order *order);

// The same as a list, one for each transaction that an earlier one should have
// come before.  The model's overwriters are linked.
bool cycle_each_of_real_time(const struct model *m, const struct order *order,
                             cycle_visitor *visit, void *context);

// The best cycle of known edges; ANOMALY_NONE if there is none.  Links the
// model's overwriters.
void cycle_best(struct cycle *cycle, struct model *m,
                const struct order *order);

// Parts of the above, in shorten.c.

// The best edge between two transactions, RW or not, to tell; its kind is
// UINT8_MAX if there is none.  Returns how many edges were looked at.
uint64_t cycle_edge_between(const struct model *m, uint32_t from, uint32_t to,
                            bool rw, struct edge *edge);

// Joins edges that together are one: of a session, and of overwriting a version
// by later and later ones.
void cycle_shorten(struct cycle *cycle, const struct model *m);

#endif

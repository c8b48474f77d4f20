// SPDX-License-Identifier: GPL-3.0-or-later
// Cycles that a search met, of which the best one is kept: told by the best
// edges there are, and as short as its kind can be.
#ifndef CHECKER_GRAPH_CANDIDATE_H
#define CHECKER_GRAPH_CANDIDATE_H

#include "checker/graph/cycle.h"
#include "checker/graph/search.h"

// The best edge between two transactions, RW or not; false if there is none.
bool candidate_edge(struct cycle_search *s, uint32_t from, uint32_t to, bool rw,
                    struct edge *edge);

// Does c break a weaker level than *best, or the same one with fewer edges?
bool candidate_is_better(const struct cycle *c, const struct cycle *best);
bool candidate_is_best(const struct cycle *c); // and none can be better
void candidate_keep_better(struct cycle *best, struct cycle *c); // takes c over

// Finishes the cycle of these edges, which it takes over, and keeps it if it is
// better.  Of one with a single RW edge it searches, no further than `limit`,
// for one that is shorter.
void candidate_offer(struct cycle_search *s, struct cycle *best,
                     struct edge *edges, uint32_t n, uint64_t limit);

// A read that misses one version misses all later ones: looks for a way back to
// the reader from any of their writers.  Offers the cycle if there is one.
void candidate_of_later_version(struct cycle_search *s, struct cycle *best,
                                const struct edge *missed, uint64_t limit);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Which cycles say nothing new: those that were met before, from whichever edge
// they are told, and those that another one explains.  A cycle holds because of
// all its reads that missed a write (its RW edges).  If some of these make a
// cycle by themselves that breaks a weaker level, then that one explains it: a
// stale read that breaks causal consistency stands in any number of larger
// circles, too, and they are no anomalies beside it.
#ifndef CHECKER_EXPLAIN_SUBSUMED_CYCLES_H
#define CHECKER_EXPLAIN_SUBSUMED_CYCLES_H

#include "checker/graph/cycle.h"

#include <stdbool.h>
#include <stdint.h>

// A table of pairs of numbers: the reads of a cycle, or the halves of its hash.
struct pair_table {
  struct pair_slot *slots; // open addressing; a level of NONE: free
  uint32_t count, mask;
};

struct subsumed {
  struct pair_table reads;  // one or two that make a cycle by themselves
  struct pair_table cycles; // that were met
};

void subsumed_free(struct subsumed *subsumed);

// Is it the first time that the cycle is met?
bool subsumed_first(struct subsumed *subsumed, const struct cycle *cycle);

// Remembers the cycle, if it has one RW edge or two.
void subsumed_note(struct subsumed *subsumed, const struct cycle *cycle);

// Is the cycle, of more than two transactions, subsumed by one that was noted?
bool subsumed_has(const struct subsumed *subsumed, const struct cycle *cycle);

// The RW edges of the cycles of more than two transactions, one of each read;
// to be freed.  Returns how many.
uint32_t subsumed_reads(const struct cycle *cycles, uint32_t n,
                        struct edge **missed);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// The writes that open reads are taken to have seen, while choices_solve
// searches: that is a literal for each of their writers, and implies what the
// reads come before. All are for a problem that has open reads, but where it is
// said.
#ifndef CHECKER_SOLVER_READS_FROM_H
#define CHECKER_SOLVER_READS_FROM_H

#include "checker/solver/cdcl.h"

// States that every open read saw one of its writers; before anything else.
void reads_from_open(struct solver *solver);

// For a problem without open reads, too.
void reads_from_close(struct solver *solver);

// The literal "the read of the writer saw it": they are the first ones.
static inline literal reads_from_literal(uint32_t writer) { return writer * 2; }

// The origin of the clause "the read saw one of its writers": they are the
// first ones, too.
static inline uint32_t reads_from_origin(uint32_t read) { return read; }

// Writers that are the last of the chain and taken to be seen; NULL: there are
// none, as without open reads.
static inline const struct ids *
reads_from_of_chain(const struct reads_from *reads_from, uint32_t chain) {
  const uint32_t at = reads_from->lists_of ? reads_from->lists_of[chain] : NONE;
  return at == NONE ? NULL : &reads_from->lists[at].reads;
}

// A literal was assigned; was taken back, the one that was assigned last first.
void reads_from_note(struct solver *solver, literal l);
void reads_from_forget(struct solver *solver, literal l);

// Has the chains looked at again that the open reads of an event are taken to
// have seen.
void reads_from_enqueue(struct solver *solver, uint32_t node);

// Inserts the edges of "the read of the writer saw it", a literal; false, with
// the clause learnt, if one closes a cycle.
bool reads_from_insert_edges(struct solver *solver, uint32_t writer, literal l);

// Assigns what follows from a literal, that was assigned, about what the open
// reads come before.
void reads_from_imply(struct solver *solver, literal l);

// Decides the writer of an open read for which the order of events names none
// that fits.  False if there is no such read left.
bool reads_from_choose(struct solver *solver);

// The writer of each open read: the decided one, or for others the one by the
// order of events.  The caller frees it.
uint32_t *reads_from_seen(const struct solver *solver);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// The inside of choices_solve, for cdcl.c (clauses and edges), reads_from.c
// (the writes that open reads saw) and version_order.c (which pair is decided
// next). A literal is a pair of chains in one order, or what an open read saw;
// its edges are in the topological order while it is assigned.
#ifndef CHECKER_SOLVER_CDCL_H
#define CHECKER_SOLVER_CDCL_H

#include "checker/solver/version_order.h"

#include "base/buckets.h"
#include "base/ids.h"

#include <assert.h>

typedef uint32_t literal; // variable * 2 + 1 if the pair is the other way round

enum { NONE = UINT32_MAX };

enum pair_kind {
  PAIR_ORDER,  // `first` before `chain`; or, if it is false, after it
  PAIR_SEES,   // the read of `writer` (struct open_writer) saw it
  PAIR_BOTH,   // the edge of two writers, a number in problem->both
  PAIR_BEFORE, // the read of `writer` is before the first writer of `chain`
};

struct chain_pair { // a variable
  uint8_t kind;     // enum pair_kind
  union {
    uint32_t first; // a chain with a lower number than `chain`
    uint32_t writer;
  };
  uint32_t chain; // 0 where the kind has none
  uint32_t depth; // decisions that stood when it was assigned; NONE: unassigned
  uint32_t reason; // offset of the clause that implied it, or NONE
  uint32_t origin; // of it, if it was implied and rests on no decision
  bool value;      // the last one if unassigned
};

// Where a clause comes from, so that a refutation can be traced back: the nodes
// of the cycle it forbids, or the clauses it was resolved from.
struct origin {
  uint32_t first_node, end_node;     // in solver.nodes
  uint32_t first_parent, end_parent; // in solver.parents: origins
};

// The writes that open reads are taken to have seen:
// checker/solver/reads_from.c.
struct reads_from {
  uint32_t *lists_of; // per chain: its row of `lists`; NONE: both are empty
  struct chain_lists {
    struct ids reads; // writers, the last of the chain, that are seen
    struct ids later; // chains that are taken to come after it
  } * lists;
  uint32_t nlists, lists_room;
  uint32_t *seen;        // per open read: the writer it is taken to have seen
  uint32_t *seen_before; // per writer that is seen: what the read was taken to
                         // have seen before
  struct buckets reads_of_node; // open reads of an event
  uint32_t next_read;           // to look at
};

struct solver {
  const struct choice_problem *problem;
  struct patience setting_up; // ended: it has not come to the search
  struct toporder order;

  uint32_t *key_of, *place_of; // of a chain: its key, its index in `lineup`
  uint32_t *lineup; // chains of each key, by the position of their heads
  uint32_t *queue;  // chains to look at again, a stack
  uint32_t nqueue;
  uint8_t *queued;

  struct buckets chains_of_node; // chains an event belongs to

  struct reads_from reads_from; // all zero without open reads

  struct chain_pair *pairs;
  uint32_t npairs, pairs_room;
  uint32_t *table, table_mask; // hash table of pairs

  struct ids clauses;  // all of them: length, origin, then literals; the first
                       // two are watched
  struct ids *watches; // by literal: the offsets of clauses
  uint32_t watches_room;

  struct ids trail;    // literals
  uint32_t *edge_mark; // number of edges before those of each trail entry
  uint32_t marks_room, nhandled;
  struct ids depth_start; // trail length before each decision that stands

  struct ids learnt; // literals of the clause under construction
  uint32_t learnt_origin;
  struct origin *origins;
  uint32_t norigins, origins_room;
  struct ids nodes, parents;
  uint8_t *seen; // by variable
  uint32_t seen_room;
  uint64_t conflicts;
};

enum { CLAUSE_LENGTH, CLAUSE_ORIGIN, CLAUSE_LITERALS };

static inline literal negation(literal l) { return l ^ 1; }

static inline bool is_true(const struct solver *solver, literal l) {
  const struct chain_pair *pair = &solver->pairs[l >> 1];
  return pair->depth != NONE && pair->value == !(l & 1);
}

static inline bool is_false(const struct solver *solver, literal l) {
  return is_true(solver, negation(l));
}

// Has a chain looked at again.
static inline void enqueue(struct solver *solver, uint32_t chain) {
  if (solver->queued[chain])
    return;
  solver->queued[chain] = 1;
  solver->queue[solver->nqueue++] = chain;
}

// The literal "chain a before chain b".
literal solver_literal(struct solver *solver, uint32_t a, uint32_t b);

// The chain of a pair that comes first by the literal, and the other one.
static inline void solver_order_of(const struct solver *solver, literal l,
                                   uint32_t *first, uint32_t *other) {
  assert(l >> 1 < solver->npairs);
  const struct chain_pair *pair = &solver->pairs[l >> 1];
  *first = l & 1 ? pair->chain : pair->first;
  *other = l & 1 ? pair->first : pair->chain;
}

// The variable of that kind, made if it is new.
uint32_t solver_variable(struct solver *solver, enum pair_kind kind,
                         uint32_t first_or_writer, uint32_t chain);

// Begins a clause: an origin of its own, to which the nodes belong that are
// noted next.  Its literals are added to `learnt`, which is emptied first.
void solver_open_origin(struct solver *solver);
void solver_note_node(struct solver *solver, uint32_t node);

// Adds the clause; its first two literals, if there are so many, are those that
// become false last.  Returns its offset.
uint32_t solver_add_learnt(struct solver *solver);

// Assigns a literal that follows from a clause; NONE: on its own.
void solver_assign(struct solver *solver, literal l, uint32_t clause);

// Inserts one edge of a literal; false, with the clause learnt, if it closes a
// cycle.
bool solver_insert_edge(struct solver *solver, uint32_t from, uint32_t to,
                        literal l);

// Decides it: assigns it at a depth of its own.
void solver_decide(struct solver *solver, literal l);

// Derives the consequences of the assignment by edges and clauses.  False:
// there is a conflict, and `learnt` is a clause that is false.
bool solver_propagate(struct solver *solver);

// Makes the conflict impossible to meet again, and takes back what led to it.
// False: it rests on no decision at all.
bool solver_resolve(struct solver *solver);

#endif

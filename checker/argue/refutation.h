// SPDX-License-Identifier: GPL-3.0-or-later
// The inside of argue(): clauses about the order of events and the order
// itself, for axioms.c (what the history and the axioms say), argue.c (the
// search) and tell.c (what is written down of it).
#ifndef CHECKER_ARGUE_REFUTATION_H
#define CHECKER_ARGUE_REFUTATION_H

#include "checker/argue/argue.h"

#include "base/ids.h"

#include <stdbool.h>
#include <stdint.h>

#define NONE UINT32_MAX

// "From comes before to", which one side of a choice says.
struct atom {
  uint32_t from, to;
  uint8_t kind; // enum edge_kind
  uint32_t from_op, to_op;
};

// Links that show that a transaction had another one in sight, below PC.
struct sight {
  uint32_t premise;  // the one link that does or, if that is NONE...
  uint32_t observer; // ...the event that a path of links leads to,
  uint32_t limit;    // of links before this one
};

// One of its sides holds: the first `nsingle` of its atoms are a side each, and
// of the others each `width` (0: each one) are a side, which all have to hold.
struct clause {
  uint8_t why; // enum reason
  uint8_t width;
  uint32_t first, end; // in refutation.atoms
  uint32_t nsingle;
  uint32_t read, lemma; // as in struct inference
  struct sight sight;   // of REASON_IN_SIGHT
};

// An edge that holds, for now; in the order in which they came.
struct link {
  struct inference step; // how it will be told, but for its path
  uint32_t clause;       // that it follows from, NONE: from the history
  uint32_t limit;        // its path is of links before this one
  struct sight sight;    // that it rests on instead; or both are NONE
  uint32_t next_out;     // the next link that leaves the same event
  uint32_t told;         // index of its step, or NONE
};

struct refutation {
  const struct history *h;
  const struct history *rows; // that `h` has as registers; NULL: none
  const struct check_options *options;
  struct patience patience; // ended: what stands is not all that holds
  uint8_t *counted;         // those that took effect, or may have
  uint32_t *took;   // per transaction: the claim that it did; NONE: it did
  uint32_t *txn_of; // per operation

  struct clause *clauses;
  uint32_t nclauses, clauses_room;
  struct atom *atoms;
  uint32_t natoms, atoms_room;

  struct link *links;
  uint32_t nlinks, links_room;
  uint32_t *first_out; // per event: the newest link that leaves it
  uint32_t nevents, words;
  uint64_t *after; // per event a row of bits: itself and what comes after it

  // Per supposition: how many links there were, and the rows as they were.
  struct supposition {
    uint32_t nlinks;
    uint64_t *after;
  } * suppositions;
  uint32_t nsuppositions, suppositions_room;
  uint64_t effort; // clauses looked at

  struct ids cycle; // links that contradict each other

  // Scratch.
  uint32_t *came_by, *queue; // per event
  uint8_t *marked;           // per link
  uint32_t marked_room;
  struct ids path;

  struct argument *argument;
  uint32_t steps_room, path_room;
};

static inline uint32_t snapshot_of(uint32_t t) { return 2 * t; }
static inline uint32_t commit_of(uint32_t t) { return 2 * t + 1; }

// The first event of a claim.
static inline uint32_t event_of_claim(const struct refutation *r, uint32_t c) {
  return 2 * (r->h->ntxns + c);
}

// Is there another event of its transaction after it?
static inline bool is_snapshot(const struct refutation *r, uint32_t event) {
  return event % 2 == 0 && event / 2 < r->h->ntxns;
}

static inline bool is_before(const struct refutation *r, uint32_t from,
                             uint32_t to) {
  return r->after[(size_t)from * r->words + to / 64] >> (to % 64) & 1;
}

// --- axioms.c

// Adds all links and clauses that the history has.  False: the links alone are
// a contradiction, and `cycle` is set.
bool refutation_state(struct refutation *r);

// --- unreturned.c

// May argue_of_rows look at the history?
bool unreturned_are_arguable(const struct history *registers,
                             const struct history *rows,
                             const struct check_options *options);

// --- argue.c

// Adds a link; false, with `cycle` set, if it contradicts those before.  Does
// nothing once the patience has ended.
bool refutation_link(struct refutation *r, const struct link *link);
void refutation_clause(struct refutation *r, const struct clause *clause,
                       const struct atom *atoms, uint32_t natoms);

// A copy of the rows of `after`; free with free().
uint64_t *refutation_rows(const struct refutation *r);

// --- clauses.c

// The atom of the clause that has to hold now: of the only side that can still
// hold; the first one if no side can; the clause's end if a side is known to
// hold, or if there is a choice.
uint32_t clause_only_atom(const struct refutation *r,
                          const struct clause *clause);

bool clause_holds(const struct refutation *r, const struct clause *clause);

// An atom that is open, of a clause of which several sides can hold.
uint32_t clause_first_possible(const struct refutation *r,
                               const struct clause *clause);

// --- tell.c

// The links that lead from one event to another, of those before `limit`,
// appended to `path`; the fewest.  There is a way.
void refutation_path(struct refutation *r, uint32_t from, uint32_t to,
                     uint32_t limit, struct ids *path);

// Writes down why the links of `cycle` contradict each other.  If suppositions
// stand, those that it rests on become a clause: not all of them hold.  Returns
// how many suppositions may stay, so that the last of these is turned around by
// that clause.  If none stands, the argument ends.
uint32_t refutation_tell(struct refutation *r);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// A history with open version orders as a problem for choices_solve: the graph
// of all known edges over the events of a level, a guessed order of the events,
// and the version chains whose order is open.
//
// A transaction has a commit and, at PC and SI, a snapshot before it; at other
// levels the two are one event.  Where the transactions have levels of their
// own, each has the events of its level, and the choices bind the readers of PC
// and above.
#ifndef CHECKER_SOLVER_EVENTS_H
#define CHECKER_SOLVER_EVENTS_H

#include "checker/model/model.h"
#include "checker/model/time_events.h"
#include "checker/solver/version_order.h"
#include "checker/verdict/level_rules.h"
#include "checker/weak/saturate.h"

struct problem {
  const struct model *m;
  enum isolation level;
  const uint8_t *levels;         // of each transaction; NULL: all at `level`
  const struct demands *demands; // of readers below PC; NULL: none

  // The versions of a key have an order, at least that of lists which were
  // read; a version follows the one that its transaction read; and the orders
  // that are left open are searched.
  bool ordered, by_updates, searched;

  // Nodes: the events of all transactions, `scale` for each (those that do not
  // count have no edges), two gates per key, and one node per instant at which
  // one ended.
  uint32_t scale;
  uint32_t nnodes, first_gate, first_instant;
  struct static_graph graph;
  uint32_t *guess;

  uint32_t *key_first; // chains of each key
  struct version_chain *chains;
  uint32_t *head_op, *tail_op; // per chain: who wrote its first, last version
  uint32_t *readers;           // events

  uint32_t nends; // transactions that had certainly ended, if real time counts
  struct instant *events; // until it is built: all of them, in order of time
  uint32_t nevents;
  struct patience patience; // ended: it is left unfinished
};

// The model's overwriters are linked.  `levels` gives each transaction its own
// level, or is NULL.  Below PC nothing is left to choose: the graph has session
// order, write-read, the order of lists and the demands, which the caller
// keeps. False if the known edges alone make a cycle: `*on_cycle` is then a
// node of one; or NO_ID, if the model's flag was set before that was known.
bool problem_build(struct problem *p, const struct model *m,
                   enum isolation level, const uint8_t *levels,
                   const struct demands *demands, uint32_t *on_cycle);
void problem_free(struct problem *p);

// The transaction of an event, or UINT32_MAX for other nodes.
static inline uint32_t problem_txn(const struct problem *p, uint32_t node) {
  return node < p->first_gate ? node / p->scale : NO_ID;
}

static inline enum isolation problem_level(const struct problem *p,
                                           uint32_t t) {
  return p->levels ? (enum isolation)p->levels[t] : p->level;
}

// Has the transaction a snapshot apart from its commit?
static inline bool problem_splits(const struct problem *p, uint32_t t) {
  return level_splits(problem_level(p, t));
}

static inline uint32_t problem_commit(const struct problem *p, uint32_t t) {
  return t * p->scale + p->scale - 1;
}
static inline uint32_t problem_snapshot(const struct problem *p, uint32_t t) {
  return problem_splits(p, t) ? t * p->scale : problem_commit(p, t);
}

#endif

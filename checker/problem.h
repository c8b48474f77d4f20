// SPDX-License-Identifier: GPL-3.0-or-later
// A history with open version orders as a problem for choices_solve: the graph
// of all known edges over the events of a level, a guessed order of the events,
// and the version chains whose order is open.
#ifndef CHECKER_PROBLEM_H
#define CHECKER_PROBLEM_H

#include "checker/choices.h"
#include "checker/model.h"
#include "checker/saturate.h"

struct problem {
  const struct model *m;
  enum isolation level;
  const struct demands *demands; // of a level below PC; NULL: none
  struct event_map events;
  bool real_time;

  // Nodes: the events of all transactions (those that do not count have no
  // edges), two gates per key, and one node per instant at which one ended.
  uint32_t nnodes, first_gate, first_instant;
  struct static_graph graph;
  uint32_t *guess;

  uint32_t *key_first; // chains of each key
  struct chain *chains;
  uint32_t *head_op; // per chain: the operation that wrote its first version
  uint32_t *readers;
};

// The model's overwriters are linked.  Below PC nothing is left to choose: the
// graph has session order, write-read, the order of lists and the demands,
// which the caller keeps.  False if the known edges alone make a cycle:
// `*on_cycle` is then a node of one.
bool problem_build(struct problem *p, const struct model *m,
                   enum isolation level, const struct demands *demands,
                   uint32_t *on_cycle);
void problem_free(struct problem *p);

// The transaction of an event, or UINT32_MAX for other nodes.
static inline uint32_t problem_txn(const struct problem *p, uint32_t node) {
  return node < p->first_gate ? node / p->events.scale : NO_ID;
}

#endif

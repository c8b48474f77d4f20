// SPDX-License-Identifier: GPL-3.0-or-later
// Decides a level where the known edges alone do not: histories with open
// version orders, and the levels below SI.
#ifndef CHECKER_OPEN_H
#define CHECKER_OPEN_H

#include "checker/model.h"
#include "checker/problem.h"
#include "checker/subhistory.h"

// Stopped: the model was, before there was an answer.
enum open_answer { OPEN_KEPT, OPEN_BROKEN, OPEN_STOPPED };

struct open_decision {
  enum open_answer answer;
  // OPEN_KEPT: a commit order, and for PC and SI the snapshots, as in struct
  // verdict.
  uint32_t norder, *order, *snapshot;
  // OPEN_BROKEN: operations of a part of the history that breaks the level,
  // closed and, if asked for, minimal.
  struct operations core;
};

// The model has no finding that breaks the level; its overwriters get linked.
// `progress` may be NULL.
void open_decide(struct open_decision *d, struct model *m, enum isolation level,
                 struct check_progress *progress);

// The operations that a refutation of the problem rests on, closed, are the
// caller's to free.
struct operations open_core(const struct problem *p,
                            const struct choice_result *result);
// The same as a decision, for a cycle of known edges through a node.
struct operations open_core_of_cycle(const struct problem *p,
                                     uint32_t on_cycle);

void open_decision_free(struct open_decision *d);

#endif

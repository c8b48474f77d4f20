// SPDX-License-Identifier: GPL-3.0-or-later
// Does a history keep a level?  The one function that decides it, for whoever
// asks: about the history, a part of it, or what is left of it.
#ifndef CHECKER_DECIDE_DECIDE_H
#define CHECKER_DECIDE_DECIDE_H

#include "checker/graph/cycle.h"
#include "checker/model/model.h"
#include "checker/part/subhistory.h"

// Stopped: the model was, before there was an answer.
enum answer { ANSWER_KEPT, ANSWER_BROKEN, ANSWER_STOPPED };

struct decision {
  enum answer answer;
  // Kept: a commit order, and for PC and SI the snapshots, as in struct
  // verdict.
  uint32_t norder, *order, *snapshot;
  // Broken by the model's wrong read, or else by these operations, which are
  // closed; by a cycle in real time, if there is one here.
  bool by_read;
  struct operations core;
  struct cycle cycle;
};

// The model's overwriters get linked.  The tangle, all zero at first, keeps the
// order of the known edges for whoever asks about another level, or why.
// `progress` may be NULL.
void decide(struct decision *decision, struct model *m, struct tangle *tangle,
            enum isolation level, struct check_progress *progress);

// Has the model a wrong read that breaks the level?  Other levels may rely on
// the reads.
static inline bool decide_has_wrong_read(const struct model *m,
                                         enum isolation level) {
  return m->wrong_read.anomaly != ANOMALY_NONE &&
         anomaly_weakest(m->wrong_read.anomaly) <= level;
}

void decision_free(struct decision *decision);

#endif

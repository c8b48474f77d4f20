// SPDX-License-Identifier: GPL-3.0-or-later
// The operations of a history that a violation rests on, to begin with: enough
// of them, nearly always, to break the level by themselves, and more than is
// needed.
#ifndef CHECKER_EVIDENCE_H
#define CHECKER_EVIDENCE_H

#include "checker/cycle.h"
#include "checker/model.h"
#include "checker/subhistory.h"

// The operations, closed, are the caller's to free.  For a cycle the model's
// overwriters are linked.
void evidence_of_read(const struct model *m, uint32_t op, uint32_t other_op,
                      struct operations *ops);
void evidence_of_cycle(const struct model *m, const struct edge *edges,
                       uint32_t nedges, struct operations *ops);

// How many transactions these are of, or somewhat more.
uint32_t evidence_txns_of_cycle(const struct model *m, const struct edge *edges,
                                uint32_t nedges);

// All operations of the transactions with some of these, and what those saw;
// all operations of the history.
void evidence_widen(const struct model *m, struct operations *ops);
void evidence_everything(const struct model *m, struct operations *ops);

#endif

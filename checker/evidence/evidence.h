// SPDX-License-Identifier: GPL-3.0-or-later
// Collects the operations of a history that a violation rests on, to begin
// with: enough of them, nearly always, to break the level by themselves, and
// more than is needed, since whoever makes the part minimal leaves that out.
#ifndef CHECKER_EVIDENCE_EVIDENCE_H
#define CHECKER_EVIDENCE_EVIDENCE_H

#include "checker/model/model.h"
#include "checker/part/subhistory.h"

struct evidence {
  const struct model *m;
  uint8_t *has_txn, *has_op;
  uint32_t *added; // per element: how many from there on are there; or NULL
  struct operations ops; // unsorted until they are all there
};

struct evidence evidence_open(const struct model *m);

// All operations of the transaction.
void evidence_txn(struct evidence *e, uint32_t t);
// Who wrote the versions from `version` back to `first`.  If a blind write is
// among them, or without `first` (NO_ID), back to the initial one: the chain
// that starts there is why that write comes later.
void evidence_versions(struct evidence *e, uint32_t version, uint32_t first);
// The chains from the initial versions that the blind writes come after.
void evidence_before_blind_writes(struct evidence *e);
// Why the reader had observed a transaction: what it read from and, if real
// time counts, what had ended before it, back to there.
void evidence_past(struct evidence *e, uint32_t reader, uint32_t past);

// Adds the writes that the operations so far saw.
void evidence_seen(struct evidence *e);

// The operations with what shows that their transactions count, closed, are the
// caller's to free.  Nothing is left of the evidence.
struct operations evidence_take(struct evidence *e);

// All in one, without what does not belong to the keys.  For a cycle the
// model's overwriters are linked.
struct operations evidence_of_read(const struct model *m, uint32_t op,
                                   uint32_t other_op);
// The list read `op` lacks an element that `other_op` shows, and shows a later
// one: both reads and the appends of these two.
struct operations evidence_of_lost_element(const struct model *m, uint32_t op,
                                           uint32_t other_op);
struct operations evidence_of_cycle(const struct model *m,
                                    const struct edge *edges, uint32_t nedges);

// All operations of the transactions with some of these, and what those saw;
// all operations of the history.
void evidence_widen(const struct model *m, struct operations *ops);
void evidence_everything(const struct model *m, struct operations *ops);

#endif

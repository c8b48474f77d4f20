// SPDX-License-Identifier: GPL-3.0-or-later
// What a refutation rests on: operations of a part of the history that breaks
// the level.  They are closed, and the caller's to free.
#ifndef CHECKER_EVIDENCE_CORE_H
#define CHECKER_EVIDENCE_CORE_H

#include "checker/graph/dependency_order.h"
#include "checker/part/subhistory.h"
#include "checker/solver/events.h"

// Of the search among the orders of versions, which found none.
struct operations core_of_choices(const struct problem *p,
                                  const struct choice_result *result);

// Of a cycle of the problem's graph through a node.
struct operations core_of_node(const struct problem *p, uint32_t on_cycle);

// Of the shortest cycle that the order met.
struct operations core_of_order(const struct model *m,
                                const struct order *order);

// Of two transactions that overwrote the same version: at SI and above there is
// no place for both.  The model's overwriters are linked.
struct operations core_of_divergence(const struct model *m);

#endif

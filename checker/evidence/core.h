// SPDX-License-Identifier: GPL-3.0-or-later
// The core of a refutation: the operations of a part of the history that breaks
// the level.  They are closed, and the caller frees them.
#ifndef CHECKER_EVIDENCE_CORE_H
#define CHECKER_EVIDENCE_CORE_H

#include "checker/graph/dependency_order.h"
#include "checker/part/subhistory.h"
#include "checker/solver/events.h"

// The core of a search among the orders of versions that found none.
struct operations core_of_choices(const struct problem *p,
                                  const struct choice_result *result);

// The core of a cycle of the problem's graph through a node.
struct operations core_of_node(const struct problem *p, uint32_t on_cycle);

// The core of the shortest cycle that the order met.
struct operations core_of_order(const struct model *m,
                                const struct order *order);

// The core of two transactions that overwrote the same version: at SI and above
// there is no place for both.  The model's overwriters are linked.
struct operations core_of_divergence(const struct model *m);

#endif

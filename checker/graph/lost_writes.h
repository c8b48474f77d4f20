// SPDX-License-Identifier: GPL-3.0-or-later
// Finds appends that were committed and then lost, as an asynchronous failover
// loses them: no read shows them, but a read shows what was appended after
// them.
#ifndef CHECKER_GRAPH_LOST_WRITES_H
#define CHECKER_GRAPH_LOST_WRITES_H

#include "checker/graph/cycle.h"

// Visits a cycle of two edges for each append of a committed transaction that
// no other transaction read, although somebody read a later append to that key:
// one of the same session or, where real time counts, one that began after the
// transaction had ended.  Each of them breaks every level: the later append
// follows in the commit order, and comes first in the list, which only grows.
// If the transaction itself read the later append, it is not lost: it came
// after that, and nobody has read the list since.
//
// As long as `visit`, which takes the cycle over, says that it wants more.  In
// time proportional to the number of operations.
typedef bool lost_write_visitor(void *context, struct cycle *cycle);
void lost_writes_each(const struct model *m, enum isolation level,
                      lost_write_visitor *visit, void *context);

// The first of them; ANOMALY_NONE: there is none.
void lost_writes_first(const struct model *m, enum isolation level,
                       struct cycle *cycle);

// Is an append lost, if it must come before the other one?
bool write_is_lost(const struct model *m, uint32_t lost, uint32_t later);

#endif

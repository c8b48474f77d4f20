// SPDX-License-Identifier: GPL-3.0-or-later
// Transactions one after the other, in any order: what clients are told, and
// what is left.  Nothing is performed twice from the same state, for this
// history or for another one of the program.
#ifndef EXPLORE_ORDERS_H
#define EXPLORE_ORDERS_H

#include "explore/partial.h"

struct orders;

struct orders *orders_open(const struct program *program, struct pool *pool);
// Is there an order, with each session's own kept, in which every transaction
// gives the answers that it gives in the history and ends in the same way, and
// which leaves the same values, as far as the history says who wrote last?
bool orders_explain(struct orders *orders, const struct partial *history);
void orders_free(struct orders *orders);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// The inside of engine.c: events of statements at RC and of transactions at RA,
// as nodes behind those of the problem.  Only those that find no place by
// themselves have one.
#ifndef CHECKER_ROWS_STATEMENT_EVENTS_H
#define CHECKER_ROWS_STATEMENT_EVENTS_H

#include "checker/rows/open_rows.h"

// Gives the statements of the transaction events, unless they have some.
// Returns whether they had none.
bool statement_events_add(struct engine_of_rows *e, uint32_t txn);

// Takes those of the marked transactions away.
void statement_events_remove(struct engine_of_rows *e, const uint8_t *marked);

// Puts these events into the problem's graph while a search lasts: each behind
// the writers that its transaction is known to have observed before, and before
// the next one of its transaction and the commit.  A large history has no room
// for a second graph.
void statement_events_join(struct engine_of_rows *e);
// Takes them out again.
void statement_events_leave(struct engine_of_rows *e);

// An order of the problem's nodes, with others perhaps, as one of that graph.
// To be freed.
uint32_t *statement_events_guess(const struct engine_of_rows *e,
                                 const uint32_t *order, uint32_t n);

// The demands of RC and RA on what came back.
void statement_demands(const struct engine_of_rows *e, struct demands *demands);

#endif

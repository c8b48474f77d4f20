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

// The problem's graph with these events: each behind the writers that its
// transaction is known to have observed before, and before the next one of its
// transaction and the commit.  To be freed by statement_events_close.
struct static_graph statement_events_graph(const struct engine_of_rows *e);
void statement_events_close(struct static_graph *graph);

// An order of the problem's nodes, with others perhaps, as one of that graph.
// To be freed.
uint32_t *statement_events_guess(const struct engine_of_rows *e,
                                 const uint32_t *order, uint32_t n);

// The demands of RC and RA on what came back.
void statement_demands(const struct engine_of_rows *e, struct demands *demands);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Each violation that was counted rests on operations (verdict->counted), so
// that whoever knows where operations come from can say where each one was
// found, and not the examples alone.
#ifndef CHECKER_EXPLAIN_COUNTED_H
#define CHECKER_EXPLAIN_COUNTED_H

#include "checker/explain/examples.h"
#include "checker/graph/cycle.h"

// Each numbers a violation that is counted, and notes what it rests on.
void counted_note_read(struct example_tally *tally, enum anomaly anomaly,
                       uint32_t op);
void counted_note_cycle(struct example_tally *tally, const struct cycle *cycle);

// A tally of what the verdict notes, whose list it takes over.
struct example_tally counted_of(struct verdict *verdict);

// Adds what `other` noted, and empties the list there.  `ops`: the operations
// of the history that the other one's are; NULL: the same.  `beyond`: nothing
// that breaks the level of these options is taken; NULL: all is.
void counted_take(struct example_tally *tally, struct example_tally *other,
                  const uint32_t *ops, const struct check_options *beyond);

#endif

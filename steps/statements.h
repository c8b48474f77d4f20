// SPDX-License-Identifier: GPL-3.0-or-later
// From the statements of a history to those of a step script.
#ifndef STEPS_STATEMENTS_H
#define STEPS_STATEMENTS_H

#include "steps/script.h"
#include "steps/sequence.h"

// Adds the tables of the chosen statements, with the chosen rows that are there
// at first: those that were, or that transactions wrote that are not chosen.
// Returns the table of the script for each of the history, to be freed.
uint32_t *statements_add_tables(struct script *script,
                                const struct sequence *order);

// The statement as a step, whose table is the given one.  NULL: nothing is
// known of what it would insert, since it failed.
const struct statement *statements_make(struct script *script,
                                        const struct sequence *order,
                                        uint32_t statement, uint32_t table);

// The chosen rows that it returned, inserted, changed or deleted, as steps
// expect them; NULL if the columns of some are not known.
const char *statements_answer(struct script *script,
                              const struct sequence *order, uint32_t statement);

// The columns of a row as the operation's statement returned or wrote them; of
// a delete, those before.  NULL: they are not known.
const int64_t *statements_columns(const struct history *history, uint32_t op);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Turns a decision about rows into a verdict: a violation with its part, or
// undecided with a sentence.
#ifndef CHECKER_ROWS_SHOW_ROWS_H
#define CHECKER_ROWS_SHOW_ROWS_H

#include "checker/rows/engine.h"

// Undecided, and why.
void __attribute__((format(printf, 2, 3)))
rows_leave(struct verdict *verdict, const char *format, ...);

// Shows a part that breaks the level, looked for from what a decision rests on.
// Undecided if none is found that is small enough for a proof; `why` says what
// is known.  -1 with a sentence if the part is no proof.
//
// Undecided, too, if a part of the history is lost: the last version of a row
// that is known may not be the last one, so that a statement that did not
// return the row may be right.
int rows_show(const struct history *history, const uint8_t *counted,
              const struct check_options *options,
              const struct rows_decision *decision, const char *why,
              struct verdict *verdict, struct error *error);

// The weakest level that a small history breaks, which breaks that of the
// options.
enum isolation rows_weakest_broken(const struct history *history,
                                   const struct check_options *options);

// Is there only one program that says that the part breaks the level: the
// referee, or what refutes case by case?
bool rows_rest_on_one_program(const struct history *part,
                              const struct check_options *options);

// Per transaction: has it committed, or is that unknown?  To be freed.
uint8_t *rows_members(const struct history *history);

#endif

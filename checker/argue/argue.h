// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the argument that a history breaks a level (struct argument in
// checker/verdict/verdict.h): a refutation of all its orders, step by step, for
// someone else to check.  Meant for the small part that a counterexample is: it
// looks at every choice that the axioms leave (dbcop, section 2; for mixed
// levels the mixed-isolation paper, definition 6), and keeps the order of all
// events as a matrix.
#ifndef CHECKER_ARGUE_ARGUE_H
#define CHECKER_ARGUE_ARGUE_H

#include "checker/verdict/verdict.h"

enum argue_answer { ARGUE_FOUND, ARGUE_NOT_BROKEN, ARGUE_STOPPED };

// No read of the history is wrong in itself.  On ARGUE_FOUND the argument,
// about the ids of this history, is the caller's to free with argument_free.
enum argue_answer argue(struct argument *argument,
                        const struct history *history,
                        const struct check_options *options);
#endif

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

// As argue, of the rows of a history as registers
// (checker/part/row_registers.h) and of the rows that its statements did not
// return.  It may
// say that a history which breaks the level is not broken: at RC, RA and CC it
// does not look at what statements observed by the rows that they did not
// return.  Stopped, too, where a read is wrong in itself, and where an argument
// takes long.
enum argue_answer argue_of_rows(struct argument *argument,
                                const struct history *registers,
                                const struct history *rows,
                                const struct check_options *options);

// As argue, of a history with reads that may have seen any of several writes:
// these are no reads in it, and argument->claims has, one read after the other,
// the writes of which each saw one.  `certain`, per transaction: it took effect
// for certain; others, if they were not aborted, have a claim that they did.
// PC and above.  Gives up, as if stopped, where that takes long.
enum argue_answer argue_openly(struct argument *argument,
                               const struct history *history,
                               const uint8_t *certain,
                               const struct check_options *options);
#endif

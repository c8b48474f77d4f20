// SPDX-License-Identifier: GPL-3.0-or-later
// From a counterexample back to a step script that may bring it about again.
#ifndef STEPS_INTERLEAVE_H
#define STEPS_INTERLEAVE_H

#include "recorder/history.h"
#include "steps/script.h"

// Makes a script of some operations of a history, ascending, with the begin and
// end of their transactions: in the order of their times or, where these are
// not known, side by side; but
// a read comes after what it saw was committed (or, if that is not possible,
// written).  What each transaction did is what is expected, and marked as what
// the anomaly looks like.  Values that no such operation wrote are not
// expected.  Each transaction goes to the host that the history says, if it
// says one; transactions of several levels each say theirs.  `title` becomes
// the first comment.  Returns whether every read comes when what it saw is what
// was committed last; if not, only a database that returns other values than
// that can do the same again.
bool script_of_history(const struct history *history, const uint32_t *ops,
                       uint32_t nops, const char *title, struct script *script);

// Makes a script of some statements of a history with rows, by number, as far
// as they are about some of its keys, by number: on tables that begin with
// these rows as they were before the statements.
bool script_of_statements(const struct history *history,
                          const uint8_t *statement, const uint8_t *key,
                          const char *title, struct script *script);

// Writes the whole script, which script_read then reads.
void script_put(FILE *out, const struct script *script);

#endif

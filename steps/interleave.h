// SPDX-License-Identifier: GPL-3.0-or-later
// From a counterexample back to a step script that may bring it about again.
#ifndef STEPS_INTERLEAVE_H
#define STEPS_INTERLEAVE_H

#include "recorder/history.h"
#include "steps/script.h"

// The names of a script and of what is in it.
struct script_names {
  const char *title; // becomes the first comment
  // The names of a transaction, of a key and of what an operation wrote, in the
  // buffer; NULL: a transaction is known by its session, a key by its number,
  // and values are counted.  A session is called after its transactions.
  const char *(*txn)(const void *context, uint32_t txn, char *buffer);
  const char *(*key)(const void *context, uint32_t key, char *buffer);
  const char *(*value)(const void *context, uint32_t op, char *buffer);
  const void *context;
};
enum { SCRIPT_NAME = 64 }; // bytes of such a buffer

// Makes a script of some operations of a history, ascending, with the begin and
// end of their transactions: in the order of their times or, where these are
// not known, side by side; but
// a read comes after what it saw was committed (or, if that is not possible,
// written).  What each transaction did is what is expected, and marked as what
// the anomaly looks like.  Values that no such operation wrote are not
// expected.  Each transaction goes to the host that the history says, if it
// says one; transactions of several levels each say theirs.  Returns whether
// every read comes when what it saw is what was committed last; if not, only a
// database that returns other values than that can do the same again.
bool script_of_history(const struct history *history, const uint32_t *ops,
                       uint32_t nops, const struct script_names *names,
                       struct script *script);

// Makes a script of some statements of a history with rows, by number, as far
// as they are about some of its keys, by number: on tables that begin with
// these rows as they were before the statements.
bool script_of_statements(const struct history *history,
                          const uint8_t *statement, const uint8_t *key,
                          const struct script_names *names,
                          struct script *script);

// Writes the whole script, which script_read then reads.
void script_put(FILE *out, const struct script *script);

#endif

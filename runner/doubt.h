// SPDX-License-Identifier: GPL-3.0-or-later
// A transaction whose answer to commit was lost, and how the database is asked
// afterwards what became of it.  The end of the transaction is not recorded
// before that, so that whatever turns out happened before its end.
#ifndef RUNNER_DOUBT_H
#define RUNNER_DOUBT_H

#include "base/clock.h"
#include "drivers/driver.h"

#define DOUBT_PATIENCE (2 * NS_PER_SECOND) // of asking, once connected
#define DOUBT_PAUSE (NS_PER_SECOND / 50)

struct session;

struct doubt {
  enum cause cause; // why there is no answer, in the database's own words
  char code[32], text[232];
  uint64_t token[2]; // the driver's
  uint64_t since;    // asked for the first time; 0: not yet
};

// Opens one about the session's transaction, whose outcome is unknown; false if
// asking would say nothing.
bool doubt_begin(struct doubt *doubt, const struct session *session);

// Asks, on the session's connection: the driver, if this is the host where the
// transaction was made, and if that says nothing, looks for the values that the
// transaction was to write.  One that is there proves a commit; that none is
// proves nothing, since others may have written over it.  A transaction of SQL
// statements has no such values: the driver alone is asked.
enum outcome doubt_ask(struct doubt *doubt, struct session *session);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// The outcome of a call or a transaction, as far as the client can know it, and
// the cause of an abort.  An outcome is never collapsed to a bool.
#ifndef BASE_OUTCOME_H
#define BASE_OUTCOME_H

#include <stdbool.h>

enum outcome {
  OUTCOME_OK,      // it took effect
  OUTCOME_ABORTED, // it had no effect and never will
  OUTCOME_UNKNOWN, // the reply to commit was lost: it may yet take effect
  OUTCOME_COUNT
};

enum cause { // why a transaction did not commit
  CAUSE_NONE,
  CAUSE_SERIALIZATION,  // the database could not serialize it
  CAUSE_WRITE_CONFLICT, // another transaction wrote the same key
  CAUSE_DEADLOCK,
  CAUSE_LOCK_TIMEOUT, // somebody else held a lock for too long
  CAUSE_STATEMENT_TIMEOUT,
  CAUSE_CONNECTION, // the connection was lost
  CAUSE_CONSTRAINT,
  CAUSE_CLIENT, // the client chose to roll back
  CAUSE_OTHER,
  CAUSE_COUNT
};

// "committed", "aborted", "unknown"; a constant string.
const char *outcome_name(enum outcome outcome);

// "serialization failure", "lock timeout"...; a constant string.
const char *cause_name(enum cause cause);

// Does it say that something is wrong with the database, the way to it or the
// transaction itself?  All other causes are refusals, which are what an
// isolation level is made of, or the client's own choice.
bool cause_is_error(enum cause cause);
// Did the database refuse the transaction for what others did, or for what it
// was?
bool cause_is_refusal(enum cause cause);

#endif

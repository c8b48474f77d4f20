// SPDX-License-Identifier: GPL-3.0-or-later
// Names of outcomes and causes (base/outcome.h).
#include "config.h"

#include "base/outcome.h"

#include <assert.h>

const char *outcome_name(enum outcome outcome) {
  static const char *const names[OUTCOME_COUNT] = {
      [OUTCOME_OK] = "committed",
      [OUTCOME_ABORTED] = "aborted",
      [OUTCOME_UNKNOWN] = "unknown",
  };
  assert(outcome < OUTCOME_COUNT);
  return names[outcome];
}

const char *cause_name(enum cause cause) {
  static const char *const names[CAUSE_COUNT] = {
      [CAUSE_NONE] = "none",
      [CAUSE_SERIALIZATION] = "serialization failure",
      [CAUSE_WRITE_CONFLICT] = "write conflict",
      [CAUSE_DEADLOCK] = "deadlock",
      [CAUSE_LOCK_TIMEOUT] = "lock timeout",
      [CAUSE_STATEMENT_TIMEOUT] = "statement timeout",
      [CAUSE_CONNECTION] = "connection lost",
      [CAUSE_CONSTRAINT] = "constraint",
      [CAUSE_CLIENT] = "rolled back by the client",
      [CAUSE_OTHER] = "other",
  };
  assert(cause < CAUSE_COUNT);
  return names[cause];
}

bool cause_is_error(enum cause cause) {
  return cause == CAUSE_STATEMENT_TIMEOUT || cause == CAUSE_CONNECTION ||
         cause == CAUSE_OTHER;
}

bool cause_is_refusal(enum cause cause) {
  return cause != CAUSE_NONE && cause != CAUSE_CLIENT && !cause_is_error(cause);
}

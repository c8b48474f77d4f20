// SPDX-License-Identifier: GPL-3.0-or-later
// The table of SQLSTATEs (drivers/postgresql/codes.h), after appendix A of
// PostgreSQL's manual.
#include "config.h"

#include "drivers/postgresql/codes.h"

#include <assert.h>
#include <string.h>

// An error in answer to COMMIT that says why the transaction was not let in is
// a rollback.  One that says that the server is going away is not: it may come
// after the commit was written, as when the server is told to shut down while
// it waits for a synchronous standby.  The same is assumed of all that are not
// listed; any of them rolls back if it comes from another statement, and is a
// lost connection if the server calls it fatal.
//
// tests/live/postgresql_outcomes.c has each row from a server, by what really
// causes it.
static const struct postgresql_code codes[] = {
    {"40001", CAUSE_SERIALIZATION, OUTCOME_ABORTED},
    {"40P01", CAUSE_DEADLOCK, OUTCOME_ABORTED},
    {"55P03", CAUSE_LOCK_TIMEOUT, OUTCOME_ABORTED},
    {"57014", CAUSE_STATEMENT_TIMEOUT, OUTCOME_ABORTED}, // or cancelled
    {"25P03", CAUSE_CONNECTION, OUTCOME_ABORTED},        // idle for too long
    {"23", CAUSE_CONSTRAINT, OUTCOME_ABORTED},
    {"57P", CAUSE_CONNECTION, OUTCOME_UNKNOWN}, // the server goes away
    {"", CAUSE_OTHER, OUTCOME_UNKNOWN},         // all others
};

const struct postgresql_code *postgresql_code(const char *sqlstate) {
  const struct postgresql_code *code = codes;
  while (strncmp(code->sqlstate, sqlstate, strlen(code->sqlstate)))
    code++;
  assert(code < codes + sizeof codes / sizeof *codes);
  return code;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// The table of error numbers (drivers/mysql/codes.h), after the lists of errors
// in MariaDB's and MySQL's manuals.
#include "config.h"

#include "drivers/mysql/codes.h"

#include <errmsg.h>
#include <stddef.h>

// An error in answer to COMMIT that says why the transaction was not let in is
// a rollback.  One that interrupts the server at some point on the way is not:
// the commit may have been written, or may have reached other nodes.  MariaDB
// 10.11 has been seen to keep a transaction whose COMMIT was killed while it
// waited for FLUSH TABLES WITH READ LOCK.  The same is assumed of all that are
// not listed, as Galera's 1047 and 1180; any of them rolls back if it comes
// from another statement.
//
// tests/live/mysql_*.c have each row from a server, by what really causes it:
// MariaDB or, where its words tell, MySQL.
static const struct mysqldb_code codes[] = {
    {1020, CAUSE_SERIALIZATION, OUTCOME_ABORTED, false}, // has changed
    {1213, CAUSE_DEADLOCK, OUTCOME_ABORTED, false}, // or Galera's certification
    {1205, CAUSE_LOCK_TIMEOUT, OUTCOME_UNKNOWN, false},
    // An INSERT got no number, since the lock of numbers would have closed a
    // circle, or was waited for too long.
    {1467, CAUSE_DEADLOCK, OUTCOME_ABORTED, false},
    {3101, CAUSE_SERIALIZATION, OUTCOME_ABORTED, false}, // group replication
    {1317, CAUSE_STATEMENT_TIMEOUT, OUTCOME_UNKNOWN, false}, // or KILL QUERY
    {1969, CAUSE_STATEMENT_TIMEOUT, OUTCOME_UNKNOWN, false}, // MariaDB's
    {3024, CAUSE_STATEMENT_TIMEOUT, OUTCOME_UNKNOWN, false}, // MySQL's
    {1048, CAUSE_CONSTRAINT, OUTCOME_ABORTED, false},        // not null
    {1062, CAUSE_CONSTRAINT, OUTCOME_ABORTED, false},        // duplicate key
    {1264, CAUSE_CONSTRAINT, OUTCOME_ABORTED, false},        // out of range
    {1406, CAUSE_CONSTRAINT, OUTCOME_ABORTED, false},        // too long
    {1451, CAUSE_CONSTRAINT, OUTCOME_ABORTED, false},        // foreign keys
    {1452, CAUSE_CONSTRAINT, OUTCOME_ABORTED, false},
    {1644, CAUSE_CONSTRAINT, OUTCOME_ABORTED, false}, // SIGNAL, by a trigger
    {4025, CAUSE_CONSTRAINT, OUTCOME_ABORTED, false}, // CHECK, MariaDB's
    {3819, CAUSE_CONSTRAINT, OUTCOME_ABORTED, false}, // CHECK, MySQL's
    {1290, CAUSE_OTHER, OUTCOME_ABORTED, false},      // the server is read-only
    {1226, CAUSE_OTHER, OUTCOME_ABORTED, false}, // the user's quota is used up
    {1153, CAUSE_CONNECTION, OUTCOME_UNKNOWN, true}, // packet too large
    {1927, CAUSE_CONNECTION, OUTCOME_UNKNOWN, true}, // killed
    {4031, CAUSE_CONNECTION, OUTCOME_UNKNOWN, true}, // idle for too long
};

static const struct mysqldb_code of_library = {0, CAUSE_CONNECTION,
                                               OUTCOME_UNKNOWN, true};
static const struct mysqldb_code of_others = {0, CAUSE_OTHER, OUTCOME_UNKNOWN,
                                              false};

bool mysqldb_found_by_library(unsigned number) {
  return (number >= CR_MIN_ERROR && number <= CR_MAX_ERROR) ||
         (number >= CER_MIN_ERROR && number <= CER_MAX_ERROR);
}

const struct mysqldb_code *mysqldb_code(unsigned number) {
  if (mysqldb_found_by_library(number))
    return &of_library;
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
    if (codes[i].number == number)
      return &codes[i];
  return &of_others;
}

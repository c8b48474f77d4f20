// SPDX-License-Identifier: GPL-3.0-or-later
// The table of error numbers (drivers/mysql_codes.h), after the lists of errors
// in MariaDB's and MySQL's manuals.
#include "config.h"

#include "drivers/mysql_codes.h"

#include <errmsg.h>
#include <stddef.h>

// An error in answer to COMMIT that says why the transaction was not let in is
// a rollback.  One that interrupts the server at some point on the way is not:
// the commit may have been written, or may have reached other nodes.  MariaDB
// 10.11 has been seen to keep a transaction whose COMMIT was killed while it
// waited for FLUSH TABLES WITH READ LOCK.  The same is assumed of all that are
// not listed.
//
// tests/live/mysql_*.c and endpoints_galera.sh have each row from a server, by
// what really causes it wherever MariaDB 10.11 can be brought to that.  Raised
// by a trigger instead are those of MySQL (3024, 3101, 3572, 3819, 4031), of
// other engines (1022, 1836), of the text of statements that the driver does
// not send (1044, 1064, 1227), of logging in, which a proxy in between may do
// anew (1040, 1045, 1203), what servers note in their logs about connections on
// which nothing can be sent any more (1152, 1156 to 1161, 1184), and of Galera
// 1180.
static const struct mysqldb_code codes[] = {
    {1020, CAUSE_SERIALIZATION, OUTCOME_ABORTED, false}, // has changed
    {1213, CAUSE_DEADLOCK, OUTCOME_ABORTED, false}, // or Galera's certification
    {1205, CAUSE_LOCK_TIMEOUT, OUTCOME_UNKNOWN, false},
    {3101, CAUSE_SERIALIZATION, OUTCOME_ABORTED, false}, // group replication
    {3572, CAUSE_LOCK_TIMEOUT, OUTCOME_ABORTED, false},  // NOWAIT
    {1317, CAUSE_STATEMENT_TIMEOUT, OUTCOME_UNKNOWN, false}, // or KILL QUERY
    {1969, CAUSE_STATEMENT_TIMEOUT, OUTCOME_UNKNOWN, false}, // MariaDB's
    {3024, CAUSE_STATEMENT_TIMEOUT, OUTCOME_UNKNOWN, false}, // MySQL's
    {1022, CAUSE_CONSTRAINT, OUTCOME_ABORTED, false},        // duplicate key
    {1048, CAUSE_CONSTRAINT, OUTCOME_ABORTED, false},        // not null
    {1062, CAUSE_CONSTRAINT, OUTCOME_ABORTED, false},        // duplicate key
    {1264, CAUSE_CONSTRAINT, OUTCOME_ABORTED, false},        // out of range
    {1406, CAUSE_CONSTRAINT, OUTCOME_ABORTED, false},        // too long
    {1451, CAUSE_CONSTRAINT, OUTCOME_ABORTED, false},        // foreign keys
    {1452, CAUSE_CONSTRAINT, OUTCOME_ABORTED, false},
    {1644, CAUSE_CONSTRAINT, OUTCOME_ABORTED, false}, // SIGNAL, by a trigger
    {3819, CAUSE_CONSTRAINT, OUTCOME_ABORTED, false}, // CHECK, MySQL's
    {4025, CAUSE_CONSTRAINT, OUTCOME_ABORTED, false}, // CHECK, MariaDB's
    {1290, CAUSE_OTHER, OUTCOME_ABORTED, false},      // the server is read-only
    {1792, CAUSE_OTHER, OUTCOME_ABORTED, false}, // the transaction is read-only
    {1836, CAUSE_OTHER, OUTCOME_ABORTED, false}, // running in read-only mode
    {1044, CAUSE_OTHER, OUTCOME_ABORTED, false}, // no privilege, on a database
    {1142, CAUSE_OTHER, OUTCOME_ABORTED, false}, // on a table
    {1143, CAUSE_OTHER, OUTCOME_ABORTED, false}, // on a column
    {1227, CAUSE_OTHER, OUTCOME_ABORTED, false}, // of the superuser
    {1146, CAUSE_OTHER, OUTCOME_ABORTED, false}, // no such table
    {1054, CAUSE_OTHER, OUTCOME_ABORTED, false}, // no such column
    {1064, CAUSE_OTHER, OUTCOME_ABORTED, false}, // syntax
    {1412, CAUSE_OTHER, OUTCOME_ABORTED, false}, // the table was altered
    {1226, CAUSE_OTHER, OUTCOME_ABORTED, false}, // the user's quota is used up
    {1461, CAUSE_OTHER, OUTCOME_ABORTED, false}, // too many statements prepared
    {1047, CAUSE_OTHER, OUTCOME_UNKNOWN, false}, // Galera: not primary
    {1180, CAUSE_OTHER, OUTCOME_UNKNOWN, false}, // Galera: while committing
    {1040, CAUSE_CONNECTION, OUTCOME_UNKNOWN, true}, // too many connections
    {1203, CAUSE_CONNECTION, OUTCOME_UNKNOWN, true}, // of this user
    {1045, CAUSE_CONNECTION, OUTCOME_UNKNOWN, true}, // password
    {1053, CAUSE_CONNECTION, OUTCOME_UNKNOWN, true}, // shutdown
    {1152, CAUSE_CONNECTION, OUTCOME_UNKNOWN, true}, // aborted
    {1153, CAUSE_CONNECTION, OUTCOME_UNKNOWN, true}, // packet too large
    {1156, CAUSE_CONNECTION, OUTCOME_UNKNOWN, true}, // packets out of order
    {1158, CAUSE_CONNECTION, OUTCOME_UNKNOWN, true}, // reading
    {1159, CAUSE_CONNECTION, OUTCOME_UNKNOWN, true},
    {1160, CAUSE_CONNECTION, OUTCOME_UNKNOWN, true}, // writing
    {1161, CAUSE_CONNECTION, OUTCOME_UNKNOWN, true},
    {1184, CAUSE_CONNECTION, OUTCOME_UNKNOWN, true}, // aborted
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

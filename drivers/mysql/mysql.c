// SPDX-License-Identifier: GPL-3.0-or-later
// MariaDB, MySQL, and what speaks their protocol: one prepared statement and
// one round trip for each call.  Opening and setup are in mysql_target.c.
#include "config.h"

#include "drivers/driver.h"
#include "drivers/mysql/instrument.h"
#include "drivers/mysql/keeps.h"
#include "drivers/mysql/rows.h"
#include "drivers/mysql/session.h"
#include "drivers/mysql/target.h"
#include "drivers/rows.h"

#include <assert.h>
#include <endian.h>
#include <stdio.h>
#include <string.h>

extern const struct driver mysql_driver;

// Each level promises what the manuals say of it.  MariaDB's repeatable read is
// snapshot isolation with innodb_snapshot_isolation=ON, the default from 11.6
// on: an update of a row that has changed since the snapshot is refused.
const struct driver_level mysqldb_levels[MYSQLDB_LEVELS + 1] = {
    {"repeatable read", ISOLATION_SI},
    {"read committed", ISOLATION_RC},
    {"serializable", ISOLATION_SER},
    {"read uncommitted", ISOLATION_NONE},
    {0},
};

// Without it, and on MySQL, plain reads see the snapshot of the first one, but
// updates see what is committed now ("Consistent Nonlocking Reads").  A
// register in a row of its own is replaced as a whole, so that reads see the
// snapshot and the transaction's own writes: prefix consistency, in which
// updates get lost.
const struct driver_level mysqldb_plain_levels[MYSQLDB_LEVELS + 1] = {
    {"repeatable read", ISOLATION_PC},
    {"read committed", ISOLATION_RC},
    {"serializable", ISOLATION_SER},
    {"read uncommitted", ISOLATION_NONE},
    {0},
};

// A list or a row of several keys that was updated is read with what others
// have changed in it, beside older rows: "you might see the table in a state
// that never existed in the database".  Of x = [1] and y = [1], to both of
// which another transaction appends 2, one that appends 3 to x may read x = [1,
// 2, 3] and then y = [1], which not even read committed allows.  Nor does read
// committed allow that an UPDATE with a condition finds no row, for another
// transaction has deleted it, and a later SELECT shows this row.
const struct driver_level mysqldb_mixed_levels[MYSQLDB_LEVELS + 1] = {
    {"repeatable read", ISOLATION_NONE},
    {"read committed", ISOLATION_RC},
    {"serializable", ISOLATION_SER},
    {"read uncommitted", ISOLATION_NONE},
    {0},
};

static enum outcome mysql_call_failed(struct mysqldb_session *session,
                                      bool from_commit) {
  return mysqldb_failed(session, mysql_errno(session->mysql),
                        mysql_error(session->mysql), from_commit);
}

// ---- Transactions

static enum outcome begin(struct connection *connection,
                          const struct driver_level *level) {
  struct mysqldb_session *session = mysqldb_session_of(connection);
  assert(level >= mysqldb_levels && level < mysqldb_levels + MYSQLDB_LEVELS);
  session->failed = false;
  if (!mysqldb_set_level(session, level) ||
      !mysqldb_ask(session, "START TRANSACTION"))
    return mysql_call_failed(session, false);
  if (mysqldb_in_transaction(session))
    return OUTCOME_OK;
  connection->broken = true;
  return mysqldb_refused(session, OUTCOME_ABORTED, "START TRANSACTION",
                         "START TRANSACTION left no transaction open");
}

// Some errors roll back the whole transaction, some only their statement, and
// the status that the library shows is that of the last answer which was none.
// So this is said after all of them.
static enum outcome rollback(struct connection *connection) {
  struct mysqldb_session *session = mysqldb_session_of(connection);
  if (!connection->broken && mysqldb_ask(session, "ROLLBACK"))
    return OUTCOME_OK;
  if (!connection->broken)
    mysql_call_failed(session, false);
  connection->broken = true; // closing rolls back
  return OUTCOME_ABORTED;
}

// After an error the server may have no transaction open, and would answer
// COMMIT with OK all the same.  One that it has left without being asked may
// have been committed piece by piece.
static enum outcome commit(struct connection *connection) {
  struct mysqldb_session *session = mysqldb_session_of(connection);
  if (session->failed) {
    rollback(connection);
    return mysqldb_refused(session, OUTCOME_ABORTED, "failed",
                           "the transaction had failed before");
  }
  if (!mysqldb_in_transaction(session))
    return mysqldb_refused(session, OUTCOME_UNKNOWN, "COMMIT",
                           "the server had left the transaction before it was "
                           "asked to commit");
  if (mysqldb_ask(session, "COMMIT"))
    return OUTCOME_OK;
  const enum outcome outcome = mysql_call_failed(session, true);
  if (!connection->broken && !mysqldb_ask(session, "ROLLBACK"))
    connection->broken = true;
  return outcome;
}

// ---- Operations

static enum outcome read_mysql_value(struct mysqldb_session *session,
                                     enum mysqldb_statement statement,
                                     uint64_t key, uint64_t *value) {
  MYSQL_STMT *stmt = mysqldb_execute(session, statement, key, 0, 0);
  if (!stmt || mysqldb_fetch(session, stmt) != OUTCOME_OK)
    return OUTCOME_ABORTED;
  *value = session->result;
  return OUTCOME_OK;
}

static enum outcome get(struct connection *connection, uint64_t key,
                        uint64_t *value) {
  return read_mysql_value(mysqldb_session_of(connection), MYSQLDB_GET, key,
                          value);
}

static enum outcome get_list(struct connection *connection, uint64_t key,
                             struct value_list *list) {
  struct mysqldb_session *session = mysqldb_session_of(connection);
  MYSQL_STMT *stmt = mysqldb_execute(session, MYSQLDB_GET, key, 0, 0);
  if (!stmt || mysqldb_fetch(session, stmt) != OUTCOME_OK)
    return OUTCOME_ABORTED;
  for (size_t at = 0; at + 8 <= session->length; at += 8) {
    uint64_t encoded;
    memcpy(&encoded, session->bytes + at, sizeof encoded);
    value_list_push(list, be64toh(encoded));
  }
  return OUTCOME_OK;
}

// How many rows were there to be written, or -1 if the statement failed.
static int write_row(struct mysqldb_session *session,
                     enum mysqldb_statement statement, uint64_t key,
                     uint64_t value, uint64_t expected) {
  MYSQL_STMT *stmt = mysqldb_execute(session, statement, key, value, expected);
  return stmt ? (int)mysql_stmt_affected_rows(stmt) : -1;
}

// A row that setup has made can only be missing if the database lost it.
static enum outcome write_mysql_value(struct connection *connection,
                                      enum mysqldb_statement statement,
                                      uint64_t key, uint64_t value) {
  struct mysqldb_session *session = mysqldb_session_of(connection);
  const int nrows = write_row(session, statement, key, value, 0);
  if (!nrows)
    return mysqldb_refused(session, OUTCOME_ABORTED, "no row",
                           "the row of key %llu is gone",
                           (unsigned long long)key);
  return nrows > 0 ? mysqldb_stay(session, true) : OUTCOME_ABORTED;
}

static enum outcome put(struct connection *connection, uint64_t key,
                        uint64_t value) {
  return write_mysql_value(
      connection, mysqldb_put(mysqldb_of(connection->target), key), key, value);
}

static enum outcome append(struct connection *connection, uint64_t key,
                           uint64_t value) {
  return write_mysql_value(connection, MYSQLDB_APPEND, key, value);
}

// The value that was found instead has to be read with a lock: the snapshot of
// the transaction may show the expected value for ever, while updates see what
// is there now.  Without a row there is nothing to lock below repeatable read,
// so the expected value may have come meanwhile, which is worth another
// attempt.
static enum outcome cas(struct connection *connection, uint64_t key,
                        uint64_t expected, uint64_t value, uint64_t *found) {
  struct mysqldb_session *session = mysqldb_session_of(connection);
  const bool absent = expected == VALUE_INITIAL &&
                      key >= mysqldb_of(connection->target)->preloaded;
  for (;;) {
    int nrows = absent ? write_row(session, MYSQLDB_INSERT, key, value, 0) : 0;
    if (!nrows)
      nrows = write_row(session, MYSQLDB_REPLACE, key, value, expected);
    *found = expected;
    if (nrows)
      return nrows > 0 ? mysqldb_stay(session, true) : OUTCOME_ABORTED;
    const enum outcome outcome =
        read_mysql_value(session, MYSQLDB_GET_LOCKED, key, found);
    if (outcome != OUTCOME_OK || *found != expected)
      return outcome;
  }
}

static void put_mysql_rows(MYSQL_RES *result, char *rows, size_t room) {
  const unsigned ncolumns = mysql_num_fields(result);
  MYSQL_ROW row;
  while ((row = mysql_fetch_row(result)))
    for (unsigned column = 0; column < ncolumns; column++)
      rows_add(rows, room, (int)column, row[column]);
}

static enum outcome sql(struct connection *connection, const char *statement,
                        char *rows, size_t room) {
  struct mysqldb_session *session = mysqldb_session_of(connection);
  rows[0] = '\0';
  if (!mysqldb_ask(session, statement))
    return mysql_call_failed(session, false);
  MYSQL_RES *result = mysql_store_result(session->mysql);
  if (!result)
    return mysql_errno(session->mysql) ? mysql_call_failed(session, false)
                                       : OUTCOME_OK;
  put_mysql_rows(result, rows, room);
  mysql_free_result(result);
  return OUTCOME_OK;
}

static char *question(struct target *base, const char *select) {
  const struct mysqldb_target *target = mysqldb_of(base);
  return sql_rows_question(&target->dialect, target->shape.table,
                           target->tables, select);
}

const struct driver mysql_driver = {
    .abi = DRIVER_ABI,
    .name = "mysql",
    .alias = "mariadb",
    .summary = "a MariaDB or MySQL server",
    .example = "mysql://user:password@localhost/test",
    .options = mysqldb_options,
    .levels = mysqldb_levels,
    .hosts = true,
    .open = mysqldb_open,
    .close = mysqldb_close,
    .setup = mysqldb_setup,
    .setup_tables = mysqldb_setup,
    .follow = mysqldb_follow,
    .clean = mysqldb_clean,
    .describe = mysqldb_describe,
    .keeps = mysqldb_keeps,
    .connect = mysqldb_open_session,
    .disconnect = mysqldb_close_session,
    .takes_writes = mysqldb_takes_writes,
    .begin = begin,
    .commit = commit,
    .rollback = rollback,
    .get = get,
    .put = put,
    .append = append,
    .get_list = get_list,
    .cas = cas,
    .executes = MYSQLDB_EXECUTES,
    .execute = mysqldb_execute_rows,
    .sql = sql,
    .question = question,
    .instrument = &mysqldb_instrument,
    .waits = mysqldb_waits,
    .level_query = "SHOW VARIABLES WHERE Variable_name IN ('tx_isolation',"
                   " 'transaction_isolation')",
};

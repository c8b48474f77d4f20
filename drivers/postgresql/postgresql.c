// SPDX-License-Identifier: GPL-3.0-or-later
// PostgreSQL, and what speaks its protocol: one prepared statement and one
// round trip for each call.  Opening and setup are in target.c,
// whole transactions at once in postgresql_pipeline.c.
#include "config.h"

#include "drivers/driver.h"
#include "drivers/postgresql/instrument.h"
#include "drivers/postgresql/keeps.h"
#include "drivers/postgresql/resolve.h"
#include "drivers/postgresql/rows.h"
#include "drivers/postgresql/session.h"
#include "drivers/postgresql/target.h"
#include "drivers/rows.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

extern const struct driver postgresql_driver;

// The claims are the manual's (section 13.2): read uncommitted is the same as
// read committed.
const struct driver_level postgresql_levels[POSTGRESQL_LEVELS + 1] = {
    {"read committed", ISOLATION_RC},
    {"repeatable read", ISOLATION_SI},
    {"serializable", ISOLATION_SER},
    {"read uncommitted", ISOLATION_RC},
    {0},
};

// Waits for a statement that was sent; NULL if it failed, which is then noted.
static PGresult *answer_to_it(struct postgresql_session *session) {
  PGresult *result = postgresql_answer(session);
  if (result && postgresql_succeeded(result))
    return result;
  postgresql_failed(session, result, false);
  return NULL;
}

static PGresult *execute_prepared(struct postgresql_session *session,
                                  const char *name, int nvalues,
                                  const uint64_t *values) {
  postgresql_send(session, name, nvalues, values);
  return answer_to_it(session);
}

// Waits for a statement to be prepared, which was sent.
static bool is_prepared_now(struct postgresql_session *session) {
  PGresult *result = postgresql_answer(session);
  if (!result || !postgresql_succeeded(result)) {
    postgresql_failed(session, result, false);
    return false;
  }
  PQclear(result);
  return true;
}

static PGresult *ask_about(struct postgresql_session *session,
                           enum postgresql_statement statement, uint64_t key,
                           uint64_t value, uint64_t expected) {
  const struct postgresql_target *target = postgresql_of(session->base.target);
  const struct sql_cell cell = sql_cell(&target->shape, key);
  const uint64_t values[] = {cell.row, value, expected};
  if (target->unnamed) {
    postgresql_send_unnamed(session, statement, &cell, values);
    return answer_to_it(session);
  }
  bool *prepared = postgresql_is_prepared(session, statement, &cell);
  if (!*prepared) {
    postgresql_send_prepare(session, statement, &cell);
    if (!is_prepared_now(session))
      return NULL;
    *prepared = true;
  }
  char name[POSTGRESQL_NAME_ROOM];
  postgresql_name(session, statement, &cell, name);
  return execute_prepared(session, name, postgresql_nparameters(statement),
                          values);
}

// ---- Transactions

static PGresult *ask_to_begin(struct postgresql_session *session,
                              const struct driver_level *level) {
  const ptrdiff_t which = level - postgresql_levels;
  assert(which >= 0 && which < POSTGRESQL_LEVELS);
  if (postgresql_of(session->base.target)->pooled) {
    postgresql_send_begin_unnamed(session, level);
    return answer_to_it(session);
  }
  if (!session->begin_prepared[which]) {
    postgresql_send_prepare_begin(session, level);
    if (!is_prepared_now(session))
      return NULL;
    session->begin_prepared[which] = true;
  }
  const char name[] = {'b', (char)('0' + which), '\0'};
  return execute_prepared(session, name, 0, NULL);
}

static enum outcome begin(struct connection *connection,
                          const struct driver_level *level) {
  struct postgresql_session *session = postgresql_session_of(connection);
  session->claimed = level->claimed;
  PGresult *result = ask_to_begin(session, level);
  PQclear(result);
  if (!result)
    return OUTCOME_ABORTED;
  if (PQtransactionStatus(session->pg) == PQTRANS_INTRANS)
    return OUTCOME_OK;
  connection->broken = true;
  return postgresql_refused(session, OUTCOME_ABORTED, "BEGIN",
                            "BEGIN left no transaction open");
}

static enum outcome rollback(struct connection *connection) {
  struct postgresql_session *session = postgresql_session_of(connection);
  if (PQtransactionStatus(session->pg) == PQTRANS_IDLE)
    return OUTCOME_OK;
  PQsendQuery(session->pg, "ROLLBACK");
  PGresult *result = postgresql_answer(session);
  if (result && postgresql_succeeded(result)) {
    PQclear(result);
    return OUTCOME_OK;
  }
  connection->broken = true; // closing rolls back
  return postgresql_failed(session, result, false);
}

// A transaction that the server has left without being asked, as some
// poolers do, may have been committed piece by piece.
static enum outcome commit(struct connection *connection) {
  struct postgresql_session *session = postgresql_session_of(connection);
  if (PQtransactionStatus(session->pg) == PQTRANS_IDLE)
    return postgresql_refused(session, OUTCOME_UNKNOWN, "COMMIT",
                              "the server had left the transaction before it "
                              "was asked to commit");
  if (connection->target->resolves &&
      PQtransactionStatus(session->pg) == PQTRANS_INTRANS &&
      postgresql_note_token(session) != OUTCOME_OK) {
    rollback(connection);
    return OUTCOME_ABORTED;
  }
  postgresql_expect_commit(session);
  if (postgresql_of(connection->target)->unnamed)
    PQsendQueryParams(session->pg, "COMMIT", 0, NULL, NULL, NULL, NULL, 0);
  else
    postgresql_send(session, "commit", 0, NULL);
  PGresult *result = postgresql_answer(session);
  if (!result || !postgresql_succeeded(result))
    return postgresql_failed(session, result, true);
  const enum outcome outcome = postgresql_take_commit(session, result);
  PQclear(result);
  return outcome;
}

// ---- Operations

static enum outcome get(struct connection *connection, uint64_t key,
                        uint64_t *value) {
  PGresult *result =
      ask_about(postgresql_session_of(connection), POSTGRESQL_GET, key, 0, 0);
  if (!result)
    return OUTCOME_ABORTED;
  *value = postgresql_value(result);
  PQclear(result);
  return OUTCOME_OK;
}

static enum outcome get_list(struct connection *connection, uint64_t key,
                             struct value_list *list) {
  PGresult *result =
      ask_about(postgresql_session_of(connection), POSTGRESQL_GET, key, 0, 0);
  if (!result)
    return OUTCOME_ABORTED;
  postgresql_list(result, list);
  PQclear(result);
  return OUTCOME_OK;
}

static enum outcome write_postgresql_value(struct connection *connection,
                                           enum postgresql_statement statement,
                                           uint64_t key, uint64_t value) {
  struct postgresql_session *session = postgresql_session_of(connection);
  PGresult *result = ask_about(session, statement, key, value, 0);
  if (!result)
    return OUTCOME_ABORTED;
  const enum outcome outcome =
      postgresql_check_write(session, result, OUTCOME_ABORTED, key, value);
  PQclear(result);
  return outcome;
}

static enum outcome put(struct connection *connection, uint64_t key,
                        uint64_t value) {
  const struct postgresql_target *target = postgresql_of(connection->target);
  return write_postgresql_value(connection, postgresql_put(target, key), key,
                                value);
}

static enum outcome append(struct connection *connection, uint64_t key,
                           uint64_t value) {
  return write_postgresql_value(connection, POSTGRESQL_APPEND, key, value);
}

// Below repeatable read the value may arrive between the statement that did not
// find it and the one that looks: then it is worth another attempt.
static enum outcome cas(struct connection *connection, uint64_t key,
                        uint64_t expected, uint64_t value, uint64_t *found) {
  struct postgresql_session *session = postgresql_session_of(connection);
  for (;;) {
    PGresult *result =
        ask_about(session, postgresql_cas(expected), key, value, expected);
    if (!result)
      return OUTCOME_ABORTED;
    const bool wrote = postgresql_wrote(result);
    PQclear(result);
    *found = expected;
    if (wrote)
      return OUTCOME_OK;
    const enum outcome outcome = get(connection, key, found);
    if (outcome != OUTCOME_OK || *found != expected)
      return outcome;
  }
}

static enum outcome sql(struct connection *connection, const char *statement,
                        char *rows, size_t room) {
  struct postgresql_session *session = postgresql_session_of(connection);
  rows[0] = '\0';
  PQsendQuery(session->pg, statement);
  PGresult *result = postgresql_answer(session);
  if (!result || !postgresql_succeeded(result))
    return postgresql_failed(session, result, false);
  for (int row = 0; row < PQntuples(result); row++)
    for (int column = 0; column < PQnfields(result); column++)
      rows_add(rows, room, column,
               PQgetisnull(result, row, column)
                   ? NULL
                   : PQgetvalue(result, row, column));
  PQclear(result);
  return OUTCOME_OK;
}

static char *question(struct target *base, const char *select) {
  const struct postgresql_target *target = postgresql_of(base);
  return sql_rows_question(&target->dialect, target->shape.table,
                           target->tables, select);
}

const struct driver postgresql_driver = {
    .abi = DRIVER_ABI,
    .name = "postgresql",
    .alias = "postgres",
    .summary = "a PostgreSQL server; its URIs are libpq's",
    .example = "postgresql://user:password@localhost/test",
    .options = postgresql_options,
    .levels = postgresql_levels,
    .hosts = true,
    .knows_option = postgresql_knows_option,
    .open = postgresql_open,
    .close = postgresql_close,
    .setup = postgresql_setup,
    .setup_tables = postgresql_setup,
    .follow = postgresql_follow,
    .clean = postgresql_clean,
    .describe = postgresql_describe,
    .keeps = postgresql_keeps,
    .connect = postgresql_open_session,
    .disconnect = postgresql_close_session,
    .takes_writes = postgresql_takes_writes,
    .begin = begin,
    .commit = commit,
    .rollback = rollback,
    .resolve = postgresql_resolve,
    .get = get,
    .put = put,
    .append = append,
    .get_list = get_list,
    .cas = cas,
    .executes = POSTGRESQL_EXECUTES,
    .execute = postgresql_execute,
    .sql = sql,
    .question = question,
    .instrument = &postgresql_instrument,
    .waits = postgresql_waits,
    .level_query = "SHOW transaction_isolation",
};

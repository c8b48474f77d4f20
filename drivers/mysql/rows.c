// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of rows on MariaDB and MySQL, and the statements on them
// (drivers/mysql/rows.h).  Neither has UPDATE ... RETURNING, so an UPDATE
// collects what it changes in a variable of the session, which is then read: a
// SELECT of the rows would lock ranges, and might find other rows.
#include "config.h"

#include "drivers/mysql/rows.h"

#include "base/memory.h"
#include "drivers/drivers.h"
#include "drivers/sql_text/sql_after.h"

#include <assert.h>
#include <mysqld_error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Tables

int mysqldb_choose_deletes(struct mysqldb_target *target, MYSQL *mysql,
                           struct error *error) {
  char server[MYSQLDB_NAME_ROOM];
  const bool returns = mariadb_connection(mysql);
  target->dialect = (struct sql_rows_dialect){
      .quote = '`',
      .integer = "BIGINT",
      .options = " ENGINE=InnoDB COMMENT='" SQL_COMMENT "'",
      .captures = !target->dialect.after,
      .plain = target->dialect.plain,
      .after = target->dialect.after,
      .soft = target->deletes == MYSQLDB_DELETES_SOFT,
      .lock = " FOR UPDATE",
      .nothing = {"IGNORE ", ""}};
  if (returns || target->dialect.plain || target->dialect.after ||
      target->deletes == MYSQLDB_DELETES_SOFT)
    return 0;
  target->dialect.soft = true;
  mysqldb_name_server(target, server, sizeof server);
  return target->deletes == MYSQLDB_DELETES_REAL
             ? error_set(error,
                         "%s has no DELETE ... RETURNING, which tells the rows "
                         "that were deleted; use deletes=soft or "
                         "instrument=after",
                         server)
             : 0;
}

// Executes a composed text, which is freed.
static int make_mysql_relation(const struct mysqldb_target *target,
                               MYSQL *mysql, char *sql, const char *what,
                               struct error *error) {
  const int mysql_rows_failed = mysqldb_make(target, mysql, sql, what, error);
  free(sql);
  return mysql_rows_failed;
}

static int fill_mysql_table(const struct mysqldb_target *target, MYSQL *mysql,
                            const struct table_spec *table, const char *what,
                            struct error *error) {
  const uint64_t nrows = table_first_rows(table);
  for (uint64_t first = 0; first < nrows; first += SQL_ROWS_BATCH) {
    const uint64_t left = nrows - first;
    const uint64_t end =
        first + (left < SQL_ROWS_BATCH ? left : SQL_ROWS_BATCH);
    if (make_mysql_relation(target, mysql,
                            sql_rows_fill(&target->dialect, target->shape.table,
                                          table, first, end),
                            what, error))
      return -1;
  }
  return 0;
}

static bool has_index(const struct mysqldb_target *target) {
  return target->shape.index == SQL_INDEX_SECONDARY ||
         target->shape.index == SQL_INDEX_BTREE;
}

static int make_mysql_row_table(const struct mysqldb_target *target,
                                MYSQL *mysql, const struct table_spec *table,
                                struct error *error) {
  const struct sql_rows_dialect *dialect = &target->dialect;
  const char *base = target->shape.table;
  char *name = sql_rows_table(dialect, base, table);
  char *what = xasprintf("cannot make the table %s", name);
  const int mysql_rows_failed =
      mysqldb_check_owner(target, mysql, name, error) ||
              make_mysql_relation(target, mysql,
                                  xasprintf("DROP TABLE IF EXISTS %s", name),
                                  what, error) ||
              make_mysql_relation(target, mysql,
                                  sql_rows_create(dialect, base, table), what,
                                  error) ||
              fill_mysql_table(target, mysql, table, what, error) ||
              (has_index(target) &&
               make_mysql_relation(target, mysql,
                                   sql_rows_index(dialect, base, table, NULL),
                                   what, error))
          ? -1
          : 0;
  free(what);
  free(name);
  return mysql_rows_failed;
}

int mysqldb_make_rows(const struct mysqldb_target *target, MYSQL *mysql,
                      const struct keyspace *keys, struct error *error) {
  for (uint32_t i = 0; i < keys->tables->ntables; i++)
    if (make_mysql_row_table(target, mysql, &keys->tables->table[i], error))
      return -1;
  return 0;
}

// ---- Statements

static enum outcome mysql_rows_failed(struct mysqldb_session *session,
                                      MYSQL_STMT *stmt) {
  const unsigned number = stmt ? mysql_stmt_errno(stmt) : 0;
  MYSQL *mysql = session->mysql;
  session->captures = false;
  return mysqldb_failed(session, number ? number : mysql_errno(mysql),
                        number ? mysql_stmt_error(stmt) : mysql_error(mysql),
                        false);
}

static MYSQL_STMT *prepare_mysql_form(struct mysqldb_session *session,
                                      struct sql_rows_form *form) {
  if (form->prepared)
    return form->prepared;
  MYSQL_STMT *stmt = mysql_stmt_init(session->mysql);
  if (!stmt)
    out_of_memory(0);
  if (!mysql_stmt_prepare(stmt, form->text, strlen(form->text)))
    return form->prepared = stmt;
  mysql_rows_failed(session, stmt);
  mysql_stmt_close(stmt);
  return NULL;
}

static bool execute(MYSQL_STMT *stmt, const struct sql_rows_form *form,
                    const struct statement *statement, uint64_t stamp) {
  int64_t values[SQL_ROWS_SOURCES];
  MYSQL_BIND binds[SQL_ROWS_SOURCES];
  assert(mysql_stmt_param_count(stmt) == form->nsources);
  memset(binds, 0, sizeof binds);
  sql_rows_values(form, statement, stamp, values);
  for (uint32_t i = 0; i < form->nsources; i++) {
    binds[i].buffer_type = MYSQL_TYPE_LONGLONG;
    binds[i].buffer = &values[i];
  }
  mysql_stmt_bind_param(stmt, binds);
  return !mysql_stmt_execute(stmt);
}

// The rows that came back, each a key, a stamp and columns.
static enum outcome fetch_rows(struct mysqldb_session *session,
                               MYSQL_STMT *stmt,
                               const struct statement *statement,
                               struct row_list *rows) {
  const struct mysqldb_target *target = mysqldb_of(session->base.target);
  const uint32_t n = mysql_stmt_field_count(stmt);
  int64_t numbers[2 + TABLE_COLUMNS_MOST] = {0};
  MYSQL_BIND binds[2 + TABLE_COLUMNS_MOST];
  memset(binds, 0, sizeof binds);
  for (uint32_t i = 0; i < n; i++) {
    binds[i].buffer_type = MYSQL_TYPE_LONGLONG;
    binds[i].buffer = &numbers[i];
  }
  mysql_stmt_bind_result(stmt, binds);
  int status;
  while (!(status = mysql_stmt_fetch(stmt)))
    sql_rows_add(rows, &target->dialect, statement, numbers[0], numbers[1],
                 numbers + 2, n - 2);
  const enum outcome outcome =
      status == MYSQL_NO_DATA ? OUTCOME_OK : mysql_rows_failed(session, stmt);
  mysql_stmt_free_result(stmt);
  return outcome;
}

// ---- What an UPDATE captured

// One row, "KEY STAMP COLUMN ...;"; returns where the next one begins.
static const char *read_captured(const char *text,
                                 const struct mysqldb_target *target,
                                 const struct statement *statement,
                                 struct row_list *rows) {
  const uint32_t ncolumns =
      target->tables->table[statement->table].columns.count;
  int64_t numbers[2 + TABLE_COLUMNS_MOST] = {0};
  for (uint32_t i = 0; i < 2 + ncolumns; i++) {
    char *end;
    numbers[i] = strtoll(text, &end, 10);
    text = end;
  }
  sql_rows_add(rows, &target->dialect, statement, numbers[0], numbers[1],
               numbers + 2, ncolumns);
  return text + (*text == ';');
}

// The server drops a text that is longer than its packets may be.
static enum outcome list_captured(struct mysqldb_session *session,
                                  const struct statement *statement,
                                  uint64_t nrows, struct row_list *rows) {
  const struct mysqldb_target *target = mysqldb_of(session->base.target);
  if (!nrows)
    return OUTCOME_OK;
  MYSQL_RES *result = mysqldb_ask(session, SQL_ROWS_CAPTURED)
                          ? mysql_store_result(session->mysql)
                          : NULL;
  if (!result)
    return mysql_rows_failed(session, NULL);
  const MYSQL_ROW row = mysql_fetch_row(result);
  for (const char *at = row ? row[0] : NULL; at && *at;)
    at = read_captured(at, target, statement, rows);
  mysql_free_result(result);
  session->captures = rows->count == nrows;
  return session->captures
             ? OUTCOME_OK
             : mysqldb_refused(session, OUTCOME_ABORTED, "captured",
                               "an UPDATE changed %llu rows and told %u of "
                               "them",
                               (unsigned long long)nrows, rows->count);
}

static bool is_update(const struct mysqldb_target *target,
                      const struct statement *statement) {
  return statement->sort == STATEMENT_UPDATE ||
         (statement->sort == STATEMENT_DELETE && target->dialect.soft);
}

// The variable has to be a text before the first UPDATE, and an empty one again
// after one that failed.
static bool begin_capture(struct mysqldb_session *session) {
  if (!session->captures && !mysqldb_ask(session, SQL_ROWS_CAPTURE)) {
    mysql_rows_failed(session, NULL);
    return false;
  }
  return session->captures = true;
}

// InnoDB undoes the statement alone if its key is taken.
static enum outcome insert_failed(struct mysqldb_session *session,
                                  MYSQL_STMT *stmt, struct row_list *rows) {
  rows->refused = mysql_stmt_errno(stmt) == ER_DUP_ENTRY;
  return rows->refused ? OUTCOME_OK : mysql_rows_failed(session, stmt);
}

// With instrument=after.
static enum outcome ask_mysql(struct connection *connection,
                              enum sql_rows_part part,
                              const struct statement *statement, uint64_t stamp,
                              struct row_list *rows, uint64_t *count) {
  struct mysqldb_session *session = mysqldb_session_of(connection);
  const struct mysqldb_target *target = mysqldb_of(connection->target);
  struct sql_rows_form *form =
      sql_rows_part(&session->rows, &target->dialect, target->shape.table,
                    target->tables, statement, part);
  MYSQL_STMT *stmt = prepare_mysql_form(session, form);
  if (!stmt)
    return OUTCOME_ABORTED;
  if (!execute(stmt, form, statement, stamp))
    return statement_inserts(statement->sort)
               ? insert_failed(session, stmt, rows)
               : mysql_rows_failed(session, stmt);
  if (mysql_stmt_field_count(stmt))
    return fetch_rows(session, stmt, statement, rows);
  *count = mysql_stmt_affected_rows(stmt);
  return OUTCOME_OK;
}

static enum outcome execute_after(struct mysqldb_session *session,
                                  const struct statement *statement,
                                  uint64_t stamp, struct row_list *rows) {
  const struct mysqldb_target *target = mysqldb_of(session->base.target);
  const struct sql_after after = {
      .ask = ask_mysql,
      .dialect = &target->dialect,
      .claimed = target_claim(session->base.target, session->level)};
  const enum outcome outcome =
      sql_after_execute(&after, &session->base, statement, stamp, rows);
  if (outcome == OUTCOME_OK && !rows->refused)
    sql_rows_end(rows, &target->dialect, statement);
  return outcome;
}

static enum outcome execute_rows(struct connection *connection,
                                 const struct statement *statement,
                                 uint64_t stamp, struct row_list *rows) {
  struct mysqldb_session *session = mysqldb_session_of(connection);
  const struct mysqldb_target *target = mysqldb_of(connection->target);
  const bool inserts = statement_inserts(statement->sort);
  const bool updates = is_update(target, statement);
  assert(target->tables);
  // The server may have rolled back, and would take this for a transaction of
  // its own.
  if (session->failed || connection->broken)
    return mysqldb_refused(session, OUTCOME_ABORTED, "failed",
                           "the transaction had failed before");
  if (target->dialect.after)
    return execute_after(session, statement, stamp, rows);
  struct sql_rows_form *form =
      sql_rows_form(&session->rows, &target->dialect, target->shape.table,
                    target->tables, statement);
  MYSQL_STMT *stmt = prepare_mysql_form(session, form);
  if (!stmt || (updates && !begin_capture(session)))
    return OUTCOME_ABORTED;
  if (!execute(stmt, form, statement, stamp))
    return inserts ? insert_failed(session, stmt, rows)
                   : mysql_rows_failed(session, stmt);
  if (updates)
    return list_captured(session, statement, mysql_stmt_affected_rows(stmt),
                         rows);
  if (!inserts)
    return fetch_rows(session, stmt, statement, rows);
  if (mysql_stmt_affected_rows(stmt))
    sql_rows_add_inserted(rows, statement);
  sql_rows_end(rows, &target->dialect, statement);
  return OUTCOME_OK;
}

enum outcome mysqldb_execute_rows(struct connection *connection,
                                  const struct statement *statement,
                                  uint64_t stamp, struct row_list *rows) {
  const enum outcome outcome = execute_rows(connection, statement, stamp, rows);
  return outcome == OUTCOME_OK ? mysqldb_stay(mysqldb_session_of(connection),
                                              statement_writes(statement->sort))
                               : outcome;
}

void mysqldb_forget_rows(struct mysqldb_session *session) {
  for (uint32_t i = 0; i < session->rows.nforms; i++)
    if (session->rows.forms[i]->prepared)
      mysql_stmt_close(session->rows.forms[i]->prepared);
  sql_rows_free(&session->rows);
}

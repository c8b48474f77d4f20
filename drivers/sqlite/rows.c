// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of rows in an SQLite file, and the statements on them.  SQLite locks
// the whole file, so a SELECT that locks is one that does not.
#include "config.h"

#include "drivers/sql_text/sql_after.h"
#include "drivers/sqlite/database.h"
#include "drivers/sqlite/session.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#define BASE "isostress"
#define OLDEST 3035000 // that has RETURNING

// Executes a composed text, which is freed.
static int prepare_by(const struct sqlite_database *database, sqlite3 *db,
                      char *sql, struct error *error) {
  const int failed = sqlite_prepare_by(database, db, sql, error);
  free(sql);
  return failed;
}

static int make_sqlite_row_table(const struct sqlite_database *database,
                                 sqlite3 *db, const struct table_spec *table,
                                 struct error *error) {
  const struct sql_rows_dialect *dialect = &database->dialect;
  char *name = sql_rows_table(dialect, BASE, table), drop[128];
  snprintf(drop, sizeof drop, "DROP TABLE IF EXISTS %s", name);
  free(name);
  if (sqlite_prepare_by(database, db, drop, error) ||
      prepare_by(database, db, sql_rows_create(dialect, BASE, table), error) ||
      (database->indexed &&
       prepare_by(database, db, sql_rows_index(dialect, BASE, table, NULL),
                  error)))
    return -1;
  const uint64_t nrows = table_first_rows(table);
  for (uint64_t first = 0; first < nrows; first += SQL_ROWS_BATCH) {
    const uint64_t left = nrows - first;
    const uint64_t end =
        first + (left < SQL_ROWS_BATCH ? left : SQL_ROWS_BATCH);
    if (prepare_by(database, db,
                   sql_rows_fill(dialect, BASE, table, first, end), error))
      return -1;
  }
  return 0;
}

static int make_sqlite_row_tables(const struct sqlite_database *database,
                                  sqlite3 *db, const void *context,
                                  struct error *error) {
  const struct keyspace *keys = context;
  for (uint32_t i = 0; i < keys->tables->ntables; i++)
    if (make_sqlite_row_table(database, db, &keys->tables->table[i], error))
      return -1;
  return 0;
}

int sqlite_setup_tables(struct target *target, const struct keyspace *keys,
                        struct error *error) {
  struct sqlite_database *database = (struct sqlite_database *)target;
  if (!database->dialect.plain && !database->dialect.after &&
      sqlite3_libversion_number() < OLDEST)
    return error_set(error,
                     "%s: SQLite %s has no RETURNING, which tells the rows "
                     "that a statement changed; use SQLite 3.35 or later, or "
                     "instrument=after",
                     database->path, sqlite3_libversion());
  database->tables = keys->tables;
  return sqlite_make(database, keys, make_sqlite_row_tables, error) ||
                 sqlite_note_run(database, keys, error)
             ? -1
             : 0;
}

static void add_sqlite_row(struct sqlite_session *session,
                           const struct statement *statement,
                           sqlite3_stmt *stmt, struct row_list *rows) {
  const struct sqlite_database *database =
      sqlite_database_of(session->base.target);
  int64_t columns[TABLE_COLUMNS_MOST];
  const int ncolumns = sqlite3_column_count(stmt) - 2;
  for (int i = 0; i < ncolumns; i++)
    columns[i] = sqlite3_column_int64(stmt, i + 2);
  sql_rows_add(rows, &database->dialect, statement,
               sqlite3_column_int64(stmt, 0), sqlite3_column_int64(stmt, 1),
               columns, (uint32_t)ncolumns);
}

static sqlite3_stmt *prepare_sqlite_form(struct sqlite_session *session,
                                         struct sql_rows_form *form) {
  sqlite3_stmt *stmt = NULL;
  const int rc = sqlite3_prepare_v3(session->current->db, form->text, -1,
                                    SQLITE_PREPARE_PERSISTENT, &stmt, NULL);
  if (rc)
    sqlite_refused(session, rc);
  return form->prepared = stmt;
}

// A key that is taken undoes the statement alone.
static enum outcome ask_sqlite(struct connection *connection,
                               enum sql_rows_part part,
                               const struct statement *statement,
                               uint64_t stamp, struct row_list *rows,
                               uint64_t *count) {
  struct sqlite_session *session = sqlite_session_of(connection);
  const struct sqlite_database *database =
      sqlite_database_of(connection->target);
  int64_t values[SQL_ROWS_SOURCES];
  assert(session->current && database->tables);
  struct sql_rows_form *form =
      sql_rows_part(&session->current->rows, &database->dialect, BASE,
                    database->tables, statement, part);
  sqlite3_stmt *stmt =
      form->prepared ? form->prepared : prepare_sqlite_form(session, form);
  if (!stmt)
    return OUTCOME_ABORTED;
  sql_rows_values(form, statement, stamp, values);
  for (uint32_t i = 0; i < form->nsources; i++)
    sqlite3_bind_int64(stmt, (int)i + 1, values[i]);
  int rc = sqlite_first_step(session, stmt);
  for (; rc == SQLITE_ROW; rc = sqlite3_step(stmt))
    add_sqlite_row(session, statement, stmt, rows);
  const enum outcome outcome = sqlite_finish(session, stmt, rc);
  *count = (uint64_t)sqlite3_changes(session->current->db);
  rows->refused =
      statement->sort == STATEMENT_INSERT && rc == SQLITE_CONSTRAINT_PRIMARYKEY;
  return rows->refused ? OUTCOME_OK : outcome;
}

enum outcome sqlite_execute(struct connection *connection,
                            const struct statement *statement, uint64_t stamp,
                            struct row_list *rows) {
  const struct sqlite_session *session = sqlite_session_of(connection);
  const struct sql_rows_dialect *dialect =
      &sqlite_database_of(connection->target)->dialect;
  const struct sql_after after = {
      .ask = ask_sqlite,
      .dialect = dialect,
      .claimed = session->current == &session->handles[SERIALIZABLE]
                     ? ISOLATION_SER
                     : ISOLATION_NONE};
  uint64_t count = 0;
  const enum outcome outcome =
      dialect->after
          ? sql_after_execute(&after, connection, statement, stamp, rows)
          : ask_sqlite(connection, SQL_ROWS_CHANGE, statement, stamp, rows,
                       &count);
  if (outcome != OUTCOME_OK || rows->refused)
    return outcome;
  if (statement_inserts(statement->sort) &&
      sql_rows_insert_is_silent(dialect) && count)
    sql_rows_add_inserted(rows, statement);
  sql_rows_end(rows, dialect, statement);
  return outcome;
}

char *sqlite_question(struct target *target, const char *select) {
  const struct sqlite_database *database = sqlite_database_of(target);
  return sql_rows_question(&database->dialect, BASE, database->tables, select);
}

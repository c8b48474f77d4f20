// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of rows on PostgreSQL, and the statements on them
// (drivers/postgresql/rows.h).
#include "config.h"

#include "drivers/postgresql/rows.h"

#include "base/memory.h"
#include "drivers/sql_text/sql_after.h"

#include <assert.h>
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INT8OID 20 // from the catalogue pg_type

// ---- Tables

static const char *method_of(enum sql_index index) {
  static const char *const methods[] = {
      [SQL_INDEX_SECONDARY] = "USING btree", [SQL_INDEX_BTREE] = "USING btree",
      [SQL_INDEX_HASH] = "USING hash",       [SQL_INDEX_BRIN] = "USING brin",
      [SQL_INDEX_GIN] = "USING gin",
  };
  return methods[index];
}

// Executes a composed text, which is freed.
static int make_postgresql_relation(PGconn *pg, char *sql, const char *what,
                                    struct error *error) {
  const int failed = postgresql_make(pg, sql, what, error);
  free(sql);
  return failed;
}

static int fill_postgresql_table(const struct postgresql_target *target,
                                 PGconn *pg, const struct table_spec *table,
                                 const char *what, struct error *error) {
  const uint64_t nrows = table_first_rows(table);
  for (uint64_t first = 0; first < nrows; first += SQL_ROWS_BATCH) {
    const uint64_t left = nrows - first;
    const uint64_t end =
        first + (left < SQL_ROWS_BATCH ? left : SQL_ROWS_BATCH);
    if (make_postgresql_relation(pg,
                                 sql_rows_fill(&target->dialect,
                                               target->shape.table, table,
                                               first, end),
                                 what, error))
      return -1;
  }
  return 0;
}

// GIN has numbers only with an extension that the server's own packages bring.
static int make_index(const struct postgresql_target *target, PGconn *pg,
                      const struct table_spec *table, const char *what,
                      struct error *error) {
  const enum sql_index index = target->shape.index;
  if (!method_of(index))
    return 0;
  if (index == SQL_INDEX_GIN &&
      postgresql_make(pg, "CREATE EXTENSION IF NOT EXISTS btree_gin",
                      "cannot make the extension btree_gin, which index=gin "
                      "needs",
                      error))
    return -1;
  return make_postgresql_relation(pg,
                                  sql_rows_index(&target->dialect,
                                                 target->shape.table, table,
                                                 method_of(index)),
                                  what, error);
}

static int make_postgresql_row_table(const struct postgresql_target *target,
                                     PGconn *pg, const struct table_spec *table,
                                     struct error *error) {
  const char *base = target->shape.table;
  char *name = sql_rows_table(&target->dialect, base, table);
  char *what = xasprintf("cannot make the table %s", name);
  const int failed =
      postgresql_check_owner(pg, name, error) ||
              make_postgresql_relation(
                  pg, xasprintf("DROP TABLE IF EXISTS %s", name), what,
                  error) ||
              make_postgresql_relation(
                  pg, sql_rows_create(&target->dialect, base, table), what,
                  error) ||
              make_postgresql_relation(
                  pg,
                  xasprintf("COMMENT ON TABLE %s IS '" SQL_COMMENT "'", name),
                  what, error) ||
              fill_postgresql_table(target, pg, table, what, error) ||
              make_index(target, pg, table, what, error)
          ? -1
          : 0;
  free(what);
  free(name);
  return failed;
}

int postgresql_make_rows(const struct postgresql_target *target, PGconn *pg,
                         const struct keyspace *keys, struct error *error) {
  for (uint32_t i = 0; i < keys->tables->ntables; i++)
    if (make_postgresql_row_table(target, pg, &keys->tables->table[i], error))
      return -1;
  return 0;
}

// ---- Statements

struct bound_parameters {
  uint64_t encoded[SQL_ROWS_SOURCES];
  const char *values[SQL_ROWS_SOURCES];
  Oid types[SQL_ROWS_SOURCES];
  int lengths[SQL_ROWS_SOURCES], formats[SQL_ROWS_SOURCES];
};

static void encode_form(struct bound_parameters *p,
                        const struct sql_rows_form *form,
                        const struct statement *statement, uint64_t stamp) {
  int64_t values[SQL_ROWS_SOURCES];
  sql_rows_values(form, statement, stamp, values);
  for (uint32_t i = 0; i < form->nsources; i++) {
    p->encoded[i] = htobe64((uint64_t)values[i]);
    p->values[i] = (const char *)&p->encoded[i];
    p->types[i] = INT8OID;
    p->lengths[i] = sizeof p->encoded[i];
    p->formats[i] = 1;
  }
}

// The answer to what was sent; NULL if that failed, which is then noted.
static PGresult *answer_in_rows(struct postgresql_session *session) {
  PGresult *result = postgresql_answer(session);
  if (result && postgresql_succeeded(result))
    return result;
  postgresql_failed(session, result, false);
  return NULL;
}

static bool prepare_postgresql_form(struct postgresql_session *session,
                                    struct sql_rows_form *form,
                                    const char *name, const Oid *types) {
  if (form->prepared)
    return true;
  PQsendPrepare(session->pg, name, form->text, (int)form->nsources, types);
  PGresult *result = answer_in_rows(session);
  PQclear(result);
  form->prepared = result ? form : NULL;
  return result;
}

// The number of the form among those of the session is its name.
static PGresult *ask_for_rows(struct postgresql_session *session,
                              struct sql_rows_form *form,
                              const struct bound_parameters *p) {
  char name[16];
  const int n = (int)form->nsources;
  if (postgresql_of(session->base.target)->unnamed) {
    PQsendQueryParams(session->pg, form->text, n, p->types, p->values,
                      p->lengths, p->formats, 1);
    return answer_in_rows(session);
  }
  snprintf(name, sizeof name, "r%u", form->number);
  if (!prepare_postgresql_form(session, form, name, p->types))
    return NULL;
  PQsendQueryPrepared(session->pg, name, n, p->values, p->lengths, p->formats,
                      1);
  return answer_in_rows(session);
}

static int64_t number_at(const PGresult *result, int row, int column) {
  uint64_t value;
  memcpy(&value, PQgetvalue(result, row, column), sizeof value);
  return (int64_t)be64toh(value);
}

// Are all columns 64-bit integers?
static bool are_numbers(const PGresult *result) {
  for (int column = 0; column < PQnfields(result); column++)
    if (PQftype(result, column) != INT8OID)
      return false;
  return true;
}

static void list_result_rows(const struct postgresql_session *session,
                             const struct statement *statement,
                             const PGresult *result, struct row_list *rows) {
  const struct sql_rows_dialect *dialect =
      &postgresql_of(session->base.target)->dialect;
  const int ncolumns = PQnfields(result) - 2;
  for (int row = 0; row < PQntuples(result); row++) {
    int64_t columns[TABLE_COLUMNS_MOST];
    for (int i = 0; i < ncolumns; i++)
      columns[i] = number_at(result, row, i + 2);
    sql_rows_add(rows, dialect, statement, number_at(result, row, 0),
                 number_at(result, row, 1), columns, (uint32_t)ncolumns);
  }
}

static enum outcome ask_postgresql(struct connection *connection,
                                   enum sql_rows_part part,
                                   const struct statement *statement,
                                   uint64_t stamp, struct row_list *rows,
                                   uint64_t *count) {
  struct postgresql_session *session = postgresql_session_of(connection);
  const struct postgresql_target *target = postgresql_of(connection->target);
  struct bound_parameters parameters;
  assert(target->tables);
  struct sql_rows_form *form =
      sql_rows_part(&session->rows, &target->dialect, target->shape.table,
                    target->tables, statement, part);
  encode_form(&parameters, form, statement, stamp);
  PGresult *result = ask_for_rows(session, form, &parameters);
  if (!result)
    return OUTCOME_ABORTED;
  const bool fit = are_numbers(result);
  if (fit)
    list_result_rows(session, statement, result, rows);
  *count = strtoull(PQcmdTuples(result), NULL, 10);
  PQclear(result);
  return fit ? OUTCOME_OK
             : postgresql_refused(session, OUTCOME_ABORTED, "columns",
                                  "a column that came back is no bigint");
}

enum outcome postgresql_execute(struct connection *connection,
                                const struct statement *statement,
                                uint64_t stamp, struct row_list *rows) {
  const struct sql_rows_dialect *dialect =
      &postgresql_of(connection->target)->dialect;
  const struct sql_after after = {
      .ask = ask_postgresql,
      .dialect = dialect,
      .claimed = postgresql_session_of(connection)->claimed};
  uint64_t count;
  const enum outcome outcome =
      dialect->after
          ? sql_after_execute(&after, connection, statement, stamp, rows)
          : ask_postgresql(connection, SQL_ROWS_CHANGE, statement, stamp, rows,
                           &count);
  if (outcome != OUTCOME_OK)
    return outcome;
  if (statement_inserts(statement->sort) &&
      sql_rows_insert_is_silent(dialect) && count)
    sql_rows_add_inserted(rows, statement);
  sql_rows_end(rows, dialect, statement);
  return outcome;
}

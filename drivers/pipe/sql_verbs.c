// SPDX-License-Identifier: GPL-3.0-or-later
// Keys, lists and rows of a database with SQL, by a pipe (drivers/pipe/pipe.h).
//
// Where hello says that there is no RETURNING, or with instrument=after, the
// effect of a statement is read in its transaction
// (drivers/sql_text/sql_after.h).  If some level claims less than SI, deletes
// are then soft.
#include "config.h"

#include "drivers/pipe/pipe.h"

#include "base/memory.h"
#include "drivers/sql_text/sql_after.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct pipe_session *of(struct connection *connection) {
  return (struct pipe_session *)connection;
}

// The marks of the first two parameters.
static const char *first_mark(const struct pipe_session *session) {
  return session->pipe->hello.sql.dialect.dollars ? "$1" : "?";
}
static const char *second_mark(const struct pipe_session *session) {
  return session->pipe->hello.sql.dialect.dollars ? "$2" : "?";
}

// The first value of the first row; NULL if there is none.
static const struct json_value *only_value(const struct pipe_session *session) {
  const struct json_value *row = json_first(session->answer.root, "rows");
  return row ? row->first : NULL;
}

static enum outcome get(struct connection *connection, uint64_t key,
                        uint64_t *value) {
  struct pipe_session *session = of(connection);
  char sql[96];
  snprintf(sql, sizeof sql, "SELECT v FROM " PIPE_SQL_KEYS " WHERE k = %s",
           first_mark(session));
  const enum outcome outcome =
      pipe_sql(session, sql, (const int64_t[]){(int64_t)key}, 1);
  const struct json_value *found = only_value(session);
  *value = VALUE_INITIAL;
  return outcome == OUTCOME_OK && found && !answer_whole(found, value)
             ? pipe_no_number(session, "rows")
             : outcome;
}

static enum outcome put(struct connection *connection, uint64_t key,
                        uint64_t value) {
  struct pipe_session *session = of(connection);
  const int64_t values[] = {(int64_t)value, (int64_t)key};
  char sql[96];
  snprintf(sql, sizeof sql, "UPDATE " PIPE_SQL_KEYS " SET v = %s WHERE k = %s",
           first_mark(session), second_mark(session));
  const enum outcome outcome = pipe_sql(session, sql, values, 2);
  if (outcome != OUTCOME_OK || pipe_sql_count(session))
    return outcome;
  snprintf(sql, sizeof sql,
           "INSERT INTO " PIPE_SQL_KEYS " (v, k) VALUES (%s, %s)",
           first_mark(session), second_mark(session));
  return pipe_sql(session, sql, values, 2);
}

static enum outcome append(struct connection *connection, uint64_t key,
                           uint64_t value) {
  struct pipe_session *session = of(connection);
  char sql[160];
  snprintf(sql, sizeof sql,
           "UPDATE " PIPE_SQL_LISTS " SET v = v || ' %" PRIu64
           "' WHERE k = %" PRIu64,
           value, key);
  const enum outcome outcome = pipe_sql(session, sql, NULL, 0);
  if (outcome != OUTCOME_OK || pipe_sql_count(session))
    return outcome;
  snprintf(sql, sizeof sql,
           "INSERT INTO " PIPE_SQL_LISTS " (k, v) VALUES (%" PRIu64
           ", ' %" PRIu64 "')",
           key, value);
  return pipe_sql(session, sql, NULL, 0);
}

static enum outcome get_list(struct connection *connection, uint64_t key,
                             struct value_list *list) {
  struct pipe_session *session = of(connection);
  char sql[96];
  snprintf(sql, sizeof sql,
           "SELECT v FROM " PIPE_SQL_LISTS " WHERE k = %" PRIu64, key);
  const enum outcome outcome = pipe_sql(session, sql, NULL, 0);
  if (outcome != OUTCOME_OK)
    return outcome;
  const char *text = answer_text(only_value(session));
  for (char *end; *(text += strspn(text, " ")); text = end) {
    const uint64_t value = strtoull(text, &end, 10);
    if (end == text)
      return pipe_no_number(session, "rows");
    value_list_push(list, value);
  }
  return OUTCOME_OK;
}

// ---- Rows

// Lists the rows of the answer.
static enum outcome list_rows(struct pipe_session *session,
                              const struct statement *statement,
                              struct row_list *rows) {
  const struct sql_rows_dialect *dialect = &pipe_target_of(session)->dialect;
  for (const struct json_value *r = json_first(session->answer.root, "rows"); r;
       r = r->next) {
    uint64_t row[TABLE_COLUMNS_MOST + 2];
    uint32_t n = 0;
    for (const struct json_value *v = r->first;
         v && n < sizeof row / sizeof *row; v = v->next)
      if (!answer_whole(v, &row[n++]))
        return pipe_no_number(session, "rows");
    if (n < 2)
      return pipe_no_number(session, "rows");
    sql_rows_add(rows, dialect, statement, (int64_t)row[0], (int64_t)row[1],
                 (const int64_t *)row + 2, n - 2);
  }
  return OUTCOME_OK;
}

// The text with what it gives back as SELECT ... FROM FINAL TABLE, to be freed.
// NULL: as it is.
static char *as_delta(const struct pipe_session *session, const char *text,
                      const struct statement *statement) {
  static const char returning[] = " RETURNING ";
  const char *cut = strstr(text, returning);
  if (!cut || pipe_target_of(session)->effects != EFFECTS_DELTA)
    return NULL;
  return xasprintf("SELECT %s FROM %s TABLE (%.*s)", cut + strlen(returning),
                   statement->sort == STATEMENT_DELETE ? "OLD" : "FINAL",
                   (int)(cut - text), text);
}

// Some databases answer a statement that writes with a row that counts.
static bool gives_rows(const struct sql_rows_dialect *dialect,
                       enum sql_rows_part part,
                       const struct statement *statement) {
  return part != SQL_ROWS_CHANGE || !statement_writes(statement->sort) ||
         !(dialect->after || dialect->plain);
}

static enum outcome ask_pipe(struct connection *connection,
                             enum sql_rows_part part,
                             const struct statement *statement, uint64_t stamp,
                             struct row_list *rows, uint64_t *count) {
  struct pipe_session *session = of(connection);
  const struct pipe_target *target = pipe_target_of(session);
  int64_t values[SQL_ROWS_SOURCES];
  const struct sql_rows_form *form =
      sql_rows_part(&session->rows, &target->dialect, PIPE_SQL_BASE,
                    target->tables, statement, part);
  char *delta = as_delta(session, form->text, statement);
  sql_rows_values(form, statement, stamp, values);
  const enum outcome outcome =
      pipe_sql(session, delta ? delta : form->text, values, form->nsources);
  free(delta);
  if (outcome != OUTCOME_OK)
    return outcome;
  rows->refused = json_is_true(session->answer.root, "refused");
  *count = rows->refused ? 0 : pipe_sql_count(session);
  return gives_rows(&target->dialect, part, statement)
             ? list_rows(session, statement, rows)
             : OUTCOME_OK;
}

static enum outcome execute(struct connection *connection,
                            const struct statement *statement, uint64_t stamp,
                            struct row_list *rows) {
  const struct pipe_session *session = of(connection);
  const struct sql_rows_dialect *dialect = &pipe_target_of(session)->dialect;
  const struct sql_after after = {
      .ask = ask_pipe, .dialect = dialect, .claimed = session->claimed};
  uint64_t count;
  const enum outcome outcome =
      dialect->after
          ? sql_after_execute(&after, connection, statement, stamp, rows)
          : ask_pipe(connection, SQL_ROWS_CHANGE, statement, stamp, rows,
                     &count);
  if (outcome != OUTCOME_OK)
    return outcome;
  if (statement_inserts(statement->sort) &&
      sql_rows_insert_is_silent(dialect) && count)
    sql_rows_add_inserted(rows, statement);
  sql_rows_end(rows, dialect, statement);
  return outcome;
}

void pipe_fill_sql(struct pipe *pipe) {
  struct driver *driver = &pipe->base;
  driver->get = get;
  driver->put = put;
  driver->append = append;
  driver->get_list = get_list;
  driver->cas = NULL;
  driver->execute = execute;
  driver->setup_tables = pipe_setup;
  driver->sql = pipe_sql_step;
  driver->executes = 1u << STATEMENT_SELECT | 1u << STATEMENT_LOCKING_SELECT |
                     1u << STATEMENT_INSERT | 1u << STATEMENT_UPDATE |
                     1u << STATEMENT_DELETE;
  // There is no word for INSERT or nothing that all databases have.
  const char *const *nothing = pipe->hello.sql.dialect.nothing;
  if (*nothing[0] || *nothing[1])
    driver->executes |= 1u << STATEMENT_INSERT_NEW;
}

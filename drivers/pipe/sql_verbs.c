// SPDX-License-Identifier: GPL-3.0-or-later
// Keys, lists and rows of a database with SQL, by a pipe (drivers/pipe/pipe.h).
//
// Where hello says that there is no RETURNING, the effect of a statement is
// read in its transaction: an UPDATE puts a stamp of its own on each row that
// it writes, by which they are found right after it; a DELETE is preceded by a
// SELECT of its condition, which at snapshot isolation and above sees the rows
// that it deletes (below that, deletes are soft: UPDATEs).  The statement's own
// count must agree, else the transaction is given up.
#include "config.h"

#include "drivers/pipe/pipe.h"

#include "base/memory.h"

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

// Lists the rows of the answer, and how many they are.
static enum outcome list_rows(struct pipe_session *session,
                              const struct statement *statement,
                              struct row_list *rows, uint64_t *count) {
  const struct sql_rows_dialect *dialect = &session->pipe->hello.sql.dialect;
  *count = 0;
  for (const struct json_value *r = json_first(session->answer.root, "rows"); r;
       r = r->next, (*count)++) {
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

// A statement of a form, with the columns that it gives back apart.
struct composed {
  const struct sql_rows_form *form;
  int64_t values[SQL_ROWS_SOURCES];
  char *plain;      // without what it gives back
  const char *what; // the columns; NULL: it gives back nothing, or as it is
};

static void compose(struct composed *composed,
                    const struct sql_rows_form *form) {
  static const char returning[] = " RETURNING ";
  const char *cut = strstr(form->text, returning);
  *composed = (struct composed){.form = form};
  if (!cut)
    return;
  composed->plain = xasprintf("%.*s", (int)(cut - form->text), form->text);
  composed->what = cut + strlen(returning);
}

static enum outcome give_up(struct pipe_session *session, uint64_t counted,
                            uint64_t seen) {
  struct connection *c = &session->base;
  c->cause = CAUSE_OTHER;
  snprintf(c->code, sizeof c->code, "count");
  snprintf(c->text, sizeof c->text,
           "a statement that changed %" PRIu64
           " rows by its count is seen to have changed %" PRIu64,
           counted, seen);
  return OUTCOME_ABORTED;
}

// As one statement.
static enum outcome execute_whole(struct pipe_session *session,
                                  const struct composed *composed,
                                  const struct statement *statement,
                                  struct row_list *rows) {
  char *delta = NULL;
  uint64_t count;
  if (composed->what && session->pipe->hello.sql.effects == EFFECTS_DELTA)
    delta = xasprintf("SELECT %s FROM %s TABLE (%s)", composed->what,
                      statement->sort == STATEMENT_DELETE ? "OLD" : "FINAL",
                      composed->plain);
  enum outcome outcome = pipe_sql(session, delta ? delta : composed->form->text,
                                  composed->values, composed->form->nsources);
  free(delta);
  if (outcome != OUTCOME_OK)
    return outcome;
  rows->refused = json_is_true(session->answer.root, "refused");
  return list_rows(session, statement, rows, &count);
}

// Lists the rows that a DELETE is going to delete.
static enum outcome look_before(struct pipe_session *session,
                                const struct composed *composed,
                                const struct statement *statement,
                                struct row_list *rows, uint64_t *seen) {
  char *look = xasprintf("SELECT %s FROM%s", composed->what,
                         composed->plain + strlen("DELETE FROM"));
  const enum outcome outcome =
      pipe_sql(session, look, composed->values, composed->form->nsources);
  free(look);
  return outcome == OUTCOME_OK ? list_rows(session, statement, rows, seen)
                               : outcome;
}

// Lists the rows that a statement has written.
static enum outcome look_behind(struct pipe_session *session,
                                const struct composed *composed,
                                const struct statement *statement,
                                uint64_t stamp, struct row_list *rows,
                                uint64_t *seen) {
  const struct pipe_target *target =
      (const struct pipe_target *)session->base.target;
  char *name = sql_rows_table(&session->pipe->hello.sql.dialect, PIPE_SQL_BASE,
                              &target->tables->table[statement->table]);
  char *look = xasprintf("SELECT %s FROM %s WHERE wid = %s", composed->what,
                         name, first_mark(session));
  const enum outcome outcome =
      pipe_sql(session, look, (const int64_t[]){(int64_t)stamp}, 1);
  FREE_EACH(name, look);
  return outcome == OUTCOME_OK ? list_rows(session, statement, rows, seen)
                               : outcome;
}

// As a statement without RETURNING, and a SELECT of what it does.
static enum outcome execute_apart(struct pipe_session *session,
                                  const struct composed *composed,
                                  const struct statement *statement,
                                  uint64_t stamp, struct row_list *rows) {
  const bool deletes = statement->sort == STATEMENT_DELETE &&
                       !session->pipe->hello.sql.dialect.soft;
  uint64_t seen = 0;
  enum outcome outcome =
      deletes ? look_before(session, composed, statement, rows, &seen)
              : OUTCOME_OK;
  if (outcome == OUTCOME_OK)
    outcome = pipe_sql(session, composed->plain, composed->values,
                       composed->form->nsources);
  if (outcome != OUTCOME_OK)
    return outcome;
  rows->refused = json_is_true(session->answer.root, "refused");
  const uint64_t count = rows->refused ? 0 : pipe_sql_count(session);
  if (!deletes && count)
    outcome = look_behind(session, composed, statement, stamp, rows, &seen);
  return outcome == OUTCOME_OK && count != seen ? give_up(session, count, seen)
                                                : outcome;
}

static enum outcome execute(struct connection *connection,
                            const struct statement *statement, uint64_t stamp,
                            struct row_list *rows) {
  struct pipe_session *session = of(connection);
  const struct pipe_target *target =
      (const struct pipe_target *)connection->target;
  const struct sql_rows_dialect *dialect = &session->pipe->hello.sql.dialect;
  struct composed composed;
  compose(&composed, sql_rows_form(&session->rows, dialect, PIPE_SQL_BASE,
                                   target->tables, statement));
  sql_rows_values(composed.form, statement, stamp, composed.values);
  const bool apart =
      composed.what && session->pipe->hello.sql.effects == EFFECTS_READ;
  const enum outcome outcome =
      apart ? execute_apart(session, &composed, statement, stamp, rows)
            : execute_whole(session, &composed, statement, rows);
  free(composed.plain);
  if (outcome == OUTCOME_OK)
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

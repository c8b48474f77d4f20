// SPDX-License-Identifier: GPL-3.0-or-later
// Statements of SQL that a driver by a pipe executes as they are, and the
// tables of a run: isostress composes all of them (drivers/pipe/PIPE.md).
#include "config.h"

#include "drivers/pipe/pipe.h"

#include "base/memory.h"
#include "drivers/rows.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// hello says how it is without the option.
const struct driver_option pipe_sql_options[2][2] = {
    {SQL_ROWS_INSTRUMENT, {0}}, {SQL_ROWS_INSTRUMENT_OR("after"), {0}}};

int pipe_sql_read(const struct hello *hello, struct pipe_target *target,
                  const char *instrument, struct error *error) {
  const struct hello_sql *sql = &hello->sql;
  const bool reads = sql->effects == EFFECTS_READ;
  target->dialect = sql->dialect;
  target->effects = sql->effects;
  if (sql_rows_read_instrument(instrument, &target->base, &target->dialect,
                               error))
    return -1;
  if (reads && !target->dialect.after && !target->dialect.plain)
    return error_set_usage(error,
                           "instrument=full is not possible: the driver does "
                           "not say \"returning\"; it can be after or reads");
  if (target->dialect.after)
    target->effects = EFFECTS_READ;
  target->dialect.soft = target->dialect.after && sql->weak;
  return 0;
}

#define NUMBER_MOST ((INT64_C(1) << 53) - 1)

// No number is above what drivers have to keep: one that means "to the end"
// means the same then.
static int64_t clamp(int64_t number) {
  return number > NUMBER_MOST ? NUMBER_MOST : number;
}

// The text with numbers in the places of $1, $2...; to be freed.
static char *put_numbers(const char *sql, const int64_t *values) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  while (*sql)
    if (*sql == '$' && isdigit((unsigned char)sql[1])) {
      char *end;
      fprintf(out, "%" PRId64, clamp(values[strtoul(sql + 1, &end, 10) - 1]));
      sql = end;
    } else {
      putc(*sql++, out);
    }
  fclose(out);
  return text;
}

static void put_parameters(struct request *request, const int64_t *values,
                           uint32_t nvalues) {
  char number[32];
  request_raw(request, ",\"params\":[", 11);
  for (uint32_t i = 0; i < nvalues; i++) {
    const int n = snprintf(number, sizeof number, "%s%" PRId64, i ? "," : "",
                           clamp(values[i]));
    request_raw(request, number, (size_t)n);
  }
  request_raw(request, "]", 1);
}

enum outcome pipe_sql(struct pipe_session *session, const char *sql,
                      const int64_t *values, uint32_t nvalues) {
  const bool inlined = nvalues && session->pipe->hello.sql.inlined;
  char *text = inlined ? put_numbers(sql, values) : NULL;
  pipe_request(session, "sql");
  request_text(&session->request, "sql", text ? text : sql);
  if (nvalues && !inlined)
    put_parameters(&session->request, values, nvalues);
  free(text);
  return pipe_call(session, false);
}

uint64_t pipe_sql_count(const struct pipe_session *session) {
  uint64_t count;
  return answer_whole(json_member(session->answer.root, "count"), &count)
             ? count
             : json_count(session->answer.root, "rows");
}

// The rows as one line of text, each value as the answer has it.
enum outcome pipe_sql_step(struct connection *connection, const char *statement,
                           char *rows, size_t room) {
  static const char *const words[] = {
      [JSON_NULL] = NULL, [JSON_FALSE] = "false", [JSON_TRUE] = "true"};
  struct pipe_session *session = (struct pipe_session *)connection;
  const enum outcome outcome = pipe_sql(session, statement, NULL, 0);
  rows[0] = '\0';
  for (const struct json_value *r = json_first(session->answer.root, "rows"); r;
       r = r->next) {
    int column = 0;
    for (const struct json_value *v = r->first; v; v = v->next)
      rows_add(rows, room, column++,
               v->type <= JSON_TRUE ? words[v->type] : answer_text(v));
  }
  return outcome;
}

// ---- Tables

// Executes a composed text, which is freed.
static int make_by(struct pipe_session *session, char *sql,
                   struct error *error) {
  const int failed = pipe_sql(session, sql, NULL, 0) != OUTCOME_OK;
  if (failed && !pipe_is_broken(session->pipe, error))
    error_set(error, "%.200s: %s", sql, session->base.text);
  free(sql);
  return failed ? -1 : 0;
}

static char *compose_keys(const char *name, uint64_t first, uint64_t end,
                          bool lists) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  fprintf(out, "INSERT INTO %s (k, v) VALUES ", name);
  for (uint64_t k = first; k < end; k++)
    fprintf(out, "%s(%" PRIu64 ", %s)", k > first ? ", " : "", k,
            lists ? "''" : "0");
  fclose(out);
  return text;
}

static int make_key_table(struct pipe_session *session,
                          const struct keyspace *keys, struct error *error) {
  const char *name = keys->lists ? PIPE_SQL_LISTS : PIPE_SQL_KEYS;
  const char *integer = pipe_target_of(session)->dialect.integer;
  if (make_by(session, xasprintf("DROP TABLE IF EXISTS %s", name), error) ||
      make_by(session,
              xasprintf("CREATE TABLE %s (k %s NOT NULL PRIMARY KEY, v %s NOT "
                        "NULL)",
                        name, integer,
                        keys->lists ? "VARCHAR(1000000)" : integer),
              error))
    return -1;
  const bool filled = keys->preload || keys->lists;
  for (uint64_t k = 0; filled && k < keys->nkeys; k += SQL_ROWS_BATCH) {
    const uint64_t left = keys->nkeys - k;
    const uint64_t end = k + (left < SQL_ROWS_BATCH ? left : SQL_ROWS_BATCH);
    if (make_by(session, compose_keys(name, k, end, keys->lists), error))
      return -1;
  }
  return 0;
}

static int make_row_table(struct pipe_session *session,
                          const struct table_spec *table, struct error *error) {
  const struct sql_rows_dialect *dialect = &pipe_target_of(session)->dialect;
  char *name = sql_rows_table(dialect, PIPE_SQL_BASE, table);
  char *drop = xasprintf("DROP TABLE IF EXISTS %s", name);
  free(name);
  if (make_by(session, drop, error) ||
      make_by(session, sql_rows_create(dialect, PIPE_SQL_BASE, table), error))
    return -1;
  const uint64_t nrows = table_first_rows(table);
  for (uint64_t first = 0; first < nrows; first += SQL_ROWS_BATCH) {
    const uint64_t left = nrows - first;
    const uint64_t end =
        first + (left < SQL_ROWS_BATCH ? left : SQL_ROWS_BATCH);
    if (make_by(session,
                sql_rows_fill(dialect, PIPE_SQL_BASE, table, first, end),
                error))
      return -1;
  }
  return 0;
}

int pipe_sql_setup(struct pipe_session *session, const struct keyspace *keys,
                   struct error *error) {
  if (!keys->tables)
    return make_key_table(session, keys, error);
  for (uint32_t t = 0; t < keys->tables->ntables; t++)
    if (make_row_table(session, &keys->tables->table[t], error))
      return -1;
  return 0;
}

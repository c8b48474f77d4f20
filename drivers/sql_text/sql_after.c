// SPDX-License-Identifier: GPL-3.0-or-later
// SELECTs beside a statement say what it did (drivers/sql_text/sql_after.h).
#include "config.h"

#include "drivers/sql_text/sql_after.h"

#include <inttypes.h>
#include <stdio.h>

static enum outcome give_up(struct connection *c, const char *code,
                            const char *text) {
  c->cause = CAUSE_OTHER;
  snprintf(c->code, sizeof c->code, "%s", code);
  snprintf(c->text, sizeof c->text, "%s", text);
  return OUTCOME_ABORTED;
}

static enum outcome give_up_count(struct connection *c, uint64_t counted,
                                  uint64_t seen) {
  char text[sizeof c->text];
  snprintf(text, sizeof text,
           "a statement that changed %" PRIu64
           " rows by its count is seen to have changed %" PRIu64,
           counted, seen);
  return give_up(c, "count", text);
}

static bool has_any_of(const struct row_list *list,
                       const struct row_list *rows) {
  for (uint32_t i = 0; i < list->count; i++)
    for (uint32_t j = 0; j < rows->count; j++)
      if (list->rows[i].key == rows->rows[j].key)
        return true;
  return false;
}

static enum outcome check_that_they_went(const struct sql_after *after,
                                         struct connection *c,
                                         const struct statement *statement,
                                         uint64_t stamp,
                                         const struct row_list *rows) {
  struct row_list left = {0};
  uint64_t unused;
  enum outcome outcome =
      after->ask(c, SQL_ROWS_BEFORE, statement, stamp, &left, &unused);
  if (outcome == OUTCOME_OK && has_any_of(&left, rows))
    outcome = give_up(c, "count",
                      "a row that a DELETE had found, and that its "
                      "count has, is there behind it");
  row_list_free(&left);
  return outcome;
}

static enum outcome delete_rows(const struct sql_after *after,
                                struct connection *c,
                                const struct statement *statement,
                                uint64_t stamp, struct row_list *rows) {
  const bool locks = after->claimed < ISOLATION_SI;
  struct row_list nothing = {0};
  uint64_t count;
  if (locks && !*after->dialect->lock)
    return give_up(c, "delete",
                   "instrument=after does not tell what a DELETE deletes at "
                   "this level; use deletes=soft");
  enum outcome outcome =
      after->ask(c, locks ? SQL_ROWS_LOCKED : SQL_ROWS_BEFORE, statement, stamp,
                 rows, &count);
  if (outcome == OUTCOME_OK)
    outcome =
        after->ask(c, SQL_ROWS_CHANGE, statement, stamp, &nothing, &count);
  row_list_free(&nothing);
  if (outcome != OUTCOME_OK)
    return outcome;
  if (count != rows->count)
    return give_up_count(c, count, rows->count);
  return count ? check_that_they_went(after, c, statement, stamp, rows)
               : OUTCOME_OK;
}

static enum outcome write_rows(const struct sql_after *after,
                               struct connection *c,
                               const struct statement *statement,
                               uint64_t stamp, struct row_list *rows) {
  uint64_t count, unused;
  enum outcome outcome =
      after->ask(c, SQL_ROWS_CHANGE, statement, stamp, rows, &count);
  if (outcome == OUTCOME_OK && !rows->refused)
    outcome = after->ask(c, SQL_ROWS_BEHIND, statement, stamp, rows, &unused);
  return outcome != OUTCOME_OK || rows->refused || count == rows->count
             ? outcome
             : give_up_count(c, count, rows->count);
}

enum outcome sql_after_execute(const struct sql_after *after,
                               struct connection *connection,
                               const struct statement *statement,
                               uint64_t stamp, struct row_list *rows) {
  uint64_t unused;
  if (!statement_writes(statement->sort))
    return after->ask(connection, SQL_ROWS_CHANGE, statement, stamp, rows,
                      &unused);
  return (statement->sort == STATEMENT_DELETE && !after->dialect->soft
              ? delete_rows
              : write_rows)(after, connection, statement, stamp, rows);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// MariaDB and MySQL with pipeline=yes: START TRANSACTION, the operations and
// COMMIT are sent as the statements of one query, whose answers come together,
// so that a transaction takes one round trip.  Only a compare-and-set has to
// wait for what was read before, and what follows it for whether it took place.
// The server skips what follows an error, COMMIT included.
#include "config.h"

#include "drivers/driver.h"
#include "drivers/mysql_codes.h"
#include "drivers/mysql_session.h"
#include "drivers/mysql_target.h"

#include <assert.h>
#include <endian.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct driver mysqldb_pipelined_driver;

// The subject of an answer: an operation of the plan, or one of these.
enum { ABOUT_BEGIN = -1, ABOUT_COMMIT = -2 };

// A transaction under way, and the query that is being composed for it in the
// session's buffer.
struct batch {
  struct mysqldb_session *session;
  struct plan *plan;
  struct value_list *lists;
  size_t length;                   // of the query
  uint32_t nstatements;            // in it
  int16_t about[PLAN_MAX_OPS + 2]; // by statement
  enum outcome outcome;            // of the transaction, as far as is known
  uint64_t nrows;                  // that the last statement wrote or returned
};

// ---- Composing

static char *room_for(struct batch *batch, size_t more) {
  struct mysqldb_session *session = batch->session;
  while (batch->length + more > session->query_room) {
    session->query_room = 2 * (session->query_room + 500);
    session->query = xrealloc(session->query, session->query_room, 1);
  }
  return session->query + batch->length;
}

static void add(struct batch *batch, const char *text, size_t length) {
  memcpy(room_for(batch, length), text, length);
  batch->length += length;
}

static void begin_statement(struct batch *batch, int16_t about) {
  assert(batch->nstatements < PLAN_MAX_OPS + 2);
  if (batch->nstatements)
    add(batch, ";", 1);
  batch->about[batch->nstatements++] = about;
}

static void add_statement(struct batch *batch, int16_t about,
                          const char *text) {
  begin_statement(batch, about);
  add(batch, text, strlen(text));
}

// Values are below 2^63, whatever they are called (base/operation.h).
static void add_parameter(struct batch *batch, char parameter, uint64_t row,
                          uint64_t value, uint64_t expected) {
  enum { ROOM = 24 };
  const uint64_t number = parameter == 'r'   ? row
                          : parameter == 'e' ? expected
                                             : value;
  batch->length += (size_t)snprintf(room_for(batch, ROOM), ROOM,
                                    parameter == 'b' ? "x'%016llx'" : "%llu",
                                    (unsigned long long)number);
}

// The text of a statement is made once per session.
static const char *text_of(struct mysqldb_session *session,
                           enum mysqldb_statement statement,
                           const struct sql_cell *cell) {
  const struct sql_shape *shape = &mysqldb_of(session->base.target)->shape;
  char **text = &session->texts[sql_statement_number(shape, statement, cell)];
  if (!*text)
    *text = mysqldb_text(shape, statement, cell->table, cell->column);
  return *text;
}

static void add_operation(struct batch *batch, uint32_t i,
                          enum mysqldb_statement statement, uint64_t expected) {
  const struct operation *op = &batch->plan->ops[i];
  const struct sql_shape *shape =
      &mysqldb_of(batch->session->base.target)->shape;
  const struct sql_cell cell = sql_cell(shape, op->key);
  const char *text = text_of(batch->session, statement, &cell);
  const char *parameter = mysqldb_parameters(shape, statement);
  begin_statement(batch, (int16_t)i);
  for (const char *mark; (mark = strchr(text, '?')); text = mark + 1) {
    add(batch, text, (size_t)(mark - text));
    add_parameter(batch, *parameter++, cell.row, op->value, expected);
  }
  add(batch, text, strlen(text));
}

// ---- Answers

static void take_value(struct operation *op, struct value_list *list,
                       const char *bytes, unsigned long length) {
  if (op->kind != OP_READ_LIST) {
    op->value = bytes ? strtoull(bytes, NULL, 10) : VALUE_INITIAL;
    return;
  }
  for (unsigned long at = 0; bytes && at + 8 <= length; at += 8) {
    uint64_t encoded;
    memcpy(&encoded, bytes + at, sizeof encoded);
    value_list_push(list, be64toh(encoded));
  }
}

// A write that turns out to have missed its row may be committed with the rest.
static enum outcome check_write(struct batch *batch, uint32_t i) {
  const struct operation *op = &batch->plan->ops[i];
  if (op->kind == OP_CAS || batch->nrows)
    return OUTCOME_OK;
  return mysqldb_refused(batch->session, OUTCOME_UNKNOWN, "no row",
                         "the row of key %llu is gone",
                         (unsigned long long)op->key);
}

// The result of one statement; false if it could not be read.
static bool take_result(struct batch *batch, int16_t about) {
  MYSQL *mysql = batch->session->mysql;
  MYSQL_RES *rows = mysql_store_result(mysql);
  batch->nrows = mysql_affected_rows(mysql);
  if (!rows) {
    if (mysql_field_count(mysql))
      return false;
    if (about >= 0)
      batch->outcome = check_write(batch, (uint32_t)about);
    return true;
  }
  const MYSQL_ROW row = mysql_fetch_row(rows);
  if (about >= 0)
    take_value(&batch->plan->ops[about], &batch->lists[about],
               row ? row[0] : NULL, row ? mysql_fetch_lengths(rows)[0] : 0);
  mysql_free_result(rows);
  return true;
}

// An error that the server sends ends the query; one that the library finds
// says nothing about the statements that were not answered yet.
static enum outcome take_failure(struct batch *batch, uint32_t i) {
  struct mysqldb_session *session = batch->session;
  const unsigned number = mysql_errno(session->mysql);
  if (!number) { // and so nothing is known of the others
    session->base.broken = true;
    return mysqldb_refused(session, OUTCOME_UNKNOWN, "answers",
                           "the server answered %u of %u statements", i,
                           batch->nstatements);
  }
  const bool from_commit =
      batch->about[i] == ABOUT_COMMIT ||
      (mysqldb_found_by_library(number) &&
       batch->about[batch->nstatements - 1] == ABOUT_COMMIT);
  return mysqldb_failed(session, number, mysql_error(session->mysql),
                        from_commit);
}

// A transaction that the server has left without being asked may have been
// committed piece by piece.
static enum outcome check_open(struct batch *batch) {
  return mysqldb_in_transaction(batch->session)
             ? OUTCOME_OK
             : mysqldb_refused(batch->session, OUTCOME_UNKNOWN, "COMMIT",
                               "the server had left the transaction before it "
                               "was asked to commit");
}

static bool next_result(MYSQL *mysql) {
  return mysql_more_results(mysql) && !mysql_next_result(mysql);
}

// Sends what was composed and takes the answers; true if all went well.
static bool collect(struct batch *batch) {
  MYSQL *mysql = batch->session->mysql;
  enum outcome first = OUTCOME_OK;
  bool there = !mysql_real_query(mysql, batch->session->query, batch->length);
  for (uint32_t i = 0; i < batch->nstatements; i++) {
    if (i) {
      if (batch->about[i] == ABOUT_COMMIT && first == OUTCOME_OK)
        first = check_open(batch);
      there = next_result(mysql);
    }
    if (!there || !take_result(batch, batch->about[i])) {
      if (first == OUTCOME_OK || mysqldb_found_by_library(mysql_errno(mysql)))
        first = take_failure(batch, i);
      break;
    }
    if (first == OUTCOME_OK)
      first = batch->outcome;
  }
  batch->outcome = first;
  batch->nstatements = 0;
  batch->length = 0;
  return first == OUTCOME_OK;
}

// ---- Transactions

static enum mysqldb_statement statement_of(const struct mysqldb_target *target,
                                           const struct operation *op) {
  switch (op->kind) {
  case OP_WRITE:
    return mysqldb_put(target, op->key);
  case OP_APPEND:
    return MYSQLDB_APPEND;
  default:
    return MYSQLDB_GET;
  }
}

// As a statement of its own, whose answer is waited for.
static bool ask(struct batch *batch, uint32_t i,
                enum mysqldb_statement statement, uint64_t expected) {
  add_operation(batch, i, statement, expected);
  return collect(batch);
}

// False if the expected value was not there: the operation is now a read of
// what was, with a lock, as without pipeline (drivers/mysql.c).
static bool compare_and_set(struct batch *batch, uint32_t i) {
  const struct mysqldb_target *target = mysqldb_of(batch->session->base.target);
  struct operation *op = &batch->plan->ops[i];
  const struct operation asked = *op;
  const uint64_t expected = plan_expected(batch->plan, op);
  const bool absent = expected == VALUE_INITIAL && op->key >= target->preloaded;
  if (batch->nstatements && !collect(batch))
    return true;
  for (;;) {
    *op = asked;
    if (absent && (!ask(batch, i, MYSQLDB_INSERT, expected) || batch->nrows))
      return true;
    if (!ask(batch, i, MYSQLDB_REPLACE, expected) || batch->nrows)
      return true;
    op->kind = OP_READ;
    if (!ask(batch, i, MYSQLDB_GET_LOCKED, expected) || op->value != expected)
      return false;
  }
}

static void add_operations(struct batch *batch) {
  const struct mysqldb_target *target = mysqldb_of(batch->session->base.target);
  bool refused = false;
  for (uint32_t i = batch->plan->first;
       i < batch->plan->nops && batch->outcome == OUTCOME_OK; i++) {
    struct operation *op = &batch->plan->ops[i];
    if (refused && op_writes(op->kind))
      op->kind = OP_READ;
    if (op->kind == OP_CAS)
      refused = !compare_and_set(batch, i);
    else
      add_operation(batch, i, statement_of(target, op), 0);
  }
}

// Leaves no transaction open.
static void roll_back(struct mysqldb_session *session) {
  if (!session->base.broken && !mysqldb_ask(session, "ROLLBACK"))
    session->base.broken = true; // closing rolls back
}

static enum outcome transact(struct connection *connection,
                             const struct driver_level *level,
                             struct plan *plan, struct value_list *lists) {
  struct batch batch = {.session = mysqldb_session_of(connection),
                        .plan = plan,
                        .lists = lists,
                        .outcome = OUTCOME_OK};
  if (!mysqldb_set_level(batch.session, level))
    return mysqldb_failed(batch.session, mysql_errno(batch.session->mysql),
                          mysql_error(batch.session->mysql), false);
  add_statement(&batch, ABOUT_BEGIN, "START TRANSACTION");
  add_operations(&batch);
  if (batch.outcome == OUTCOME_OK) {
    add_statement(&batch, ABOUT_COMMIT, "COMMIT");
    collect(&batch);
  }
  if (batch.outcome != OUTCOME_OK)
    roll_back(batch.session);
  return batch.outcome;
}

const struct driver mysqldb_pipelined_driver = {
    .abi = DRIVER_ABI,
    .name = "mysql",
    .summary = "a MariaDB or MySQL server, a query per transaction",
    .example = "mysql://user:password@localhost/test?pipeline=yes",
    .options = mysqldb_options,
    .levels = mysqldb_levels,
    .hosts = true,
    .open = mysqldb_open,
    .close = mysqldb_close,
    .setup = mysqldb_setup,
    .follow = mysqldb_follow,
    .clean = mysqldb_clean,
    .describe = mysqldb_describe,
    .connect = mysqldb_open_session,
    .disconnect = mysqldb_close_session,
    .transacts = OP_ALL_KINDS,
    .transact = transact,
};

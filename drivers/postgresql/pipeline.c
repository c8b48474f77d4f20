// SPDX-License-Identifier: GPL-3.0-or-later
// PostgreSQL with pipeline=yes: BEGIN, the operations and COMMIT are sent
// together and then their answers are read, so that a transaction takes one
// round trip.  Only a compare-and-set has to wait for what was read before, and
// what follows it for whether it took place.
#include "config.h"

#include "drivers/driver.h"
#include "drivers/postgresql/keeps.h"
#include "drivers/postgresql/resolve.h"
#include "drivers/postgresql/session.h"
#include "drivers/postgresql/target.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

extern const struct driver postgresql_pipelined_driver;

// The subject of an answer: an operation, or one of these.
enum {
  ABOUT_BEGIN = -1,
  ABOUT_COMMIT = -2,
  ABOUT_PREPARING = -3,
  ABOUT_TOKEN = -4
};

// A transaction under way; statements that were sent and not answered yet.
struct batch {
  struct postgresql_session *session;
  struct plan *plan;
  struct value_list *lists;
  uint32_t nsent;
  int16_t about[PLAN_MAX_OPS + 2]; // operation of the plan, or ABOUT_...
  enum outcome outcome;            // of the transaction, as far as is known
  bool wrote;                      // the last answer's statement wrote a row
};

static void note_sent(struct batch *batch, int16_t about) {
  assert(batch->nsent < PLAN_MAX_OPS + 2);
  batch->about[batch->nsent++] = about;
}

// ---- Answers

// The value or the list of an operation, or whether it wrote.  A write that
// turns out to have missed its row may be committed with the rest.
static enum outcome take_batch_operation(struct batch *batch, uint32_t i,
                                         const PGresult *result) {
  struct operation *op = &batch->plan->ops[i];
  batch->wrote = postgresql_wrote(result);
  if (op->kind == OP_READ)
    op->value = postgresql_value(result);
  else if (op->kind == OP_READ_LIST)
    postgresql_list(result, &batch->lists[i]);
  else if (op->kind != OP_CAS)
    return postgresql_check_write(batch->session, result, OUTCOME_UNKNOWN,
                                  op->key, op->value);
  return OUTCOME_OK;
}

static enum outcome take_answer(struct batch *batch, int16_t about,
                                const PGresult *result) {
  if (about == ABOUT_COMMIT)
    return postgresql_take_commit(batch->session, result);
  if (about >= 0)
    return take_batch_operation(batch, (uint32_t)about, result);
  if (about == ABOUT_TOKEN)
    postgresql_take_token(batch->session, result);
  return OUTCOME_OK;
}

// The answer to one statement: its result, and the end of it.  NULL: lost.
static PGresult *next_answer(struct postgresql_session *session) {
  PGresult *result = postgresql_await(session) || !session->base.broken
                         ? PQgetResult(session->pg)
                         : NULL;
  if (result && PQresultStatus(result) != PGRES_PIPELINE_SYNC &&
      postgresql_await(session))
    PQclear(PQgetResult(session->pg));
  return result;
}

static bool sent_commit(const struct batch *batch, uint32_t from) {
  return from < batch->nsent && batch->about[batch->nsent - 1] == ABOUT_COMMIT;
}

// The server skips what follows an error, COMMIT included; so this is the only
// thing that is unknown: a loss after all that was answered went well.
static void take_failure(struct batch *batch, uint32_t i, PGresult *result) {
  const bool lost = !result || !PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const bool from_commit =
      batch->about[i] == ABOUT_COMMIT || (lost && sent_commit(batch, i));
  batch->outcome = postgresql_failed(batch->session, result, from_commit);
}

// Reads the answers to all that was sent; true if all went well.
static bool collect(struct batch *batch) {
  struct postgresql_session *session = batch->session;
  PQpipelineSync(session->pg);
  for (uint32_t i = 0; i < batch->nsent; i++) {
    PGresult *result = session->base.broken ? NULL : next_answer(session);
    if (batch->outcome != OUTCOME_OK) {
      PQclear(result);
    } else if (!result || !postgresql_succeeded(result)) {
      take_failure(batch, i, result);
    } else {
      batch->outcome = take_answer(batch, batch->about[i], result);
      PQclear(result);
    }
  }
  batch->nsent = 0;
  if (!session->base.broken)
    PQclear(next_answer(session)); // to the sync
  return batch->outcome == OUTCOME_OK;
}

// ---- Statements

static enum postgresql_statement
statement_of_operation(const struct postgresql_target *target,
                       const struct operation *op, uint64_t expected) {
  switch (op->kind) {
  case OP_WRITE:
    return postgresql_put(target, op->key);
  case OP_APPEND:
    return POSTGRESQL_APPEND;
  case OP_CAS:
    return postgresql_cas(expected);
  default:
    return POSTGRESQL_GET;
  }
}

static void send_operation(struct batch *batch, uint32_t i) {
  const struct postgresql_target *target =
      postgresql_of(batch->session->base.target);
  const struct operation *op = &batch->plan->ops[i];
  const uint64_t expected =
      op->kind == OP_CAS ? plan_expected(batch->plan, op) : VALUE_INITIAL;
  const enum postgresql_statement statement =
      statement_of_operation(target, op, expected);
  const struct sql_cell cell = sql_cell(&target->shape, op->key);
  char name[POSTGRESQL_NAME_ROOM];
  postgresql_name(batch->session, statement, &cell, name);
  const uint64_t values[] = {cell.row, op->value, expected};
  postgresql_send(batch->session, name, postgresql_nparameters(statement),
                  values);
  note_sent(batch, (int16_t)i);
}

static bool prepare_now(struct batch *batch,
                        enum postgresql_statement statement,
                        const struct sql_cell *cell) {
  bool *prepared = postgresql_is_prepared(batch->session, statement, cell);
  if (*prepared)
    return true;
  postgresql_send_prepare(batch->session, statement, cell);
  note_sent(batch, ABOUT_PREPARING);
  *prepared = collect(batch);
  return *prepared;
}

// Everything that the plan may execute, before it begins.
static bool prepare_operations(struct batch *batch) {
  const struct postgresql_target *target =
      postgresql_of(batch->session->base.target);
  for (uint32_t i = batch->plan->first; i < batch->plan->nops; i++) {
    const struct operation *op = &batch->plan->ops[i];
    const struct sql_cell cell = sql_cell(&target->shape, op->key);
    if (op->kind == OP_CAS) {
      if (!prepare_now(batch, POSTGRESQL_GET, &cell) ||
          !prepare_now(batch, POSTGRESQL_REPLACE_INITIAL, &cell) ||
          !prepare_now(batch, POSTGRESQL_REPLACE_VALUE, &cell))
        return false;
    } else if (!prepare_now(batch, statement_of_operation(target, op, 0),
                            &cell) ||
               (op->kind == OP_WRITE &&
                !prepare_now(batch, POSTGRESQL_GET, &cell))) {
      return false;
    }
  }
  return true;
}

static bool prepare_begin(struct batch *batch,
                          const struct driver_level *level) {
  bool *prepared = &batch->session->begin_prepared[level - postgresql_levels];
  if (*prepared)
    return true;
  postgresql_send_prepare_begin(batch->session, level);
  note_sent(batch, ABOUT_PREPARING);
  *prepared = collect(batch);
  return *prepared;
}

// ---- Transactions

// False if the expected value was not there: the operation is now a read of
// what was.  Below repeatable read it may have arrived in between; then it is
// worth another attempt.
static bool compare_and_set_in_batch(struct batch *batch, uint32_t i) {
  struct operation *op = &batch->plan->ops[i];
  const struct operation asked = *op;
  if (!collect(batch))
    return true;
  const uint64_t expected = plan_expected(batch->plan, op);
  for (;;) {
    *op = asked;
    send_operation(batch, i);
    if (!collect(batch) || batch->wrote)
      return true;
    op->kind = OP_READ;
    send_operation(batch, i);
    if (!collect(batch) || op->value != expected)
      return false;
  }
}

static void execute(struct batch *batch) {
  bool refused = false;
  for (uint32_t i = batch->plan->first;
       i < batch->plan->nops && batch->outcome == OUTCOME_OK; i++) {
    struct operation *op = &batch->plan->ops[i];
    if (refused && op_writes(op->kind))
      op->kind = OP_READ;
    if (op->kind == OP_CAS)
      refused = !compare_and_set_in_batch(batch, i);
    else
      send_operation(batch, i);
  }
}

// Leaves no transaction open, and keeps what was noted about the failure.
static void roll_batch_back(struct batch *batch) {
  struct postgresql_session *session = batch->session;
  if (session->base.broken || PQtransactionStatus(session->pg) == PQTRANS_IDLE)
    return;
  struct connection why = session->base;
  const enum outcome outcome = batch->outcome;
  PQsendQueryParams(session->pg, "ROLLBACK", 0, NULL, NULL, NULL, NULL, 0);
  note_sent(batch, ABOUT_BEGIN);
  batch->outcome = OUTCOME_OK;
  if (!collect(batch))
    why.broken = true; // closing rolls back
  batch->outcome = outcome;
  session->base = why;
}

// The number of the transaction has to be here before COMMIT is sent, or it may
// be lost with the answer to it.
static void note_token(struct batch *batch) {
  struct connection *base = &batch->session->base;
  base->token[0] = base->token[1] = 0;
  if (!base->target->resolves)
    return;
  PQsendQueryParams(batch->session->pg, POSTGRESQL_TOKEN, 0, NULL, NULL, NULL,
                    NULL, 1);
  note_sent(batch, ABOUT_TOKEN);
  collect(batch);
}

static enum outcome transact(struct connection *connection,
                             const struct driver_level *level,
                             struct plan *plan, struct value_list *lists) {
  struct batch batch = {.session = postgresql_session_of(connection),
                        .plan = plan,
                        .lists = lists,
                        .outcome = OUTCOME_OK};
  if (!prepare_begin(&batch, level) || !prepare_operations(&batch))
    return OUTCOME_ABORTED;
  const char name[] = {'b', (char)('0' + (level - postgresql_levels)), '\0'};
  postgresql_send(batch.session, name, 0, NULL);
  note_sent(&batch, ABOUT_BEGIN);
  execute(&batch);
  if (batch.outcome == OUTCOME_OK)
    note_token(&batch);
  if (batch.outcome == OUTCOME_OK) {
    postgresql_expect_commit(batch.session);
    postgresql_send(batch.session, "commit", 0, NULL);
    note_sent(&batch, ABOUT_COMMIT);
    collect(&batch);
  }
  if (batch.outcome != OUTCOME_OK)
    roll_batch_back(&batch);
  return batch.outcome;
}

const struct driver postgresql_pipelined_driver = {
    .abi = DRIVER_ABI,
    .name = "postgresql",
    .summary = "a PostgreSQL server, in pipeline mode",
    .example = "postgresql://user:password@localhost/test?pipeline=yes",
    .options = postgresql_options,
    .levels = postgresql_levels,
    .hosts = true,
    .open = postgresql_open,
    .close = postgresql_close,
    .setup = postgresql_setup,
    .follow = postgresql_follow,
    .clean = postgresql_clean,
    .describe = postgresql_describe,
    .keeps = postgresql_keeps,
    .connect = postgresql_open_session,
    .disconnect = postgresql_close_session,
    .transacts = OP_ALL_KINDS,
    .transact = transact,
    .resolve = postgresql_resolve,
};

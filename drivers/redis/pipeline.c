// SPDX-License-Identifier: GPL-3.0-or-later
// Redis with pipeline=yes: the reads of a transaction, MULTI, its writes and
// EXEC are sent together and then their answers are read, so that it takes one
// round trip.  Only a compare-and-set has to wait for what was read before.
#include "config.h"

#include "drivers/driver.h"
#include "drivers/redis/exec.h"
#include "drivers/redis/keeps.h"
#include "drivers/redis/session.h"
#include "drivers/redis/target.h"

#include <assert.h>

extern const struct driver redis_pipelined_driver;

// A transaction under way.  Operations from `next` on have not been answered.
struct flight {
  struct redis_session *session;
  struct plan *plan;
  struct value_list *lists;
  uint32_t next;
  bool asked[PLAN_MAX_OPS];       // the server, and not what we write ourselves
  uint32_t nwrites[PLAN_MAX_OPS]; // that stand before the operation
  bool failed;                    // a read, which was noted
};

// ---- Reads

static void send_read(struct flight *flight, uint32_t i) {
  struct redis_session *session = flight->session;
  struct operation *op = &flight->plan->ops[i];
  flight->nwrites[i] = session->nwrites;
  if (op->kind == OP_READ_LIST) {
    redis_send_read(session, "LRANGE", op->key, "0", "-1");
    flight->asked[i] = true;
  } else if (!redis_own_value(session, op->key, &op->value)) {
    redis_send_read(session, "GET", op->key, NULL, NULL);
    flight->asked[i] = true;
  }
}

static void take_flight_value(struct flight *flight, uint32_t i,
                              const redisReply *reply) {
  struct redis_session *session = flight->session;
  struct operation *op = &flight->plan->ops[i];
  if (op->kind != OP_READ_LIST) {
    flight->failed |= !redis_take_value(session, reply, op->key, &op->value);
    return;
  }
  flight->failed |=
      !redis_take_list(session, reply, op->key, &flight->lists[i]);
  redis_own_elements(session, op->key, flight->nwrites[i], &flight->lists[i]);
}

static bool is_flight_lost(const struct flight *flight) {
  return flight->session->redis->err;
}

// Answers to the reads before operation `end`.
static void take_reads(struct flight *flight, uint32_t end) {
  for (; flight->next < end && !is_flight_lost(flight); flight->next++) {
    if (!flight->asked[flight->next])
      continue;
    redisReply *reply = redis_take_read(flight->session);
    if (reply && !flight->failed)
      take_flight_value(flight, flight->next, reply);
    flight->failed |= !reply;
    freeReplyObject(reply);
  }
}

// ---- Transactions

// False if the expected value was not there: the operation is now a read of
// what was.
static bool compare_and_set_in_flight(struct flight *flight, uint32_t i) {
  struct operation *op = &flight->plan->ops[i];
  const uint64_t value = op->value;
  send_read(flight, i);
  take_reads(flight, i + 1);
  if (flight->failed)
    return false;
  if (op->value != plan_expected(flight->plan, op)) {
    op->kind = OP_READ;
    return false;
  }
  op->value = value;
  redis_keep_write(flight->session, op->key, value, false);
  return true;
}

static void send_operations(struct flight *flight) {
  bool refused = false;
  for (uint32_t i = flight->plan->first;
       i < flight->plan->nops && !flight->failed; i++) {
    struct operation *op = &flight->plan->ops[i];
    if (refused && op_writes(op->kind))
      op->kind = OP_READ;
    if (op->kind == OP_CAS)
      refused = !compare_and_set_in_flight(flight, i);
    else if (op_writes(op->kind))
      redis_keep_write(flight->session, op->key, op->value,
                       op->kind == OP_APPEND);
    else
      send_read(flight, i);
  }
}

// A failed read has noted the reason, unless EXEC has a worse one:
// the writes may have been made.
static enum outcome take_flight_exec(struct flight *flight) {
  struct redis_session *session = flight->session;
  const struct connection why = session->base;
  const enum outcome outcome = redis_take_exec(session);
  if (!flight->failed || outcome == OUTCOME_UNKNOWN)
    return outcome;
  session->base = why;
  return outcome == OUTCOME_OK && session->nwrites ? OUTCOME_UNKNOWN
                                                   : OUTCOME_ABORTED;
}

static enum outcome execute(struct flight *flight) {
  struct redis_session *session = flight->session;
  send_operations(flight);
  if (flight->failed) // EXEC was not sent
    return redis_unwatch(session);
  const bool exec = session->watched || session->nwrites;
  if (exec)
    redis_send_exec(session);
  take_reads(flight, flight->plan->nops);
  if (is_flight_lost(flight))
    return redis_lost_exec(session);
  if (exec)
    return take_flight_exec(flight);
  return flight->failed ? OUTCOME_ABORTED : OUTCOME_OK;
}

static enum outcome transact(struct connection *connection,
                             const struct driver_level *level,
                             struct plan *plan, struct value_list *lists) {
  struct flight flight = {.session = redis_session_of(connection),
                          .plan = plan,
                          .lists = lists,
                          .next = plan->first};
  assert(!flight.session->nwrites && !flight.session->watched);
  connection->refused = NULL;
  flight.session->watches = level == &redis_levels[REDIS_WATCH];
  const enum outcome outcome = execute(&flight);
  flight.session->nwrites = 0;
  flight.session->watched = false;
  return outcome;
}

const struct driver redis_pipelined_driver = {
    .abi = DRIVER_ABI,
    .name = "redis",
    .summary = "a Redis server, a round trip per transaction",
    .example = "redis://:password@localhost:6379/0?pipeline=yes",
    .options = redis_options,
    .levels = redis_levels,
    .hosts = true,
    .open = redis_open,
    .close = redis_close,
    .setup = redis_setup,
    .follow = redis_follow,
    .clean = redis_clean,
    .describe = redis_describe,
    .keeps = redis_keeps,
    .connect = redis_open_session,
    .disconnect = redis_close_session,
    .transacts = OP_ALL_KINDS,
    .transact = transact,
};

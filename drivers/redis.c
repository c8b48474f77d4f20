// SPDX-License-Identifier: GPL-3.0-or-later
// Redis: reads go to the server at once, writes are kept until commit and sent
// between MULTI and EXEC.  Opening and setup are in redis_target.c.
#include "config.h"

#include "drivers/driver.h"
#include "drivers/redis_exec.h"
#include "drivers/redis_session.h"
#include "drivers/redis_target.h"

#include <assert.h>

extern const struct driver redis_driver;

// With WATCH, EXEC fails if a key that was read has been touched since, so that
// a transaction happens as a whole at its EXEC.  Without it, nothing relates
// the writes to what was read before.
const struct driver_level redis_levels[REDIS_LEVELS + 1] = {
    [REDIS_WATCH] = {"watch", ISOLATION_SER},
    [REDIS_MULTI] = {"multi", ISOLATION_NONE},
    {0},
};

// ---- Transactions

static enum outcome begin(struct connection *connection,
                          const struct driver_level *level) {
  struct redis_session *session = redis_session_of(connection);
  assert(!session->nwrites && !session->watched);
  connection->refused = NULL;
  session->watches = level == &redis_levels[REDIS_WATCH];
  return OUTCOME_OK;
}

static enum outcome rollback(struct connection *connection) {
  struct redis_session *session = redis_session_of(connection);
  redis_unwatch(session);
  session->nwrites = 0;
  session->watched = false;
  return connection->broken ? OUTCOME_ABORTED : OUTCOME_OK;
}

static enum outcome commit(struct connection *connection) {
  struct redis_session *session = redis_session_of(connection);
  const bool needed = session->watched || session->nwrites;
  if (needed)
    redis_send_exec(session);
  const enum outcome outcome = needed ? redis_take_exec(session) : OUTCOME_OK;
  session->nwrites = 0;
  session->watched = false;
  return outcome;
}

// ---- Operations

static enum outcome get(struct connection *connection, uint64_t key,
                        uint64_t *value) {
  struct redis_session *session = redis_session_of(connection);
  if (redis_own_value(session, key, value))
    return OUTCOME_OK;
  redis_send_read(session, "GET", key, NULL, NULL);
  redisReply *reply = redis_take_read(session);
  const bool taken = reply && redis_take_value(session, reply, key, value);
  freeReplyObject(reply);
  return taken ? OUTCOME_OK : OUTCOME_ABORTED;
}

static enum outcome get_list(struct connection *connection, uint64_t key,
                             struct value_list *list) {
  struct redis_session *session = redis_session_of(connection);
  redis_send_read(session, "LRANGE", key, "0", "-1");
  redisReply *reply = redis_take_read(session);
  const bool taken = reply && redis_take_list(session, reply, key, list);
  freeReplyObject(reply);
  if (taken)
    redis_own_elements(session, key, session->nwrites, list);
  return taken ? OUTCOME_OK : OUTCOME_ABORTED;
}

static enum outcome put(struct connection *connection, uint64_t key,
                        uint64_t value) {
  redis_keep_write(redis_session_of(connection), key, value, false);
  return OUTCOME_OK;
}

static enum outcome append(struct connection *connection, uint64_t key,
                           uint64_t value) {
  redis_keep_write(redis_session_of(connection), key, value, true);
  return OUTCOME_OK;
}

static enum outcome cas(struct connection *connection, uint64_t key,
                        uint64_t expected, uint64_t value, uint64_t *found) {
  const enum outcome outcome = get(connection, key, found);
  return outcome == OUTCOME_OK && *found == expected
             ? put(connection, key, value)
             : outcome;
}

const struct driver redis_driver = {
    .abi = DRIVER_ABI,
    .name = "redis",
    .summary = "a Redis server, by MULTI and EXEC with or without WATCH",
    .example = "redis://:password@localhost:6379/0",
    .options = redis_options,
    .levels = redis_levels,
    .hosts = true,
    .open = redis_open,
    .close = redis_close,
    .setup = redis_setup,
    .follow = redis_follow,
    .describe = redis_describe,
    .connect = redis_open_session,
    .disconnect = redis_close_session,
    .begin = begin,
    .commit = commit,
    .rollback = rollback,
    .get = get,
    .put = put,
    .append = append,
    .get_list = get_list,
    .cas = cas,
};

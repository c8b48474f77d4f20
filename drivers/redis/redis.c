// SPDX-License-Identifier: GPL-3.0-or-later
// Redis: reads go to the server at once, writes are kept until commit and sent
// between MULTI and EXEC.  Opening and setup are in redis_target.c.
#include "config.h"

#include "drivers/driver.h"
#include "drivers/redis/exec.h"
#include "drivers/redis/keeps.h"
#include "drivers/redis/session.h"
#include "drivers/redis/target.h"
#include "drivers/rows.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

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
  if (session->commanded && !connection->broken) // perhaps by MULTI
    freeReplyObject(redisCommand(session->redis, "DISCARD"));
  session->commanded = false;
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
  session->commanded = false;
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

// ---- Commands of a step script

// An error within the answer to EXEC is shown by its first word.
static void put_reply(char *rows, size_t room, const redisReply *reply) {
  char number[24];
  switch (reply->type) {
  case REDIS_REPLY_ARRAY:
    for (size_t i = 0; i < reply->elements; i++)
      put_reply(rows, room, reply->element[i]);
    break;
  case REDIS_REPLY_INTEGER:
    snprintf(number, sizeof number, "%lld", reply->integer);
    rows_add(rows, room, 0, number);
    break;
  case REDIS_REPLY_ERROR:
    reply->str[strcspn(reply->str, " ")] = '\0';
    rows_add(rows, room, 0, reply->str);
    break;
  default:
    rows_add(rows, room, 0, reply->type == REDIS_REPLY_NIL ? NULL : reply->str);
  }
}

static enum outcome command(struct connection *connection, const char *text,
                            char *rows, size_t room) {
  struct redis_session *session = redis_session_of(connection);
  enum { WORDS = 64 };
  const char *words[WORDS];
  size_t lengths[WORDS];
  int n = 0;
  rows[0] = '\0';
  for (text += strspn(text, " "); *text && n < WORDS;
       text += strspn(text, " ")) {
    words[n] = text;
    lengths[n] = strcspn(text, " ");
    text += lengths[n++];
  }
  if (!n || *text)
    return redis_refused(session, OUTCOME_ABORTED, "ERR",
                         "a command has 1 to %d words", WORDS);
  session->commanded = true;
  redisAppendCommandArgv(session->redis, n, words, lengths);
  redisReply *reply = redis_answer(session->redis);
  const bool succeeded = redis_succeeded(reply);
  if (succeeded)
    put_reply(rows, room, reply);
  else
    redis_failed(session, reply);
  freeReplyObject(reply);
  return succeeded ? OUTCOME_OK : OUTCOME_ABORTED;
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
    .clean = redis_clean,
    .describe = redis_describe,
    .keeps = redis_keeps,
    .connect = redis_open_session,
    .disconnect = redis_close_session,
    .takes_writes = redis_takes_writes,
    .begin = begin,
    .commit = commit,
    .rollback = rollback,
    .get = get,
    .put = put,
    .append = append,
    .get_list = get_list,
    .cas = cas,
    .command = command,
};

// SPDX-License-Identifier: GPL-3.0-or-later
// Redis: reads go to the server at once, writes are kept until commit and sent
// between MULTI and EXEC.  Opening and setup are in redis_target.c.
#include "config.h"

#include "drivers/driver.h"
#include "drivers/redis_codes.h"
#include "drivers/redis_session.h"
#include "drivers/redis_target.h"

#include <assert.h>
#include <stdarg.h>
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

static const char *prefix_of(const struct redis_session *session) {
  return redis_of(session->base.target)->prefix;
}

static enum outcome refused(struct redis_session *session, enum outcome outcome,
                            const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// Notes a reason of our own, with the connection still fine.
static enum outcome refused(struct redis_session *session, enum outcome outcome,
                            const char *code, const char *format, ...) {
  struct connection *base = &session->base;
  va_list list;
  base->cause = CAUSE_OTHER;
  snprintf(base->code, sizeof base->code, "%s", code);
  va_start(list, format);
  vsnprintf(base->text, sizeof base->text, format, list);
  va_end(list);
  return outcome;
}

// ---- Transactions

static enum outcome begin(struct connection *connection,
                          const struct driver_level *level) {
  struct redis_session *session = redis_session_of(connection);
  assert(!session->nwrites && !session->watched);
  session->watches = level == &redis_levels[REDIS_WATCH];
  return OUTCOME_OK;
}

static enum outcome rollback(struct connection *connection) {
  struct redis_session *session = redis_session_of(connection);
  const bool watched = session->watched;
  session->nwrites = 0;
  session->watched = false;
  if (!watched)
    return OUTCOME_OK;
  redisReply *reply = redisCommand(session->redis, "UNWATCH");
  const enum outcome outcome =
      redis_succeeded(reply) ? OUTCOME_OK : redis_failed(session, reply);
  freeReplyObject(reply);
  connection->broken |= outcome != OUTCOME_OK; // closing ends the watch
  return outcome;
}

static void send_transaction(struct redis_session *session) {
  redisAppendCommand(session->redis, "MULTI");
  for (uint32_t i = 0; i < session->nwrites; i++) {
    const struct redis_write *write = &session->writes[i];
    char value[24];
    snprintf(value, sizeof value, "%llu", (unsigned long long)write->value);
    redis_send(session->redis, prefix_of(session),
               write->append ? "RPUSH" : "SET", write->key, value, NULL);
  }
  redisAppendCommand(session->redis, "EXEC");
}

// The answers before the one to EXEC.  Notes the first error, and says how many
// commands were not queued but executed, as would happen if MULTI alone were
// refused; -1 if the connection is lost.
static int take_queued(struct redis_session *session, bool *failed) {
  int executed = 0;
  for (uint32_t i = 0; i < session->nwrites + 1; i++) {
    redisReply *reply = redis_answer(session->redis);
    if (!reply)
      return -1;
    if (reply->type == REDIS_REPLY_ERROR && !*failed) {
      redis_failed(session, reply);
      *failed = true;
    }
    executed +=
        i && reply->type != REDIS_REPLY_ERROR &&
        (reply->type != REDIS_REPLY_STATUS || strcmp(reply->str, "QUEUED"));
    freeReplyObject(reply);
  }
  return executed;
}

// A command that fails inside EXEC does not undo the others: then the
// transaction is neither committed as it was meant nor aborted.
static enum outcome take_results(struct redis_session *session,
                                 const redisReply *reply) {
  size_t nfailed = 0;
  for (size_t i = 0; i < reply->elements; i++)
    if (reply->element[i]->type == REDIS_REPLY_ERROR && !nfailed++)
      redis_failed(session, reply->element[i]);
  if (!nfailed && reply->elements == session->nwrites)
    return OUTCOME_OK;
  if (nfailed == reply->elements && nfailed == session->nwrites)
    return OUTCOME_ABORTED;
  if (!nfailed)
    return refused(session, OUTCOME_UNKNOWN, "EXEC",
                   "EXEC returned %zu results for %u commands", reply->elements,
                   session->nwrites);
  const struct connection why = session->base;
  return refused(session, OUTCOME_UNKNOWN, why.code,
                 "%zu of %u commands failed inside EXEC, and the others took "
                 "effect: %.120s",
                 nfailed, session->nwrites, why.text);
}

// `failed` says that the reason has been noted already.
static enum outcome take_exec(struct redis_session *session,
                              const redisReply *reply, bool failed) {
  switch (reply->type) {
  case REDIS_REPLY_ARRAY:
    return take_results(session, reply);
  case REDIS_REPLY_NIL:
    refused(session, OUTCOME_ABORTED, "EXEC nil",
            "a watched key was changed before EXEC");
    session->base.cause = CAUSE_SERIALIZATION;
    return OUTCOME_ABORTED;
  case REDIS_REPLY_ERROR:
    if (!failed)
      redis_failed(session, reply);
    return redis_code(reply->str)->from_exec;
  default:
    return refused(session, OUTCOME_UNKNOWN, "EXEC",
                   "EXEC was answered with something else");
  }
}

// A transaction without writes has no effect that could be unknown.
static enum outcome lost_exec(struct redis_session *session) {
  redis_failed(session, NULL);
  return session->nwrites ? OUTCOME_UNKNOWN : OUTCOME_ABORTED;
}

static enum outcome execute(struct redis_session *session) {
  bool failed = false;
  send_transaction(session);
  const int executed = take_queued(session, &failed);
  redisReply *reply = executed < 0 ? NULL : redis_answer(session->redis);
  if (!reply)
    return lost_exec(session);
  const enum outcome outcome = take_exec(session, reply, failed);
  freeReplyObject(reply);
  if (executed)
    return refused(session, OUTCOME_UNKNOWN, "MULTI",
                   "%d commands were executed outside of the transaction",
                   executed);
  return outcome;
}

static enum outcome commit(struct connection *connection) {
  struct redis_session *session = redis_session_of(connection);
  const enum outcome outcome =
      session->watched || session->nwrites ? execute(session) : OUTCOME_OK;
  session->nwrites = 0;
  session->watched = false;
  return outcome;
}

// ---- Operations

// Watches a key if the level does, and sends a command that reads it; NULL if
// that failed, which is then noted.
static redisReply *read_key(struct redis_session *session, const char *command,
                            uint64_t key, const char *from, const char *to) {
  redisContext *redis = session->redis;
  redisReply *watch = NULL;
  if (session->watches)
    redis_send(redis, prefix_of(session), "WATCH", key, NULL, NULL);
  redis_send(redis, prefix_of(session), command, key, from, to);
  bool failed = false;
  if (session->watches) {
    session->watched = true;
    watch = redis_answer(redis);
    failed = !redis_succeeded(watch);
    if (failed)
      redis_failed(session, watch);
  }
  const bool lost = session->watches && !watch;
  freeReplyObject(watch);
  redisReply *reply = lost ? NULL : redis_answer(redis);
  if (!failed && redis_succeeded(reply))
    return reply;
  if (!failed)
    redis_failed(session, reply);
  freeReplyObject(reply);
  return NULL;
}

// The last value that this transaction is going to write, if any.
static bool own_value(const struct redis_session *session, uint64_t key,
                      uint64_t *value) {
  for (uint32_t i = session->nwrites; i-- > 0;)
    if (session->writes[i].key == key) {
      *value = session->writes[i].value;
      return true;
    }
  return false;
}

static enum outcome get(struct connection *connection, uint64_t key,
                        uint64_t *value) {
  struct redis_session *session = redis_session_of(connection);
  if (own_value(session, key, value))
    return OUTCOME_OK;
  redisReply *reply = read_key(session, "GET", key, NULL, NULL);
  if (!reply)
    return OUTCOME_ABORTED;
  const bool valid = redis_number(reply, value);
  freeReplyObject(reply);
  return valid ? OUTCOME_OK
               : refused(session, OUTCOME_ABORTED, "GET",
                         "key %llu does not hold a number",
                         (unsigned long long)key);
}

static enum outcome get_list(struct connection *connection, uint64_t key,
                             struct value_list *list) {
  struct redis_session *session = redis_session_of(connection);
  redisReply *reply = read_key(session, "LRANGE", key, "0", "-1");
  if (!reply)
    return OUTCOME_ABORTED;
  bool valid = reply->type == REDIS_REPLY_ARRAY;
  for (size_t i = 0; valid && i < reply->elements; i++) {
    uint64_t value;
    valid = redis_number(reply->element[i], &value);
    if (valid)
      value_list_push(list, value);
  }
  freeReplyObject(reply);
  for (uint32_t i = 0; i < session->nwrites; i++)
    if (session->writes[i].key == key)
      value_list_push(list, session->writes[i].value);
  return valid ? OUTCOME_OK
               : refused(session, OUTCOME_ABORTED, "LRANGE",
                         "key %llu does not hold a list of numbers",
                         (unsigned long long)key);
}

static enum outcome keep_write(struct connection *connection, uint64_t key,
                               uint64_t value, bool append) {
  struct redis_session *session = redis_session_of(connection);
  ARRAY_RESERVE(session->writes, session->nwrites, session->room);
  session->writes[session->nwrites++] =
      (struct redis_write){key, value, append};
  return OUTCOME_OK;
}

static enum outcome put(struct connection *connection, uint64_t key,
                        uint64_t value) {
  return keep_write(connection, key, value, false);
}

static enum outcome append(struct connection *connection, uint64_t key,
                           uint64_t value) {
  return keep_write(connection, key, value, true);
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

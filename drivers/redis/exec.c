// SPDX-License-Identifier: GPL-3.0-or-later
// MULTI and EXEC (drivers/redis/exec.h).
#include "config.h"

#include "drivers/redis/exec.h"

#include "drivers/redis/codes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum outcome redis_refused(struct redis_session *session, enum outcome outcome,
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

// ---- Writes

void redis_keep_write(struct redis_session *session, uint64_t key,
                      uint64_t value, bool append) {
  ARRAY_RESERVE(session->writes, session->nwrites, session->room);
  session->writes[session->nwrites++] =
      (struct redis_write){key, value, append, false};
}

bool redis_own_value(struct redis_session *session, uint64_t key,
                     uint64_t *value) {
  for (uint32_t i = session->nwrites; i-- > 0;)
    if (session->writes[i].key == key) {
      *value = session->writes[i].value;
      session->writes[i].seen = true;
      return true;
    }
  return false;
}

void redis_own_elements(struct redis_session *session, uint64_t key,
                        uint32_t nwrites, struct value_list *list) {
  for (uint32_t i = 0; i < nwrites; i++)
    if (session->writes[i].key == key) {
      value_list_push(list, session->writes[i].value);
      session->writes[i].seen = true;
    }
}

// ---- Reads

void redis_send_read(struct redis_session *session, const char *command,
                     uint64_t key, const char *from, const char *to) {
  if (session->watches)
    redis_send(session->redis, redis_prefix(session), "WATCH", key, NULL, NULL);
  session->watched |= session->watches;
  redis_send(session->redis, redis_prefix(session), command, key, from, to);
}

redisReply *redis_take_read(struct redis_session *session) {
  redisContext *redis = session->redis;
  redisReply *watch = session->watches ? redis_answer(redis) : NULL;
  const bool lost = session->watches && !watch;
  const bool failed = session->watches && !redis_succeeded(watch);
  if (failed)
    redis_failed(session, watch);
  freeReplyObject(watch);
  redisReply *reply = lost ? NULL : redis_answer(redis);
  if (!failed && redis_succeeded(reply))
    return reply;
  if (!failed)
    redis_failed(session, reply);
  freeReplyObject(reply);
  return NULL;
}

bool redis_take_value(struct redis_session *session, const redisReply *reply,
                      uint64_t key, uint64_t *value) {
  if (redis_number(reply, value))
    return true;
  redis_refused(session, OUTCOME_ABORTED, "GET",
                "key %llu does not hold a number", (unsigned long long)key);
  return false;
}

bool redis_take_list(struct redis_session *session, const redisReply *reply,
                     uint64_t key, struct value_list *list) {
  bool valid = reply->type == REDIS_REPLY_ARRAY;
  for (size_t i = 0; valid && i < reply->elements; i++) {
    uint64_t value;
    valid = redis_number(reply->element[i], &value);
    if (valid)
      value_list_push(list, value);
  }
  if (!valid)
    redis_refused(session, OUTCOME_ABORTED, "LRANGE",
                  "key %llu does not hold a list of numbers",
                  (unsigned long long)key);
  return valid;
}

// ---- MULTI and EXEC

enum outcome redis_unwatch(struct redis_session *session) {
  const struct connection why = session->base;
  redisReply *reply = session->watched && !why.broken
                          ? redisCommand(session->redis, "UNWATCH")
                          : NULL;
  const bool failed =
      session->watched && !why.broken && !redis_succeeded(reply);
  freeReplyObject(reply);
  session->base = why;
  session->base.broken |= failed; // closing ends the watch
  return OUTCOME_ABORTED;
}

void redis_send_exec(struct redis_session *session) {
  redisAppendCommand(session->redis, "MULTI");
  for (uint32_t i = 0; i < session->nwrites; i++) {
    const struct redis_write *write = &session->writes[i];
    char value[24];
    snprintf(value, sizeof value, "%llu", (unsigned long long)write->value);
    redis_send(session->redis, redis_prefix(session),
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

// A command that fails inside EXEC does not undo the others: the transaction
// committed without it.  If the transaction has read what it was to write,
// which no server ever held, it is neither committed as it was meant nor
// aborted.
static enum outcome take_parts(struct redis_session *session,
                               const redisReply *reply, size_t nfailed) {
  const struct connection why = session->base;
  bool seen = false;
  if (session->refused_room < session->nwrites) {
    session->refused_room = session->room;
    session->refused = xrealloc(session->refused, session->refused_room,
                                sizeof *session->refused);
  }
  for (uint32_t i = 0; i < session->nwrites; i++) {
    session->refused[i] = reply->element[i]->type == REDIS_REPLY_ERROR;
    seen |= session->refused[i] && session->writes[i].seen;
  }
  session->base.refused = seen ? NULL : session->refused;
  return redis_refused(
      session, seen ? OUTCOME_UNKNOWN : OUTCOME_OK, why.code,
      "%zu of %u commands failed inside EXEC, and the others took "
      "effect: %.120s",
      nfailed, session->nwrites, why.text);
}

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
  if (reply->elements != session->nwrites)
    return redis_refused(session, OUTCOME_UNKNOWN, "EXEC",
                         "EXEC returned %zu results for %u commands",
                         reply->elements, session->nwrites);
  return take_parts(session, reply, nfailed);
}

// `failed` says that the reason has been noted already.
static enum outcome take_exec_reply(struct redis_session *session,
                                    const redisReply *reply, bool failed) {
  switch (reply->type) {
  case REDIS_REPLY_ARRAY:
    return take_results(session, reply);
  case REDIS_REPLY_NIL:
    redis_refused(session, OUTCOME_ABORTED, "EXEC nil",
                  "a watched key was changed before EXEC");
    session->base.cause = CAUSE_SERIALIZATION;
    return OUTCOME_ABORTED;
  case REDIS_REPLY_ERROR:
    if (!failed)
      redis_failed(session, reply);
    return redis_code(reply->str)->from_exec;
  default:
    return redis_refused(session, OUTCOME_UNKNOWN, "EXEC",
                         "EXEC was answered with something else");
  }
}

// A transaction without writes has no effect that could be unknown.
enum outcome redis_lost_exec(struct redis_session *session) {
  redis_failed(session, NULL);
  return session->nwrites ? OUTCOME_UNKNOWN : OUTCOME_ABORTED;
}

enum outcome redis_take_exec(struct redis_session *session) {
  bool failed = false;
  const int executed = take_queued(session, &failed);
  redisReply *reply = executed < 0 ? NULL : redis_answer(session->redis);
  if (!reply)
    return redis_lost_exec(session);
  const enum outcome outcome = take_exec_reply(session, reply, failed);
  freeReplyObject(reply);
  if (executed)
    return redis_refused(session, OUTCOME_UNKNOWN, "MULTI",
                         "%d commands were executed outside of the transaction",
                         executed);
  return outcome;
}

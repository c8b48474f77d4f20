// SPDX-License-Identifier: GPL-3.0-or-later
// Connections to Redis through hiredis (drivers/redis/session.h).
#include "config.h"

#include "drivers/redis/session.h"

#include "drivers/redis/codes.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Commands and answers

void redis_send(redisContext *redis, const char *prefix, const char *command,
                uint64_t key, const char *value, const char *more) {
  char name[128];
  const int length =
      snprintf(name, sizeof name, "%s%llu", prefix, (unsigned long long)key);
  assert(length > 0 && (size_t)length < sizeof name);
  const char *words[] = {command, name, value, more};
  const size_t lengths[] = {strlen(command), (size_t)length,
                            value ? strlen(value) : 0, more ? strlen(more) : 0};
  const int count = !value ? 2 : !more ? 3 : 4;
  if (redisAppendCommandArgv(redis, count, words, lengths) != REDIS_OK &&
      redis->err == REDIS_ERR_OOM)
    out_of_memory(0);
}

redisReply *redis_answer(redisContext *redis) {
  void *reply = NULL;
  return redisGetReply(redis, &reply) == REDIS_OK ? reply : NULL;
}

bool redis_number(const redisReply *reply, uint64_t *number) {
  if (reply->type == REDIS_REPLY_NIL) {
    *number = VALUE_INITIAL;
    return true;
  }
  if (reply->type != REDIS_REPLY_STRING || !isdigit((unsigned char)*reply->str))
    return false;
  char *end;
  *number = strtoull(reply->str, &end, 10);
  return end == reply->str + reply->len;
}

// ---- Failures

static bool timed_out(const redisContext *redis, int error_number) {
  return redis->err == REDIS_ERR_IO &&
         (error_number == EAGAIN || error_number == EWOULDBLOCK ||
          error_number == ETIMEDOUT);
}

int redis_say(const struct redis_target *target, const redisContext *redis,
              const redisReply *reply, const char *what, struct error *error) {
  const bool late = !reply && timed_out(redis, errno);
  return error_set(error, "Redis at %s%s%s: %s", target->where,
                   *what ? ": " : "", what,
                   reply  ? reply->str
                   : late ? "no answer in time"
                          : redis->errstr);
}

static void note_redis_loss(struct redis_session *session, int error_number) {
  static const char *const codes[] = {
      [REDIS_ERR_IO] = "I/O",
      [REDIS_ERR_OTHER] = "other",
      [REDIS_ERR_EOF] = "EOF",
      [REDIS_ERR_PROTOCOL] = "protocol",
      [REDIS_ERR_OOM] = "out of memory",
  };
  const redisContext *redis = session->redis;
  struct connection *base = &session->base;
  const bool late = timed_out(redis, error_number);
  assert(redis->err > 0 && redis->err <= REDIS_ERR_OOM);
  base->cause = CAUSE_CONNECTION;
  base->broken = true;
  snprintf(base->code, sizeof base->code, "%s",
           late ? "timeout" : codes[redis->err]);
  if (late)
    snprintf(base->text, sizeof base->text, "no answer for %g s",
             redis_of(base->target)->timeout / 1e3);
  else
    snprintf(base->text, sizeof base->text, "%s", redis->errstr);
}

enum outcome redis_failed_as(struct redis_session *session, const char *words) {
  struct connection *base = &session->base;
  const char *reason = redis_reason(words);
  const struct redis_code *code = redis_code(reason);
  base->cause = code->cause;
  base->broken |= code->breaks;
  snprintf(base->code, sizeof base->code, "%.*s", (int)strcspn(reason, " "),
           reason);
  snprintf(base->text, sizeof base->text, "%.*s", (int)strcspn(reason, "\r\n"),
           reason);
  return OUTCOME_ABORTED;
}

enum outcome redis_failed(struct redis_session *session,
                          const redisReply *reply) {
  if (!reply) {
    note_redis_loss(session, errno);
    return OUTCOME_ABORTED;
  }
  assert(reply->type == REDIS_REPLY_ERROR);
  return redis_failed_as(session, reply->str);
}

// ---- Connections

// One command of the greeting; -1 with a sentence if it is refused.
static int ask_redis(const struct redis_target *target, redisContext *redis,
                     int n, const char **words, struct error *error) {
  redisReply *reply = redisCommandArgv(redis, n, words, NULL);
  const int failed =
      redis_succeeded(reply) ? 0 : redis_say(target, redis, reply, "", error);
  freeReplyObject(reply);
  return failed;
}

// Ends with a PING, which is refused by a server that has no data yet.
static int greet_redis(const struct redis_target *target, redisContext *redis,
                       struct error *error) {
  char db[16];
  snprintf(db, sizeof db, "%u", target->db);
  const char *user = target->authority.user, *password = target->password;
  const char *auth[] = {"AUTH", password, NULL};
  const char *login[] = {"AUTH", user ? user : "", password};
  const char *select[] = {"SELECT", db}, *ping[] = {"PING"};
  const bool named = user && *user;
  if (*password &&
      ask_redis(target, redis, named ? 3 : 2, named ? login : auth, error))
    return -1;
  if (target->db && ask_redis(target, redis, 2, select, error))
    return -1;
  return ask_redis(target, redis, 1, ping, error);
}

redisContext *redis_connect(const struct redis_target *target,
                            struct error *error) {
  const struct timeval timeout = {target->timeout / 1000,
                                  target->timeout % 1000 * 1000};
  const struct authority_host *host = target->authority.hosts;
  redisContext *redis =
      target->socket ? redisConnectUnixWithTimeout(target->socket, timeout)
                     : redisConnectWithTimeout(host->name, host->port, timeout);
  if (!redis)
    out_of_memory(0);
  if (redis->err)
    redis_say(target, redis, NULL, "", error);
  else if (!redisSetTimeout(redis, timeout) &&
           !greet_redis(target, redis, error))
    return redis;
  redisFree(redis);
  return NULL;
}

// A server that was started again without its data has lost the mark of the run
// (drivers/redis/target.c), and the session is about to write keys.  A replica
// refuses, and needs none.
static int mark_again(const struct redis_target *target, redisContext *redis,
                      struct error *error) {
  redisReply *reply =
      redisCommand(redis, "SET %s %s NX", target->prefix, REDIS_MARK);
  if (!reply)
    return redis_say(target, redis, NULL, "cannot set keys", error);
  freeReplyObject(reply);
  return 0;
}

int redis_open_session(struct target *target, uint32_t number,
                       struct connection **connection, struct error *error) {
  redisContext *redis = redis_connect(redis_of(target), error);
  if (!redis || mark_again(redis_of(target), redis, error)) {
    redisFree(redis);
    return -1;
  }
  struct redis_session *session = xcalloc(1, sizeof *session);
  session->base.target = target;
  session->base.session = number;
  session->redis = redis;
  *connection = &session->base;
  return 0;
}

void redis_close_session(struct connection *connection) {
  struct redis_session *session = redis_session_of(connection);
  redisFree(session->redis);
  free(session->writes);
  free(session->refused);
  free(session);
}

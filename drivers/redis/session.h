// SPDX-License-Identifier: GPL-3.0-or-later
// Connections to Redis: commands, answers and what failures mean.
#ifndef DRIVERS_REDIS_SESSION_H
#define DRIVERS_REDIS_SESSION_H

#include "drivers/authority.h"
#include "drivers/driver.h"

#include <hiredis/hiredis.h>

// The value of the prefix itself, so that setup never deletes foreign keys.
#define REDIS_MARK "made by isostress, which deletes it in its next run"

enum redis_level { REDIS_WATCH, REDIS_MULTI, REDIS_LEVELS };
extern const struct driver_level redis_levels[REDIS_LEVELS + 1];

struct redis_target {
  struct target base;
  struct authority authority; // of hosts, the first one is used
  const char *socket;         // path, or NULL
  const char *password;       // "" for none
  char *where;                // "127.0.0.1:6379", for sentences
  char *prefix;
  uint32_t db;
  bool pipeline;       // whole transactions are sent at once
  uint32_t timeout;    // ms
  redisContext *claim; // keeps the keys from other runs after setup; or NULL
};

// A write that EXEC will make.
struct redis_write {
  uint64_t key, value;
  bool append;
  bool seen; // by a read of the transaction
};

struct redis_session {
  struct connection base;
  redisContext *redis;
  bool watches;   // the level of the open transaction
  bool watched;   // WATCH was sent since it began
  bool commanded; // a command of a step script was executed since then
  struct redis_write *writes;
  uint32_t nwrites, room;
  bool *refused; // by EXEC; one per write
  uint32_t refused_room;
  char script[48]; // of lua.c: what the server calls it
};

static inline struct redis_target *redis_of(struct target *target) {
  return (struct redis_target *)target;
}
static inline struct redis_session *
redis_session_of(struct connection *connection) {
  return (struct redis_session *)connection;
}

static inline const char *redis_prefix(const struct redis_session *session) {
  return redis_of(session->base.target)->prefix;
}

// A connection that is logged in; NULL with a sentence.  Free with redisFree.
redisContext *redis_connect(const struct redis_target *target,
                            struct error *error);

// Queues a command about a key; `value` (may be NULL) and `more` follow it.
void redis_send(redisContext *redis, const char *prefix, const char *command,
                uint64_t key, const char *value, const char *more);

// The next answer; NULL if the connection is lost.  Free with freeReplyObject.
redisReply *redis_answer(redisContext *redis);

static inline bool redis_succeeded(const redisReply *reply) {
  return reply && reply->type != REDIS_REPLY_ERROR;
}

// -1 with a sentence that names the server and says why a command failed.
// `reply` may be NULL.
int redis_say(const struct redis_target *target, const redisContext *redis,
              const redisReply *reply, const char *what, struct error *error);

// Notes the loss of the connection, or the error that a reply is, and returns
// OUTCOME_ABORTED.
enum outcome redis_failed(struct redis_session *session,
                          const redisReply *reply);

// Notes the failure that the words of an error reply name.
enum outcome redis_failed_as(struct redis_session *session, const char *words);

// Reads a decimal number; false if the text is something else.
bool redis_number(const redisReply *reply, uint64_t *number);

int redis_open_session(struct target *target, uint32_t number,
                       struct connection **connection, struct error *error);
void redis_close_session(struct connection *connection);

#endif

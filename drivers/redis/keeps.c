// SPDX-License-Identifier: GPL-3.0-or-later
// The promises of Redis's settings about acknowledged commits
// (drivers/redis/keeps.h): the manual's pages on persistence and replication.
#include "config.h"

#include "drivers/redis/keeps.h"

#include "drivers/redis/session.h"
#include "drivers/redis/target.h"

#include <stdio.h>
#include <string.h>

static void add_redis_reason(char *text, size_t room, const char *words) {
  const size_t used = strlen(text);
  snprintf(text + used, room - used, "%s%s", used ? ", " : "", words);
}

// Is it set to this?  False if Redis does not say.
static bool is_set_to(redisContext *redis, const char *name, const char *value,
                      bool *known) {
  redisReply *reply = redisCommand(redis, "CONFIG GET %s", name);
  *known = reply && reply->type == REDIS_REPLY_ARRAY && reply->elements == 2;
  const bool is = *known && !strcmp(reply->element[1]->str, value);
  freeReplyObject(reply);
  return is;
}

static bool has_replicas(redisContext *redis) {
  redisReply *reply = redisCommand(redis, "ROLE");
  const bool has = reply && reply->type == REDIS_REPLY_ARRAY &&
                   reply->elements == 3 && reply->element[2]->elements > 0;
  freeReplyObject(reply);
  return has;
}

// A replica is told of a write after its client: replication is asynchronous
// whatever the settings.
enum keeps_commits redis_keeps(struct target *base, char *text, size_t room) {
  struct error error;
  bool known, all_known;
  *text = '\0';
  redisContext *redis = redis_connect(redis_of(base), &error);
  if (!redis)
    return KEEPS_UNKNOWN;
  if (!is_set_to(redis, "appendonly", "yes", &known) && known)
    add_redis_reason(text, room, "appendonly is not yes");
  all_known = known;
  if (!is_set_to(redis, "appendfsync", "always", &known) && known)
    add_redis_reason(text, room, "appendfsync is not always");
  all_known &= known;
  if (has_replicas(redis))
    add_redis_reason(text, room, "replicas are asynchronous");
  redisFree(redis);
  return *text ? KEEPS_NOT : all_known ? KEEPS_COMMITS : KEEPS_UNKNOWN;
}

bool redis_takes_writes(struct connection *connection) {
  redisReply *reply = redisCommand(redis_session_of(connection)->redis, "ROLE");
  const bool takes = reply && reply->type == REDIS_REPLY_ARRAY &&
                     reply->elements && reply->element[0]->str &&
                     !strcmp(reply->element[0]->str, "master");
  freeReplyObject(reply);
  return takes;
}

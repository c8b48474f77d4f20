// SPDX-License-Identifier: GPL-3.0-or-later
// From a URI to a server with fresh keys (drivers/redis/target.h).
#include "config.h"

#include "drivers/redis/target.h"

#include "drivers/claim.h"
#include "drivers/options.h"
#include "drivers/redis/session.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum option { PREFIX, DB, PIPELINE, TIMEOUT, OPTIONS };

enum { DEFAULT_PORT = 6379, MOST_DB = 65535, BATCH = 1000 };

const struct driver_option redis_options[OPTIONS + 1] = {
    [PREFIX] = {"prefix", "isostress:", "prefix of the names of keys"},
    [DB] = {"db", NULL, "number of the database; 0 unless the target says so"},
    [PIPELINE] = {"pipeline", "no",
                  "yes: sends each transaction as a whole, as far as no "
                  "operation depends on an earlier read"},
    [TIMEOUT] = {"timeout", "10s",
                 "how long to wait for an answer before the connection counts "
                 "as lost"},
    {0},
};

// ---- The target

// //HOST:PORT/DB, or the path of a socket.
static int read_redis_place(struct redis_target *target, const char *place,
                            struct error *error) {
  struct authority *authority = &target->authority;
  if (strncmp(place, "//", 2)) {
    if (*place != '/')
      return error_set_usage(error, "a Redis server is written "
                                    "redis://:PASSWORD@HOST:PORT/DB or "
                                    "redis:/PATH/OF/SOCKET");
    target->socket = arena_strdup(&authority->arena, place);
    target->where = xstrdup(place);
    return 0;
  }
  if (authority_read(authority, place, "127.0.0.1", DEFAULT_PORT, error))
    return -1;
  if (authority->nhosts > 1)
    return error_set_usage(error, "a Redis target has one host, and not %u",
                           authority->nhosts);
  target->where = authority_host_text(&authority->hosts[0]);
  return *authority->path ? option_number("db", authority->path, 0, MOST_DB,
                                          &target->db, error)
                          : 0;
}

static int read_redis_options(struct redis_target *target,
                              const char *const *values, struct error *error) {
  static const char *const answers[] = {"no", "yes", NULL};
  const int pipeline =
      option_choice("pipeline", values[PIPELINE], answers, error);
  target->pipeline = pipeline == 1;
  if (pipeline < 0 || option_prefix(values[PREFIX], "_-.:/{}", error) ||
      option_timeout(values[TIMEOUT], &target->timeout, error) ||
      (values[DB] &&
       option_number("db", values[DB], 0, MOST_DB, &target->db, error)))
    return -1;
  target->prefix = xstrdup(values[PREFIX]);
  return 0;
}

// redis-cli reads the same variable.
static const char *password_of(const struct redis_target *target) {
  const char *given = target->authority.password;
  const char *variable = getenv("REDISCLI_AUTH");
  return given && *given ? given : variable ? variable : "";
}

extern const struct driver redis_pipelined_driver;

int redis_open(const struct target_spec *spec, struct target **target,
               struct error *error) {
  struct redis_target *made = xcalloc(1, sizeof *made);
  if (read_redis_place(made, spec->place, error) ||
      read_redis_options(made, spec->values, error)) {
    redis_close(&made->base);
    return -1;
  }
  made->password = arena_strdup(&made->authority.arena, password_of(made));
  if (made->pipeline)
    made->base.driver = &redis_pipelined_driver;
  *target = &made->base;
  return 0;
}

static void release_keys(struct redis_target *target) {
  redisFree(target->claim);
  target->claim = NULL;
}

void redis_close(struct target *base) {
  struct redis_target *target = redis_of(base);
  release_keys(target);
  arena_free(&target->authority.arena);
  free(target->where);
  free(target->prefix);
  free(target);
}

// ---- Setup

static bool is_replica(redisContext *redis) {
  redisReply *reply = redisCommand(redis, "ROLE");
  const bool replica = reply && reply->type == REDIS_REPLY_ARRAY &&
                       reply->elements && reply->element[0]->str &&
                       !strcmp(reply->element[0]->str, "slave");
  freeReplyObject(reply);
  return replica;
}

static int refuse_replica(const struct redis_target *target,
                          redisContext *redis, struct error *error) {
  return is_replica(redis)
             ? error_set(error,
                         "Redis at %s is a read-only replica, on which no key "
                         "can be set; name the primary",
                         target->where)
             : 0;
}

// Reads `n` answers; -1 with a sentence if one of them is an error.
static int take_answers(const struct redis_target *target, redisContext *redis,
                        uint64_t n, const char *what, struct error *error) {
  int failed = 0;
  while (n--) {
    redisReply *reply = redis_answer(redis);
    if (!redis_succeeded(reply) && !failed)
      failed = redis_say(target, redis, reply, what, error);
    const bool lost = !reply;
    freeReplyObject(reply);
    if (lost)
      return -1;
  }
  return failed;
}

// Did an earlier run mark the prefix as ours?
static bool is_redis_marked(const struct redis_target *target,
                            redisContext *redis) {
  redisReply *reply = redisCommand(redis, "GET %s", target->prefix);
  const bool marked = reply && reply->type == REDIS_REPLY_STRING &&
                      !strncmp(reply->str, REDIS_MARK, strlen(REDIS_MARK));
  freeReplyObject(reply);
  return marked;
}

static int refuse_foreign(const struct redis_target *target, const char *name,
                          struct error *error) {
  return error_set(error,
                   "Redis at %s has a key %s that was not made by isostress; "
                   "choose other names with prefix=NAME",
                   target->where, name);
}

static bool is_key(const struct redis_target *target, const char *name) {
  const char *number = name + strlen(target->prefix);
  return *number && !number[strspn(number, "0123456789")];
}

// Deletes what one SCAN returned, as far as it is ours.
static int delete_some(const struct redis_target *target, redisContext *redis,
                       const redisReply *names, bool marked, uint64_t *removed,
                       struct error *error) {
  uint64_t n = 0;
  for (size_t i = 0; i < names->elements; i++) {
    const char *name = names->element[i]->str;
    if (!is_key(target, name))
      continue;
    if (!marked)
      return refuse_foreign(target, name, error);
    redisAppendCommand(redis, "UNLINK %s", name);
    n++;
  }
  *removed += n;
  return take_answers(target, redis, n, "cannot delete keys", error);
}

static int delete_redis_keys(const struct redis_target *target,
                             redisContext *redis, uint64_t *removed,
                             struct error *error) {
  *removed = 0;
  const bool marked = is_redis_marked(target, redis);
  char cursor[32] = "0";
  do {
    redisReply *reply = redisCommand(redis, "SCAN %s MATCH %s* COUNT %d",
                                     cursor, target->prefix, BATCH);
    int failed = 0;
    if (!redis_succeeded(reply) || reply->elements != 2)
      failed = redis_say(target, redis, reply, "cannot look for keys", error);
    else
      snprintf(cursor, sizeof cursor, "%s", reply->element[0]->str);
    failed = failed || delete_some(target, redis, reply->element[1], marked,
                                   removed, error);
    freeReplyObject(reply);
    if (failed)
      return -1;
  } while (strcmp(cursor, "0"));
  return 0;
}

static int make_redis_keys(const struct redis_target *target,
                           redisContext *redis, uint64_t nkeys,
                           struct error *error) {
  static const char what[] = "cannot set keys";
  redisAppendCommand(redis, "SET %s %s", target->prefix, REDIS_MARK);
  if (take_answers(target, redis, 1, what, error))
    return -1;
  for (uint64_t first = 0; first < nkeys; first += BATCH) {
    const uint64_t end = nkeys - first < BATCH ? nkeys : first + BATCH;
    for (uint64_t key = first; key < end; key++)
      redis_send(redis, target->prefix, "SET", key, "0", NULL);
    if (take_answers(target, redis, end - first, what, error))
      return -1;
  }
  return 0;
}

// The mark once all keys are there, for those who follow.
static char *redis_mark_of_run(const struct keyspace *keys) {
  return xasprintf(REDIS_MARK " (%llu)", (unsigned long long)keys->run);
}

static int mark_redis_keys(const struct redis_target *target,
                           redisContext *redis, const struct keyspace *keys,
                           struct error *error) {
  char *mark = redis_mark_of_run(keys);
  redisAppendCommand(redis, "SET %s %s", target->prefix, mark);
  free(mark);
  return take_answers(target, redis, 1, "cannot set keys", error);
}

// Has this connection the name?  Not a server's that does not let its clients
// be named.
static bool takes_name(redisContext *redis, const char *name) {
  redisReply *reply = redisCommand(redis, "CLIENT SETNAME %s", name);
  const bool taken = redis_succeeded(reply);
  freeReplyObject(reply);
  return taken;
}

// How many connections have this name, as far as that may be known: lines of
// "id=3 addr=127.0.0.1:41774 name=NAME age=0 ...".
static unsigned count_named(redisContext *redis, const char *name) {
  unsigned count = 0;
  char *word = xasprintf(" name=%s ", name);
  redisReply *reply = redisCommand(redis, "CLIENT LIST");
  const char *text =
      redis_succeeded(reply) && reply->str ? strstr(reply->str, word) : NULL;
  for (; text; text = strstr(text + 1, word))
    count++;
  freeReplyObject(reply);
  free(word);
  return count;
}

// For as long as the connection lives.  Whoever meets others steps back for a
// while: of two that begin at once, both may do so at first.
static int claim_redis_keys(const struct redis_target *target,
                            redisContext *redis, struct error *error) {
  char *name = xasprintf("isostress/%u/%s", target->db, target->prefix);
  char *server = xasprintf("Redis at %s", target->where);
  char *names = xasprintf("keys %s*", target->prefix);
  struct claim_wait wait = {.server = server, .names = names};
  bool taken;
  do {
    taken = takes_name(redis, name) && count_named(redis, name) > 1;
    if (taken)
      takes_name(redis, "-");
  } while (taken && claim_again(&wait));
  if (taken)
    claim_refuse(server, names, "prefix", false, error);
  free(names);
  free(server);
  free(name);
  return taken ? -1 : 0;
}

int redis_setup(struct target *base, const struct keyspace *keys,
                struct error *error) {
  struct redis_target *target = redis_of(base);
  release_keys(target);
  redisContext *redis = redis_connect(target, error);
  if (!redis)
    return -1;
  const uint64_t nkeys = keys->preload && !keys->lists ? keys->nkeys : 0;
  uint64_t removed;
  const int failed = refuse_replica(target, redis, error) ||
                     claim_redis_keys(target, redis, error) ||
                     delete_redis_keys(target, redis, &removed, error) ||
                     make_redis_keys(target, redis, nkeys, error) ||
                     mark_redis_keys(target, redis, keys, error);
  if (failed)
    redisFree(redis);
  else
    target->claim = redis;
  return failed ? -1 : 0;
}

int redis_clean(struct target *base, uint64_t *removed, struct error *error) {
  struct redis_target *target = redis_of(base);
  release_keys(target);
  target->claim = redis_connect(target, error);
  if (!target->claim || refuse_replica(target, target->claim, error) ||
      claim_redis_keys(target, target->claim, error) ||
      delete_redis_keys(target, target->claim, removed, error))
    return -1;
  if (!is_redis_marked(target, target->claim))
    return 0;
  redisAppendCommand(target->claim, "UNLINK %s", target->prefix);
  ++*removed;
  return take_answers(target, target->claim, 1, "cannot delete keys", error);
}

int redis_follow(struct target *base, const struct keyspace *keys,
                 struct error *error) {
  const struct redis_target *target = redis_of(base);
  redisContext *redis = redis_connect(target, error);
  if (!redis)
    return -1;
  char *mark = redis_mark_of_run(keys);
  redisReply *reply = redisCommand(redis, "GET %s", target->prefix);
  const int answer =
      redis_succeeded(reply)
          ? reply->type == REDIS_REPLY_STRING && !strcmp(reply->str, mark)
          : redis_say(target, redis, reply, "cannot look for keys", error);
  freeReplyObject(reply);
  free(mark);
  redisFree(redis);
  return answer;
}

// ---- What it is

static void add_description(char *text, size_t room, const char *between,
                            const char *words, int length) {
  const size_t used = strlen(text);
  snprintf(text + used, room - used, "%s%.*s", between, length, words);
}

// Valkey gives the version of Redis that it is like beside its own.
static void add_server_version(redisContext *redis, char *text, size_t room) {
  static const struct {
    const char *name, *field;
  } makes[] = {{"Valkey", "valkey_version:"}, {"Redis", "redis_version:"}};
  redisReply *reply = redisCommand(redis, "INFO server");
  const char *info =
      reply && reply->type == REDIS_REPLY_STRING ? reply->str : "";
  const char *found = strstr(info, makes[0].field);
  const size_t make = found ? 0 : 1;
  found = found ? found : strstr(info, makes[make].field);
  add_description(text, room, "", makes[make].name,
                  (int)strlen(makes[make].name));
  if (found) {
    found += strlen(makes[make].field);
    add_description(text, room, " ", found, (int)strcspn(found, "\r\n"));
  }
  freeReplyObject(reply);
}

static void add_setting(redisContext *redis, const char *name, char *text,
                        size_t room) {
  redisReply *reply = redisCommand(redis, "CONFIG GET %s", name);
  if (reply && reply->type == REDIS_REPLY_ARRAY && reply->elements == 2) {
    add_description(text, room, ", ", name, (int)strlen(name));
    add_description(text, room, " ", reply->element[1]->str,
                    (int)reply->element[1]->len);
  }
  freeReplyObject(reply);
}

void redis_describe(struct target *base, char *text, size_t room) {
  static const char *const settings[] = {"appendonly", "appendfsync",
                                         "maxmemory-policy"};
  struct error error;
  *text = '\0';
  redisContext *redis = redis_connect(redis_of(base), &error);
  if (!redis)
    return;
  add_server_version(redis, text, room);
  const char *role = is_replica(redis) ? "replica" : "primary";
  add_description(text, room, ", ", role, (int)strlen(role));
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
    add_setting(redis, settings[i], text, room);
  redisFree(redis);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Two sessions of the Redis driver on ten registers, and an administrator.
// REDIS_URI in the environment says where the server is.
#ifndef TESTS_LIVE_REDIS_SCENE_H
#define TESTS_LIVE_REDIS_SCENE_H

#include "drivers/drivers.h"
#include "drivers/redis_session.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <unistd.h>

// A target, two sessions on it, and an administrator.
struct scene {
  struct target *target;
  const struct driver *driver;
  struct connection *c[2];
  redisContext *admin;
};

static inline const char *environment(const char *name) {
  const char *value = getenv(name);
  if (value)
    return value;
  printf("Bail out! %s is not set: run this through its script\n", name);
  exit(1);
}

static inline void tell(struct scene *scene, const char *command) {
  redisReply *reply = redisCommand(scene->admin, command);
  if (!CHECK(redis_succeeded(reply)))
    printf("#   %s: %s\n", command, reply ? reply->str : scene->admin->errstr);
  freeReplyObject(reply);
}

// Does the answer to a command hold these words?
static inline bool says(redisContext *redis, const char *command,
                        const char *words) {
  redisReply *reply = redisCommand(redis, command);
  const bool found = reply && reply->str && strstr(reply->str, words);
  freeReplyObject(reply);
  return found;
}

static inline void wait_until(redisContext *redis, const char *command,
                              const char *words) {
  int tries = 6000;
  while (!says(redis, command, words) && tries--)
    usleep(10000);
  CHECK(tries > 0);
}

static inline redisContext *link_to(const struct scene *scene) {
  struct error error = {0};
  redisContext *redis = redis_connect(redis_of(scene->target), &error);
  if (!CHECK(redis))
    printf("#   %s\n", error.text);
  return redis;
}

static inline void join(struct scene *scene, int i) {
  struct error error = {0};
  if (!CHECK(!scene->driver->connect(scene->target, (uint32_t)i, &scene->c[i],
                                     &error)))
    printf("#   %s\n", error.text);
}

// Ten registers, two sessions.
static inline struct scene scene_at(const char *uri, const char *option) {
  struct scene scene = {0};
  struct error error = {0};
  const char *const extra[] = {option, NULL};
  const struct keyspace keys = {.nkeys = 10, .preload = true};
  if (!CHECK(!target_open(uri, NULL, extra, 2, 1, &scene.target, &error)))
    printf("#   %s\n", error.text);
  scene.driver = scene.target->driver;
  if (!CHECK(!scene.driver->setup(scene.target, &keys, &error)))
    printf("#   %s\n", error.text);
  scene.admin = link_to(&scene);
  join(&scene, 0);
  join(&scene, 1);
  return scene;
}

static inline struct scene scene_set(void) {
  return scene_at(environment("REDIS_URI"), NULL);
}

static inline void scene_end(struct scene *scene) {
  scene->driver->disconnect(scene->c[0]);
  scene->driver->disconnect(scene->c[1]);
  redisFree(scene->admin);
  target_close(scene->target);
}

static inline void begin(struct scene *scene, int i) {
  CHECK_INT(scene->driver->begin(scene->c[i], &redis_levels[REDIS_WATCH]),
            OUTCOME_OK);
}
static inline enum outcome get(struct scene *scene, int i, uint64_t key) {
  uint64_t value;
  return scene->driver->get(scene->c[i], key, &value);
}
static inline void put(struct scene *scene, int i, uint64_t key,
                       uint64_t value) {
  CHECK_INT(scene->driver->put(scene->c[i], key, value), OUTCOME_OK);
}
static inline enum outcome commit(struct scene *scene, int i) {
  return scene->driver->commit(scene->c[i]);
}

// Is this the number that the server holds?
static inline bool holds(struct scene *scene, uint64_t key, const char *value) {
  char command[64];
  snprintf(command, sizeof command, "GET isostress:%d", (int)key);
  return says(scene->admin, command, value);
}

static inline void check_why(const struct scene *scene, enum cause cause,
                             const char *code, bool broken) {
  const struct connection *c = scene->c[0];
  CHECK_INT(c->cause, cause);
  CHECK_STR(c->code, code);
  CHECK_INT(c->broken, broken);
  CHECK(*c->text && !strchr(c->text, '\n'));
}

static inline void check_goes_on(struct scene *scene) {
  CHECK_INT(scene->driver->rollback(scene->c[0]), OUTCOME_OK);
  begin(scene, 0);
  CHECK_INT(get(scene, 0, 8), OUTCOME_OK);
  put(scene, 0, 9, 99);
  CHECK_INT(commit(scene, 0), OUTCOME_OK);
  CHECK(holds(scene, 9, "99"));
}

static inline void check_reconnects(struct scene *scene) {
  scene->driver->disconnect(scene->c[0]);
  join(scene, 0);
  check_goes_on(scene);
}

#endif

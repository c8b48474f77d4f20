// SPDX-License-Identifier: GPL-3.0-or-later
// The scene of tests/live/scene.h on Redis.  REDIS_URI in the environment says
// where the server is.
#ifndef TESTS_LIVE_REDIS_SCENE_H
#define TESTS_LIVE_REDIS_SCENE_H

#include "drivers/redis/session.h"
#include "tests/live/scene.h"

static inline void tell(struct scene *scene, const char *command) {
  redisContext *admin = scene->admin;
  redisReply *reply = redisCommand(admin, command);
  if (!CHECK(redis_succeeded(reply)))
    printf("#   %s: %s\n", command, reply ? reply->str : admin->errstr);
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

static inline struct scene scene_at(const char *uri, const char *option) {
  struct scene scene = {0};
  scene_begin(&scene, target_at(uri, option));
  scene.admin = link_to(&scene);
  return scene;
}

static inline struct scene scene_set(void) {
  return scene_at(environment("REDIS_URI"), NULL);
}

static inline void scene_end(struct scene *scene) {
  redisFree(scene->admin);
  scene_close(scene);
}

static inline uint64_t stored(struct scene *scene, uint64_t key) {
  uint64_t value = 0;
  redisReply *reply = redisCommand(scene->admin, "GET isostress:%d", (int)key);
  CHECK(reply && redis_number(reply, &value));
  freeReplyObject(reply);
  return value;
}

#endif

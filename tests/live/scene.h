// SPDX-License-Identifier: GPL-3.0-or-later
// Two sessions of a driver on a table of ten registers of a real server, and
// somebody who may do all and can make things happen to them: what tests do
// with them whatever the database is.  The headers of the databases set the
// scene.
#ifndef TESTS_LIVE_SCENE_H
#define TESTS_LIVE_SCENE_H

#include "drivers/drivers.h"
#include "tests/live/proxy.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <unistd.h>

struct scene {
  struct target *target;
  const struct driver *driver;
  struct connection *c[2];
  void *admin; // a connection of the database's own library
};

static inline const char *environment(const char *name) {
  const char *value = getenv(name);
  if (value)
    return value;
  printf("Bail out! %s is not set: run this through its script\n", name);
  exit(1);
}

// ---- Setting it

static inline struct target *target_at(const char *uri, const char *option) {
  const char *const extra[] = {option, NULL};
  struct target *target = NULL;
  struct error error = {0};
  if (!CHECK(!target_open(uri, NULL, option ? extra : NULL, 2, 1, &target,
                          &error)))
    printf("#   %s\n", error.text);
  return target;
}

static inline void make_keys(struct scene *scene, bool lists) {
  const struct keyspace keys = {.nkeys = 10, .preload = !lists, .lists = lists};
  struct error error = {0};
  if (!CHECK(!scene->driver->setup(scene->target, &keys, &error)))
    printf("#   %s\n", error.text);
}

static inline void join(struct scene *scene, int i) {
  struct error error = {0};
  if (!CHECK(!scene->driver->connect(scene->target, (uint32_t)i, &scene->c[i],
                                     &error)))
    printf("#   %s\n", error.text);
}

static inline void leave(struct scene *scene, int i) {
  scene->driver->disconnect(scene->c[i]);
}

static inline void rejoin(struct scene *scene, int i) {
  leave(scene, i);
  join(scene, i);
}

// Ten registers, two sessions, at a target that is open.
static inline void scene_begin(struct scene *scene, struct target *target) {
  scene->target = target;
  scene->driver = target->driver;
  make_keys(scene, false);
  join(scene, 0);
  join(scene, 1);
}

// Whoever has opened `admin` closes it.
static inline void scene_close(struct scene *scene) {
  leave(scene, 0);
  leave(scene, 1);
  target_close(scene->target);
}

// ---- What sessions do

static inline void begin(struct scene *scene, int i, int level) {
  CHECK_INT(scene->driver->begin(scene->c[i], &scene->driver->levels[level]),
            OUTCOME_OK);
}
static inline enum outcome get(struct scene *scene, int i, uint64_t key) {
  uint64_t value;
  return scene->driver->get(scene->c[i], key, &value);
}
static inline enum outcome put(struct scene *scene, int i, uint64_t key,
                               uint64_t value) {
  return scene->driver->put(scene->c[i], key, value);
}
static inline enum outcome commit(struct scene *scene, int i) {
  return scene->driver->commit(scene->c[i]);
}

// With pipeline=yes, by session 0; for lists, see the driver's own slot.
static inline enum outcome transact(struct scene *scene, int level,
                                    struct operation *ops, uint32_t nops) {
  static struct value_list lists[PLAN_MAX_OPS];
  struct plan plan = {.ops = ops, .nops = nops};
  return scene->driver->transact(scene->c[0], &scene->driver->levels[level],
                                 &plan, lists);
}

// Session 0 writes 3 to key 1, in a thread of its own because it has to wait.
struct blocked_put {
  struct scene *scene;
  enum outcome outcome;
};
static inline void *put_key_1(void *argument) {
  struct blocked_put *blocked = argument;
  blocked->outcome = put(blocked->scene, 0, 1, 3);
  return NULL;
}

// ---- What becomes of them

// A code of NULL may be any: of a loss, the server may come to say why or not.
static inline void check_why(const struct scene *scene, int i, enum cause cause,
                             const char *code, bool broken) {
  const struct connection *c = scene->c[i];
  CHECK_INT(c->cause, cause);
  if (code)
    CHECK_STR(c->code, code);
  CHECK_INT(c->broken, broken);
  CHECK(*c->text && !strchr(c->text, '\n'));
}

// After a failure that left the connection intact.
static inline void check_goes_on(struct scene *scene, int i) {
  uint64_t value = 0;
  CHECK_INT(scene->driver->rollback(scene->c[i]), OUTCOME_OK);
  begin(scene, i, 0);
  CHECK_INT(put(scene, i, 9, 99), OUTCOME_OK);
  CHECK_INT(commit(scene, i), OUTCOME_OK);
  begin(scene, i, 0);
  CHECK_INT(scene->driver->get(scene->c[i], 9, &value), OUTCOME_OK);
  CHECK_INT(value, 99);
  CHECK_INT(commit(scene, i), OUTCOME_OK);
}

static inline void check_reconnects(struct scene *scene, int i) {
  rejoin(scene, i);
  check_goes_on(scene, i);
}

// A write of session 0 that the server refuses without ending the session.
static inline void check_put_fails(struct scene *scene, uint64_t key,
                                   uint64_t value, enum cause cause,
                                   const char *code) {
  begin(scene, 0, 0);
  CHECK_INT(put(scene, 0, key, value), OUTCOME_ABORTED);
  check_why(scene, 0, cause, code, false);
}

// Checks one-shot transactions, with pipeline=yes.
static inline void check_transacts(struct scene *scene) {
  struct operation ops[] = {{.kind = OP_WRITE, .key = 9, .value = 99},
                            {.kind = OP_READ, .key = 9},
                            {.kind = OP_READ, .key = 77}};
  CHECK_INT(transact(scene, 0, ops, 3), OUTCOME_OK);
  CHECK_INT(ops[1].value, 99);
  CHECK_INT(ops[2].value, VALUE_INITIAL);
}

// Key 3 has no row; the other write may be committed with the rest.
static inline void check_misses_a_row(struct scene *scene) {
  struct operation ops[] = {{.kind = OP_WRITE, .key = 2, .value = 1},
                            {.kind = OP_WRITE, .key = 3, .value = 2}};
  CHECK_INT(transact(scene, 0, ops, 2), OUTCOME_UNKNOWN);
  check_why(scene, 0, CAUSE_OTHER, "no row", false);
  check_transacts(scene);
}

// A deadlock of two sessions, one of which has to lose.
static inline void check_deadlock(struct scene *scene, int level,
                                  const char *code) {
  struct blocked_put other = {scene, OUTCOME_UNKNOWN};
  pthread_t thread;
  begin(scene, 0, level);
  begin(scene, 1, level);
  CHECK_INT(put(scene, 0, 0, 1), OUTCOME_OK);
  CHECK_INT(put(scene, 1, 1, 2), OUTCOME_OK);
  CHECK(!pthread_create(&thread, NULL, put_key_1, &other));
  const enum outcome mine = put(scene, 1, 0, 4);
  const int loser = mine == OUTCOME_OK ? 0 : 1;
  if (loser == 1)
    check_why(scene, 1, CAUSE_DEADLOCK, code, false);
  // So that the other one can go on.
  CHECK_INT(scene->driver->rollback(scene->c[1]), OUTCOME_OK);
  pthread_join(thread, NULL);
  CHECK((mine == OUTCOME_OK) != (other.outcome == OUTCOME_OK));
  check_why(scene, loser, CAUSE_DEADLOCK, code, false);
  CHECK_INT(scene->driver->rollback(scene->c[0]), OUTCOME_OK);
  check_goes_on(scene, loser);
}

// Compare-and-sets in a plan, at a level at which it reads what it wrote;
// `stored` says what the database holds afterwards.
static inline void check_compares_and_sets(struct scene *scene, int level,
                                           uint64_t (*stored)(struct scene *,
                                                              uint64_t)) {
  struct operation ops[] = {
      {.kind = OP_READ, .key = 0},
      {.kind = OP_CAS, .key = 0, .value = 1, .expect = 0},
      {.kind = OP_READ, .key = 0},
      {.kind = OP_CAS, .key = 50, .value = 2, .expect = EXPECT_ABSENT},
      {.kind = OP_CAS, .key = 0, .value = 3, .expect = 0},
      {.kind = OP_WRITE, .key = 4, .value = 4},
  };
  CHECK_INT(transact(scene, level, ops, 6), OUTCOME_OK);
  CHECK_INT(ops[1].kind, OP_CAS);
  CHECK_INT(ops[1].value, 1);
  CHECK_INT(ops[2].value, 1);
  CHECK_INT(ops[3].kind, OP_CAS);
  CHECK_INT(ops[4].kind, OP_READ); // 1 was there, not the 0 read first
  CHECK_INT(ops[4].value, 1);
  CHECK_INT(ops[5].kind, OP_READ);
  CHECK_INT(ops[5].value, 0);
  CHECK_INT(stored(scene, 0), 1);
  CHECK_INT(stored(scene, 50), 2);
  CHECK_INT(stored(scene, 4), 0);
}

// ---- Through a proxy

static inline uint16_t port_of(const char *uri) {
  return (uint16_t)atoi(strrchr(uri, ':') + 1);
}

// The URI of a server with the proxy's port in it, and options at the end.
static inline void uri_through(const struct proxy *proxy, const char *real,
                               const char *options, char *uri, size_t room) {
  const char *port = strrchr(real, ':') + 1;
  snprintf(uri, room, "%.*s%u%s%s", (int)(port - real), real, proxy->port,
           port + strspn(port, "0123456789"), options);
}

#endif

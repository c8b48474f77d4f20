// SPDX-License-Identifier: GPL-3.0-or-later
// Outcomes of transactions that are scripts on a real Redis, when they are
// refused, fail half-way or get no answer.  Run by redis_lua_outcomes.sh.
#include "config.h"

#include "drivers/drivers.h"
#include "drivers/redis/session.h"
#include "tests/live/proxy.h"
#include "tests/tap.h"

#include <signal.h>
#include <stdlib.h>

struct scene {
  struct proxy proxy;
  struct target *target;
  const struct driver *driver;
  struct connection *c;
  redisContext *admin;
};

static void join(struct scene *s) {
  struct error error = {0};
  if (!CHECK(!s->driver->connect(s->target, 0, &s->c, &error)))
    printf("#   %s\n", error.text);
}

// Ten registers; key 10 holds something else.
static void scene_init(struct scene *s) {
  const char *real = getenv("REDIS_URI"), *port = strrchr(real, ':') + 1;
  const struct keyspace keys = {.nkeys = 10, .preload = true};
  struct error error = {0};
  char uri[200];
  proxy_start(&s->proxy, (uint16_t)atoi(port));
  snprintf(uri, sizeof uri, "redis+lua%.*s%u?timeout=4s",
           (int)(port - real - 5), real + 5, s->proxy.port);
  if (!CHECK(!target_open(uri, NULL, NULL, 2, 1, &s->target, &error)))
    printf("#   %s\n", error.text);
  s->driver = s->target->driver;
  CHECK(!s->driver->setup(s->target, &keys, &error));
  s->admin = redis_connect(redis_of(s->target), &error);
  freeReplyObject(redisCommand(s->admin, "HSET isostress:10 a b"));
  join(s);
}

static void scene_fini(struct scene *s) {
  s->driver->disconnect(s->c);
  freeReplyObject(redisCommand(s->admin, "DEL isostress:10"));
  redisFree(s->admin);
  target_close(s->target);
  proxy_stop(&s->proxy);
}

static void tell(struct scene *s, const char *command) {
  redisReply *reply = redisCommand(s->admin, command);
  CHECK(redis_succeeded(reply));
  freeReplyObject(reply);
}

static uint64_t stored(struct scene *s, uint64_t key) {
  uint64_t value = 0;
  redisReply *reply = redisCommand(s->admin, "GET isostress:%d", (int)key);
  CHECK(redis_number(reply, &value));
  freeReplyObject(reply);
  return value;
}

static enum outcome transact(struct scene *s, struct operation *ops,
                             uint32_t nops) {
  struct plan plan = {.ops = ops, .nops = nops};
  struct value_list lists[8] = {0};
  const enum outcome outcome =
      s->driver->transact(s->c, s->driver->levels, &plan, lists);
  for (int i = 0; i < 8; i++)
    value_list_free(&lists[i]);
  return outcome;
}

static enum outcome write_two(struct scene *s, uint64_t first,
                              uint64_t second) {
  struct operation ops[] = {{.kind = OP_WRITE, .key = first, .value = 7},
                            {.kind = OP_APPEND, .key = second, .value = 8}};
  return transact(s, ops, 2);
}

static void check_goes_on(struct scene *s) {
  struct operation ops[] = {{.kind = OP_WRITE, .key = 9, .value = 99},
                            {.kind = OP_READ, .key = 9}};
  CHECK_INT(transact(s, ops, 2), OUTCOME_OK);
  CHECK_INT(ops[1].value, 99);
}

static void plans_are_executed(void) {
  struct scene s;
  scene_init(&s);
  struct operation ops[] = {
      {.kind = OP_READ, .key = 0},
      {.kind = OP_CAS, .key = 0, .value = 1, .expect = 0},
      {.kind = OP_READ, .key = 0},
      {.kind = OP_CAS, .key = 50, .value = 2, .expect = EXPECT_ABSENT},
      {.kind = OP_CAS, .key = 0, .value = 3, .expect = 0},
      {.kind = OP_WRITE, .key = 4, .value = 4},
  };
  CHECK_INT(transact(&s, ops, 6), OUTCOME_OK);
  CHECK_INT(ops[0].value, 0);
  CHECK_INT(ops[1].kind, OP_CAS);
  CHECK_INT(ops[2].value, 1);
  CHECK_INT(ops[3].kind, OP_CAS);
  CHECK_INT(ops[4].kind, OP_READ); // 1 was there, not the 0 read first
  CHECK_INT(ops[4].value, 1);
  CHECK_INT(ops[5].kind, OP_READ);
  CHECK_INT(ops[5].value, 0);
  CHECK_INT(stored(&s, 50), 2);
  CHECK_INT(stored(&s, 4), 0);
  tell(&s, "DEL isostress:50");
  scene_fini(&s);
}

static void forgotten_scripts_are_sent_again(void) {
  struct scene s;
  scene_init(&s);
  tell(&s, "SCRIPT FLUSH");
  check_goes_on(&s);
  check_goes_on(&s);
  scene_fini(&s);
}

static void nothing_was_written_before(void) {
  struct scene s;
  scene_init(&s);
  struct operation ops[] = {{.kind = OP_APPEND, .key = 10, .value = 7},
                            {.kind = OP_WRITE, .key = 1, .value = 8}};
  CHECK_INT(transact(&s, ops, 2), OUTCOME_ABORTED);
  CHECK_INT(s.c->cause, CAUSE_CONSTRAINT);
  CHECK_STR(s.c->code, "WRONGTYPE");
  CHECK_INT(stored(&s, 1), 0);
  check_goes_on(&s);
  scene_fini(&s);
}

static void something_was_written_before(void) {
  struct scene s;
  scene_init(&s);
  CHECK_INT(write_two(&s, 1, 10), OUTCOME_UNKNOWN);
  CHECK_INT(s.c->cause, CAUSE_OTHER);
  CHECK_STR(s.c->code, "WRONGTYPE");
  CHECK(strstr(s.c->text, "1 writes of the script took effect before it "
                          "failed: WRONGTYPE "));
  CHECK_INT(stored(&s, 1), 7);
  check_goes_on(&s);
  scene_fini(&s);
}

static void refused_as_a_whole(void) {
  static const struct {
    const char *make, *unmake, *code;
  } cases[] = {
      {"CONFIG SET maxmemory 1", "CONFIG SET maxmemory 0", "OOM"},
      {"CONFIG SET min-replicas-to-write 1",
       "CONFIG SET min-replicas-to-write 0", "NOREPLICAS"},
      {"REPLICAOF 127.0.0.1 1", "REPLICAOF NO ONE", "READONLY"},
  };
  struct scene s;
  scene_init(&s);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct operation ops[] = {{.kind = OP_WRITE, .key = 1, .value = 7}};
    tell(&s, cases[i].make);
    CHECK_INT(transact(&s, ops, 1), OUTCOME_ABORTED);
    CHECK_STR(s.c->code, cases[i].code);
    CHECK_INT(s.c->broken, false);
    tell(&s, cases[i].unmake);
    CHECK_INT(stored(&s, 1), 0);
    check_goes_on(&s);
  }
  scene_fini(&s);
}

static void lost_on_the_way(void) {
  static const struct {
    enum proxy_mode mode;
    uint64_t value;
  } cases[] = {
      {PROXY_LOSE_REQUESTS, 0}, {PROXY_HOLD, 0}, {PROXY_LOSE_ANSWERS, 7}};
  struct scene s;
  scene_init(&s);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct operation write[] = {{.kind = OP_WRITE, .key = 1, .value = 7}};
    atomic_store(&s.proxy.mode, cases[i].mode);
    CHECK_INT(transact(&s, write, 1), OUTCOME_UNKNOWN);
    atomic_store(&s.proxy.mode, PROXY_PASS);
    CHECK_INT(s.c->cause, CAUSE_CONNECTION);
    CHECK(s.c->broken);
    s.driver->disconnect(s.c);
    join(&s);
    CHECK_INT(stored(&s, 1), cases[i].value);
  }
  struct operation read[] = {{.kind = OP_READ, .key = 1}};
  atomic_store(&s.proxy.mode, PROXY_LOSE_ANSWERS);
  CHECK_INT(transact(&s, read, 1), OUTCOME_ABORTED);
  scene_fini(&s);
}

int main(void) {
  signal(SIGPIPE, SIG_IGN);
  return TAP_RUN({"plans are executed", plans_are_executed},
                 {"scripts that were forgotten are sent again",
                  forgotten_scripts_are_sent_again},
                 {"a failure before anything was written: aborted",
                  nothing_was_written_before},
                 {"a failure after something was written: unknown",
                  something_was_written_before},
                 {"refused as a whole: aborted", refused_as_a_whole},
                 {"lost on the way: unknown if it writes", lost_on_the_way});
}

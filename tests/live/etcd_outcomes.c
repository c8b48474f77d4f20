// SPDX-License-Identifier: GPL-3.0-or-later
// Every row of the etcd driver's table of codes, and every way to lose a
// connection, produced with real servers: what the driver makes of it, and that
// the session goes on.  Run by etcd_outcomes.sh, which starts the servers.
#include "config.h"

#include "drivers/drivers.h"
#include "drivers/etcd/codes.h"
#include "drivers/etcd/target.h"
#include "tests/live/proxy.h"
#include "tests/tap.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

// A target and two sessions on it; the second one never through the proxy.
struct scene {
  struct target *target, *direct;
  const struct driver *driver;
  struct connection *c[2];
};

static const char *environment(const char *name) {
  const char *value = getenv(name);
  if (value)
    return value;
  printf("Bail out! %s is not set: run this through etcd_outcomes.sh\n", name);
  exit(1);
}

static struct target *target_at(const char *uri, const char *option) {
  const char *const extra[] = {option, NULL};
  struct target *target = NULL;
  struct error error = {0};
  if (!CHECK(!target_open(uri, NULL, option ? extra : NULL, 2, 1, &target,
                          &error)))
    printf("#   %s\n", error.text);
  return target;
}

static void join(struct scene *scene, int i) {
  struct error error = {0};
  if (!CHECK(!scene->driver->connect(i ? scene->direct : scene->target, 0,
                                     &scene->c[i], &error)))
    printf("#   %s\n", error.text);
}

// Two hundred registers, two sessions.
static struct scene scene_at(const char *uri, const char *direct,
                             const char *option) {
  struct scene scene = {.target = target_at(uri, option),
                        .direct = target_at(direct, NULL)};
  struct error error = {0};
  const struct keyspace keys = {.nkeys = 200, .preload = true};
  scene.driver = scene.target->driver;
  if (!CHECK(!scene.driver->setup(scene.direct, &keys, &error) &&
             scene.driver->follow(scene.target, &keys, &error) == 1))
    printf("#   %s\n", error.text);
  join(&scene, 0);
  join(&scene, 1);
  return scene;
}

static struct scene scene_with(const char *name) {
  return scene_at(environment(name), environment(name), NULL);
}

static void scene_end(struct scene *scene) {
  scene->driver->disconnect(scene->c[0]);
  scene->driver->disconnect(scene->c[1]);
  target_close(scene->target);
  target_close(scene->direct);
}

static enum outcome transact(struct scene *scene, int i, struct operation *ops,
                             uint32_t nops) {
  static struct value_list lists[PLAN_MAX_OPS];
  struct plan plan = {.ops = ops, .nops = nops};
  return scene->driver->transact(scene->c[i], scene->driver->levels, &plan,
                                 lists);
}

static enum outcome get(struct scene *scene, int i, uint64_t key,
                        uint64_t *value) {
  struct operation op = {.kind = OP_READ, .key = key};
  const enum outcome outcome = transact(scene, i, &op, 1);
  *value = op.value;
  return outcome;
}

static enum outcome put(struct scene *scene, int i, uint64_t key,
                        uint64_t value) {
  struct operation op = {.kind = OP_WRITE, .key = key, .value = value};
  return transact(scene, i, &op, 1);
}

// Reads a key and writes it.
static enum outcome change(struct scene *scene, int i, uint64_t key,
                           uint64_t value) {
  struct operation ops[] = {{.kind = OP_READ, .key = key},
                            {.kind = OP_WRITE, .key = key, .value = value}};
  return transact(scene, i, ops, 2);
}

static uint64_t stored(struct scene *scene, uint64_t key) {
  uint64_t value = 0;
  CHECK_INT(get(scene, 1, key, &value), OUTCOME_OK);
  return value;
}

static void check_why(const struct scene *scene, enum cause cause,
                      const char *code, bool broken) {
  const struct connection *c = scene->c[0];
  CHECK_INT(c->cause, cause);
  if (code)
    CHECK_STR(c->code, code);
  CHECK_INT(c->broken, broken);
  CHECK(*c->text && !strchr(c->text, '\n'));
}

static void check_goes_on(struct scene *scene) {
  CHECK_INT(change(scene, 0, 9, 99), OUTCOME_OK);
  CHECK_INT(stored(scene, 9), 99);
}

static void check_reconnects(struct scene *scene) {
  scene->driver->disconnect(scene->c[0]);
  join(scene, 0);
  check_goes_on(scene);
}

// Posts a request of our own on a session's link; returns etcd's code.
static int post(struct scene *scene, int i, const char *path,
                const char *request) {
  struct etcd_link *link = &etcd_session_of(scene->c[i])->link;
  etcd_add(etcd_link_begin(link), "%s", request);
  json_t *answer = etcd_link_post(link, path);
  json_decref(answer);
  return answer ? 0 : link->code;
}

// ---- Transactions

static void a_failed_comparison_is_a_read(void) {
  struct scene s = scene_with("ETCD_URI");
  CHECK_INT(put(&s, 1, 3, 33), OUTCOME_OK);
  struct operation ops[] = {
      {.kind = OP_CAS, .expect = EXPECT_ABSENT, .key = 2, .value = 22},
      {.kind = OP_CAS, .expect = EXPECT_ABSENT, .key = 3, .value = 34},
      {.kind = OP_WRITE, .key = 4, .value = 44}};
  CHECK_INT(transact(&s, 0, ops, 3), OUTCOME_OK);
  CHECK_INT(ops[0].kind, OP_CAS);
  CHECK_INT(ops[1].kind, OP_READ);
  CHECK_INT(ops[1].value, 33);
  CHECK_INT(ops[2].kind, OP_READ);
  CHECK_INT(ops[2].value, 0);
  CHECK_INT(stored(&s, 2), 22);
  CHECK_INT(stored(&s, 3), 33);
  CHECK_INT(stored(&s, 4), 0);
  scene_end(&s);
}

static void too_many_operations(void) {
  struct scene s = scene_with("ETCD_URI");
  struct operation ops[200];
  for (int i = 0; i < 200; i++)
    ops[i] =
        (struct operation){.kind = OP_WRITE, .key = (uint64_t)i, .value = 1};
  CHECK_INT(transact(&s, 0, ops, 200), OUTCOME_ABORTED);
  check_why(&s, CAUSE_OTHER, "INVALID_ARGUMENT", false);
  CHECK_INT(stored(&s, 0), 0);
  check_goes_on(&s);
  scene_end(&s);
}

// ---- A server that refuses

static void no_space(void) {
  struct scene s = scene_with("ETCD_SMALL_URI");
  struct etcd_text request = {0};
  char *much = calloc(1, 700000);
  etcd_add(&request, "{\"key\":\"eA==\",\"value\":\"");
  etcd_add_encoded(&request, much, 700000);
  etcd_add(&request, "\"}");
  int tries = 100;
  while (post(&s, 1, "/v3/kv/put", request.bytes) != 8 && tries--)
    ;
  CHECK(tries > 0);
  // Not what was answered so for the first time: that was carried out.
  CHECK_INT(change(&s, 0, 1, 11), OUTCOME_UNKNOWN);
  check_why(&s, CAUSE_OTHER, "RESOURCE_EXHAUSTED", false);
  CHECK_INT(stored(&s, 1), 0);
  free(request.bytes);
  free(much);
  scene_end(&s);
}

static void without_permission(void) {
  static const struct {
    const char *path, *request;
  } steps[] = {
      {"/v3/auth/user/add", "{\"name\":\"root\",\"password\":\"r\"}"},
      {"/v3/auth/user/add", "{\"name\":\"guest\",\"password\":\"g\"}"},
      {"/v3/auth/user/grant", "{\"user\":\"root\",\"role\":\"root\"}"},
      {"/v3/auth/enable", "{}"},
  };
  struct scene s = scene_with("ETCD_URI");
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
    CHECK_INT(post(&s, 1, steps[i].path, steps[i].request), 0);
  CHECK_INT(etcd_link_log_in(&etcd_session_of(s.c[0])->link, "guest", "g"), 0);
  CHECK_INT(put(&s, 0, 1, 11), OUTCOME_ABORTED);
  check_why(&s, CAUSE_OTHER, "PERMISSION_DENIED", false);
  CHECK_INT(etcd_link_log_in(&etcd_session_of(s.c[1])->link, "root", "r"), 0);
  CHECK_INT(stored(&s, 1), 0);
  CHECK_INT(post(&s, 1, "/v3/auth/disable", "{}"), 0);
  s.driver->disconnect(s.c[1]);
  join(&s, 1);
  CHECK_INT(post(&s, 1, "/v3/auth/enable", "{}"), 0);
  CHECK_INT(put(&s, 0, 1, 11), OUTCOME_ABORTED);
  check_why(&s, CAUSE_CONNECTION, "UNAUTHENTICATED", true);
  scene_end(&s);
}

// The pids of the other two members.
static void signal_others(int number) {
  int first = 0, second = 0;
  CHECK_INT(sscanf(environment("ETCD_OTHERS"), "%d %d", &first, &second), 2);
  kill(first, number);
  kill(second, number);
}

static void check_no_quorum(const struct scene *scene) {
  const char *code = scene->c[0]->code;
  check_why(scene, CAUSE_CONNECTION, NULL, true);
  CHECK(!strcmp(code, "UNKNOWN") || !strcmp(code, "UNAVAILABLE"));
}

// Until the members have agreed on a leader, who may be another one again.
static void await_quorum(struct scene *scene) {
  int tries = 600;
  do {
    usleep(100000);
    scene->driver->disconnect(scene->c[0]);
    join(scene, 0);
  } while (change(scene, 0, 9, 99) != OUTCOME_OK && --tries);
  CHECK(tries > 0);
}

static void no_quorum(void) {
  struct scene s = scene_with("ETCD_CLUSTER_URI");
  uint64_t value;
  signal_others(SIGSTOP);
  int tries = 1000; // they need not stop at once
  enum outcome outcome;
  while ((outcome = get(&s, 0, 1, &value)) == OUTCOME_OK && tries--)
    usleep(1000);
  CHECK_INT(outcome, OUTCOME_ABORTED);
  check_no_quorum(&s);
  CHECK_INT(put(&s, 0, 1, 11), OUTCOME_UNKNOWN);
  check_no_quorum(&s);
  signal_others(SIGCONT);
  await_quorum(&s);
  scene_end(&s);
}

// ---- Lost connections

static uint16_t port_of(const char *uri) {
  return (uint16_t)atoi(strrchr(uri, ':') + 1);
}

// A blind write, so that the request that is spoiled is the one that writes.
static void check_loss(enum proxy_mode mode, enum outcome outcome,
                       uint64_t left, const char *option) {
  struct proxy proxy;
  char uri[64];
  proxy_start(&proxy, port_of(environment("ETCD_URI")));
  snprintf(uri, sizeof uri, "etcd://127.0.0.1:%u", proxy.port);
  struct scene s = scene_at(uri, environment("ETCD_URI"), option);
  atomic_store(&proxy.mode, mode);
  CHECK_INT(put(&s, 0, 1, 11), outcome);
  atomic_store(&proxy.mode, PROXY_PASS);
  check_why(&s, CAUSE_CONNECTION, NULL, true);
  CHECK_INT(stored(&s, 1), left);
  check_reconnects(&s);
  scene_end(&s);
  proxy_stop(&proxy);
}

static void a_lost_request(void) {
  check_loss(PROXY_LOSE_REQUESTS, OUTCOME_UNKNOWN, 0, NULL);
}
static void a_lost_answer(void) {
  check_loss(PROXY_LOSE_ANSWERS, OUTCOME_UNKNOWN, 11, NULL);
}
static void a_spoilt_answer(void) {
  check_loss(PROXY_SPOIL_ANSWERS, OUTCOME_UNKNOWN, 11, NULL);
}
static void no_answer_in_time(void) {
  check_loss(PROXY_HOLD, OUTCOME_UNKNOWN, 0, "timeout=4s");
}

static void lost_while_reading(void) {
  struct proxy proxy;
  char uri[64];
  proxy_start(&proxy, port_of(environment("ETCD_URI")));
  snprintf(uri, sizeof uri, "etcd://127.0.0.1:%u", proxy.port);
  struct scene s = scene_at(uri, environment("ETCD_URI"), NULL);
  atomic_store(&proxy.mode, PROXY_LOSE_ANSWERS);
  CHECK_INT(change(&s, 0, 1, 11), OUTCOME_ABORTED);
  check_why(&s, CAUSE_CONNECTION, NULL, true);
  CHECK_INT(stored(&s, 1), 0);
  check_reconnects(&s);
  scene_end(&s);
  proxy_stop(&proxy);
}

int main(void) {
  signal(SIGPIPE, SIG_IGN);
  return TAP_RUN(
      {"a failed comparison is a read", a_failed_comparison_is_a_read},
      {"INVALID_ARGUMENT", too_many_operations},
      {"RESOURCE_EXHAUSTED", no_space}, {"a lost request", a_lost_request},
      {"a lost answer", a_lost_answer}, {"a spoilt answer", a_spoilt_answer},
      {"no answer in time", no_answer_in_time},
      {"a connection lost while reading", lost_while_reading},
      {"UNAVAILABLE and UNKNOWN", no_quorum},
      {"PERMISSION_DENIED and UNAUTHENTICATED", without_permission});
}

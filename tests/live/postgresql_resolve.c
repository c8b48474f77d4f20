// SPDX-License-Identifier: GPL-3.0-or-later
// The findings of the PostgreSQL driver on transactions whose answer to
// COMMIT was lost, and what it must not claim.  Run by postgresql_resolve.sh.
#include "config.h"

#include "tests/live/postgresql_scene.h"

// A scene behind a proxy, whose outcomes are going to be asked for.
struct doubtful {
  struct proxy proxy;
  struct scene s;
  uint64_t token[2];
};

static void doubtful_init(struct doubtful *d, const char *option) {
  char uri[300];
  proxy_start(&d->proxy, port_of(environment("PG_URI")));
  pg_uri_through(&d->proxy, "&timeout=4s", uri, sizeof uri);
  struct target *target = target_at(uri, option);
  target->resolves = true;
  d->s = (struct scene){.admin = PQconnectdb(environment("PG_ADMIN"))};
  scene_begin(&d->s, target);
}

static void doubtful_fini(struct doubtful *d) {
  scene_end(&d->s);
  proxy_stop(&d->proxy);
}

// Session 0 writes 7 to key 0 and commits, while the proxy does this to the
// second request or answer: the first one is about the transaction's number.
static void commit_through(struct doubtful *d, enum proxy_mode mode) {
  begin(&d->s, 0, RC);
  CHECK_INT(put(&d->s, 0, 0, 7), OUTCOME_OK);
  atomic_store(&d->proxy.spared, 1);
  atomic_store(&d->proxy.mode, mode);
  CHECK_INT(commit(&d->s, 0), OUTCOME_UNKNOWN);
  atomic_store(&d->proxy.mode, PROXY_PASS);
  memcpy(d->token, d->s.c[0]->token, sizeof d->token);
  CHECK(d->token[0] && d->token[1]);
}

static enum outcome resolve(struct doubtful *d) {
  return d->s.driver->resolve(d->s.c[1], d->token);
}

// Within a minute.
static enum outcome resolve_in_time(struct doubtful *d) {
  enum outcome outcome;
  int tries = 6000;
  while ((outcome = resolve(d)) == OUTCOME_UNKNOWN && --tries)
    usleep(10000);
  return outcome;
}

static void one_that_arrived_has_committed(void) {
  struct doubtful d;
  doubtful_init(&d, NULL);
  commit_through(&d, PROXY_LOSE_ANSWERS);
  CHECK_INT(resolve_in_time(&d), OUTCOME_OK);
  CHECK_INT(stored(&d.s, 0), 7);
  doubtful_fini(&d);
}

static void one_that_did_not_arrive_has_aborted(void) {
  struct doubtful d;
  doubtful_init(&d, NULL);
  commit_through(&d, PROXY_LOSE_REQUESTS);
  CHECK_INT(resolve_in_time(&d), OUTCOME_ABORTED);
  CHECK_INT(stored(&d.s, 0), 0);
  doubtful_fini(&d);
}

// As long as the server waits for the COMMIT that the proxy holds.
static void one_under_way_is_unknown(void) {
  struct doubtful d;
  doubtful_init(&d, NULL);
  commit_through(&d, PROXY_HOLD);
  CHECK_INT(resolve(&d), OUTCOME_UNKNOWN);
  CHECK_INT(resolve(&d), OUTCOME_UNKNOWN);
  leave(&d.s, 0);
  CHECK_INT(resolve_in_time(&d), OUTCOME_ABORTED);
  join(&d.s, 0);
  doubtful_fini(&d);
}

// Ends the guard, as a crash of the server would.
static void end_guard(struct doubtful *d) {
  sql(&d->s, "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity"
             " WHERE pid <> pg_backend_pid() AND"
             " (query LIKE '%txid_status%' OR query = 'SELECT 1')");
}

// Its number may have been given to another transaction since; "aborted" is
// true all the same.
static void nothing_is_believed_without_the_guard(void) {
  struct doubtful d;
  doubtful_init(&d, NULL);
  commit_through(&d, PROXY_LOSE_ANSWERS);
  end_guard(&d);
  for (int i = 0; i < 5; i++)
    CHECK_INT(resolve(&d), OUTCOME_UNKNOWN);
  check_reconnects(&d.s, 0);
  commit_through(&d, PROXY_LOSE_REQUESTS);
  end_guard(&d);
  CHECK_INT(resolve_in_time(&d), OUTCOME_ABORTED);
  check_reconnects(&d.s, 0);
  commit_through(&d, PROXY_LOSE_ANSWERS);
  CHECK_INT(resolve_in_time(&d), OUTCOME_OK);
  doubtful_fini(&d);
}

static void readers_have_no_number(void) {
  struct doubtful d;
  doubtful_init(&d, NULL);
  begin(&d.s, 0, RC);
  CHECK_INT(get(&d.s, 0, 0), OUTCOME_OK);
  CHECK_INT(commit(&d.s, 0), OUTCOME_OK);
  CHECK_INT(d.s.c[0]->token[0], 0);
  CHECK_INT(resolve(&d), OUTCOME_UNKNOWN);
  const uint64_t future[] = {UINT64_C(1) << 40, 1};
  CHECK_INT(d.s.driver->resolve(d.s.c[1], future), OUTCOME_UNKNOWN);
  doubtful_fini(&d);
}

static void a_number_that_is_lost_aborts(void) {
  struct doubtful d;
  doubtful_init(&d, NULL);
  begin(&d.s, 0, RC);
  CHECK_INT(put(&d.s, 0, 0, 7), OUTCOME_OK);
  atomic_store(&d.proxy.spared, 0);
  atomic_store(&d.proxy.mode, PROXY_LOSE_ANSWERS);
  CHECK_INT(commit(&d.s, 0), OUTCOME_ABORTED);
  check_why(&d.s, 0, CAUSE_CONNECTION, POSTGRESQL_NO_CODE, true);
  check_reconnects(&d.s, 0);
  CHECK_INT(stored(&d.s, 0), 0);
  doubtful_fini(&d);
}

// The number is fetched before COMMIT is sent.
static void pipelines_are_resolved(void) {
  static const struct {
    enum proxy_mode mode;
    enum outcome outcome;
    uint64_t value;
  } cases[] = {{PROXY_LOSE_REQUESTS, OUTCOME_ABORTED, 0},
               {PROXY_LOSE_ANSWERS, OUTCOME_OK, 7}};
  struct doubtful d;
  doubtful_init(&d, "pipeline=yes");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct operation ops[] = {{.kind = OP_WRITE, .key = 1, .value = 6},
                              {.kind = OP_WRITE, .key = 0, .value = 7}};
    struct value_list lists[8] = {0};
    struct plan first = {.ops = ops, .nops = 1}, second = {ops, 2, .first = 1};
    const struct driver_level *level = &d.s.driver->levels[RC];
    CHECK_INT(d.s.driver->transact(d.s.c[0], level, &first, lists), OUTCOME_OK);
    atomic_store(&d.proxy.spared, 1);
    atomic_store(&d.proxy.mode, cases[i].mode);
    CHECK_INT(d.s.driver->transact(d.s.c[0], level, &second, lists),
              OUTCOME_UNKNOWN);
    atomic_store(&d.proxy.mode, PROXY_PASS);
    memcpy(d.token, d.s.c[0]->token, sizeof d.token);
    CHECK_INT(resolve_in_time(&d), cases[i].outcome);
    CHECK_INT(stored(&d.s, 0), cases[i].value);
    rejoin(&d.s, 0);
  }
  doubtful_fini(&d);
}

int main(void) {
  return TAP_RUN(
      {"one that arrived has committed", one_that_arrived_has_committed},
      {"one that did not arrive has aborted",
       one_that_did_not_arrive_has_aborted},
      {"one under way is unknown", one_under_way_is_unknown},
      {"\"committed\" is not believed without the guard",
       nothing_is_believed_without_the_guard},
      {"readers have no number", readers_have_no_number},
      {"a number that is lost aborts", a_number_that_is_lost_aborts},
      {"pipelines are resolved", pipelines_are_resolved});
}

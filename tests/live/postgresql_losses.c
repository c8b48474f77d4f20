// SPDX-License-Identifier: GPL-3.0-or-later
// The PostgreSQL driver when connections are lost before, during and after
// COMMIT, and whole transactions at once (pipeline=yes), with and without that.
// Run by postgresql_losses.sh.
#include "config.h"

#include "tests/live/postgresql_scene.h"

// ---- Losses on the way

// Session 0 begins, writes 7 to key 0, and commits while the proxy is in this
// mode.
static void check_commit_through(enum proxy_mode mode, const char *option,
                                 const char *code, uint64_t value) {
  struct proxy proxy;
  char uri[300];
  proxy_start(&proxy, port_of(environment("PG_URI")));
  pg_uri_through(&proxy, "", uri, sizeof uri);
  struct scene s = scene_at(uri, option);
  begin(&s, 0, RC);
  CHECK_INT(put(&s, 0, 0, 7), OUTCOME_OK);
  atomic_store(&proxy.mode, mode);
  CHECK_INT(commit(&s, 0), OUTCOME_UNKNOWN);
  check_why(&s, 0, CAUSE_CONNECTION, code, true);
  atomic_store(&proxy.mode, PROXY_PASS);
  check_reconnects(&s, 0);
  CHECK_INT(stored(&s, 0), value);
  scene_end(&s);
  proxy_stop(&proxy);
}

static void lost_before_commit_arrived(void) {
  check_commit_through(PROXY_LOSE_REQUESTS, NULL, POSTGRESQL_NO_CODE, 0);
}
static void lost_after_commit_arrived(void) {
  check_commit_through(PROXY_LOSE_ANSWERS, NULL, POSTGRESQL_NO_CODE, 7);
}
static void no_answer_to_commit(void) {
  check_commit_through(PROXY_HOLD, "timeout=4s", POSTGRESQL_NO_CODE, 0);
}
static void rubbish_in_answer_to_commit(void) {
  check_commit_through(PROXY_SPOIL_ANSWERS, NULL, POSTGRESQL_NO_CODE, 7);
}

static void lost_before_commit_was_sent(void) {
  struct proxy proxy;
  char uri[300];
  proxy_start(&proxy, port_of(environment("PG_URI")));
  pg_uri_through(&proxy, "", uri, sizeof uri);
  struct scene s = scene_at(uri, NULL);
  for (int mode = PROXY_LOSE_REQUESTS; mode <= PROXY_SPOIL_ANSWERS; mode++) {
    begin(&s, 0, RC);
    CHECK_INT(put(&s, 0, 0, 7), OUTCOME_OK);
    atomic_store(&proxy.mode, (enum proxy_mode)mode);
    CHECK_INT(put(&s, 0, 1, 8), OUTCOME_ABORTED);
    check_why(&s, 0, CAUSE_CONNECTION, POSTGRESQL_NO_CODE, true);
    check_reconnects(&s, 0);
    CHECK_INT(stored(&s, 0), 0);
  }
  scene_end(&s);
  proxy_stop(&proxy);
}

// ---- Whole transactions at once

static void a_pipeline_that_fails(void) {
  struct scene s = scene_with("pipeline=yes");
  sql(&s, "ALTER TABLE isostress ADD CHECK (v < 100)");
  struct operation ops[] = {{.kind = OP_WRITE, .key = 0, .value = 1},
                            {.kind = OP_WRITE, .key = 1, .value = 100}};
  CHECK_INT(transact(&s, RC, ops, 2), OUTCOME_ABORTED);
  check_why(&s, 0, CAUSE_CONSTRAINT, "23514", false);
  CHECK_INT(stored(&s, 0), 0);
  check_transacts(&s);
  raise_at_commit(&s, "40001");
  ops[1] = (struct operation){.kind = OP_WRITE, .key = 1, .value = 5};
  CHECK_INT(transact(&s, RC, ops, 2), OUTCOME_ABORTED);
  check_why(&s, 0, CAUSE_SERIALIZATION, "40001", false);
  check_transacts(&s);
  raise_at_commit(&s, "XX000");
  CHECK_INT(transact(&s, RC, ops, 2), OUTCOME_UNKNOWN);
  check_why(&s, 0, CAUSE_OTHER, "XX000", false);
  check_transacts(&s);
  scene_end(&s);
}

static void a_pipeline_that_misses_a_row(void) {
  struct scene s = scene_with("pipeline=yes");
  sql(&s, "DELETE FROM isostress WHERE k = 3");
  check_misses_a_row(&s);
  scene_end(&s);
}

static void a_pipeline_compares_and_sets(void) {
  struct scene s = scene_with("pipeline=yes");
  check_compares_and_sets(&s, RR, stored);
  scene_end(&s);
}

static void check_pipeline_through(enum proxy_mode mode, uint64_t value) {
  struct proxy proxy;
  char uri[300];
  proxy_start(&proxy, port_of(environment("PG_URI")));
  pg_uri_through(&proxy, "&timeout=4s", uri, sizeof uri);
  struct scene s = scene_at(uri, "pipeline=yes");
  struct operation ops[] = {{.kind = OP_WRITE, .key = 0, .value = 7},
                            {.kind = OP_READ, .key = 1}};
  struct operation other[] = {{.kind = OP_WRITE, .key = 1, .value = 6},
                              {.kind = OP_READ, .key = 1}};
  check_transacts(&s);
  CHECK_INT(transact(&s, RC, ops, 0), OUTCOME_OK); // prepares BEGIN
  CHECK_INT(transact(&s, RC, other, 2), OUTCOME_OK);
  atomic_store(&proxy.mode, mode);
  CHECK_INT(transact(&s, RC, ops, 2), OUTCOME_UNKNOWN);
  check_why(&s, 0, CAUSE_CONNECTION, POSTGRESQL_NO_CODE, true);
  atomic_store(&proxy.mode, PROXY_PASS);
  rejoin(&s, 0);
  check_transacts(&s);
  CHECK_INT(stored(&s, 0), value);
  scene_end(&s);
  proxy_stop(&proxy);
}

static void a_pipeline_that_is_lost(void) {
  check_pipeline_through(PROXY_HOLD, 0);
  check_pipeline_through(PROXY_LOSE_REQUESTS, 0);
  check_pipeline_through(PROXY_LOSE_ANSWERS, 7);
}

// A server that hangs is asked in vain who waits, and not for ever.
static void who_waits_is_not_answered(void) {
  struct proxy proxy;
  char uri[300];
  proxy_start(&proxy, port_of(environment("PG_URI")));
  pg_uri_through(&proxy, "", uri, sizeof uri);
  struct scene s = scene_at(uri, "timeout=1s");
  CHECK_INT(s.driver->waits(s.c[0], s.c[1]), 0);
  atomic_store(&proxy.mode, PROXY_HOLD);
  CHECK_INT(s.driver->waits(s.c[0], s.c[1]), -1);
  CHECK(s.c[0]->broken);
  atomic_store(&proxy.mode, PROXY_PASS);
  scene_end(&s);
  proxy_stop(&proxy);
}

int main(void) {
  return TAP_RUN(
      {"lost before COMMIT was sent: aborted", lost_before_commit_was_sent},
      {"lost before COMMIT arrived: unknown", lost_before_commit_arrived},
      {"lost after COMMIT arrived: unknown", lost_after_commit_arrived},
      {"no answer to COMMIT: unknown", no_answer_to_commit},
      {"rubbish in answer to COMMIT: unknown", rubbish_in_answer_to_commit},
      {"a pipeline that fails", a_pipeline_that_fails},
      {"a pipeline that misses a row", a_pipeline_that_misses_a_row},
      {"a pipeline compares and sets", a_pipeline_compares_and_sets},
      {"a pipeline that is lost: unknown", a_pipeline_that_is_lost},
      {"who waits is not answered", who_waits_is_not_answered});
}

// SPDX-License-Identifier: GPL-3.0-or-later
// The mysql driver with pipeline=yes: whole transactions at once, which fail,
// miss a row, compare and set, or are lost on the way.  Run by
// mysql_pipeline.sh.
#include "config.h"

#include "tests/live/mysql_scene.h"

static void a_pipeline_that_fails(void) {
  struct scene s = scene_with("pipeline=yes");
  sql(&s, "CREATE TRIGGER early BEFORE UPDATE ON isostress FOR EACH ROW"
          " IF NEW.v = 100 THEN SET NEW.v = NULL; END IF");
  struct operation ops[] = {{.kind = OP_WRITE, .key = 0, .value = 1},
                            {.kind = OP_WRITE, .key = 1, .value = 100},
                            {.kind = OP_WRITE, .key = 2, .value = 2}};
  CHECK_INT(transact(&s, RC, ops, 3), OUTCOME_ABORTED);
  check_why(&s, 0, CAUSE_CONSTRAINT, "1048", false);
  CHECK_INT(stored(&s, 0), 0);
  CHECK_INT(stored(&s, 2), 0);
  check_transacts(&s);
  sql(&s, "DROP TABLE isostress");
  CHECK_INT(transact(&s, RC, ops, 1), OUTCOME_ABORTED);
  check_why(&s, 0, CAUSE_OTHER, "1146", false);
  scene_end(&s);
}

static void a_pipeline_that_waits_in_vain(void) {
  char uri[300];
  snprintf(uri, sizeof uri, "%s?lock_timeout=0s", uri_of_server());
  struct scene s = scene_at(uri, "pipeline=yes");
  sql(&s, "BEGIN");
  sql(&s, "UPDATE isostress SET v = 5 WHERE k = 1");
  struct operation ops[] = {{.kind = OP_WRITE, .key = 0, .value = 1},
                            {.kind = OP_WRITE, .key = 1, .value = 2}};
  CHECK_INT(transact(&s, RC, ops, 2), OUTCOME_ABORTED);
  check_why(&s, 0, CAUSE_LOCK_TIMEOUT, "1205", false);
  CHECK(!(mysql_of(&s, 0)->server_status & SERVER_STATUS_IN_TRANS));
  sql(&s, "ROLLBACK");
  CHECK_INT(stored(&s, 0), 0);
  check_transacts(&s);
  scene_end(&s);
}

static void a_pipeline_on_a_read_only_server(void) {
  struct scene s = scene_with("pipeline=yes");
  struct operation ops[] = {{.kind = OP_WRITE, .key = 0, .value = 1}};
  sql(&s, "SET GLOBAL read_only = 1");
  CHECK_INT(transact(&s, RC, ops, 1), OUTCOME_ABORTED);
  check_why(&s, 0, CAUSE_OTHER, "1290", false);
  sql(&s, "SET GLOBAL read_only = 0");
  CHECK_INT(stored(&s, 0), 0);
  check_transacts(&s);
  scene_end(&s);
}

static void a_pipeline_that_is_too_large(void) {
  struct scene s = scene_with("pipeline=yes");
  struct operation ops[1000];
  sql(&s, "SET GLOBAL max_allowed_packet = 16384");
  rejoin(&s, 0);
  sql(&s, "SET GLOBAL max_allowed_packet = DEFAULT");
  for (uint64_t i = 0; i < 1000; i++)
    ops[i] = (struct operation){.kind = OP_WRITE, .key = i % 10, .value = 7};
  // The server says why before it closes the connection, which may get lost.
  const enum outcome outcome = transact(&s, RR, ops, 1000);
  CHECK(outcome == OUTCOME_UNKNOWN ||
        (outcome == OUTCOME_ABORTED && !strcmp(s.c[0]->code, "1153")));
  CHECK_INT(s.c[0]->cause, CAUSE_CONNECTION);
  CHECK(s.c[0]->broken);
  rejoin(&s, 0);
  CHECK_INT(stored(&s, 0), 0);
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

static void a_pipeline_appends(void) {
  struct scene s = scene_with("pipeline=yes");
  struct value_list lists[3] = {0};
  struct operation ops[] = {{.kind = OP_APPEND, .key = 1, .value = 7},
                            {.kind = OP_APPEND, .key = 1, .value = 1ULL << 41},
                            {.kind = OP_READ_LIST, .key = 1}};
  struct plan plan = {.ops = ops, .nops = 3};
  leave(&s, 0);
  make_keys(&s, true);
  join(&s, 0);
  CHECK_INT(s.driver->transact(s.c[0], &s.driver->levels[SER], &plan, lists),
            OUTCOME_OK);
  CHECK_INT(lists[2].count, 2);
  CHECK_INT(lists[2].values[0], 7);
  CHECK_INT(lists[2].values[1], 1ULL << 41);
  value_list_free(&lists[2]);
  scene_end(&s);
}

// Whether the server comes to COMMIT is open when it may notice before that
// nobody listens: `certain` says that it is not.
static void check_pipeline_through(enum proxy_mode mode, uint64_t value,
                                   bool certain) {
  struct proxy proxy;
  char uri[300];
  proxy_start(&proxy, port_of(uri_of_server()));
  uri_through(&proxy, uri_of_server(), "?timeout=4s", uri, sizeof uri);
  struct scene s = scene_at(uri, "pipeline=yes");
  struct operation ops[] = {{.kind = OP_WRITE, .key = 0, .value = 7},
                            {.kind = OP_READ, .key = 1}};
  check_transacts(&s); // sets the level
  atomic_store(&proxy.mode, mode);
  CHECK_INT(transact(&s, RR, ops, 2), OUTCOME_UNKNOWN);
  CHECK_INT(s.c[0]->cause, CAUSE_CONNECTION);
  CHECK(s.c[0]->broken);
  atomic_store(&proxy.mode, PROXY_PASS);
  rejoin(&s, 0);
  check_transacts(&s);
  CHECK(stored(&s, 0) == value || (!certain && stored(&s, 0) == 0));
  scene_end(&s);
  proxy_stop(&proxy);
}

static void a_pipeline_that_is_lost(void) {
  check_pipeline_through(PROXY_HOLD, 0, true);
  check_pipeline_through(PROXY_LOSE_REQUESTS, 0, true);
  check_pipeline_through(PROXY_HOLD_ANSWERS, 7, true);
  check_pipeline_through(PROXY_LOSE_ANSWERS, 7, false);
  check_pipeline_through(PROXY_SPOIL_ANSWERS, 7, false);
}

int main(void) {
  return TAP_RUN(
      {"a pipeline that fails: 1048, 1146", a_pipeline_that_fails},
      {"a pipeline that waits in vain: 1205", a_pipeline_that_waits_in_vain},
      {"a pipeline on a read-only server: 1290",
       a_pipeline_on_a_read_only_server},
      {"a pipeline that is too large: 1153", a_pipeline_that_is_too_large},
      {"a pipeline that misses a row", a_pipeline_that_misses_a_row},
      {"a pipeline compares and sets", a_pipeline_compares_and_sets},
      {"a pipeline appends", a_pipeline_appends},
      {"a pipeline that is lost: unknown", a_pipeline_that_is_lost});
}

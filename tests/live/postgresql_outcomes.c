// SPDX-License-Identifier: GPL-3.0-or-later
// Every row of the PostgreSQL driver's table of codes, produced by a real
// server: what the driver makes of it, and that the session goes on.  Run by
// postgresql_outcomes.sh, which starts the servers and says where they are.
#include "config.h"

#include "tests/live/postgresql_scene.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

// ---- Transactions that get in each other's way

static void a_write_after_another_commit(void) {
  struct scene s = scene_with(NULL);
  begin(&s, 0, RR);
  CHECK_INT(get(&s, 0, 0), OUTCOME_OK);
  begin(&s, 1, RR);
  CHECK_INT(put(&s, 1, 0, 1), OUTCOME_OK);
  CHECK_INT(commit(&s, 1), OUTCOME_OK);
  CHECK_INT(put(&s, 0, 0, 2), OUTCOME_ABORTED);
  check_why(&s, 0, CAUSE_SERIALIZATION, "40001", false);
  check_goes_on(&s, 0);
  CHECK_INT(stored(&s, 0), 1);
  scene_end(&s);
}

static void write_skew_at_commit(void) {
  struct scene s = scene_with(NULL);
  for (int i = 0; i < 2; i++) {
    begin(&s, i, SER);
    CHECK_INT(get(&s, i, 0), OUTCOME_OK);
    CHECK_INT(get(&s, i, 1), OUTCOME_OK);
  }
  CHECK_INT(put(&s, 0, 0, 1), OUTCOME_OK);
  CHECK_INT(put(&s, 1, 1, 2), OUTCOME_OK);
  CHECK_INT(commit(&s, 0), OUTCOME_OK);
  CHECK_INT(commit(&s, 1), OUTCOME_ABORTED);
  check_why(&s, 1, CAUSE_SERIALIZATION, "40001", false);
  check_goes_on(&s, 1);
  CHECK_INT(stored(&s, 1), 0);
  scene_end(&s);
}

static void a_deadlock(void) {
  struct scene s = scene_with(NULL);
  check_deadlock(&s, RC, "40P01");
  scene_end(&s);
}

static void check_timeout(const char *option, enum cause cause,
                          const char *code) {
  struct scene s = scene_with(option);
  begin(&s, 0, RC);
  CHECK_INT(put(&s, 0, 0, 1), OUTCOME_OK);
  begin(&s, 1, RC);
  CHECK_INT(put(&s, 1, 0, 2), OUTCOME_ABORTED);
  check_why(&s, 1, cause, code, false);
  check_goes_on(&s, 1);
  scene_end(&s);
}

static void a_lock_timeout(void) {
  check_timeout("lock_timeout=20ms", CAUSE_LOCK_TIMEOUT, "55P03");
}
static void a_statement_timeout(void) {
  check_timeout("statement_timeout=2s", CAUSE_STATEMENT_TIMEOUT, "57014");
}

// Until session 0 waits for a lock.
static void await_wait(struct scene *scene) {
  bool waits = false;
  for (int i = 0; i < 6000 && !waits; i++) {
    usleep(i ? 10000 : 0);
    PGresult *result = PQexec(scene->admin, "SELECT FROM pg_stat_activity"
                                            " WHERE wait_event_type = 'Lock'");
    waits = PQntuples(result) > 0;
    PQclear(result);
  }
  CHECK(waits);
}

static void a_statement_that_is_cancelled(void) {
  struct scene s = scene_with(NULL);
  struct blocked_put waiting = {&s, OUTCOME_UNKNOWN};
  pthread_t thread;
  begin(&s, 1, RC);
  CHECK_INT(put(&s, 1, 1, 1), OUTCOME_OK);
  begin(&s, 0, RC);
  CHECK(!pthread_create(&thread, NULL, put_key_1, &waiting));
  await_wait(&s);
  sql(&s, "SELECT pg_cancel_backend(pid) FROM pg_stat_activity"
          " WHERE wait_event_type = 'Lock'");
  pthread_join(thread, NULL);
  CHECK_INT(waiting.outcome, OUTCOME_ABORTED);
  check_why(&s, 0, CAUSE_STATEMENT_TIMEOUT, "57014", false);
  CHECK_INT(s.driver->rollback(s.c[1]), OUTCOME_OK);
  check_goes_on(&s, 0);
  CHECK_INT(stored(&s, 1), 0);
  scene_end(&s);
}

static void commit_of_a_failed_transaction(void) {
  struct scene s = scene_with("lock_timeout=20ms");
  begin(&s, 0, RC);
  CHECK_INT(put(&s, 0, 0, 1), OUTCOME_OK);
  begin(&s, 1, RC);
  CHECK_INT(put(&s, 1, 0, 2), OUTCOME_ABORTED);
  CHECK_INT(get(&s, 1, 1), OUTCOME_ABORTED);
  check_why(&s, 1, CAUSE_OTHER, "25P02", false);
  CHECK_INT(commit(&s, 1), OUTCOME_ABORTED);
  check_why(&s, 1, CAUSE_OTHER, "ROLLBACK", false);
  check_goes_on(&s, 1);
  scene_end(&s);
}

// ---- What the schema does

static void a_constraint(void) {
  struct scene s = scene_with(NULL);
  sql(&s, "ALTER TABLE isostress ADD CHECK (v < 100)");
  check_put_fails(&s, 0, 100, CAUSE_CONSTRAINT, "23514");
  check_goes_on(&s, 0);
  scene_end(&s);
}

// A write of 5 to key 0 that only COMMIT refuses.
static void check_commit(struct scene *s, const char *sqlstate,
                         enum cause cause, enum outcome outcome) {
  begin(s, 0, RC);
  CHECK_INT(put(s, 0, 0, 5), OUTCOME_OK);
  CHECK_INT(commit(s, 0), outcome);
  check_why(s, 0, cause, sqlstate, false);
  check_goes_on(s, 0);
  CHECK_INT(stored(s, 0), 0);
}

static void constraints_at_commit(void) {
  struct scene s = scene_with(NULL);
  sql(&s, "CREATE TABLE parents AS SELECT 0::bigint AS v UNION SELECT 99");
  sql(&s, "ALTER TABLE parents ADD PRIMARY KEY (v)");
  sql(&s, "ALTER TABLE isostress ADD CONSTRAINT known FOREIGN KEY (v)"
          " REFERENCES parents DEFERRABLE INITIALLY DEFERRED");
  check_commit(&s, "23503", CAUSE_CONSTRAINT, OUTCOME_ABORTED);
  sql(&s, "ALTER TABLE isostress DROP CONSTRAINT known");
  sql(&s, "DROP TABLE parents");
  scene_end(&s);
}

// Nothing is assumed of these.
static void other_errors_at_commit(void) {
  struct scene s = scene_with(NULL);
  raise_at_commit(&s, "P0001");
  check_commit(&s, "P0001", CAUSE_OTHER, OUTCOME_UNKNOWN);
  raise_at_commit(&s, "40003"); // statement completion unknown
  check_commit(&s, "40003", CAUSE_OTHER, OUTCOME_UNKNOWN);
  scene_end(&s);
}

static void no_privilege_no_table(void) {
  struct scene s = scene_with(NULL);
  sql(&s, "REVOKE UPDATE ON isostress FROM isostress");
  check_put_fails(&s, 0, 1, CAUSE_OTHER, "42501");
  sql(&s, "GRANT UPDATE ON isostress TO isostress");
  check_goes_on(&s, 0);
  sql(&s, "DROP TABLE isostress");
  begin(&s, 0, RC);
  CHECK_INT(get(&s, 0, 0), OUTCOME_ABORTED);
  check_why(&s, 0, CAUSE_OTHER, "42P01", false);
  scene_end(&s);
}

static void a_row_that_vanished(void) {
  struct scene s = scene_with(NULL);
  sql(&s, "DELETE FROM isostress WHERE k = 3");
  check_put_fails(&s, 3, 1, CAUSE_OTHER, "no row");
  check_goes_on(&s, 0);
  scene_end(&s);
}

// Until the standby has what the primary has.
static void await_standby(struct scene *scene) {
  PGconn *standby = PQconnectdb(environment("PG_STANDBY_URI"));
  PGresult *lsn = PQexec(scene->admin, "SELECT pg_current_wal_lsn()");
  char text[100];
  bool there = false;
  snprintf(text, sizeof text, "SELECT pg_last_wal_replay_lsn() >= '%s'",
           PQgetvalue(lsn, 0, 0));
  for (int i = 0; i < 6000 && !there; i++) {
    usleep(i ? 10000 : 0);
    PGresult *result = PQexec(standby, text);
    there = PQntuples(result) == 1 && *PQgetvalue(result, 0, 0) == 't';
    PQclear(result);
  }
  CHECK(there);
  PQclear(lsn);
  PQfinish(standby);
}

static void a_read_only_standby(void) {
  struct scene s = scene_with(NULL);
  await_standby(&s);
  struct scene standby = {.target =
                              target_at(environment("PG_STANDBY_URI"), NULL)};
  const struct keyspace keys = {.nkeys = 10, .preload = true};
  struct error error = {0};
  standby.driver = standby.target->driver;
  CHECK_INT(standby.driver->setup(standby.target, &keys, &error), -1);
  CHECK(strstr(error.text, "is a read-only standby") != NULL);
  join(&standby, 0);
  begin(&standby, 0, RR);
  CHECK_INT(put(&standby, 0, 20, 1), OUTCOME_ABORTED);
  check_why(&standby, 0, CAUSE_OTHER, "25006", false);
  CHECK_INT(standby.driver->rollback(standby.c[0]), OUTCOME_OK);
  // The standby may refuse at once or at the first statement.
  enum outcome outcome =
      standby.driver->begin(standby.c[0], &standby.driver->levels[SER]);
  if (outcome == OUTCOME_OK)
    outcome = get(&standby, 0, 0);
  CHECK_INT(outcome, OUTCOME_ABORTED);
  check_why(&standby, 0, CAUSE_OTHER, "0A000", false);
  leave(&standby, 0);
  target_close(standby.target);
  scene_end(&s);
}

// ---- Connections that end

static void terminate(struct scene *scene, int i) {
  char text[100];
  const int pid = PQbackendPID(postgresql_session_of(scene->c[i])->pg);
  snprintf(text, sizeof text, "SELECT pg_terminate_backend(%d, 60000)", pid);
  sql(scene, text);
}

static void a_session_that_is_terminated(void) {
  struct scene s = scene_with(NULL);
  begin(&s, 0, RC);
  CHECK_INT(put(&s, 0, 0, 1), OUTCOME_OK);
  terminate(&s, 0);
  CHECK_INT(get(&s, 0, 0), OUTCOME_ABORTED);
  check_why(&s, 0, CAUSE_CONNECTION, "57P01", true);
  check_reconnects(&s, 0);
  CHECK_INT(stored(&s, 0), 0);
  terminate(&s, 0);
  CHECK_INT(s.driver->begin(s.c[0], &s.driver->levels[RC]), OUTCOME_ABORTED);
  check_why(&s, 0, CAUSE_CONNECTION, "57P01", true);
  check_reconnects(&s, 0);
  scene_end(&s);
}

// Until the server says something unasked.
static void await_end(struct scene *scene, int i) {
  struct pollfd poll_on = {
      .fd = PQsocket(postgresql_session_of(scene->c[i])->pg), .events = POLLIN};
  CHECK_INT(poll(&poll_on, 1, 60000), 1);
}

static void a_session_that_was_idle_for_too_long(void) {
  struct scene s =
      scene_with("options=-c idle_in_transaction_session_timeout=2000");
  for (int committing = 0; committing < 2; committing++) {
    begin(&s, 0, RC);
    CHECK_INT(put(&s, 0, 0, 1), OUTCOME_OK);
    await_end(&s, 0);
    CHECK_INT(committing ? commit(&s, 0) : get(&s, 0, 0), OUTCOME_ABORTED);
    check_why(&s, 0, CAUSE_CONNECTION, "25P03", true);
    check_reconnects(&s, 0);
    CHECK_INT(stored(&s, 0), 0);
  }
  scene_end(&s);
}

static void too_many_connections(void) {
  struct scene s = scene_with(NULL);
  struct connection *third;
  struct error error = {0};
  sql(&s, "ALTER ROLE isostress CONNECTION LIMIT 2");
  CHECK_INT(s.driver->connect(s.target, 2, &third, &error), -1);
  CHECK(strstr(error.text, "too many connections for role") != NULL);
  sql(&s, "ALTER ROLE isostress CONNECTION LIMIT -1");
  scene_end(&s);
}

struct blocked_commit {
  struct scene *scene;
  _Atomic bool returned;
  enum outcome outcome;
};
static void *commit_session_0(void *argument) {
  struct blocked_commit *waiting = argument;
  waiting->outcome = commit(waiting->scene, 0);
  atomic_store(&waiting->returned, true);
  return NULL;
}

static bool waits_for_standby(struct scene *scene) {
  PGresult *result = PQexec(scene->admin, "SELECT FROM pg_stat_activity"
                                          " WHERE usename = 'isostress' AND"
                                          " wait_event = 'SyncRep'");
  const bool waits = PQntuples(result) > 0;
  PQclear(result);
  return waits;
}

// Has session 0 commit until that waits for a standby: the server takes its
// time to see that it should have one.
static void commit_that_waits(struct scene *s, struct blocked_commit *waiting,
                              pthread_t *thread) {
  for (int i = 0; i < 1000; i++) {
    *waiting = (struct blocked_commit){.scene = s};
    begin(s, 0, RC);
    CHECK_INT(put(s, 0, 0, 7), OUTCOME_OK);
    CHECK(!pthread_create(thread, NULL, commit_session_0, waiting));
    while (!atomic_load(&waiting->returned))
      if (waits_for_standby(s))
        return;
    pthread_join(*thread, NULL);
  }
  printf("Bail out! COMMIT does not wait for a synchronous standby\n");
  exit(1);
}

// Commits are to wait for a standby that is not there.
static void require_nobody(struct scene *s) {
  sql(s, "SET synchronous_commit = local");
  sql(s, "ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
  sql(s, "SELECT pg_reload_conf()");
}

// The server wakes whoever still waits.
static void require_none(struct scene *s) {
  sql(s, "ALTER SYSTEM RESET synchronous_standby_names");
  sql(s, "SELECT pg_reload_conf()");
}

// The commit is written, and waits for a synchronous standby that never comes,
// when the session is told to end: the manual's own example of an outcome that
// only looks like an abort.
static void a_session_that_ends_while_it_commits(void) {
  struct scene s = scene_with(NULL);
  struct blocked_commit waiting;
  pthread_t thread;
  require_nobody(&s);
  commit_that_waits(&s, &waiting, &thread);
  terminate(&s, 0);
  pthread_join(thread, NULL);
  CHECK_INT(waiting.outcome, OUTCOME_UNKNOWN);
  check_why(&s, 0, CAUSE_CONNECTION, "57P01", true);
  CHECK_INT(stored(&s, 0), 7);
  require_none(&s);
  check_reconnects(&s, 0);
  scene_end(&s);
}

// A warning of a transaction, which is no reason to doubt its COMMIT.
static void warn_at_commit(struct scene *s) {
  sql(s, "CREATE OR REPLACE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql"
         " AS $$BEGIN RAISE WARNING 'canceling'; RETURN NULL; END$$");
  sql(s, "CREATE CONSTRAINT TRIGGER warn AFTER UPDATE ON isostress"
         " DEFERRABLE INITIALLY DEFERRED FOR EACH ROW"
         " EXECUTE FUNCTION warn()");
}

// Somebody cancels the wait: the server answers COMMIT and warns that no
// standby may have the transaction.
static void check_cancelled_wait(const char *option, enum outcome outcome) {
  struct scene s = scene_with(option);
  struct blocked_commit waiting;
  pthread_t thread;
  require_nobody(&s);
  commit_that_waits(&s, &waiting, &thread);
  sql(&s, "SELECT pg_cancel_backend(pid) FROM pg_stat_activity"
          " WHERE wait_event = 'SyncRep'");
  pthread_join(thread, NULL);
  CHECK_INT(waiting.outcome, outcome);
  if (outcome != OUTCOME_OK)
    check_why(&s, 0, CAUSE_OTHER, "01000", false);
  CHECK_INT(stored(&s, 0), 7);
  require_none(&s);
  warn_at_commit(&s);
  check_goes_on(&s, 0);
  scene_end(&s);
}

static void a_commit_whose_wait_is_cancelled(void) {
  check_cancelled_wait(NULL, OUTCOME_UNKNOWN);
  check_cancelled_wait("prepare=unnamed", OUTCOME_UNKNOWN);
}
static void a_commit_whose_wait_may_be_cancelled(void) {
  check_cancelled_wait("sync-cancel=ok", OUTCOME_OK);
}

// ---- Last, because the server ends all sessions

static void a_session_that_is_killed(void) {
  struct scene s = scene_with(NULL);
  begin(&s, 0, RC);
  begin(&s, 1, RC);
  CHECK_INT(put(&s, 0, 0, 1), OUTCOME_OK);
  CHECK(!kill(PQbackendPID(postgresql_session_of(s.c[0])->pg), SIGKILL));
  await_end(&s, 0);
  await_end(&s, 1);
  CHECK_INT(get(&s, 0, 0), OUTCOME_ABORTED);
  check_why(&s, 0, CAUSE_CONNECTION, POSTGRESQL_NO_CODE, true);
  CHECK_INT(get(&s, 1, 0), OUTCOME_ABORTED);
  CHECK_INT(s.c[1]->cause, CAUSE_CONNECTION);
  CHECK(s.c[1]->broken);
  scene_end(&s);
}

int main(void) {
  return TAP_RUN(
      {"a write after another's commit: 40001", a_write_after_another_commit},
      {"write skew: 40001 at commit", write_skew_at_commit},
      {"a deadlock: 40P01", a_deadlock},
      {"a lock timeout: 55P03", a_lock_timeout},
      {"a statement timeout: 57014", a_statement_timeout},
      {"a statement that is cancelled: 57014", a_statement_that_is_cancelled},
      {"COMMIT of a failed transaction: 25P02, ROLLBACK",
       commit_of_a_failed_transaction},
      {"a constraint: 23514", a_constraint},
      {"a constraint at commit: 23503", constraints_at_commit},
      {"other errors at commit: unknown", other_errors_at_commit},
      {"no privilege, no table: 42501, 42P01", no_privilege_no_table},
      {"a row that vanished", a_row_that_vanished},
      {"a read-only standby: 25006, 0A000", a_read_only_standby},
      {"a session that is terminated: 57P01", a_session_that_is_terminated},
      {"a session that was idle for too long: 25P03",
       a_session_that_was_idle_for_too_long},
      {"too many connections", too_many_connections},
      {"a session that ends while it commits: unknown",
       a_session_that_ends_while_it_commits},
      {"a commit whose wait is cancelled: unknown",
       a_commit_whose_wait_is_cancelled},
      {"a commit whose wait may be cancelled: committed",
       a_commit_whose_wait_may_be_cancelled},
      {"a session that is killed", a_session_that_is_killed});
}

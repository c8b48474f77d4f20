// SPDX-License-Identifier: GPL-3.0-or-later
// The statements of the mysql driver, and every row of its table of
// codes about transactions that get in each other's way, as MariaDB produces
// it.  Run by mysql_conflicts.sh.
#include "config.h"

#include "tests/live/mysql_scene.h"

#include <pthread.h>

// ---- What the statements do

static void all_levels_are_the_servers(void) {
  static const char *const names[] = {[RR] = "REPEATABLE-READ",
                                      [RC] = "READ-COMMITTED",
                                      [SER] = "SERIALIZABLE",
                                      [RU] = "READ-UNCOMMITTED"};
  struct scene s = scene_with(NULL);
  for (int level = RR; level <= RU; level++) {
    char query[80];
    snprintf(query, sizeof query, "SELECT @@%s = '%s'",
             is_mariadb(&s) ? "tx_isolation" : "transaction_isolation",
             names[level]);
    begin(&s, 0, level);
    CHECK_INT(number(mysql_of(&s, 0), query), 1);
    CHECK_INT(commit(&s, 0), OUTCOME_OK);
  }
  static const char count[] = "SHOW SESSION STATUS LIKE 'Com_set_option'";
  const uint64_t before = number(mysql_of(&s, 0), count);
  for (int i = 0; i < 3; i++) {
    begin(&s, 0, RU);
    CHECK_INT(commit(&s, 0), OUTCOME_OK);
  }
  CHECK_INT(number(mysql_of(&s, 0), count), before);
  scene_end(&s);
}

static void check_operations(const char *option) {
  struct scene s = scene_with(option);
  uint64_t found;
  begin(&s, 0, RC);
  for (uint64_t key = 0; key < 20; key++) { // half of them are not there
    CHECK_INT(s.driver->get(s.c[0], key, &found), OUTCOME_OK);
    CHECK_INT(found, VALUE_INITIAL);
    CHECK_INT(put(&s, 0, key, key + 1), OUTCOME_OK);
  }
  CHECK_INT(commit(&s, 0), OUTCOME_OK);
  begin(&s, 1, RC);
  for (uint64_t key = 0; key < 20; key++) {
    CHECK_INT(s.driver->get(s.c[1], key, &found), OUTCOME_OK);
    CHECK_INT(found, key + 1);
  }
  CHECK_INT(s.driver->cas(s.c[1], 3, 7, 8, &found), OUTCOME_OK);
  CHECK_INT(found, 4);
  CHECK_INT(s.driver->cas(s.c[1], 3, 4, 8, &found), OUTCOME_OK);
  CHECK_INT(found, 4);
  CHECK_INT(s.driver->cas(s.c[1], 30, VALUE_INITIAL, 31, &found), OUTCOME_OK);
  CHECK_INT(found, VALUE_INITIAL);
  CHECK_INT(s.driver->cas(s.c[1], 30, VALUE_INITIAL, 32, &found), OUTCOME_OK);
  CHECK_INT(found, 31);
  CHECK_INT(s.driver->get(s.c[1], 3, &found), OUTCOME_OK);
  CHECK_INT(found, 8);
  CHECK_INT(commit(&s, 1), OUTCOME_OK);
  scene_end(&s);
}

static void registers_of_every_shape(void) {
  check_operations(NULL);
  check_operations("columns=3");
  check_operations("tables=2");
  check_operations("index=secondary");
  check_operations("write=upsert");
  check_operations("read=for-update");
  check_operations("read=for-share");
}

static void check_lists(const char *option) {
  enum { LENGTH = 3000 };
  struct scene s = scene_with(option);
  struct value_list list = {0};
  leave(&s, 0);
  make_keys(&s, true);
  join(&s, 0);
  begin(&s, 0, RC);
  CHECK_INT(s.driver->get_list(s.c[0], 1, &list), OUTCOME_OK);
  CHECK_INT(list.count, 0);
  for (uint64_t i = 0; i < LENGTH; i++)
    CHECK_INT(s.driver->append(s.c[0], 1, i << 33 | i), OUTCOME_OK);
  CHECK_INT(s.driver->append(s.c[0], 2, 5), OUTCOME_OK);
  CHECK_INT(s.driver->get_list(s.c[0], 1, &list), OUTCOME_OK);
  CHECK_INT(list.count, LENGTH);
  for (uint64_t i = 0; i < list.count; i++)
    if (list.values[i] != (i << 33 | i))
      CHECK_INT(list.values[i], i << 33 | i);
  list.count = 0;
  CHECK_INT(s.driver->get_list(s.c[0], 2, &list), OUTCOME_OK);
  CHECK_INT(list.count, 1);
  CHECK_INT(commit(&s, 0), OUTCOME_OK);
  value_list_free(&list);
  scene_end(&s);
}

static void lists_of_every_shape(void) {
  check_lists(NULL);
  check_lists("columns=2");
  check_lists("index=secondary");
}

// ---- Transactions that get in each other's way

// The server has rolled back: what followed would be committed by itself.
static void check_write_after_commit(void) {
  struct scene s = scene_with("innodb_snapshot_isolation=on");
  begin(&s, 0, RR);
  CHECK_INT(get(&s, 0, 0), OUTCOME_OK);
  CHECK_INT(put(&s, 0, 1, 5), OUTCOME_OK);
  begin(&s, 1, RR);
  CHECK_INT(put(&s, 1, 0, 1), OUTCOME_OK);
  CHECK_INT(commit(&s, 1), OUTCOME_OK);
  CHECK_INT(put(&s, 0, 0, 2), OUTCOME_ABORTED);
  check_why(&s, 0, CAUSE_SERIALIZATION, "1020", false);
  CHECK_INT(put(&s, 0, 2, 6), OUTCOME_ABORTED);
  check_why(&s, 0, CAUSE_OTHER, "failed", false);
  check_goes_on(&s, 0);
  CHECK_INT(stored(&s, 0), 1);
  CHECK_INT(stored(&s, 1), 0);
  CHECK_INT(stored(&s, 2), 0);
  scene_end(&s);
}

static void a_write_after_another_commit(void) {
  struct scene s = scene_with(NULL);
  const bool possible = is_mariadb(&s);
  scene_end(&s);
  if (possible)
    check_write_after_commit();
  else
    tap_skip("only MariaDB has innodb_snapshot_isolation");
}

// Until session 0 waits for a lock.
static void await_wait(struct scene *s) {
  await_count(s,
              "SELECT COUNT(*) FROM information_schema.INNODB_TRX WHERE"
              " trx_state = 'LOCK WAIT'",
              1);
}

static void a_deadlock(void) {
  struct scene s = scene_with(NULL);
  check_deadlock(&s, RC, "1213");
  CHECK_INT(stored(&s, 0), 0);
  CHECK_INT(stored(&s, 1), 0);
  scene_end(&s);
}

// The server leaves the transaction open, with its first write.
static void a_lock_timeout(void) {
  struct scene s = scene_with("lock_timeout=0s");
  for (int committing = 0; committing < 2; committing++) {
    begin(&s, 0, RC);
    CHECK_INT(put(&s, 0, 0, 1), OUTCOME_OK);
    begin(&s, 1, RC);
    CHECK_INT(put(&s, 1, 1, 7), OUTCOME_OK);
    CHECK_INT(put(&s, 1, 0, 2), OUTCOME_ABORTED);
    check_why(&s, 1, CAUSE_LOCK_TIMEOUT, "1205", false);
    if (committing) {
      CHECK_INT(commit(&s, 1), OUTCOME_ABORTED);
      check_why(&s, 1, CAUSE_OTHER, "failed", false);
    }
    check_goes_on(&s, 1);
    CHECK_INT(s.driver->rollback(s.c[0]), OUTCOME_OK);
    CHECK_INT(stored(&s, 1), 0);
  }
  scene_end(&s);
}

static void *insert_from_rows(void *context) {
  struct blocked_put *waiting = context;
  char rows[100];
  waiting->outcome = waiting->scene->driver->sql(
      waiting->scene->c[1],
      "INSERT INTO numbered (v) SELECT x FROM source ORDER BY id", rows,
      sizeof rows);
  return NULL;
}

// An INSERT of many rows keeps the lock of numbers until it ends, and waits for
// a row of the transaction that asks for a number.
static void check_no_number(void) {
  struct scene s = scene_with(NULL);
  struct blocked_put waiting = {&s, OUTCOME_UNKNOWN};
  pthread_t thread;
  char rows[100];
  sql(&s, "CREATE TABLE source (id INT PRIMARY KEY, x INT)");
  sql(&s, "INSERT INTO source SELECT seq, seq FROM seq_1_to_50");
  sql(&s, "CREATE TABLE numbered (id INT AUTO_INCREMENT PRIMARY KEY, v INT)");
  begin(&s, 0, RC);
  CHECK_INT(s.driver->sql(s.c[0], "UPDATE source SET x = 0 WHERE id = 40", rows,
                          sizeof rows),
            OUTCOME_OK);
  begin(&s, 1, RR);
  CHECK(!pthread_create(&thread, NULL, insert_from_rows, &waiting));
  await_wait(&s);
  CHECK_INT(s.driver->sql(s.c[0], "INSERT INTO numbered (v) VALUES (1)", rows,
                          sizeof rows),
            OUTCOME_ABORTED);
  check_why(&s, 0, CAUSE_DEADLOCK, "1467", false);
  pthread_join(thread, NULL);
  CHECK_INT(waiting.outcome, OUTCOME_OK);
  CHECK_INT(commit(&s, 1), OUTCOME_OK);
  check_goes_on(&s, 0);
  CHECK_INT(number(s.admin, "SELECT COUNT(*) FROM source WHERE x = 0"), 0);
  CHECK_INT(number(s.admin, "SELECT COUNT(*) FROM numbered"), 50);
  sql(&s, "DROP TABLE numbered, source");
  scene_end(&s);
}

static void a_number_that_is_not_given(void) {
  struct scene s = scene_with(NULL);
  const bool possible = is_mariadb(&s);
  scene_end(&s);
  if (possible)
    check_no_number();
  else
    tap_skip("MySQL gives numbers without a lock");
}

// MySQL's max_execution_time ends reads only, which wait at serializable.
static void a_statement_timeout(void) {
  struct scene s = scene_with("statement_timeout=2s");
  const bool mariadb = is_mariadb(&s);
  begin(&s, 1, RC);
  CHECK_INT(put(&s, 1, 0, 1), OUTCOME_OK);
  begin(&s, 0, SER);
  CHECK_INT(mariadb ? put(&s, 0, 0, 2) : get(&s, 0, 0), OUTCOME_ABORTED);
  check_why(&s, 0, CAUSE_STATEMENT_TIMEOUT, mariadb ? "1969" : "3024", false);
  check_goes_on(&s, 0);
  scene_end(&s);
}

// Session 0 waits for session 1 when it is ended.
static void check_ended(const char *what, const char *code, enum cause cause,
                        bool broken) {
  struct scene s = scene_with(NULL);
  struct blocked_put waiting = {&s, OUTCOME_UNKNOWN};
  pthread_t thread;
  begin(&s, 1, RC);
  CHECK_INT(put(&s, 1, 1, 1), OUTCOME_OK);
  begin(&s, 0, RC);
  CHECK(!pthread_create(&thread, NULL, put_key_1, &waiting));
  await_wait(&s);
  end_session(&s, 0, what);
  pthread_join(thread, NULL);
  CHECK_INT(waiting.outcome, OUTCOME_ABORTED);
  check_why(&s, 0, cause, code, broken);
  CHECK_INT(s.driver->rollback(s.c[1]), OUTCOME_OK);
  if (broken)
    check_reconnects(&s, 0);
  else
    check_goes_on(&s, 0);
  CHECK_INT(stored(&s, 1), 0);
  scene_end(&s);
}

static void a_statement_that_is_killed(void) {
  check_ended("QUERY", "1317", CAUSE_STATEMENT_TIMEOUT, false);
}
static void a_session_that_is_killed(void) {
  check_ended("CONNECTION", NULL, CAUSE_CONNECTION, true);
}

// The server ends the transaction between two statements, and answers the
// second one with OK.
static void a_transaction_that_the_server_left(void) {
  struct scene s = scene_with(NULL);
  uint64_t value;
  begin(&s, 0, SER);
  CHECK_INT(put(&s, 0, 1, 11), OUTCOME_OK);
  CHECK_INT(mysql_query(mysql_of(&s, 0), "ROLLBACK"), 0);
  CHECK_INT(s.driver->get(s.c[0], 2, &value), OUTCOME_ABORTED);
  check_why(&s, 0, CAUSE_OTHER, "left", false);
  CHECK_INT(put(&s, 0, 2, 12), OUTCOME_ABORTED);
  CHECK_INT(commit(&s, 0), OUTCOME_ABORTED);
  CHECK_INT(stored(&s, 2), 0);
  check_goes_on(&s, 0);
  begin(&s, 0, SER);
  CHECK_INT(put(&s, 0, 1, 21), OUTCOME_OK);
  CHECK_INT(mysql_query(mysql_of(&s, 0), "ROLLBACK"), 0);
  CHECK_INT(put(&s, 0, 2, 22), OUTCOME_UNKNOWN);
  check_why(&s, 0, CAUSE_OTHER, "left", false);
  CHECK_INT(put(&s, 0, 1, 23), OUTCOME_ABORTED);
  check_goes_on(&s, 0);
  CHECK_INT(stored(&s, 1), 0);
  CHECK_INT(stored(&s, 2), 22);
  scene_end(&s);
}

int main(void) {
  return TAP_RUN(
      {"all levels are the server's, and set only once",
       all_levels_are_the_servers},
      {"registers of every shape", registers_of_every_shape},
      {"lists of every shape", lists_of_every_shape},
      {"a write after another's commit: 1020", a_write_after_another_commit},
      {"a deadlock: 1213", a_deadlock},
      {"a lock timeout: 1205, rolled back as a whole", a_lock_timeout},
      {"a number that is not given: 1467", a_number_that_is_not_given},
      {"a statement timeout: 1969, 3024", a_statement_timeout},
      {"a statement that is killed: 1317", a_statement_that_is_killed},
      {"a session that is killed", a_session_that_is_killed},
      {"a transaction that the server left",
       a_transaction_that_the_server_left});
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Every row of the mysql driver's table of codes that a server can produce, as
// MariaDB produces it: what the driver makes of it, and that the session goes
// on.  Run by mysql_outcomes.sh, which starts the server and says where it is.
#include "config.h"

#include "drivers/drivers.h"
#include "drivers/mysql_session.h"
#include "tests/live/proxy.h"
#include "tests/tap.h"

#include <mysql.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { RR, RC, SER, RU }; // positions in the driver's table of levels

// A target, two sessions on it, and somebody who may do all.
struct scene {
  struct target *target;
  const struct driver *driver;
  struct connection *c[2];
  MYSQL *admin;
};

static const char *uri_of_server(void) {
  const char *value = getenv("MY_URI");
  if (value)
    return value;
  printf("Bail out! MY_URI is not set: run this through mysql_outcomes.sh\n");
  exit(1);
}

static void sql(struct scene *scene, const char *text) {
  if (!CHECK(!mysql_query(scene->admin, text)))
    printf("#   %s: %s\n", text, mysql_error(scene->admin));
}

// The number that a query returns; 0 if it returns none.
static uint64_t number(MYSQL *mysql, const char *query) {
  uint64_t value = 0;
  if (!CHECK(!mysql_query(mysql, query)))
    printf("#   %s: %s\n", query, mysql_error(mysql));
  MYSQL_RES *rows = mysql_store_result(mysql);
  const MYSQL_ROW row = rows ? mysql_fetch_row(rows) : NULL;
  if (row && row[0])
    value = strtoull(row[0], NULL, 10);
  mysql_free_result(rows);
  return value;
}

// The committed value of a key.
static uint64_t stored(struct scene *scene, uint64_t key) {
  char text[100];
  snprintf(text, sizeof text, "SELECT v FROM isostress WHERE k = %llu",
           (unsigned long long)key);
  return number(scene->admin, text);
}

static MYSQL *connect_as_admin(void) {
  struct mysqldb_uri uri;
  struct error error = {0};
  MYSQL *mysql = mysql_init(NULL);
  CHECK(!mysqldb_uri_read(strstr(uri_of_server(), "//"), &uri, &error));
  if (!CHECK(mysql_real_connect(mysql, uri.host, "boss", uri.password,
                                uri.database, uri.port, NULL, 0)))
    printf("#   %s\n", mysql_error(mysql));
  mysqldb_uri_free(&uri);
  return mysql;
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
  if (!CHECK(!scene->driver->connect(scene->target, (uint32_t)i, &scene->c[i],
                                     &error)))
    printf("#   %s\n", error.text);
}

static void leave(struct scene *scene, int i) {
  scene->driver->disconnect(scene->c[i]);
}

static void make_keys(struct scene *scene, bool lists) {
  const struct keyspace keys = {.nkeys = 10, .preload = !lists, .lists = lists};
  struct error error = {0};
  if (!CHECK(!scene->driver->setup(scene->target, &keys, &error)))
    printf("#   %s\n", error.text);
}

// Ten registers, two sessions.
static struct scene scene_at(const char *uri, const char *option) {
  struct scene scene = {.target = target_at(uri, option),
                        .admin = connect_as_admin()};
  scene.driver = scene.target->driver;
  make_keys(&scene, false);
  join(&scene, 0);
  join(&scene, 1);
  return scene;
}

static struct scene scene_with(const char *option) {
  return scene_at(uri_of_server(), option);
}

static void scene_end(struct scene *scene) {
  leave(scene, 0);
  leave(scene, 1);
  target_close(scene->target);
  mysql_close(scene->admin);
}

static void begin(struct scene *scene, int i, int level) {
  CHECK_INT(scene->driver->begin(scene->c[i], &scene->driver->levels[level]),
            OUTCOME_OK);
}
static enum outcome get(struct scene *scene, int i, uint64_t key) {
  uint64_t value;
  return scene->driver->get(scene->c[i], key, &value);
}
static enum outcome put(struct scene *scene, int i, uint64_t key,
                        uint64_t value) {
  return scene->driver->put(scene->c[i], key, value);
}
static enum outcome commit(struct scene *scene, int i) {
  return scene->driver->commit(scene->c[i]);
}

// A code of NULL may be any: of a loss, the server may come to say why or not.
static void check_why(const struct scene *scene, int i, enum cause cause,
                      const char *code, bool broken) {
  const struct connection *c = scene->c[i];
  CHECK_INT(c->cause, cause);
  if (code)
    CHECK_STR(c->code, code);
  CHECK_INT(c->broken, broken);
  CHECK(*c->text && !strchr(c->text, '\n'));
}

// After a failure that left the connection intact.
static void check_goes_on(struct scene *scene, int i) {
  CHECK_INT(scene->driver->rollback(scene->c[i]), OUTCOME_OK);
  begin(scene, i, RC);
  CHECK_INT(put(scene, i, 9, 99), OUTCOME_OK);
  CHECK_INT(commit(scene, i), OUTCOME_OK);
}

static void check_reconnects(struct scene *scene, int i) {
  leave(scene, i);
  join(scene, i);
  check_goes_on(scene, i);
}

static MYSQL *mysql_of(const struct scene *scene, int i) {
  return mysqldb_session_of(scene->c[i])->mysql;
}

static void end_session(struct scene *scene, int i, const char *what) {
  char text[60];
  snprintf(text, sizeof text, "KILL %s %lu", what,
           mysql_thread_id(mysql_of(scene, i)));
  sql(scene, text);
}

// ---- What the statements do

static void all_levels_are_the_servers(void) {
  static const char *const queries[] = {
      [RR] = "SELECT @@tx_isolation = 'REPEATABLE-READ'",
      [RC] = "SELECT @@tx_isolation = 'READ-COMMITTED'",
      [SER] = "SELECT @@tx_isolation = 'SERIALIZABLE'",
      [RU] = "SELECT @@tx_isolation = 'READ-UNCOMMITTED'"};
  struct scene s = scene_with(NULL);
  for (int level = RR; level <= RU; level++) {
    begin(&s, 0, level);
    CHECK_INT(number(mysql_of(&s, 0), queries[level]), 1);
    CHECK_INT(commit(&s, 0), OUTCOME_OK);
  }
  static const char count[] = "SELECT VARIABLE_VALUE FROM"
                              " information_schema.SESSION_STATUS"
                              " WHERE VARIABLE_NAME = 'COM_SET_OPTION'";
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
static void a_write_after_another_commit(void) {
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

struct blocked_put {
  struct scene *scene;
  enum outcome outcome;
};
static void *put_key_1(void *argument) {
  struct blocked_put *put_there = argument;
  put_there->outcome = put(put_there->scene, 0, 1, 3);
  return NULL;
}

// InnoDB brings its tables up to date when nobody has looked for 0.1 s.
static void await_count(struct scene *s, const char *query, uint64_t wanted) {
  for (int i = 0; i < 500 && number(s->admin, query) != wanted; i++)
    usleep(120000);
  CHECK_INT(number(s->admin, query), wanted);
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
  struct blocked_put other = {&s, OUTCOME_UNKNOWN};
  pthread_t thread;
  begin(&s, 0, RC);
  begin(&s, 1, RC);
  CHECK_INT(put(&s, 0, 0, 1), OUTCOME_OK);
  CHECK_INT(put(&s, 1, 1, 2), OUTCOME_OK);
  CHECK(!pthread_create(&thread, NULL, put_key_1, &other));
  const enum outcome mine = put(&s, 1, 0, 4);
  const int loser = mine == OUTCOME_OK ? 0 : 1;
  CHECK_INT(s.driver->rollback(s.c[1]), OUTCOME_OK);
  pthread_join(thread, NULL);
  CHECK((mine == OUTCOME_OK) != (other.outcome == OUTCOME_OK));
  check_why(&s, loser, CAUSE_DEADLOCK, "1213", false);
  CHECK_INT(s.driver->rollback(s.c[0]), OUTCOME_OK);
  check_goes_on(&s, loser);
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

static void a_statement_timeout(void) {
  struct scene s = scene_with("statement_timeout=2s");
  begin(&s, 1, RC);
  CHECK_INT(put(&s, 1, 0, 1), OUTCOME_OK);
  begin(&s, 0, RC);
  CHECK_INT(put(&s, 0, 0, 2), OUTCOME_ABORTED);
  check_why(&s, 0, CAUSE_STATEMENT_TIMEOUT, "1969", false);
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

// ---- What the schema and the privileges do

static void check_refused_put(struct scene *s, enum cause cause,
                              const char *code) {
  begin(s, 0, RC);
  CHECK_INT(put(s, 0, 5, 5), OUTCOME_OK);
  CHECK_INT(put(s, 0, 0, 100), OUTCOME_ABORTED);
  check_why(s, 0, cause, code, false);
  check_goes_on(s, 0);
  CHECK_INT(stored(s, 5), 0);
}

static void constraints(void) {
  struct scene s = scene_with(NULL);
  sql(&s, "ALTER TABLE isostress ADD CONSTRAINT small CHECK (v < 100)");
  check_refused_put(&s, CAUSE_CONSTRAINT, "4025");
  sql(&s, "ALTER TABLE isostress DROP CONSTRAINT small");
  sql(&s, "DELETE FROM isostress WHERE k NOT IN (0, 5, 8, 9)");
  sql(&s, "UPDATE isostress SET v = 100 WHERE k = 8");
  sql(&s, "UPDATE isostress SET v = -k WHERE k <> 8");
  sql(&s, "ALTER TABLE isostress ADD UNIQUE (v)");
  begin(&s, 0, RC);
  CHECK_INT(put(&s, 0, 0, 100), OUTCOME_ABORTED);
  check_why(&s, 0, CAUSE_CONSTRAINT, "1062", false);
  check_goes_on(&s, 0);
  scene_end(&s);
}

// Errors that servers raise for reasons that are hard to come by, raised by a
// trigger.
static void errors_of_all_numbers(void) {
  static const struct {
    unsigned number;
    enum cause cause;
    bool lost;
  } cases[] = {
      {1022, CAUSE_CONSTRAINT, false},
      {1040, CAUSE_CONNECTION, true},
      {1045, CAUSE_CONNECTION, true},
      {1047, CAUSE_OTHER, false},
      {1048, CAUSE_CONSTRAINT, false},
      {1053, CAUSE_CONNECTION, true},
      {1152, CAUSE_CONNECTION, true},
      {1153, CAUSE_CONNECTION, true},
      {1156, CAUSE_CONNECTION, true},
      {1158, CAUSE_CONNECTION, true},
      {1159, CAUSE_CONNECTION, true},
      {1160, CAUSE_CONNECTION, true},
      {1161, CAUSE_CONNECTION, true},
      {1180, CAUSE_OTHER, false},
      {1184, CAUSE_CONNECTION, true},
      {1203, CAUSE_CONNECTION, true},
      {1226, CAUSE_OTHER, false},
      {1264, CAUSE_CONSTRAINT, false},
      {1406, CAUSE_CONSTRAINT, false},
      {1412, CAUSE_OTHER, false},
      {1451, CAUSE_CONSTRAINT, false},
      {1452, CAUSE_CONSTRAINT, false},
      {1461, CAUSE_OTHER, false},
      {1644, CAUSE_CONSTRAINT, false},
      {1836, CAUSE_OTHER, false},
      {3024, CAUSE_STATEMENT_TIMEOUT, false},
      {3101, CAUSE_SERIALIZATION, false},
      {3572, CAUSE_LOCK_TIMEOUT, false},
      {3819, CAUSE_CONSTRAINT, false},
      {4031, CAUSE_CONNECTION, true},
      {1021, CAUSE_OTHER, false},
  };
  struct scene s = scene_with(NULL);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[200], code[8];
    snprintf(code, sizeof code, "%u", cases[i].number);
    snprintf(text, sizeof text,
             "CREATE OR REPLACE TRIGGER early BEFORE UPDATE ON isostress FOR"
             " EACH ROW IF NEW.v = 100 THEN SIGNAL SQLSTATE 'HY000' SET"
             " MYSQL_ERRNO = %u; END IF",
             cases[i].number);
    sql(&s, text);
    if (!cases[i].lost) {
      check_refused_put(&s, cases[i].cause, code);
      continue;
    }
    begin(&s, 0, RC);
    CHECK_INT(put(&s, 0, 0, 100), OUTCOME_ABORTED);
    check_why(&s, 0, cases[i].cause, code, true);
    check_reconnects(&s, 0);
  }
  scene_end(&s);
}

static void privileges(void) {
  struct scene s = scene_with(NULL);
  sql(&s, "REVOKE UPDATE ON isostress.* FROM isostress@'127.0.0.1'");
  leave(&s, 0);
  join(&s, 0);
  begin(&s, 0, RC);
  CHECK_INT(put(&s, 0, 0, 1), OUTCOME_ABORTED);
  check_why(&s, 0, CAUSE_OTHER, "1142", false);
  sql(&s, "GRANT UPDATE (k) ON isostress.isostress TO isostress@'127.0.0.1'");
  CHECK_INT(s.driver->rollback(s.c[0]), OUTCOME_OK);
  begin(&s, 0, RC);
  CHECK_INT(put(&s, 0, 0, 1), OUTCOME_ABORTED);
  check_why(&s, 0, CAUSE_OTHER, "1143", false);
  sql(&s, "REVOKE UPDATE (k) ON isostress.isostress FROM"
          " isostress@'127.0.0.1'");
  sql(&s, "GRANT ALL ON isostress.* TO isostress@'127.0.0.1'");
  check_reconnects(&s, 0);
  scene_end(&s);
}

static void no_column_no_table_no_row(void) {
  struct scene s = scene_with(NULL);
  sql(&s, "DELETE FROM isostress WHERE k = 3");
  begin(&s, 0, RC);
  CHECK_INT(put(&s, 0, 3, 1), OUTCOME_ABORTED);
  check_why(&s, 0, CAUSE_OTHER, "no row", false);
  check_goes_on(&s, 0);
  sql(&s, "ALTER TABLE isostress CHANGE v w BIGINT");
  begin(&s, 0, RC);
  CHECK_INT(get(&s, 0, 0), OUTCOME_ABORTED);
  check_why(&s, 0, CAUSE_OTHER, "1054", false);
  CHECK_INT(s.driver->rollback(s.c[0]), OUTCOME_OK);
  sql(&s, "DROP TABLE isostress");
  begin(&s, 0, RC);
  CHECK_INT(get(&s, 0, 0), OUTCOME_ABORTED);
  check_why(&s, 0, CAUSE_OTHER, "1146", false);
  CHECK_INT(s.driver->rollback(s.c[0]), OUTCOME_OK);
  scene_end(&s);
}

static void a_read_only_server(void) {
  struct scene s = scene_with(NULL);
  struct error error = {0};
  const struct keyspace keys = {.nkeys = 1};
  sql(&s, "SET GLOBAL read_only = 1");
  begin(&s, 0, RC);
  CHECK_INT(put(&s, 0, 0, 1), OUTCOME_ABORTED);
  check_why(&s, 0, CAUSE_OTHER, "1290", false);
  CHECK_INT(s.driver->rollback(s.c[0]), OUTCOME_OK);
  CHECK_INT(s.driver->setup(s.target, &keys, &error), -1);
  CHECK(strstr(error.text, "--read-only option") != NULL);
  sql(&s, "SET GLOBAL read_only = 0");
  begin(&s, 0, RC);
  CHECK_INT(put(&s, 0, 0, 1), OUTCOME_OK);
  sql(&s, "SET GLOBAL read_only = 1");
  CHECK_INT(commit(&s, 0), OUTCOME_ABORTED);
  check_why(&s, 0, CAUSE_OTHER, "1290", false);
  sql(&s, "SET GLOBAL read_only = 0");
  CHECK_INT(stored(&s, 0), 0);
  check_goes_on(&s, 0);
  sql(&s, "SET GLOBAL tx_read_only = 1");
  leave(&s, 0);
  join(&s, 0);
  sql(&s, "SET GLOBAL tx_read_only = 0");
  begin(&s, 0, RC);
  CHECK_INT(put(&s, 0, 0, 1), OUTCOME_ABORTED);
  check_why(&s, 0, CAUSE_OTHER, "1792", false);
  check_reconnects(&s, 0);
  scene_end(&s);
}

static void a_transaction_that_was_left(void) {
  struct scene s = scene_with(NULL);
  begin(&s, 0, RC);
  CHECK_INT(put(&s, 0, 0, 1), OUTCOME_OK);
  CHECK(!mysql_query(mysql_of(&s, 0), "CREATE OR REPLACE VIEW x AS SELECT 1"));
  CHECK_INT(commit(&s, 0), OUTCOME_UNKNOWN);
  check_why(&s, 0, CAUSE_OTHER, "COMMIT", false);
  CHECK_INT(stored(&s, 0), 1);
  check_goes_on(&s, 0);
  sql(&s, "DROP VIEW x");
  scene_end(&s);
}

// ---- Connections that end

static void a_session_that_ends_unasked(void) {
  struct scene s = scene_with(NULL);
  begin(&s, 0, RC);
  CHECK_INT(put(&s, 0, 0, 1), OUTCOME_OK);
  end_session(&s, 0, "CONNECTION");
  CHECK_INT(get(&s, 0, 0), OUTCOME_ABORTED);
  CHECK_INT(s.c[0]->cause, CAUSE_CONNECTION);
  CHECK(s.c[0]->broken);
  CHECK_INT(s.driver->rollback(s.c[0]), OUTCOME_ABORTED);
  check_reconnects(&s, 0);
  CHECK_INT(stored(&s, 0), 0);
  begin(&s, 0, RC);
  CHECK_INT(put(&s, 0, 0, 1), OUTCOME_OK);
  end_session(&s, 0, "CONNECTION");
  CHECK_INT(commit(&s, 0), OUTCOME_UNKNOWN);
  CHECK_INT(s.c[0]->cause, CAUSE_CONNECTION);
  CHECK(s.c[0]->broken);
  check_reconnects(&s, 0);
  end_session(&s, 0, "CONNECTION");
  CHECK_INT(s.driver->begin(s.c[0], &s.driver->levels[RC]), OUTCOME_ABORTED);
  CHECK_INT(s.c[0]->cause, CAUSE_CONNECTION);
  check_reconnects(&s, 0);
  scene_end(&s);
}

static void check_connect_fails(struct scene *s, const char *words) {
  struct connection *third;
  struct error error = {0};
  CHECK_INT(s->driver->connect(s->target, 2, &third, &error), -1);
  if (!CHECK(strstr(error.text, words) != NULL))
    printf("#   %s\n", error.text);
}

static void too_many_connections(void) {
  enum { LEAST = 10 };
  struct scene s = scene_with(NULL);
  struct connection *more[LEAST - 3];
  struct error error = {0};
  // Only those who come after this are counted.
  sql(&s, "ALTER USER isostress@'127.0.0.1' WITH MAX_USER_CONNECTIONS 1");
  leave(&s, 1);
  join(&s, 1);
  check_connect_fails(&s, "'max_user_connections' resource");
  sql(&s, "ALTER USER isostress@'127.0.0.1' WITH MAX_USER_CONNECTIONS 0");
  await_count(&s, "SELECT COUNT(*) FROM information_schema.PROCESSLIST", 3);
  const uint64_t most = number(s.admin, "SELECT @@max_connections");
  sql(&s, "SET GLOBAL max_connections = 10");
  for (int i = 0; i < LEAST - 3; i++)
    if (!CHECK(!s.driver->connect(s.target, 3, &more[i], &error))) {
      printf("Bail out! %s\n", error.text);
      exit(1);
    }
  CHECK_INT(number(s.admin, "SELECT @@max_connections"), LEAST);
  // One more is kept for the superuser.
  check_connect_fails(&s, "Too many connections (1040)");
  for (int i = 0; i < LEAST - 3; i++)
    s.driver->disconnect(more[i]);
  char text[60];
  snprintf(text, sizeof text, "SET GLOBAL max_connections = %u",
           (unsigned)most);
  sql(&s, text);
  scene_end(&s);
}

// ---- Losses on the way

static uint16_t port_of(const char *uri) {
  return (uint16_t)atoi(strrchr(uri, ':') + 1);
}

static void uri_through(const struct proxy *proxy, char *uri, size_t room) {
  const char *real = uri_of_server();
  const char *port = strrchr(real, ':') + 1;
  snprintf(uri, room, "%.*s%u%s", (int)(port - real), real, proxy->port,
           port + strspn(port, "0123456789"));
}

// Session 0 begins, writes 7 to key 0, and commits while the proxy is in this
// mode.
static void check_commit_through(enum proxy_mode mode, const char *option,
                                 uint64_t value) {
  struct proxy proxy;
  char uri[300];
  proxy_start(&proxy, port_of(uri_of_server()));
  uri_through(&proxy, uri, sizeof uri);
  struct scene s = scene_at(uri, option);
  begin(&s, 0, RC);
  CHECK_INT(put(&s, 0, 0, 7), OUTCOME_OK);
  atomic_store(&proxy.mode, mode);
  CHECK_INT(commit(&s, 0), OUTCOME_UNKNOWN);
  CHECK_INT(s.c[0]->cause, CAUSE_CONNECTION);
  CHECK_INT(*s.c[0]->code, '2'); // the library's codes
  CHECK(s.c[0]->broken);
  atomic_store(&proxy.mode, PROXY_PASS);
  check_reconnects(&s, 0);
  CHECK_INT(stored(&s, 0), value);
  scene_end(&s);
  proxy_stop(&proxy);
}

static void lost_before_commit_arrived(void) {
  check_commit_through(PROXY_LOSE_REQUESTS, NULL, 0);
}
static void lost_after_commit_arrived(void) {
  check_commit_through(PROXY_LOSE_ANSWERS, NULL, 7);
}
static void no_answer_to_commit(void) {
  check_commit_through(PROXY_HOLD, "timeout=3s", 0);
}
static void rubbish_in_answer_to_commit(void) {
  check_commit_through(PROXY_SPOIL_ANSWERS, "timeout=3s", 7);
}

static void lost_before_commit_was_sent(void) {
  struct proxy proxy;
  char uri[300];
  proxy_start(&proxy, port_of(uri_of_server()));
  uri_through(&proxy, uri, sizeof uri);
  struct scene s = scene_at(uri, "timeout=3s");
  for (int mode = PROXY_LOSE_REQUESTS; mode <= PROXY_SPOIL_ANSWERS; mode++) {
    begin(&s, 0, RC);
    CHECK_INT(put(&s, 0, 0, 7), OUTCOME_OK);
    atomic_store(&proxy.mode, (enum proxy_mode)mode);
    CHECK_INT(put(&s, 0, 1, 8), OUTCOME_ABORTED);
    CHECK_INT(s.c[0]->cause, CAUSE_CONNECTION);
    CHECK(s.c[0]->broken);
    check_reconnects(&s, 0);
    CHECK_INT(stored(&s, 0), 0);
  }
  scene_end(&s);
  proxy_stop(&proxy);
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
      {"a statement timeout: 1969", a_statement_timeout},
      {"a statement that is killed: 1317", a_statement_that_is_killed},
      {"a session that is killed", a_session_that_is_killed},
      {"constraints: 4025, 1062", constraints},
      {"errors of all numbers", errors_of_all_numbers},
      {"privileges: 1142, 1143", privileges},
      {"no column, no table, no row: 1054, 1146", no_column_no_table_no_row},
      {"a read-only server: 1290, 1792", a_read_only_server},
      {"a transaction that the server has left: unknown",
       a_transaction_that_was_left},
      {"a session that ends unasked", a_session_that_ends_unasked},
      {"too many connections: 1226, 1040", too_many_connections},
      {"lost before COMMIT was sent: aborted", lost_before_commit_was_sent},
      {"lost before COMMIT arrived: unknown", lost_before_commit_arrived},
      {"lost after COMMIT arrived: unknown", lost_after_commit_arrived},
      {"no answer to COMMIT: unknown", no_answer_to_commit},
      {"rubbish in answer to COMMIT: unknown", rubbish_in_answer_to_commit});
}

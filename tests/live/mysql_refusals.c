// SPDX-License-Identifier: GPL-3.0-or-later
// Every row of the mysql driver's table of codes about schemas, privileges and
// servers that refuse, as MariaDB produces it: what the driver makes of it, and
// that the session goes on.  Run by mysql_refusals.sh.
#include "config.h"

#include "tests/live/mysql_scene.h"

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
  check_refused_put(&s, CAUSE_CONSTRAINT, is_mariadb(&s) ? "4025" : "3819");
  sql(&s, "ALTER TABLE isostress DROP CONSTRAINT small");
  sql(&s, "DELETE FROM isostress WHERE k NOT IN (0, 5, 8, 9)");
  sql(&s, "UPDATE isostress SET v = 100 WHERE k = 8");
  sql(&s, "UPDATE isostress SET v = -k WHERE k <> 8");
  sql(&s, "ALTER TABLE isostress ADD UNIQUE (v)");
  check_put_fails(&s, 0, 100, CAUSE_CONSTRAINT, "1062");
  check_goes_on(&s, 0);
  scene_end(&s);
}

// As long as the trigger is there, key 0 cannot become 100.
static void check_trigger(struct scene *s, const char *body, const char *code) {
  char text[300];
  snprintf(text, sizeof text,
           "CREATE TRIGGER early BEFORE UPDATE ON isostress FOR EACH ROW"
           " IF NEW.v = 100 THEN %s; END IF",
           body);
  sql(s, "DROP TRIGGER IF EXISTS early");
  sql(s, text);
  check_refused_put(s, CAUSE_CONSTRAINT, code);
}

// A column that has no room for 100.
static void check_column(struct scene *s, const char *type, const char *code) {
  char text[100];
  snprintf(text, sizeof text, "ALTER TABLE isostress MODIFY v %s NOT NULL",
           type);
  sql(s, text);
  check_put_fails(s, 0, 100, CAUSE_CONSTRAINT, code);
  CHECK_INT(s->driver->rollback(s->c[0]), OUTCOME_OK);
  sql(s, "ALTER TABLE isostress MODIFY v BIGINT NOT NULL DEFAULT 0");
  check_reconnects(s, 0); // the type of its statements' results has changed
}

static void values_that_do_not_fit(void) {
  struct scene s = scene_with(NULL);
  check_trigger(&s, "SET NEW.v = NULL", "1048");
  check_trigger(&s, "SIGNAL SQLSTATE '45000'", "1644");
  sql(&s, "DROP TRIGGER early");
  check_column(&s, "DECIMAL(2, 0)", "1264");
  check_column(&s, "VARCHAR(2)", "1406");
  scene_end(&s);
}

static void foreign_keys(void) {
  struct scene s = scene_with(NULL);
  sql(&s, "CREATE TABLE parents (v BIGINT PRIMARY KEY) ENGINE=InnoDB AS"
          " SELECT DISTINCT v FROM isostress UNION SELECT 5 UNION SELECT 99");
  sql(&s, "ALTER TABLE isostress ADD FOREIGN KEY (v) REFERENCES parents (v)");
  check_refused_put(&s, CAUSE_CONSTRAINT, "1452");
  leave(&s, 0);
  make_keys(&s, false);
  join(&s, 0);
  sql(&s, "DROP TABLE parents");
  sql(&s, "CREATE TABLE children (v BIGINT) ENGINE=InnoDB");
  sql(&s, "UPDATE isostress SET v = k + 200");
  sql(&s, "ALTER TABLE isostress ADD UNIQUE (v)");
  sql(&s, "ALTER TABLE children ADD FOREIGN KEY (v) REFERENCES isostress (v)");
  sql(&s, "INSERT INTO children VALUES (200)");
  check_put_fails(&s, 0, 100, CAUSE_CONSTRAINT, "1451");
  check_goes_on(&s, 0);
  sql(&s, "DROP TABLE children");
  scene_end(&s);
}

// The snapshot is older than the table.
static void a_table_that_was_altered(void) {
  struct scene s = scene_with("tables=2");
  begin(&s, 0, RR);
  CHECK_INT(get(&s, 0, 0), OUTCOME_OK);
  sql(&s, "ALTER TABLE isostress_2 FORCE");
  CHECK_INT(get(&s, 0, 1), OUTCOME_ABORTED);
  check_why(&s, 0, CAUSE_OTHER, "1412", false);
  check_goes_on(&s, 0);
  scene_end(&s);
}

static void what_the_user_may_have(void) {
  struct scene s = scene_with(NULL);
  sql(&s, "SET GLOBAL max_prepared_stmt_count = 0");
  rejoin(&s, 0);
  check_put_fails(&s, 0, 1, CAUSE_OTHER, "1461");
  sql(&s, "SET GLOBAL max_prepared_stmt_count = DEFAULT");
  check_goes_on(&s, 0);
  limit_user(&s, "MAX_QUERIES_PER_HOUR", 60);
  rejoin(&s, 0);
  enum outcome outcome = OUTCOME_OK;
  for (int i = 0; i < 60 && outcome == OUTCOME_OK; i++) {
    outcome = s.driver->begin(s.c[0], &s.driver->levels[RC]);
    if (outcome == OUTCOME_OK)
      outcome = commit(&s, 0);
  }
  CHECK_INT(outcome, OUTCOME_ABORTED);
  CHECK_INT(s.c[0]->cause, CAUSE_OTHER);
  CHECK_STR(s.c[0]->code, "1226");
  limit_user(&s, "MAX_QUERIES_PER_HOUR", 0);
  check_reconnects(&s, 0);
  scene_end(&s);
}

static void privileges(void) {
  struct scene s = scene_with(NULL);
  sql(&s, "REVOKE UPDATE ON isostress.* FROM isostress@'127.0.0.1'");
  rejoin(&s, 0);
  check_put_fails(&s, 0, 1, CAUSE_OTHER, "1142");
  sql(&s, "GRANT UPDATE (k) ON isostress.isostress TO isostress@'127.0.0.1'");
  CHECK_INT(s.driver->rollback(s.c[0]), OUTCOME_OK);
  check_put_fails(&s, 0, 1, CAUSE_OTHER, "1143");
  sql(&s, "REVOKE UPDATE (k) ON isostress.isostress FROM"
          " isostress@'127.0.0.1'");
  sql(&s, "GRANT ALL ON isostress.* TO isostress@'127.0.0.1'");
  check_reconnects(&s, 0);
  scene_end(&s);
}

static void no_column_no_table_no_row(void) {
  struct scene s = scene_with(NULL);
  sql(&s, "DELETE FROM isostress WHERE k = 3");
  check_put_fails(&s, 3, 1, CAUSE_OTHER, "no row");
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
  check_put_fails(&s, 0, 1, CAUSE_OTHER, "1290");
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
  sql(&s, "SET GLOBAL TRANSACTION READ ONLY");
  rejoin(&s, 0);
  sql(&s, "SET GLOBAL TRANSACTION READ WRITE");
  check_put_fails(&s, 0, 1, CAUSE_OTHER, "1792");
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

int main(void) {
  return TAP_RUN(
      {"constraints: 4025, 3819, 1062", constraints},
      {"values that do not fit: 1048, 1644, 1264, 1406",
       values_that_do_not_fit},
      {"foreign keys: 1451, 1452", foreign_keys},
      {"a table that was altered: 1412", a_table_that_was_altered},
      {"what the user may have: 1461, 1226", what_the_user_may_have},
      {"privileges: 1142, 1143", privileges},
      {"no column, no table, no row: 1054, 1146", no_column_no_table_no_row},
      {"a read-only server: 1290, 1792", a_read_only_server},
      {"a transaction that the server has left: unknown",
       a_transaction_that_was_left});
}

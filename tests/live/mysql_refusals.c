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

int main(void) {
  return TAP_RUN(
      {"constraints: 4025, 1062", constraints},
      {"errors of all numbers", errors_of_all_numbers},
      {"privileges: 1142, 1143", privileges},
      {"no column, no table, no row: 1054, 1146", no_column_no_table_no_row},
      {"a read-only server: 1290, 1792", a_read_only_server},
      {"a transaction that the server has left: unknown",
       a_transaction_that_was_left});
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of rows on MariaDB and MySQL: what each sort of statement returns,
// with every index, and what two sessions do to each other at every level.
#include "config.h"

#include "tests/live/mysql_scene.h"
#include "tests/live/rows_scene.h"

static struct rows_scene rows_with(const char *option) {
  char boss[200];
  const char *uri = uri_of_server(), *user = strstr(uri, "isostress:");
  snprintf(boss, sizeof boss, "%.*sboss%s", (int)(user - uri), uri,
           user + strlen("isostress"));
  return rows_scene_at(uri, option, boss);
}

static bool is_mariadb_at(const struct rows_scene *scene) {
  return mariadb_connection(mysqldb_session_of(scene->c[0])->mysql);
}

static void each_statement_says_what_it_did(void) {
  static const char *const options[] = {NULL, "index=btree", "deletes=soft",
                                        "instrument=after"};
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    struct rows_scene scene = rows_with(options[i]);
    for (int level = RR; level <= RU; level++) {
      rows_setup(scene.driver, scene.target);
      rows_check_effects(scene.driver, scene.c[0], level);
    }
    rows_scene_end(&scene);
  }
}

static void plain_statements_tell_enough(void) {
  struct rows_scene scene = rows_with("instrument=reads");
  for (int level = RR; level <= RU; level++) {
    rows_setup(scene.driver, scene.target);
    rows_check_plain(scene.driver, scene.c[0], level);
  }
  rows_scene_end(&scene);
}

static void a_taken_key_undoes_the_statement_alone(void) {
  struct rows_scene scene = rows_with(NULL);
  rows_check_taken_key(scene.driver, scene.c[0], true);
  rows_scene_end(&scene);
}

// The variable of the session is fit for the next one.
static void an_update_that_fails_leaves_nothing_behind(void) {
  struct rows_scene scene = rows_with("lock_timeout=1s");
  begin_rows(scene.driver, scene.c[0], RC);
  CHECK_STR(rows_do(scene.driver, scene.c[0], 1, "update id = 3 : f=1"),
            "3@0:1,13,1");
  begin_rows(scene.driver, scene.c[1], RC);
  CHECK_STR(rows_do(scene.driver, scene.c[1], 2, "update b = 1 : f=2"),
            "aborted: lock timeout");
  CHECK_STR(rows_do(scene.driver, scene.c[1], 2, "select b = 1"),
            "aborted: other");
  CHECK_INT(scene.driver->rollback(scene.c[1]), OUTCOME_OK);
  commit_rows(scene.driver, scene.c[0]);
  begin_rows(scene.driver, scene.c[1], RC);
  CHECK_STR(
      rows_do(scene.driver, scene.c[1], 3, "update id > 2 AND b = 1 : f=3"),
      "3@1:1,13,3 5@0:1,15,3 7@0:1,17,3");
  commit_rows(scene.driver, scene.c[1]);
  rows_scene_end(&scene);
}

static const char *const expected[][SCRIPTS] = {
    [RR] = {[A] = " | 8@0:7,1,0 | ok | 8@2:7,1,1 | 8@4:7,1,1 | ok",
            [B] = "0@0:0,11,0 | 1@0:1,10,0 | 1@2:1,10,0 | ok |  | ok",
            [D] = " | 8@0:7,1,0 | ok | 8@2:7,1,0 |  | ok",
            [F] = " |  | 8@0:7,1,0 | 9@0:7,1,0 | ok | ok",
            [G] = "0@0:0,11,0 | 0@1:0,10,0 1@0:1,10,0 | ok | ok",
            [H] = "0@0:0,99,0 | 8@0:7,10,0 | 8@2:7,10,1 | ok | ok",
            [I] = "0@0:0,10,5 | 8@0:0,50,5 | 0@1:0,11,5 2@0:0,13,0 4@0:0,15,0 "
                  "6@0:0,17,0 8@2:0,51,5 | ok | ok",
            [J] = " | 8@0:7,1,0 | ok |  |  | ok"},
    [RC] = {[A] = " | 8@0:7,1,0 | ok | 8@2:7,1,1 | 8@4:7,1,1 | ok",
            [B] = "0@0:0,11,0 | 1@0:1,10,0 | 1@2:1,10,0 | ok |  | ok",
            [D] = " | 8@0:7,1,0 | ok | 8@2:7,1,0 | 8@2:7,1,0 | ok",
            [F] = " |  | 8@0:7,1,0 | 9@0:7,1,0 | ok | ok",
            [G] = "0@0:0,11,0 | 1@0:1,10,0 | ok | ok",
            [H] = "0@0:0,99,0 | 8@0:7,10,0 | 8@2:7,10,1 | ok | ok",
            [I] = "0@0:0,10,5 | 8@0:0,50,5 | 0@1:0,11,5 2@0:0,13,0 4@0:0,15,0 "
                  "6@0:0,17,0 8@2:0,51,5 | ok | ok",
            [J] = " | 8@0:7,1,0 | ok |  | 8@2:7,1,0 | ok"},
    [SER] = {[A] = " | 8@0:7,1,0 | ok |  |  | ok",
             [B] = "0@0:0,11,0 | 1@0:1,10,0 | 1@2:1,10,0 | ok |  | ok",
             [D] = " | 8@0:7,1,0 | ok |  |  | ok",
             [F] = " |  | 8@0:7,1,0 | 1213 | ok | -",
             [G] = "0@0:0,11,0 | 0@1:0,10,0 1@0:1,10,0 | ok | ok",
             [H] = "0@0:0,99,0 | 8@0:7,10,0 | 8@2:7,10,1 | ok | ok",
             [I] = "0@0:0,10,5 | 8@0:0,50,5 | 0@1:0,11,5 2@0:0,13,0 4@0:0,15,0 "
                   "6@0:0,17,0 8@2:0,51,5 | ok | ok",
             [J] = " | refused | ok | 8@0:7,2,0 | 8@4:7,2,0 | ok"},
};
static const char *const expected_with_snapshot_isolation[SCRIPTS] = {
    [A] = " | 8@0:7,1,0 | ok | 1020 | - | -",
    [B] = "0@0:0,11,0 | 1@0:1,10,0 | 1@2:1,10,0 | ok |  | ok",
    [D] = " | 8@0:7,1,0 | ok | 1020 | - | -",
    [F] = " |  | 8@0:7,1,0 | 9@0:7,1,0 | ok | ok",
    [G] = "0@0:0,11,0 | 0@1:0,10,0 1@0:1,10,0 | ok | ok",
    [H] = "0@0:0,99,0 | 8@0:7,10,0 | 8@2:7,10,1 | ok | ok",
    [I] = ("0@0:0,10,5 | 8@0:0,50,5 | 0@1:0,11,5 2@0:0,13,0 4@0:0,15,0 "
           "6@0:0,17,0 8@2:0,51,5 | ok | ok"),
    [J] = " | 8@0:7,1,0 | ok | 1020 | - | -"};

static void levels_let_happen_what_they_are_known_for(void) {
  struct rows_scene scene = rows_with("index=btree");
  for (int level = RR; level <= SER; level++)
    check_scripts(&scene, level, expected[level]);
  rows_scene_end(&scene);
}

static void snapshot_isolation_refuses_more(void) {
  struct rows_scene scene = rows_with("innodb_snapshot_isolation=on");
  check_scripts(&scene, RR, expected_with_snapshot_isolation);
  rows_scene_end(&scene);
}

// The driver says which level these are.
static void repeatable_read_claims_what_it_keeps(void) {
  static const struct {
    const char *option;
    enum isolation claimed;
  } rows[] = {{"innodb_snapshot_isolation=off", ISOLATION_NONE},
              {"innodb_snapshot_isolation=on", ISOLATION_SI}};
  for (int i = 0; i < 2; i++) {
    struct rows_scene scene = rows_with(rows[i].option);
    CHECK_INT(target_claim(scene.target, &scene.driver->levels[RR]),
              rows[i].claimed);
    rows_scene_end(&scene);
  }
}

// MySQL cannot tell what it deleted, so it refuses to.
static void real_deletes_need_returning(void) {
  struct target *target = target_at(uri_of_server(), "deletes=real");
  struct error error = {0};
  struct rows_scene scene = rows_with(NULL);
  const bool mariadb = is_mariadb_at(&scene);
  rows_scene_end(&scene);
  CHECK_INT(target->driver->setup_tables(target, &rows_keys, &error),
            mariadb ? 0 : -1);
  if (!mariadb)
    CHECK(strstr(error.text, "has no DELETE ... RETURNING, which tells the "
                             "rows that were deleted; use deletes=soft"));
  target_close(target);
}

static void a_table_of_somebody_else_stays(void) {
  struct target *target = target_at(uri_of_server(), "table=foreign");
  MYSQL *admin = connect_as_admin(target);
  struct error error = {0};
  CHECK(!mysql_query(admin, "CREATE TABLE foreign_t (id BIGINT)"));
  CHECK_INT(target->driver->setup_tables(target, &rows_keys, &error), -1);
  CHECK(strstr(error.text, "has a table `foreign_t` that was not made by "
                           "isostress; choose another name with table=NAME"));
  CHECK(!mysql_query(admin, "DROP TABLE foreign_t"));
  mysql_close(admin);
  target_close(target);
}

int main(void) {
  return TAP_RUN(
      {"each statement says what it did", each_statement_says_what_it_did},
      {"plain statements tell enough", plain_statements_tell_enough},
      {"a taken key undoes the statement alone",
       a_taken_key_undoes_the_statement_alone},
      {"an update that fails leaves nothing behind",
       an_update_that_fails_leaves_nothing_behind},
      {"a table of somebody else stays", a_table_of_somebody_else_stays},
      {"levels let happen what they are known for",
       levels_let_happen_what_they_are_known_for},
      {"snapshot isolation refuses more", snapshot_isolation_refuses_more},
      {"repeatable read claims what it keeps",
       repeatable_read_claims_what_it_keeps},
      {"real deletes need returning", real_deletes_need_returning});
}

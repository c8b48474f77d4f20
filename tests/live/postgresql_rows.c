// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of rows on PostgreSQL: what each sort of statement returns, with every
// index, and what two sessions do to each other at every level.
#include "config.h"

#include "tests/live/postgresql_scene.h"
#include "tests/live/rows_scene.h"

static struct rows_scene rows_with(const char *option) {
  return rows_scene_at(environment("PG_URI"), option, environment("PG_URI"));
}

static void each_statement_says_what_it_did(void) {
  static const char *const options[] = {NULL,
                                        "index=btree",
                                        "index=hash",
                                        "index=brin",
                                        "index=gin",
                                        "deletes=soft",
                                        "prepare=unnamed",
                                        "table=public.other",
                                        "instrument=after"};
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    struct rows_scene scene = rows_with(options[i]);
    for (int level = RC; level <= SER; level++) {
      rows_setup(scene.driver, scene.target);
      rows_check_effects(scene.driver, scene.c[0], level);
    }
    rows_scene_end(&scene);
  }
}

static void plain_statements_tell_enough(void) {
  struct rows_scene scene = rows_with("instrument=reads");
  for (int level = RC; level <= SER; level++) {
    rows_setup(scene.driver, scene.target);
    rows_check_plain(scene.driver, scene.c[0], level);
  }
  rows_scene_end(&scene);
}

static void a_taken_key_ends_the_transaction(void) {
  struct rows_scene scene = rows_with(NULL);
  rows_check_taken_key(scene.driver, scene.c[0], false);
  rows_scene_end(&scene);
}

static const char *const expected[][SCRIPTS] = {
    [RC] = {[A] = " | 8@0:7,1,0 | ok | 8@2:7,1,1 | 8@4:7,1,1 | ok",
            [B] = "0@0:0,11,0 | 1@0:1,10,0 |  | ok | 1@2:1,10,0 | ok",
            [D] = " | 8@0:7,1,0 | ok | 8@2:7,1,0 | 8@2:7,1,0 | ok",
            [F] = " |  | 8@0:7,1,0 | 9@0:7,1,0 | ok | ok",
            [G] = "0@0:0,11,0 | 1@0:1,10,0 | ok | ok",
            [H] = "0@0:0,99,0 | 8@0:7,10,0 |  | ok | ok",
            [I] = "0@0:0,10,5 | 8@0:0,50,5 | 0@1:0,11,5 2@0:0,13,0 4@0:0,15,0 "
                  "6@0:0,17,0 | ok | ok",
            [J] = " | 8@0:7,1,0 | ok |  | 8@2:7,1,0 | ok"},
    [RR] = {[A] = " | 8@0:7,1,0 | ok |  |  | ok",
            [B] = "0@0:0,11,0 | 1@0:1,10,0 | 40001 | ok | - | -",
            [D] = " | 8@0:7,1,0 | ok |  |  | ok",
            [F] = " |  | 8@0:7,1,0 | 9@0:7,1,0 | ok | ok",
            [G] = "0@0:0,11,0 | 1@0:1,10,0 | ok | ok",
            [H] = "0@0:0,99,0 | 8@0:7,10,0 | 40001 | ok | -",
            [I] = "0@0:0,10,5 | 8@0:0,50,5 | 40001 | ok | -",
            [J] = " | 8@0:7,1,0 | ok | 40001 | - | -"},
    [SER] = {[A] = " | 8@0:7,1,0 | ok |  |  | ok",
             [B] = "0@0:0,11,0 | 1@0:1,10,0 | 40001 | ok | - | -",
             [D] = " | 8@0:7,1,0 | ok |  |  | ok",
             [F] = " |  | 8@0:7,1,0 | 9@0:7,1,0 | ok | 40001",
             [G] = "0@0:0,11,0 | 1@0:1,10,0 | ok | 40001",
             [H] = "0@0:0,99,0 | 8@0:7,10,0 | 40001 | ok | -",
             [I] = "0@0:0,10,5 | 8@0:0,50,5 | 40001 | ok | -",
             [J] = " | 8@0:7,1,0 | ok | 40001 | - | -"},
};

static void levels_let_happen_what_they_are_known_for(void) {
  struct rows_scene scene = rows_with("index=btree");
  for (int level = RC; level <= SER; level++)
    check_scripts(&scene, level, expected[level]);
  rows_scene_end(&scene);
}

static void a_table_of_somebody_else_stays(void) {
  PGconn *admin = PQconnectdb(environment("PG_ADMIN"));
  struct target *target = target_at(environment("PG_URI"), "table=foreign");
  struct error error = {0};
  PQclear(PQexec(admin, "CREATE TABLE foreign_t (id bigint)"));
  CHECK_INT(target->driver->setup_tables(target, &rows_keys, &error), -1);
  CHECK(strstr(error.text, "has a table \"foreign_t\" that was not made by "
                           "isostress; choose another name with table=NAME"));
  PQclear(PQexec(admin, "DROP TABLE foreign_t"));
  target_close(target);
  PQfinish(admin);
}

static void keys_have_no_index_of_rows(void) {
  struct target *target = target_at(environment("PG_URI"), "index=brin");
  const struct keyspace keys = {.nkeys = 1};
  struct error error = {0};
  CHECK_INT(target->driver->setup(target, &keys, &error), -1);
  CHECK_STR(error.text, "this index is one of tables of rows; index can be "
                        "primary or secondary here");
  target_close(target);
}

int main(void) {
  return TAP_RUN(
      {"each statement says what it did", each_statement_says_what_it_did},
      {"plain statements tell enough", plain_statements_tell_enough},
      {"a taken key ends the transaction", a_taken_key_ends_the_transaction},
      {"a table of somebody else stays", a_table_of_somebody_else_stays},
      {"keys have no index of rows", keys_have_no_index_of_rows},
      {"levels let happen what they are known for",
       levels_let_happen_what_they_are_known_for});
}

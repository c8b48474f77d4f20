// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of rows in SQLite: what each sort of statement returns, with every
// option, and what two connections do to each other.
#include "config.h"

#include "tests/kit/row_driver.h"
#include "tests/kit/sqlite.h"

#include <pthread.h>

static const struct driver *const driver = &sqlite_driver;

// In the place of SQLite's own answers, which the linker names __real_...
static bool old;
int __real_sqlite3_libversion_number(void);
int __wrap_sqlite3_libversion_number(void);
const char *__real_sqlite3_libversion(void);
const char *__wrap_sqlite3_libversion(void);

int __wrap_sqlite3_libversion_number(void) {
  return old ? 3034001 : __real_sqlite3_libversion_number();
}

const char *__wrap_sqlite3_libversion(void) {
  return old ? "3.34.1" : __real_sqlite3_libversion();
}

static struct bench bench_of_rows(const char *options) {
  struct bench bench = {0};
  bench_directory(&bench);
  CHECK_STR(bench_open(&bench, options), "");
  rows_setup(driver, bench.target);
  bench_connect(&bench, 0);
  bench_connect(&bench, 1);
  return bench;
}

static void each_statement_says_what_it_did(void) {
  static const char *const options[] = {"",
                                        "?index=btree",
                                        "?deletes=soft",
                                        "?journal=delete&begin=immediate",
                                        "?instrument=after",
                                        "?instrument=after&deletes=soft"};
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    struct bench bench = bench_of_rows(options[i]);
    rows_check_effects(driver, bench.c[0], SER);
    bench_close(&bench);
  }
}

static void a_shared_cache_has_rows_as_well(void) {
  struct bench bench = bench_of_rows("");
  rows_check_effects(driver, bench.c[0], RU);
  bench_close(&bench);
}

// Nothing locks what a SELECT found at read uncommitted.
static void what_a_delete_did_is_not_always_known(void) {
  struct bench bench = bench_of_rows("?instrument=after");
  begin_rows(driver, bench.c[0], RU);
  CHECK_STR(rows_do(driver, bench.c[0], 1, "update id = 3 : f=1"),
            "3@0:1,13,1");
  CHECK_STR(rows_do(driver, bench.c[0], 2, "delete id = 3"), "aborted: other");
  CHECK_STR(bench.c[0]->text,
            "instrument=after does not tell what a DELETE deletes at this "
            "level; use deletes=soft");
  CHECK_INT(driver->rollback(bench.c[0]), OUTCOME_OK);
  bench_close(&bench);
}

// A trigger keeps a row that is to be deleted, or changes another row.
static void counts_that_do_not_agree_are_noticed(void) {
  static const struct {
    const char *trigger, *statement, *text;
  } cases[] = {
      {"BEFORE DELETE ON isostress_t WHEN old.id = 3 BEGIN SELECT "
       "raise(IGNORE); END",
       "delete b = 1",
       "a statement that changed 3 rows by its count is seen to have changed "
       "4"},
      {"BEFORE UPDATE ON isostress_t WHEN old.id = 3 AND old.wid <> new.wid "
       "BEGIN DELETE FROM isostress_t WHERE id = 5; END",
       "update b = 1 : f=1", NULL},
      {"AFTER DELETE ON isostress_t WHEN old.id = 3 BEGIN INSERT INTO "
       "isostress_t VALUES (3, 1, 13, 0, 0, 0); END",
       "delete id = 3",
       "a row that a DELETE had found, and that its count has, is there "
       "behind it"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct bench bench = bench_of_rows("?instrument=after");
    char sql[300];
    snprintf(sql, sizeof sql, "CREATE TRIGGER odd %s", cases[i].trigger);
    bench_sql(&bench, sql);
    begin_rows(driver, bench.c[0], SER);
    const char *answer = rows_do(driver, bench.c[0], 1, cases[i].statement);
    if (cases[i].text) {
      CHECK_STR(answer, "aborted: other");
      CHECK_STR(bench.c[0]->code, "count");
      CHECK_STR(bench.c[0]->text, cases[i].text);
    } else {
      CHECK_STR(answer, "1@0:1,11,1 3@0:1,13,1 7@0:1,17,1");
    }
    CHECK_INT(driver->rollback(bench.c[0]), OUTCOME_OK);
    bench_close(&bench);
  }
}

static void a_taken_key_undoes_the_statement_alone(void) {
  struct bench bench = bench_of_rows("");
  rows_check_taken_key(driver, bench.c[0], true);
  bench_close(&bench);
}

// The rows are those of a new run, whatever an earlier one left.
static void setup_makes_the_tables_anew(void) {
  struct bench bench = bench_of_rows("");
  begin_rows(driver, bench.c[0], SER);
  rows_do(driver, bench.c[0], 1, "delete TRUE");
  commit_rows(driver, bench.c[0]);
  rows_setup(driver, bench.target);
  CHECK_STR(bench_sql(&bench, "SELECT count(*) FROM isostress_t"), "8");
  CHECK_STR(bench_sql(&bench, "SELECT sum(v) FROM isostress_t"), "108");
  bench_close(&bench);
}

static void soft_deletes_leave_the_row(void) {
  struct bench bench = bench_of_rows("?deletes=soft");
  begin_rows(driver, bench.c[0], SER);
  CHECK_STR(rows_do(driver, bench.c[0], 7, "delete id = 3"), "3@0:1,13,0");
  CHECK_STR(rows_do(driver, bench.c[0], 8, "insert 3 0 0 0"), "refused");
  CHECK_STR(rows_do(driver, bench.c[0], 8, "insert? 3 0 0 0"), "refused");
  commit_rows(driver, bench.c[0]);
  CHECK_STR(bench_sql(&bench, "SELECT wid FROM isostress_t WHERE dead = 1"),
            "7");
  bench_close(&bench);
}

static void plain_statements_tell_enough(void) {
  struct bench bench = bench_of_rows("?instrument=reads");
  CHECK_INT(bench.target->lacks, 1 << STATEMENT_UPDATE | 1 << STATEMENT_DELETE);
  rows_check_plain(driver, bench.c[0], SER);
  rows_check_taken_key(driver, bench.c[0], true);
  CHECK_STR(bench_sql(&bench, "SELECT count(*) FROM pragma_table_info("
                              "'isostress_t') WHERE name = 'prev'"),
            "0");
  bench_close(&bench);
}

static void an_index_is_made_if_asked_for(void) {
  static const char count[] = "SELECT count(*) FROM sqlite_master WHERE type ="
                              " 'index' AND name = 'isostress_t_b'";
  struct bench bench = bench_of_rows("");
  CHECK_STR(bench_sql(&bench, count), "0");
  bench_close(&bench);
  bench = bench_of_rows("?index=btree");
  CHECK_STR(bench_sql(&bench, count), "1");
  bench_close(&bench);
}

// Nothing is made in the file.
static void an_sqlite_without_returning_is_refused(void) {
  struct bench bench = {0};
  struct error error = {0};
  bench_directory(&bench);
  CHECK_STR(bench_open(&bench, ""), "");
  old = true;
  CHECK_INT(driver->setup_tables(bench.target, &rows_keys, &error), -1);
  old = false;
  CHECK(!strncmp(error.text, bench.path, strlen(bench.path)));
  CHECK_STR(error.text + strlen(bench.path),
            ": SQLite 3.34.1 has no RETURNING, which tells the rows that a "
            "statement changed; use SQLite 3.35 or later, or "
            "instrument=after");
  CHECK_STR(bench_sql(&bench, "SELECT count(*) FROM sqlite_master"), "0");
  bench_close(&bench);
  old = true;
  bench = bench_of_rows("?instrument=after");
  old = false;
  bench_close(&bench);
}

// ---- Two connections

struct blocked {
  struct connection *c;
  char answer[4096];
};

static void *update_when_free(void *argument) {
  struct blocked *blocked = argument;
  begin_rows(driver, blocked->c, SER);
  snprintf(blocked->answer, sizeof blocked->answer, "%s",
           rows_do(driver, blocked->c, 2, "update b = 1 : f+1"));
  commit_rows(driver, blocked->c);
  return NULL;
}

// Whether it waited or came later, the second one finds what the first one
// left.
static void what_waited_for_the_lock_says_what_it_found(void) {
  struct bench bench = bench_of_rows("");
  struct blocked blocked = {.c = bench.c[1]};
  pthread_t thread;
  begin_rows(driver, bench.c[0], SER);
  CHECK_STR(rows_do(driver, bench.c[0], 1, "update id < 4 : v+100 b=1"),
            "0@0:1,110,0 1@0:1,111,0 2@0:1,112,0 3@0:1,113,0");
  CHECK(!pthread_create(&thread, NULL, update_when_free, &blocked));
  usleep(20000);
  commit_rows(driver, bench.c[0]);
  pthread_join(thread, NULL);
  CHECK_STR(blocked.answer, "0@1:1,110,1 1@1:1,111,1 2@1:1,112,1 3@1:1,113,1 "
                            "5@0:1,15,1 7@0:1,17,1");
  bench_close(&bench);
}

// A of the table of acceptance: what a reader updates must not have changed.
static void an_update_of_what_was_not_seen_is_refused(void) {
  struct bench bench = bench_of_rows("");
  begin_rows(driver, bench.c[0], SER);
  CHECK_STR(rows_do(driver, bench.c[0], 1, "select b = 7"), "");
  begin_rows(driver, bench.c[1], SER);
  CHECK_STR(rows_do(driver, bench.c[1], 2, "insert 8 7 1 0"), "8@0:7,1,0");
  commit_rows(driver, bench.c[1]);
  CHECK_STR(rows_do(driver, bench.c[0], 3, "update b = 7 : f=1"),
            "aborted: serialization failure");
  check_reason(bench.c[0], CAUSE_SERIALIZATION, "SQLITE_BUSY_SNAPSHOT");
  driver->rollback(bench.c[0]);
  bench_close(&bench);
}

// F and G: of two that read and then write, one has to give way.
static void one_of_two_guards_gives_way(void) {
  static const char *const writes[] = {"insert 8 7 1 0", "insert 9 7 1 0"};
  struct bench bench = bench_of_rows("?busy=0");
  for (int i = 0; i < 2; i++) {
    begin_rows(driver, bench.c[i], SER);
    CHECK_STR(rows_do(driver, bench.c[i], 1, "select b = 7"), "");
  }
  CHECK_STR(rows_do(driver, bench.c[0], 2, writes[0]), "8@0:7,1,0");
  CHECK_STR(rows_do(driver, bench.c[1], 3, writes[1]), "aborted: lock timeout");
  driver->rollback(bench.c[1]);
  commit_rows(driver, bench.c[0]);
  bench_close(&bench);
}

int main(void) {
  sqlite3_auto_extension((void (*)(void))remember_opened);
  return TAP_RUN(
      {"each statement says what it did", each_statement_says_what_it_did},
      {"a shared cache has rows as well", a_shared_cache_has_rows_as_well},
      {"what a DELETE did is not always known",
       what_a_delete_did_is_not_always_known},
      {"counts that do not agree are noticed",
       counts_that_do_not_agree_are_noticed},
      {"a taken key undoes the statement alone",
       a_taken_key_undoes_the_statement_alone},
      {"setup makes the tables anew", setup_makes_the_tables_anew},
      {"soft deletes leave the row", soft_deletes_leave_the_row},
      {"plain statements tell enough", plain_statements_tell_enough},
      {"an index is made if asked for", an_index_is_made_if_asked_for},
      {"an SQLite without RETURNING is refused",
       an_sqlite_without_returning_is_refused},
      {"what waited for the lock says what it found",
       what_waited_for_the_lock_says_what_it_found},
      {"an update of what was not seen is refused",
       an_update_of_what_was_not_seen_is_refused},
      {"one of two guards gives way", one_of_two_guards_gives_way});
}

// SPDX-License-Identifier: GPL-3.0-or-later
// The SQLite driver on real files: opening, setup, the operations, and many
// sessions at once.  What it says of errors is in test_sqlite_outcomes.c.
#include "config.h"

#include "base/operation.h"
#include "tests/kit/sqlite.h"

#include <pthread.h>
#include <sys/stat.h>

static const struct driver *const driver = &sqlite_driver;

// ---- Opening

static void check_place(const char *place, const char *sentence) {
  struct error error = {0};
  struct target *target = NULL;
  char text[160];
  snprintf(text, sizeof text, "sqlite:%s", place);
  CHECK_INT(target_open(text, NULL, NULL, 1, 1, &target, &error), -1);
  CHECK_STR(error.text, sentence);
}

static void bad_places_are_refused(void) {
  check_place("", "sqlite: names no file; write sqlite:PATH, such as "
                  "sqlite:/tmp/test.db");
  check_place(":memory:", "sqlite::memory: names no file; write sqlite:PATH, "
                          "such as sqlite:/tmp/test.db");
  check_place("file:x", "sqlite:file:x names no file; write sqlite:PATH, such "
                        "as sqlite:/tmp/test.db");
  check_place("/tmp", "/tmp is a directory; name a database file in it");
  check_place("/dev/null", "/dev/null is no regular file; name a database "
                           "file");
  check_place("/no/such/x.db",
              "/no/such/x.db cannot be opened: /no/such: No such file or "
              "directory; create the directory first");
}

static void bad_options_are_refused(void) {
  check_place("/tmp/x.db?journal=dleete",
              "journal=dleete is not possible; did you mean journal=delete?");
  check_place("/tmp/x.db?begin=never",
              "begin=never is not possible; it can be deferred, immediate");
  check_place("/tmp/x.db?synchronous=ful",
              "synchronous=ful is not possible; did you mean "
              "synchronous=full?");
  check_place("/tmp/x.db?busy=long", "busy=long is not a time up to 1 h: write "
                                     "it as 5s, 100ms or 1m");
  CHECK(access("/tmp/x.db", F_OK) != 0);
}

static void write_file(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  fputs(text, file);
  fclose(file);
}

static void what_is_no_database_is_refused(void) {
  struct bench bench = {0};
  char sentence[200];
  bench_directory(&bench);
  write_file(bench.path, "Dear diary, this is not a database.\n");
  snprintf(sentence, sizeof sentence,
           "%s is not an SQLite database; name another file or a new one",
           bench.path);
  CHECK_STR(bench_open(&bench, ""), sentence);
  bench_close(&bench);
}

// Root may write everything, so the test becomes nobody for a moment.
static void what_can_not_be_written_is_refused(void) {
  struct bench bench = {0};
  char sentence[200];
  bench_directory(&bench);
  bench_sql(&bench, "CREATE TABLE t (x)");
  chmod(bench.path, 0444);
  chmod(bench.directory, 0555);
  bool root = geteuid() == 0;
  if (root)
    CHECK_INT(seteuid(65534), 0);
  snprintf(sentence, sizeof sentence,
           "%s cannot be written; change its permissions or name another file",
           bench.path);
  CHECK_STR(bench_open(&bench, ""), sentence);
  snprintf(sentence, sizeof sentence,
           "%s.new cannot be created: %s: Permission denied", bench.path,
           bench.directory);
  char path[90];
  snprintf(path, sizeof path, "%s.new", bench.path);
  check_place(path, sentence);
  if (root)
    CHECK_INT(seteuid(0), 0);
  chmod(bench.directory, 0755);
  bench_close(&bench);
}

// The answer of one of the driver's own connections.
static int setting_of(sqlite3 *db, const char *pragma) {
  sqlite3_stmt *statement;
  CHECK_INT(sqlite3_prepare_v2(db, pragma, -1, &statement, NULL), SQLITE_OK);
  CHECK_INT(sqlite3_step(statement), SQLITE_ROW);
  int value = sqlite3_column_int(statement, 0);
  sqlite3_finalize(statement);
  return value;
}

static void settings_reach_the_database(void) {
  struct bench bench =
      bench_of_two("?journal=delete&synchronous=full&busy=1500ms");
  char text[200];
  driver->describe(bench.target, text, sizeof text);
  CHECK(strstr(text, "SQLite 3.") == text);
  CHECK(strstr(text, "journal_mode delete, synchronous full, BEGIN deferred, "
                     "busy timeout 1500 ms") != NULL);
  CHECK_STR(bench_sql(&bench, "PRAGMA journal_mode"), "delete");
  sqlite3 *db = bench_connect(&bench, 2);
  CHECK_INT(setting_of(db, "PRAGMA synchronous"), 2);
  bench_close(&bench);
  bench = bench_of_two("");
  CHECK_STR(bench_sql(&bench, "PRAGMA journal_mode"), "wal");
  driver->describe(bench.target, text, sizeof text);
  CHECK(strstr(text, "busy timeout 5000 ms") != NULL);
  db = bench_connect(&bench, 2);
  CHECK_INT(setting_of(db, "PRAGMA synchronous"), 1);
  bench_close(&bench);
}

// ---- Setup

static void setup_starts_afresh(void) {
  struct bench bench = bench_of_two("");
  CHECK_INT(begin_at(bench.c[0], SER), OUTCOME_OK);
  CHECK_INT(driver->put(bench.c[0], 0, 5), OUTCOME_OK);
  CHECK_INT(driver->put(bench.c[0], 7, 5), OUTCOME_OK);
  CHECK_INT(driver->append(bench.c[0], 0, 5), OUTCOME_OK);
  CHECK_INT(driver->commit(bench.c[0]), OUTCOME_OK);
  bench_setup(&bench, &(struct keyspace){.nkeys = 3, .preload = true});
  CHECK_STR(bench_sql(&bench, "SELECT group_concat(k || ':' || v, ' ')"
                              " FROM isostress_kv"),
            "0:0 1:0 2:0");
  CHECK_STR(bench_sql(&bench, "SELECT count(*) FROM isostress_list"), "0");
  bench_setup(&bench, &(struct keyspace){.nkeys = 3});
  CHECK_STR(bench_sql(&bench, "SELECT count(*) FROM isostress_kv"), "0");
  bench_setup(&bench,
              &(struct keyspace){.nkeys = 3, .lists = true, .preload = true});
  CHECK_STR(bench_sql(&bench, "SELECT count(*) FROM isostress_kv"), "0");
  bench_close(&bench);
}

static void setup_touches_nothing_else(void) {
  struct bench bench = {0};
  bench_directory(&bench);
  bench_sql(&bench, "CREATE TABLE kv (k, v); INSERT INTO kv VALUES (1, 'mine');"
                    "CREATE INDEX i ON kv (v); CREATE VIEW w AS SELECT 1;"
                    "PRAGMA user_version = 99");
  CHECK_STR(bench_open(&bench, ""), "");
  bench_setup(&bench, &(struct keyspace){.nkeys = 10, .preload = true});
  bench_setup(&bench, &(struct keyspace){.nkeys = 10, .preload = true});
  CHECK_STR(bench_sql(&bench, "SELECT v FROM kv WHERE v = 'mine'"), "mine");
  CHECK_STR(bench_sql(&bench, "PRAGMA user_version"), "99");
  CHECK_STR(bench_sql(&bench, "SELECT group_concat(name, ' ') FROM "
                              "(SELECT name FROM sqlite_schema ORDER BY name)"),
            "i isostress_kv isostress_list kv w");
  bench_close(&bench);
}

static void many_keys_are_preloaded(void) {
  struct bench bench = {0};
  bench_directory(&bench);
  CHECK_STR(bench_open(&bench, "?synchronous=off"), "");
  bench_setup(&bench, &(struct keyspace){.nkeys = 100000, .preload = true});
  CHECK_STR(bench_sql(&bench, "SELECT count(*) || ' ' || min(k) || ' ' || "
                              "max(k) || ' ' || sum(v) FROM isostress_kv"),
            "100000 0 99999 0");
  bench_close(&bench);
}

static void setup_says_who_is_in_the_way(void) {
  struct bench bench = {0};
  struct error error = {0};
  char sentence[200];
  bench_directory(&bench);
  CHECK_STR(bench_open(&bench, "?busy=0"), "");
  sqlite3 *other;
  CHECK_INT(sqlite3_open(bench.path, &other), SQLITE_OK);
  CHECK_INT(sqlite3_exec(other, "PRAGMA journal_mode = wal; BEGIN IMMEDIATE",
                         NULL, NULL, NULL),
            SQLITE_OK);
  CHECK_INT(driver->setup(bench.target, &(struct keyspace){.nkeys = 1}, &error),
            -1);
  snprintf(sentence, sizeof sentence,
           "%s: cannot be prepared: database is locked (SQLITE_BUSY)",
           bench.path);
  CHECK_STR(error.text, sentence);
  sqlite3_close(other);
  bench_close(&bench);
}

// ---- Operations

static void own_writes_are_read_and_taken_back(void) {
  struct bench bench = bench_of_two("");
  struct connection *a = bench.c[0], *b = bench.c[1];
  CHECK_INT(begin_at(a, SER), OUTCOME_OK);
  CHECK_INT(driver->put(a, 1, 7), OUTCOME_OK);
  CHECK_INT(driver->put(a, 1, 8), OUTCOME_OK);
  CHECK_INT(driver->put(a, 1000000007, 9), OUTCOME_OK);
  CHECK_INT(value_at(a, 1), 8);
  CHECK_INT(value_at(a, 1000000007), 9);
  CHECK_INT(committed_at(b, 1), 0);
  CHECK_INT(driver->rollback(a), OUTCOME_OK);
  CHECK_INT(committed_at(a, 1), 0);
  CHECK_INT(committed_at(a, 1000000007), 0);
  CHECK_INT(driver->rollback(a), OUTCOME_OK);
  bench_close(&bench);
}

static void large_values_come_back(void) {
  struct bench bench = bench_of_two("");
  uint64_t value = value_of_write(VALUE_MAX_SESSIONS - 1, 12345);
  CHECK_INT(begin_at(bench.c[0], SER), OUTCOME_OK);
  CHECK_INT(driver->put(bench.c[0], 0, value), OUTCOME_OK);
  CHECK_INT(driver->commit(bench.c[0]), OUTCOME_OK);
  CHECK_INT(committed_at(bench.c[1], 0), value);
  bench_close(&bench);
}

static void reads_are_of_one_snapshot(void) {
  struct bench bench = bench_of_two("");
  struct connection *a = bench.c[0], *b = bench.c[1];
  CHECK_INT(begin_at(a, SER), OUTCOME_OK);
  CHECK_INT(value_at(a, 0), 0);
  CHECK_INT(begin_at(b, SER), OUTCOME_OK);
  CHECK_INT(driver->put(b, 0, 1), OUTCOME_OK);
  CHECK_INT(driver->put(b, 1, 2), OUTCOME_OK);
  CHECK_INT(driver->commit(b), OUTCOME_OK);
  CHECK_INT(value_at(a, 0), 0);
  CHECK_INT(value_at(a, 1), 0);
  CHECK_INT(driver->commit(a), OUTCOME_OK);
  CHECK_INT(committed_at(a, 1), 2);
  bench_close(&bench);
}

// A statement that was not reset would keep the snapshot of its transaction and
// keep a checkpoint from emptying the WAL.
static void nothing_stays_locked(void) {
  struct bench bench = bench_of_two("?busy=0");
  struct value_list list = {0};
  uint64_t found;
  for (int i = 0; i < 3; i++) {
    CHECK_INT(begin_at(bench.c[0], SER), OUTCOME_OK);
    CHECK_INT(value_at(bench.c[0], 0), i);
    CHECK_INT(driver->get_list(bench.c[0], 5, &list), OUTCOME_OK);
    CHECK_INT(driver->cas(bench.c[0], 0, (uint64_t)i, (uint64_t)i + 1, &found),
              OUTCOME_OK);
    CHECK_INT(driver->append(bench.c[0], 5, 1), OUTCOME_OK);
    CHECK_INT(driver->commit(bench.c[0]), OUTCOME_OK);
  }
  CHECK_STR(bench_sql(&bench, "PRAGMA wal_checkpoint(TRUNCATE)"), "0");
  value_list_free(&list);
  bench_close(&bench);
}

static void check_list(struct connection *c, uint64_t key, const char *wanted) {
  struct value_list list = {0};
  char text[100] = "";
  CHECK_INT(driver->get_list(c, key, &list), OUTCOME_OK);
  for (uint32_t i = 0; i < list.count; i++)
    sprintf(text + strlen(text), "%d ", (int)list.values[i]);
  CHECK_STR(text, wanted);
  value_list_free(&list);
}

static void lists_keep_their_order(void) {
  struct bench bench = bench_of_two("");
  struct connection *a = bench.c[0], *b = bench.c[1];
  static const uint64_t values[] = {30, 10, 20, 10};
  CHECK_INT(begin_at(a, SER), OUTCOME_OK);
  check_list(a, 1, "");
  for (int i = 0; i < 4; i++)
    CHECK_INT(driver->append(a, (uint64_t)i % 2, values[i]), OUTCOME_OK);
  check_list(a, 0, "30 20 ");
  CHECK_INT(driver->commit(a), OUTCOME_OK);
  CHECK_INT(begin_at(b, SER), OUTCOME_OK);
  CHECK_INT(driver->append(b, 0, 5), OUTCOME_OK);
  check_list(b, 0, "30 20 5 ");
  check_list(b, 1, "10 10 ");
  CHECK_INT(driver->rollback(b), OUTCOME_OK);
  CHECK_INT(begin_at(b, SER), OUTCOME_OK);
  check_list(b, 0, "30 20 ");
  CHECK_INT(driver->commit(b), OUTCOME_OK);
  bench_close(&bench);
}

static void check_cas(struct connection *c, uint64_t key, uint64_t expected,
                      uint64_t value, uint64_t found, uint64_t then) {
  uint64_t got = 99;
  CHECK_INT(driver->cas(c, key, expected, value, &got), OUTCOME_OK);
  CHECK_INT(got, found);
  CHECK_INT(value_at(c, key), then);
}

static void cas_does_what_it_says(void) {
  struct bench bench = bench_of_two("");
  for (int level = SER; level <= RU; level++) {
    struct connection *a = bench.c[level];
    CHECK_INT(begin_at(a, level), OUTCOME_OK);
    check_cas(a, 0, 5, 6, 0, 0);  // the initial value is there, not 5
    check_cas(a, 0, 0, 6, 0, 6);  // the initial value is there
    check_cas(a, 0, 0, 7, 6, 6);  // something is there
    check_cas(a, 0, 6, 7, 6, 7);  // what was expected is there
    check_cas(a, 50, 5, 6, 0, 0); // nothing is there, so not 5
    check_cas(a, 50, 0, 6, 0, 6); // insert if absent
    check_cas(a, 50, 0, 7, 6, 6);
    CHECK_INT(driver->rollback(a), OUTCOME_OK);
  }
  CHECK_STR(bench_sql(&bench, "SELECT count(*) FROM isostress_kv"), "2");
  bench_close(&bench);
}

static void one_session_runs_at_both_levels(void) {
  struct bench bench = bench_of_two("");
  for (int i = 0; i < 4; i++) {
    CHECK_INT(begin_at(bench.c[0], i % 2), OUTCOME_OK);
    CHECK_INT(value_at(bench.c[0], 0), i);
    CHECK_INT(driver->put(bench.c[0], 0, (uint64_t)i + 1), OUTCOME_OK);
    CHECK_INT(driver->commit(bench.c[0]), OUTCOME_OK);
  }
  bench_close(&bench);
}

static void two_targets_are_driven_at_once(void) {
  struct bench one = bench_of_two(""), two = bench_of_two("?journal=delete");
  CHECK_INT(begin_at(one.c[0], SER), OUTCOME_OK);
  CHECK_INT(begin_at(two.c[0], SER), OUTCOME_OK);
  CHECK_INT(driver->put(one.c[0], 0, 1), OUTCOME_OK);
  CHECK_INT(driver->put(two.c[0], 0, 2), OUTCOME_OK);
  CHECK_INT(driver->commit(one.c[0]), OUTCOME_OK);
  CHECK_INT(driver->commit(two.c[0]), OUTCOME_OK);
  CHECK_INT(committed_at(one.c[1], 0), 1);
  CHECK_INT(committed_at(two.c[1], 0), 2);
  bench_close(&one);
  bench_close(&two);
}

// ---- Many sessions

enum { THREADS = 4, ROUNDS = 100 };

struct worker {
  struct connection *c;
  int level;
  uint64_t committed, aborted, lost;
};

static bool adds_one(struct connection *c) {
  uint64_t value;
  return driver->get(c, 0, &value) == OUTCOME_OK &&
         driver->put(c, 0, value + 1) == OUTCOME_OK &&
         driver->append(c, 0, c->session * ROUNDS + 1) == OUTCOME_OK;
}

static void *increments(void *argument) {
  struct worker *worker = argument;
  while (worker->committed < ROUNDS) {
    enum outcome outcome = begin_at(worker->c, worker->level);
    if (outcome == OUTCOME_OK && adds_one(worker->c)) {
      outcome = driver->commit(worker->c);
      worker->lost += outcome == OUTCOME_UNKNOWN;
    } else {
      outcome = OUTCOME_ABORTED;
      worker->lost += driver->rollback(worker->c) != OUTCOME_OK;
    }
    worker->committed += outcome == OUTCOME_OK;
    worker->aborted += outcome == OUTCOME_ABORTED;
  }
  return NULL;
}

static void run_increments(struct bench *bench, int level) {
  struct worker workers[THREADS] = {0};
  pthread_t threads[THREADS];
  for (uint32_t i = 0; i < THREADS; i++) {
    bench_connect(bench, i);
    workers[i] = (struct worker){.c = bench->c[i], .level = level};
  }
  for (int i = 0; i < THREADS; i++)
    CHECK_INT(pthread_create(&threads[i], NULL, increments, &workers[i]), 0);
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    CHECK_INT(workers[i].committed, ROUNDS);
    CHECK_INT(workers[i].lost, 0);
  }
}

static struct bench after_increments(const char *options, int level) {
  struct bench bench = {0};
  bench_directory(&bench);
  CHECK_STR(bench_open(&bench, options), "");
  bench_setup(&bench, &(struct keyspace){.nkeys = 1, .preload = true});
  run_increments(&bench, level);
  return bench;
}

static void no_increment_is_lost(void) {
  static const char *const options[] = {
      "?synchronous=off", "?synchronous=off&begin=immediate",
      "?synchronous=off&begin=immediate&journal=delete",
      "?synchronous=off&journal=delete"};
  for (int i = 0; i < 4; i++) {
    struct bench bench = after_increments(options[i], SER);
    CHECK_INT(committed_at(bench.c[0], 0), THREADS * ROUNDS);
    CHECK_STR(bench_sql(&bench, "SELECT count(*) || ' ' || max(position)"
                                " FROM isostress_list"),
              "400 400");
    bench_close(&bench);
  }
}

// Increments may be lost, but sessions neither block each other for good nor
// lose what is a single statement.
static void uncommitted_reads_from_many_threads_work(void) {
  static const char *const options[] = {
      "?synchronous=off&busy=1m", "?synchronous=off&busy=1m&begin=immediate",
      "?synchronous=off&busy=1m&journal=delete"};
  for (int i = 0; i < 3; i++) {
    struct bench bench = after_increments(options[i], RU);
    CHECK(committed_at(bench.c[0], 0) <= THREADS * ROUNDS);
    CHECK_STR(bench_sql(&bench, "SELECT count(*) || ' ' || max(position)"
                                " FROM isostress_list"),
              "400 400");
    bench_close(&bench);
  }
}

int main(void) {
  sqlite3_auto_extension((void (*)(void))remember_opened);
  return TAP_RUN(
      {"bad places are refused", bad_places_are_refused},
      {"bad options are refused", bad_options_are_refused},
      {"what is no database is refused", what_is_no_database_is_refused},
      {"what cannot be written is refused", what_can_not_be_written_is_refused},
      {"settings reach the database", settings_reach_the_database},
      {"setup starts afresh", setup_starts_afresh},
      {"setup touches nothing else", setup_touches_nothing_else},
      {"many keys are preloaded", many_keys_are_preloaded},
      {"setup says who is in the way", setup_says_who_is_in_the_way},
      {"own writes are read and taken back",
       own_writes_are_read_and_taken_back},
      {"large values come back", large_values_come_back},
      {"reads are of one snapshot", reads_are_of_one_snapshot},
      {"nothing stays locked", nothing_stays_locked},
      {"lists keep their order", lists_keep_their_order},
      {"cas does what it says", cas_does_what_it_says},
      {"one session runs at both levels", one_session_runs_at_both_levels},
      {"two targets are driven at once", two_targets_are_driven_at_once},
      {"no increment is lost", no_increment_is_lost},
      {"uncommitted reads from many threads work",
       uncommitted_reads_from_many_threads_work});
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Errors of SQLite, made to happen on real files, and what the driver makes of
// them.
#include "config.h"

#include "drivers/sqlite/codes.h"
#include "tests/kit/sqlite.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

static const struct driver *const driver = &sqlite_driver;

// After an error the session goes on: nothing of the transaction is left.
static void check_goes_on(struct connection *c) {
  CHECK_INT(driver->rollback(c), OUTCOME_OK);
  CHECK(!c->broken);
  CHECK_INT(begin_at(c, SER), OUTCOME_OK);
  CHECK_INT(driver->put(c, 1, 77), OUTCOME_OK);
  CHECK_INT(driver->commit(c), OUTCOME_OK);
  CHECK_INT(committed_at(c, 1), 77);
}

static void begin_immediate_is_busy(void) {
  struct bench bench = bench_of_two("?begin=immediate&busy=0");
  CHECK_INT(begin_at(bench.c[0], SER), OUTCOME_OK);
  CHECK_INT(begin_at(bench.c[1], SER), OUTCOME_ABORTED);
  check_reason(bench.c[1], CAUSE_LOCK_TIMEOUT, "SQLITE_BUSY");
  CHECK_STR(bench.c[1]->text, "database is locked");
  CHECK_INT(driver->rollback(bench.c[1]), OUTCOME_OK);
  CHECK_INT(driver->commit(bench.c[0]), OUTCOME_OK);
  check_goes_on(bench.c[1]);
  bench_close(&bench);
}

static void a_second_writer_is_busy(void) {
  struct bench bench = bench_of_two("?busy=0");
  CHECK_INT(begin_at(bench.c[0], SER), OUTCOME_OK);
  CHECK_INT(driver->put(bench.c[0], 0, 5), OUTCOME_OK);
  CHECK_INT(begin_at(bench.c[1], SER), OUTCOME_OK);
  CHECK_INT(value_at(bench.c[1], 0), 0);
  CHECK_INT(driver->put(bench.c[1], 1, 6), OUTCOME_ABORTED);
  check_reason(bench.c[1], CAUSE_LOCK_TIMEOUT, "SQLITE_BUSY");
  CHECK_INT(driver->commit(bench.c[0]), OUTCOME_OK);
  check_goes_on(bench.c[1]);
  bench_close(&bench);
}

static void writing_from_an_old_snapshot_is_a_serialization_failure(void) {
  struct bench bench = bench_of_two("");
  CHECK_INT(begin_at(bench.c[0], SER), OUTCOME_OK);
  CHECK_INT(value_at(bench.c[0], 0), 0);
  CHECK_INT(begin_at(bench.c[1], SER), OUTCOME_OK);
  CHECK_INT(driver->put(bench.c[1], 0, 5), OUTCOME_OK);
  CHECK_INT(driver->commit(bench.c[1]), OUTCOME_OK);
  CHECK_INT(driver->put(bench.c[0], 0, 6), OUTCOME_ABORTED);
  check_reason(bench.c[0], CAUSE_SERIALIZATION, "SQLITE_BUSY_SNAPSHOT");
  check_goes_on(bench.c[0]);
  CHECK_INT(committed_at(bench.c[0], 0), 5);
  bench_close(&bench);
}

static void commit_that_stays_busy_is_rolled_back(void) {
  struct bench bench = bench_of_two("?journal=delete&busy=0");
  CHECK_INT(begin_at(bench.c[1], SER), OUTCOME_OK);
  CHECK_INT(value_at(bench.c[1], 0), 0);
  CHECK_INT(begin_at(bench.c[0], SER), OUTCOME_OK);
  CHECK_INT(driver->put(bench.c[0], 0, 5), OUTCOME_OK);
  CHECK_INT(driver->commit(bench.c[0]), OUTCOME_ABORTED);
  check_reason(bench.c[0], CAUSE_LOCK_TIMEOUT, "SQLITE_BUSY");
  CHECK_STR(bench.c[0]->text, "database is locked");
  CHECK_INT(value_at(bench.c[1], 0), 0);
  CHECK_INT(driver->commit(bench.c[1]), OUTCOME_OK);
  CHECK_INT(committed_at(bench.c[1], 0), 0);
  check_goes_on(bench.c[0]);
  bench_close(&bench);
}

// Called by SQLite when a lock is taken: ends the reader that has it.
static int end_reader(void *reader, int calls) {
  CHECK_INT(driver->commit(reader), OUTCOME_OK);
  return calls == 0;
}

static void commit_waits_for_readers(void) {
  struct bench bench = bench_of_two("?journal=delete");
  sqlite3 *db = bench_connect(&bench, 2);
  sqlite3_busy_handler(db, end_reader, bench.c[1]);
  CHECK_INT(begin_at(bench.c[1], SER), OUTCOME_OK);
  CHECK_INT(value_at(bench.c[1], 0), 0);
  CHECK_INT(begin_at(bench.c[2], SER), OUTCOME_OK);
  CHECK_INT(driver->put(bench.c[2], 0, 5), OUTCOME_OK);
  CHECK_INT(driver->commit(bench.c[2]), OUTCOME_OK);
  CHECK_INT(committed_at(bench.c[1], 0), 5);
  bench_close(&bench);
}

static void uncommitted_values_are_read(void) {
  static const char *const journals[] = {"", "?journal=delete"};
  for (int i = 0; i < 2; i++) {
    struct bench bench = bench_of_two(journals[i]);
    CHECK_INT(begin_at(bench.c[0], RU), OUTCOME_OK);
    CHECK_INT(begin_at(bench.c[1], RU), OUTCOME_OK);
    CHECK_INT(value_at(bench.c[1], 0), 0);
    CHECK_INT(driver->put(bench.c[0], 0, 5), OUTCOME_OK);
    CHECK_INT(value_at(bench.c[1], 0), 5);
    CHECK_INT(driver->rollback(bench.c[0]), OUTCOME_OK);
    CHECK_INT(value_at(bench.c[1], 0), 0);
    CHECK_INT(driver->commit(bench.c[1]), OUTCOME_OK);
    bench_close(&bench);
  }
}

static void updates_are_lost_at_read_uncommitted(void) {
  struct bench bench = bench_of_two("");
  for (int i = 0; i < 2; i++) {
    CHECK_INT(begin_at(bench.c[i], RU), OUTCOME_OK);
    CHECK_INT(value_at(bench.c[i], 0), 0);
  }
  for (int i = 0; i < 2; i++) {
    CHECK_INT(driver->put(bench.c[i], 0, 5 + (uint64_t)i), OUTCOME_OK);
    CHECK_INT(driver->commit(bench.c[i]), OUTCOME_OK);
  }
  CHECK_INT(committed_at(bench.c[0], 0), 6);
  bench_close(&bench);
}

static void a_shared_cache_is_locked(void) {
  struct bench bench = bench_of_two("?busy=0");
  CHECK_INT(begin_at(bench.c[0], RU), OUTCOME_OK);
  CHECK_INT(begin_at(bench.c[1], RU), OUTCOME_OK);
  CHECK_INT(driver->put(bench.c[0], 0, 5), OUTCOME_OK);
  CHECK_INT(driver->put(bench.c[1], 1, 6), OUTCOME_ABORTED);
  check_reason(bench.c[1], CAUSE_LOCK_TIMEOUT, "SQLITE_LOCKED_SHAREDCACHE");
  CHECK_INT(driver->commit(bench.c[0]), OUTCOME_OK);
  check_goes_on(bench.c[1]);
  bench_close(&bench);
}

static void *puts_six(void *c) {
  CHECK_INT(driver->put(c, 1, 6), OUTCOME_OK);
  CHECK_INT(driver->commit(c), OUTCOME_OK);
  return NULL;
}

// A session that waits is known to wait, and one that does not is not.
static void a_lock_is_waited_for(int level) {
  enum { MOST_LOOKS = 600000 };
  struct bench bench = bench_of_two("?busy=10m");
  pthread_t thread;
  int looks = 0;
  CHECK_INT(begin_at(bench.c[0], level), OUTCOME_OK);
  CHECK_INT(begin_at(bench.c[1], level), OUTCOME_OK);
  CHECK_INT(driver->put(bench.c[0], 0, 5), OUTCOME_OK);
  CHECK_INT(driver->waits(bench.c[0], bench.c[1]), 0);
  CHECK_INT(pthread_create(&thread, NULL, puts_six, bench.c[1]), 0);
  while (!driver->waits(bench.c[0], bench.c[1]) && looks++ < MOST_LOOKS)
    usleep(1000);
  CHECK(looks < MOST_LOOKS);
  CHECK_INT(driver->commit(bench.c[0]), OUTCOME_OK);
  pthread_join(thread, NULL);
  CHECK_INT(driver->waits(bench.c[0], bench.c[1]), 0);
  CHECK_INT(committed_at(bench.c[0], 1), 6);
  bench_close(&bench);
}

static void a_shared_cache_is_waited_for(void) { a_lock_is_waited_for(RU); }

static void a_writer_is_waited_for(void) { a_lock_is_waited_for(SER); }

// Puts a session on a database that has no free page left.
static void the_database_is_full(void) {
  static const char *const journals[] = {"", "?journal=delete"};
  for (int i = 0; i < 2; i++) {
    struct bench bench = bench_of_two(journals[i]);
    sqlite3 *db = bench_connect(&bench, 2);
    sqlite3_exec(db, "PRAGMA max_page_count = 1", NULL, NULL, NULL);
    CHECK_INT(begin_at(bench.c[2], SER), OUTCOME_OK);
    uint64_t key = 100;
    enum outcome outcome = OUTCOME_OK;
    while (outcome == OUTCOME_OK && key < 100000)
      outcome = driver->put(bench.c[2], key++, 1);
    CHECK_INT(outcome, OUTCOME_ABORTED);
    check_reason(bench.c[2], CAUSE_OTHER, "SQLITE_FULL");
    check_goes_on(bench.c[2]);
    CHECK_INT(committed_at(bench.c[2], 100), 0);
    bench_close(&bench);
  }
}

static void the_database_is_read_only(void) {
  struct bench bench = bench_of_two("");
  sqlite3 *db = bench_connect(&bench, 2);
  sqlite3_exec(db, "PRAGMA query_only = 1", NULL, NULL, NULL);
  CHECK_INT(begin_at(bench.c[2], SER), OUTCOME_OK);
  CHECK_INT(driver->put(bench.c[2], 0, 5), OUTCOME_ABORTED);
  check_reason(bench.c[2], CAUSE_OTHER, "SQLITE_READONLY");
  sqlite3_exec(db, "PRAGMA query_only = 0", NULL, NULL, NULL);
  check_goes_on(bench.c[2]);
  bench_close(&bench);
}

static void a_constraint_is_violated(void) {
  struct bench bench = bench_of_two("");
  bench_sql(&bench, "CREATE TRIGGER t BEFORE UPDATE ON isostress_kv"
                    " WHEN new.v = 13 BEGIN SELECT raise(ABORT, 'no 13'); END");
  CHECK_INT(begin_at(bench.c[0], SER), OUTCOME_OK);
  CHECK_INT(driver->put(bench.c[0], 0, 12), OUTCOME_OK);
  CHECK_INT(driver->put(bench.c[0], 1, 13), OUTCOME_ABORTED);
  check_reason(bench.c[0], CAUSE_CONSTRAINT, "SQLITE_CONSTRAINT_TRIGGER");
  CHECK_STR(bench.c[0]->text, "no 13");
  check_goes_on(bench.c[0]);
  CHECK_INT(committed_at(bench.c[0], 0), 0);
  bench_close(&bench);
}

static void sqlite_rolls_back_by_itself(void) {
  struct bench bench = bench_of_two("");
  bench_sql(&bench, "CREATE TRIGGER t BEFORE UPDATE ON isostress_kv WHEN"
                    " new.v = 13 BEGIN SELECT raise(ROLLBACK, 'no 13'); END");
  sqlite3 *db = bench_connect(&bench, 2);
  CHECK_INT(begin_at(bench.c[2], SER), OUTCOME_OK);
  CHECK_INT(driver->put(bench.c[2], 0, 12), OUTCOME_OK);
  CHECK_INT(driver->put(bench.c[2], 1, 13), OUTCOME_ABORTED);
  check_reason(bench.c[2], CAUSE_CONSTRAINT, "SQLITE_CONSTRAINT_TRIGGER");
  CHECK(sqlite3_get_autocommit(db));
  check_goes_on(bench.c[2]);
  CHECK_INT(committed_at(bench.c[2], 0), 0);
  bench_close(&bench);
}

static int interrupts(void *nothing) {
  (void)nothing;
  return 1;
}

static void a_statement_is_interrupted(void) {
  struct bench bench = bench_of_two("");
  sqlite3 *db = bench_connect(&bench, 2);
  uint64_t value;
  CHECK_INT(begin_at(bench.c[2], SER), OUTCOME_OK);
  sqlite3_progress_handler(db, 1, interrupts, NULL);
  CHECK_INT(driver->get(bench.c[2], 0, &value), OUTCOME_ABORTED);
  check_reason(bench.c[2], CAUSE_STATEMENT_TIMEOUT, "SQLITE_INTERRUPT");
  sqlite3_progress_handler(db, 0, NULL, NULL);
  check_goes_on(bench.c[2]);
  bench_close(&bench);
}

static void memory_runs_out(void) {
  struct bench bench = bench_of_two("");
  uint64_t value;
  CHECK_INT(begin_at(bench.c[0], SER), OUTCOME_OK);
  sqlite3_hard_heap_limit64(1);
  CHECK_INT(driver->get(bench.c[0], 0, &value), OUTCOME_ABORTED);
  sqlite3_hard_heap_limit64(0);
  sqlite3_soft_heap_limit64(0);
  check_reason(bench.c[0], CAUSE_OTHER, "SQLITE_NOMEM");
  check_goes_on(bench.c[0]);
  bench_close(&bench);
}

static void overwrite(const struct bench *bench, off_t offset, size_t bytes) {
  char garbage[4096];
  memset(garbage, 0xa5, sizeof garbage);
  int file = open(bench->path, O_WRONLY);
  CHECK_INT(pwrite(file, garbage, bytes, offset), bytes);
  close(file);
}

static void check_read_fails(struct bench *bench, const char *code) {
  uint64_t value;
  CHECK_INT(begin_at(bench->c[0], SER), OUTCOME_OK);
  CHECK_INT(driver->get(bench->c[0], 0, &value), OUTCOME_ABORTED);
  check_reason(bench->c[0], CAUSE_OTHER, code);
  CHECK_INT(driver->rollback(bench->c[0]), OUTCOME_OK);
}

// Bytes 24 to 27 count changes of the file, so that caches know of them; the
// table's root is the second page, its first byte the kind of the page.
static void the_file_is_damaged(void) {
  struct bench bench = bench_of_two("?journal=delete");
  overwrite(&bench, 24, 4);
  overwrite(&bench, 4096, 8);
  check_read_fails(&bench, "SQLITE_CORRUPT");
  overwrite(&bench, 0, 100);
  check_read_fails(&bench, "SQLITE_NOTADB");
  bench_close(&bench);
}

static void tables_are_gone(void) {
  struct bench bench = bench_of_two("");
  bench_sql(&bench, "DROP TABLE isostress_kv");
  check_read_fails(&bench, "SQLITE_ERROR");
  CHECK_STR(bench.c[0]->text, "no such table: isostress_kv");
  bench_close(&bench);
}

static void the_file_is_gone(void) {
  struct bench bench = bench_of_two("?journal=delete");
  struct error error = {0};
  struct connection *none = NULL;
  char sentence[200];
  CHECK_INT(begin_at(bench.c[0], SER), OUTCOME_OK);
  unlink(bench.path);
  CHECK_INT(driver->put(bench.c[0], 0, 5), OUTCOME_ABORTED);
  check_reason(bench.c[0], CAUSE_CONNECTION, "SQLITE_READONLY_DBMOVED");
  CHECK(bench.c[0]->broken);
  CHECK_INT(driver->rollback(bench.c[0]), OUTCOME_OK);
  CHECK_INT(begin_at(bench.c[1], RU), OUTCOME_ABORTED);
  check_reason(bench.c[1], CAUSE_CONNECTION, "SQLITE_CANTOPEN");
  CHECK(bench.c[1]->broken);
  CHECK_INT(driver->rollback(bench.c[1]), OUTCOME_OK);
  CHECK_INT(driver->connect(bench.target, 2, &none, &error), -1);
  snprintf(sentence, sizeof sentence,
           "%s: cannot be opened: unable to open database file "
           "(SQLITE_CANTOPEN)",
           bench.path);
  CHECK_STR(error.text, sentence);
  bench_close(&bench);
}

static rlim_t limit_files(rlim_t bytes) {
  struct rlimit limit;
  getrlimit(RLIMIT_FSIZE, &limit);
  rlim_t old = limit.rlim_cur;
  limit.rlim_cur = bytes;
  CHECK_INT(setrlimit(RLIMIT_FSIZE, &limit), 0);
  return old;
}

// The write of the commit to the WAL fails.  SQLite rolls back, but part of the
// commit may be in the file.
static void an_io_error_leaves_commit_unknown(void) {
  struct bench bench = bench_of_two("");
  signal(SIGXFSZ, SIG_IGN);
  CHECK_INT(begin_at(bench.c[0], SER), OUTCOME_OK);
  CHECK_INT(driver->put(bench.c[0], 0, 5), OUTCOME_OK);
  rlim_t unlimited = limit_files(100);
  enum outcome outcome = driver->commit(bench.c[0]);
  limit_files(unlimited);
  CHECK_INT(outcome, OUTCOME_UNKNOWN);
  check_reason(bench.c[0], CAUSE_OTHER, "SQLITE_IOERR_WRITE");
  CHECK(bench.c[0]->broken);
  driver->disconnect(bench.c[0]);
  bench_connect(&bench, 0);
  check_goes_on(bench.c[0]);
  bench_close(&bench);
}

static void check_code(int rc, enum cause cause, const char *code) {
  char name[sizeof((struct connection *)0)->code];
  CHECK_STR(cause_name(sqlite_cause(rc, name, sizeof name)), cause_name(cause));
  CHECK_STR(name, code);
}

// Those that cannot be made to happen here.
static void codes_have_names(void) {
  check_code(SQLITE_BUSY_RECOVERY, CAUSE_LOCK_TIMEOUT, "SQLITE_BUSY_RECOVERY");
  check_code(SQLITE_CONSTRAINT_FOREIGNKEY, CAUSE_CONSTRAINT,
             "SQLITE_CONSTRAINT_FOREIGNKEY");
  check_code(SQLITE_IOERR_FSYNC, CAUSE_OTHER, "SQLITE_IOERR_FSYNC");
  check_code(SQLITE_BUSY | 99 << 8, CAUSE_LOCK_TIMEOUT, "SQLITE_BUSY/99");
  check_code(SQLITE_IOERR | 98 << 8, CAUSE_OTHER, "SQLITE_IOERR/98");
  check_code(250, CAUSE_OTHER, "SQLITE_250");
}

int main(void) {
  sqlite3_auto_extension((void (*)(void))remember_opened);
  return TAP_RUN(
      {"begin immediate is busy", begin_immediate_is_busy},
      {"a second writer is busy", a_second_writer_is_busy},
      {"writing from an old snapshot is a serialization failure",
       writing_from_an_old_snapshot_is_a_serialization_failure},
      {"a commit that stays busy is rolled back",
       commit_that_stays_busy_is_rolled_back},
      {"commit waits for readers", commit_waits_for_readers},
      {"uncommitted values are read", uncommitted_values_are_read},
      {"updates are lost at read uncommitted",
       updates_are_lost_at_read_uncommitted},
      {"a shared cache is locked", a_shared_cache_is_locked},
      {"a shared cache is waited for", a_shared_cache_is_waited_for},
      {"a writer is waited for", a_writer_is_waited_for},
      {"the database is full", the_database_is_full},
      {"the database is read-only", the_database_is_read_only},
      {"a constraint is violated", a_constraint_is_violated},
      {"SQLite rolls back by itself", sqlite_rolls_back_by_itself},
      {"a statement is interrupted", a_statement_is_interrupted},
      {"memory runs out", memory_runs_out},
      {"the file is damaged", the_file_is_damaged},
      {"tables are gone", tables_are_gone},
      {"the file is gone", the_file_is_gone},
      {"an I/O error leaves commit unknown", an_io_error_leaves_commit_unknown},
      {"codes have names", codes_have_names});
}

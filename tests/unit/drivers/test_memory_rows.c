// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of rows in the memory driver: what each sort of statement returns,
// what each level lets two transactions do to each other, and what each bug
// shows that is none of the level's.
#include "config.h"

#include "drivers/memory/internal.h"
#include "tests/kit/row_driver.h"

static const struct driver *const driver = &memory_driver;
enum { SER, SSER, SI, PC, CC, RA, RC }; // the driver's table

struct bench {
  struct target *target;
  struct connection *c[3];
};

static struct bench bench_of(const char *bug) {
  struct bench bench = {0};
  struct error error = {0};
  const char *const values[16] = {bug, "0"};
  const struct target_spec spec = {
      .place = "", .values = values, .nsessions = 3, .seed = 1};
  CHECK_INT(driver->open(&spec, &bench.target, &error), 0);
  rows_setup(driver, bench.target);
  for (uint32_t i = 0; i < 3; i++)
    CHECK_INT(driver->connect(bench.target, i, &bench.c[i], &error), 0);
  return bench;
}

static void bench_close(struct bench *bench) {
  for (int i = 0; i < 3; i++)
    driver->disconnect(bench->c[i]);
  driver->close(bench->target);
}

static void each_statement_says_what_it_did(void) {
  for (int level = SER; level <= RC; level++) {
    struct bench bench = bench_of(NULL);
    rows_check_effects(driver, bench.c[0], level);
    bench_close(&bench);
  }
}

static void a_taken_key_undoes_the_statement_alone(void) {
  struct bench bench = bench_of(NULL);
  rows_check_taken_key(driver, bench.c[0], true);
  bench_close(&bench);
}

// ---- Two transactions

// Runs the statements of two transactions by turns, the first one's first, and
// commits them in this order; NULL is no statement.  Says what became of them.
struct turn {
  const char *statements[2], *answers[2];
};
static void play(struct bench *bench, int level, const struct turn *turns,
                 size_t nturns, enum outcome first, enum outcome second) {
  begin_rows(driver, bench->c[0], level);
  begin_rows(driver, bench->c[1], level);
  for (size_t t = 0; t < nturns; t++)
    for (int i = 0; i < 2; i++)
      if (turns[t].statements[i])
        CHECK_STR(rows_do(driver, bench->c[i], 100 + 2 * t + (size_t)i,
                          turns[t].statements[i]),
                  turns[t].answers[i]);
  CHECK_INT(driver->commit(bench->c[0]), first);
  CHECK_INT(driver->commit(bench->c[1]), second);
}
#define PLAY(level, first, second, ...)                                        \
  do {                                                                         \
    struct bench bench_ = bench_of(NULL);                                      \
    const struct turn turns_[] = {__VA_ARGS__};                                \
    play(&bench_, level, turns_, sizeof turns_ / sizeof *turns_, first,        \
         second);                                                              \
    bench_close(&bench_);                                                      \
  } while (0)

// F of the table of acceptance: both find no row and insert one.
static void only_serializable_prevents_a_phantom_write_skew(void) {
  for (int level = SER; level <= RC; level++)
    PLAY(level, OUTCOME_OK,
         level == SER || level == SSER ? OUTCOME_ABORTED : OUTCOME_OK,
         {{"select b = 7", "select b = 7"}, {"", ""}},
         {{"insert 8 7 1 0", "insert 9 7 1 0"}, {"8@0:7,1,0", "9@0:7,1,0"}});
}

// G: a skew by two UPDATE ... WHERE, no SELECT.
static void updates_that_miss_each_other_are_a_skew(void) {
  for (int level = SER; level <= SI; level++)
    PLAY(level, OUTCOME_OK, level == SI ? OUTCOME_OK : OUTCOME_ABORTED,
         {{"update v = 10 : v=11", "update v = 11 : v=10"},
          {"0@0:0,11,0", "1@0:1,10,0"}});
}

static void first_committer_wins_from_si_on(void) {
  for (int level = SER; level <= RC; level++)
    PLAY(level, OUTCOME_OK, level <= SI ? OUTCOME_ABORTED : OUTCOME_OK,
         {{"update id = 1 : v+1", "update id = 1 : v+2"},
          {"1@0:1,12,0", "1@0:1,13,0"}});
}

static void a_key_is_inserted_once_at_every_level(void) {
  for (int level = SER; level <= RC; level++)
    PLAY(level, OUTCOME_OK, OUTCOME_ABORTED,
         {{"insert 8 7 1 0", "insert 8 7 2 0"}, {"8@0:7,1,0", "8@0:7,2,0"}});
}

// A transaction reads, another one inserts and commits, the first reads again.
static const char *second_read(struct bench *bench, int level,
                               const char *first, const char *second) {
  static char answer[4096];
  begin_rows(driver, bench->c[0], level);
  CHECK_STR(rows_do(driver, bench->c[0], 1, "select b = 7"), first);
  begin_rows(driver, bench->c[1], SER);
  rows_do(driver, bench->c[1], 2, "insert 8 7 1 0");
  commit_rows(driver, bench->c[1]);
  snprintf(answer, sizeof answer, "%s",
           rows_do(driver, bench->c[0], 3, second));
  commit_rows(driver, bench->c[0]);
  return answer;
}

static void only_read_committed_shows_phantoms(void) {
  for (int level = SER; level <= RC; level++) {
    struct bench bench = bench_of(NULL);
    CHECK_STR(second_read(&bench, level, "", "select b = 7"),
              level == RC ? "8@2:7,1,0" : "");
    bench_close(&bench);
  }
}

// ---- Bugs

static void a_phantom_read_is_shown_on_demand(void) {
  struct bench bench = bench_of("PhantomRead:1");
  CHECK_STR(second_read(&bench, SER, "", "select b = 7"), "8@2:7,1,0");
  bench_close(&bench);
}

static void a_phantom_write_skew_is_let_through_on_demand(void) {
  struct bench bench = bench_of("PhantomWriteSkew:1");
  static const struct turn turns[] = {
      {{"select b = 7", "select b = 7"}, {"", ""}},
      {{"insert 8 7 1 0", "insert 9 7 1 0"}, {"8@0:7,1,0", "9@0:7,1,0"}}};
  play(&bench, SER, turns, 2, OUTCOME_OK, OUTCOME_OK);
  bench_close(&bench);
}

// Rows that were returned must still be there, so no cycle is one of items.
static void a_phantom_write_skew_is_one_by_predicate(void) {
  struct bench bench = bench_of("PhantomWriteSkew:1");
  static const struct turn turns[] = {
      {{"select id < 2", "select id < 2"},
       {"0@0:0,10,0 1@0:1,11,0", "0@0:0,10,0 1@0:1,11,0"}},
      {{"update id = 0 : f=1", "update id = 1 : f=1"},
       {"0@0:0,10,1", "1@0:1,11,1"}}};
  play(&bench, SER, turns, 2, OUTCOME_OK, OUTCOME_ABORTED);
  bench_close(&bench);
}

// One transaction, committed: what the statements answered last.
static const char *alone(struct bench *bench, int session, uint64_t stamp,
                         const char *first, const char *second) {
  static char answer[4096];
  begin_rows(driver, bench->c[session], SER);
  snprintf(answer, sizeof answer, "%s",
           rows_do(driver, bench->c[session], stamp, first));
  if (second)
    snprintf(answer, sizeof answer, "%s",
             rows_do(driver, bench->c[session], stamp + 1, second));
  commit_rows(driver, bench->c[session]);
  return answer;
}

static void a_statement_is_fractured_on_demand(void) {
  struct bench bench = bench_of("FracturedStatement:1");
  alone(&bench, 0, 1, "update id = 1 : b=7", "insert 8 7 1 0");
  CHECK_STR(alone(&bench, 1, 5, "update b = 7 : f=1", NULL), "8@2:7,1,1");
  bench_close(&bench);
}

static void a_row_is_missing_on_demand(void) {
  struct bench bench = bench_of("MissingRow:1");
  CHECK_STR(alone(&bench, 0, 1, "select v < 12", NULL), "1@0:1,11,0");
  CHECK_STR(alone(&bench, 0, 2, "insert 8 7 1 0", "select b = 7"), "");
  CHECK_STR(alone(&bench, 1, 4, "select b = 7", NULL), "8@2:7,1,0");
  bench_close(&bench);
}

static void a_row_too_many_comes_on_demand(void) {
  struct bench bench = bench_of("ExtraRow:1");
  const char *row = alone(&bench, 0, 1, "select b = 7", NULL);
  CHECK(strstr(row, "@0:0,1") || strstr(row, "@0:1,1"));
  bench_close(&bench);
}

static void a_row_comes_back_on_demand(void) {
  struct bench bench = bench_of("ResurrectedRow:1");
  alone(&bench, 0, 5, "delete id = 3", NULL);
  CHECK_STR(alone(&bench, 1, 6, "select id = 3", NULL), "");
  CHECK_STR(alone(&bench, 0, 7, "select id = 3", NULL), "3@0:1,13,0");
  bench_close(&bench);
}

static void a_row_is_deleted_twice_on_demand(void) {
  struct bench bench = bench_of("DoubleDelete:1");
  static const struct turn turns[] = {
      {{"delete id = 3", "delete id = 3"}, {"3@0:1,13,0", "3@0:1,13,0"}}};
  static const struct turn updates[] = {
      {{"update id = 4 : f+1", "update id = 4 : f+1"},
       {"4@0:0,14,1", "4@0:0,14,1"}}};
  play(&bench, SER, turns, 1, OUTCOME_OK, OUTCOME_OK);
  play(&bench, SER, updates, 1, OUTCOME_OK, OUTCOME_ABORTED);
  bench_close(&bench);
}

// Session 1 sees 8 and not yet 9; then session 2 sees 9 and not 8.
static void two_readers_see_one_insert_each_on_demand(void) {
  struct bench bench = bench_of("PhantomLongFork:1");
  alone(&bench, 0, 1, "insert 8 7 1 0", NULL);
  begin_rows(driver, bench.c[1], PC);
  bench.c[1]->target = bench.target;
  CHECK_STR(rows_do(driver, bench.c[1], 2, "select b = 7"), "8@1:7,1,0");
  commit_rows(driver, bench.c[1]);
  alone(&bench, 1, 3, "insert 9 7 2 0", NULL);
  CHECK_STR(alone(&bench, 2, 4, "select b = 7", NULL), "8@1:7,1,0 9@3:7,2,0");
  bench_close(&bench);
  bench = bench_of("PhantomLongFork:1");
  alone(&bench, 0, 1, "insert 8 7 1 0", NULL);
  alone(&bench, 1, 3, "insert 9 7 2 0", NULL);
  CHECK_STR(alone(&bench, 2, 4, "select b = 7", NULL), "9@3:7,2,0");
  bench_close(&bench);
}

static void a_bug_of_rows_wants_rows_and_the_others_keys(void) {
  static const char *const bugs[] = {"ExtraRow", "WriteSkew"};
  for (int i = 0; i < 2; i++) {
    struct error error = {0};
    struct target *target = NULL;
    const char *const values[16] = {bugs[i], "0"};
    const struct target_spec spec = {
        .place = "", .values = values, .nsessions = 1, .seed = 1};
    CHECK_INT(driver->open(&spec, &target, &error), 0);
    const struct keyspace keys = {.nkeys = 1};
    CHECK_INT(i ? driver->setup_tables(target, &rows_keys, &error)
                : driver->setup(target, &keys, &error),
              -1);
    CHECK_STR(error.text,
              i ? "bug=WriteSkew is one of registers and lists; of tables of "
                  "rows there are AbortedRead, LostUpdate and those from "
                  "PhantomRead on in isostress list bugs"
                : "bug=ExtraRow is one of tables of rows; take the workload "
                  "predicate");
    driver->close(target);
  }
}

// ---- Many commits

// Rows that died are forgotten, but not while a snapshot can see them.
static void dead_rows_are_forgotten(void) {
  struct bench bench = bench_of(NULL);
  begin_rows(driver, bench.c[2], PC);
  CHECK_STR(rows_do(driver, bench.c[2], 1, "select id = 3"), "3@0:1,13,0");
  alone(&bench, 0, 2, "delete id = 3", NULL);
  for (uint64_t i = 0; i < 3 * BUG_LAG; i++) {
    char insert[40], delete[40];
    snprintf(insert, sizeof insert, "insert %llu 7 1 0",
             (unsigned long long)(8 + i));
    snprintf(delete, sizeof delete, "delete id = %llu",
             (unsigned long long)(8 + i));
    rows_tables.ntemplates = 1;
    alone(&bench, 0, 10 + 2 * i, insert, NULL);
    alone(&bench, 0, 10 + 2 * i, delete, NULL);
  }
  CHECK_STR(rows_do(driver, bench.c[2], 1, "select id = 3"), "3@0:1,13,0");
  commit_rows(driver, bench.c[2]);
  for (uint64_t i = 0; i < 600; i++)
    alone(&bench, 0, 3, "update id = 0 : f+1", NULL),
        rows_tables.ntemplates = 1;
  const struct row_store *store = ((struct memory_target *)bench.target)->rows;
  CHECK(store->table[0].count < 8 + BUG_LAG);
  CHECK(!row_find(&store->table[0], 3));
  bench_close(&bench);
}

int main(void) {
  return TAP_RUN(
      {"each statement says what it did", each_statement_says_what_it_did},
      {"a taken key undoes the statement alone",
       a_taken_key_undoes_the_statement_alone},
      {"only serializable prevents a phantom write skew",
       only_serializable_prevents_a_phantom_write_skew},
      {"updates that miss each other are a skew",
       updates_that_miss_each_other_are_a_skew},
      {"first committer wins from si on", first_committer_wins_from_si_on},
      {"a key is inserted once at every level",
       a_key_is_inserted_once_at_every_level},
      {"only read committed shows phantoms",
       only_read_committed_shows_phantoms},
      {"a phantom read is shown on demand", a_phantom_read_is_shown_on_demand},
      {"a phantom write skew is let through on demand",
       a_phantom_write_skew_is_let_through_on_demand},
      {"a phantom write skew is one by predicate",
       a_phantom_write_skew_is_one_by_predicate},
      {"a statement is fractured on demand",
       a_statement_is_fractured_on_demand},
      {"a row is missing on demand", a_row_is_missing_on_demand},
      {"a row too many comes on demand", a_row_too_many_comes_on_demand},
      {"a row comes back on demand", a_row_comes_back_on_demand},
      {"a row is deleted twice on demand", a_row_is_deleted_twice_on_demand},
      {"two readers see one insert each on demand",
       two_readers_see_one_insert_each_on_demand},
      {"a bug of rows wants rows and the others keys",
       a_bug_of_rows_wants_rows_and_the_others_keys},
      {"dead rows are forgotten", dead_rows_are_forgotten});
}

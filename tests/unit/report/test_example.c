// SPDX-License-Identifier: GPL-3.0-or-later
// Counterexamples: made from a verdict, their story, and what is said of them.
#include "config.h"

#include "base/memory.h"
#include "report/tale/example.h"
#include "tests/tap.h"
#include "tests/unit/report/make_example.h"

#include <stdlib.h>
#include <string.h>

static void expect_op(const struct example *e, uint32_t op, const char *kind,
                      const char *key, const char *sentence, const char *raw) {
  CHECK_STR(e->ops[op].kind, kind);
  CHECK_STR(e->ops[op].key, key);
  CHECK_STR(e->ops[op].sentence, sentence);
  CHECK_STR(e->ops[op].raw, raw);
}

// --- From a verdict.

static void a_lost_update(void) {
  struct example e;
  make_example(&e, lost, ISOLATION_SER, false);
  CHECK_STR(e.anomaly, "LostUpdate");
  CHECK_STR(e.also, "P4, G-single");
  CHECK_INT(e.weakest, ISOLATION_SI);
  CHECK_INT(e.minimal, ISOLATION_SER);
  CHECK_INT(e.level, ISOLATION_SER);
  CHECK_INT(e.ntxns, 2);
  CHECK_STR(e.txns[0].name, "T1");
  CHECK_STR(e.txns[0].id, "0:0");
  CHECK_STR(e.txns[1].name, "T2");
  CHECK_STR(e.txns[1].id, "1:0");
  CHECK_INT(e.txns[1].session, 1);
  CHECK_INT(e.txns[1].begin, 20);
  CHECK_INT(e.txns[1].end, 30);
  CHECK(!e.txns[0].endpoint && !e.txns[0].level);
  CHECK_INT(e.nops, 4);
  expect_op(&e, 0, "read", "a", "read x0", "read key a = 0");
  expect_op(&e, 1, "write", "a", "wrote x1", "wrote key a = 1");
  expect_op(&e, 3, "write", "a", "wrote x2", "wrote key a = 2");
  CHECK_INT(e.ops[3].position, 1);
  CHECK_INT(e.ncycle, 2);
  CHECK(e.timed);
  CHECK_INT(e.read, EXAMPLE_NONE);
  CHECK_INT(e.other, EXAMPLE_NONE);
  CHECK_INT(e.nstatements, 0);
  example_free(&e);
  CHECK(!e.txns && !e.nops);
}

// Each edge leads from a transaction to the next one, and back to the first.
static void edges_of_the_cycle(void) {
  struct example e;
  make_example(&e, lost, ISOLATION_SER, false);
  for (uint32_t i = 0; i < e.ncycle; i++) {
    const struct example_edge *edge = &e.edges[i];
    CHECK_STR(edge->kind, "RW");
    CHECK_STR(edge->key, "a");
    CHECK_INT(edge->number, i + 1);
    CHECK(edge->on_cycle && edge->inferred);
    CHECK_INT(edge->to, e.edges[(i + 1) % e.ncycle].from);
    CHECK_STR(e.ops[edge->from_op].kind, "read");
    CHECK_STR(e.ops[edge->to_op].kind, "write");
    // Both ends stand in their transactions.
    CHECK(edge->from_op >= e.txns[edge->from].first_op &&
          edge->from_op < e.txns[edge->from].end_op);
    CHECK(edge->to_op >= e.txns[edge->to].first_op &&
          edge->to_op < e.txns[edge->to].end_op);
  }
  example_free(&e);
}

// A cycle of two whose transactions began in the other order of the file.
static void transactions_are_in_the_order_of_their_begin(void) {
  struct example e;
  make_example(&e, "[a==? a:=1]@50..70\n---\n[a==? a:=2]@20..60\n",
               ISOLATION_SER, false);
  CHECK_STR(e.txns[0].id, "1:0");
  CHECK_STR(e.txns[0].name, "T1");
  CHECK_STR(e.txns[1].id, "0:0");
  CHECK_STR(e.txns[1].name, "T2");
  example_free(&e);
}

static void one_wrong_read(void) {
  struct example e;
  make_example(&e, "[a:=1 b:=9]!\n---\n[a==1]\n", ISOLATION_SER, false);
  CHECK_STR(e.anomaly, "AbortedRead");
  CHECK_INT(e.weakest, ISOLATION_RC);
  CHECK_INT(e.ncycle, 0);
  CHECK(!e.timed);
  if (CHECK(e.read < e.nops && e.other < e.nops)) {
    CHECK_STR(e.ops[e.read].sentence, "read x1");
    CHECK_STR(e.ops[e.other].sentence, "wrote x1");
  }
  CHECK_STR(e.contradiction, "T2 read x1, which T1 wrote, but T1 aborted.");
  CHECK_STR(e.txns[0].outcome, "aborted");
  CHECK_INT(e.txns[0].nleft_out, 1); // b:=9 says nothing
  CHECK_INT(e.txns[1].nleft_out, 0);
  example_free(&e);
}

// A statement that failed says no rows, so no operation wrote what was read.
static void a_read_of_what_a_failed_statement_wrote(void) {
  struct told told = told_of("[a:=1]!\n---\n[a==1]\n", ISOLATION_RC);
  struct example e;
  told.verdict.other_op = UINT32_MAX;
  example_of_verdict(&e, &told.history, &told.verdict, false);
  CHECK_INT(e.other, EXAMPLE_NONE);
  CHECK_STR(e.contradiction, "T2 read x1, which a transaction wrote that "
                             "aborted.");
  example_free(&e);
  told_free(&told);
}

static void raw_names(void) {
  struct example e;
  make_example(&e, lost, ISOLATION_SER, true);
  CHECK_STR(e.txns[0].name, "0:0");
  CHECK_STR(e.ops[1].sentence, "wrote key a = 1");
  CHECK_STR(e.ops[1].label, "write a = 1");
  CHECK(!example_has_short_values(&e));
  example_free(&e);
}

static void a_search_that_met_no_row(void) {
  struct example e;
  make_example(&e,
               "table t(b)\n[sel t{b = 1}:, ins t/1{b=1}]\n---\n"
               "[sel t{b = 1}:, ins t/2{b=1}]\n",
               ISOLATION_SER, false);
  CHECK_STR(e.anomaly, "PhantomWriteSkew");
  CHECK(example_has_rows(&e));
  uint32_t searches = 0;
  for (uint32_t op = 0; op < e.nops; op++) {
    if (strcmp(e.ops[op].kind, "search") != 0)
      continue;
    searches++;
    CHECK_STR(e.ops[op].label, "search: no row");
    CHECK_STR(e.ops[op].condition, "b = 1");
    CHECK_STR(e.ops[op].sentence, "looked in t for b = 1 and found no row");
    CHECK_STR(e.ops[op].key, "t");
    CHECK(e.ops[op].fault && !strncmp(e.ops[op].fault, "misses T", 8));
  }
  CHECK_INT(searches, 2);
  CHECK_INT(e.nstatements, 4);
  CHECK_STR(e.statements[0], "T1 SELECT * FROM t WHERE b = 1 returned nothing");
  CHECK_STR(e.statements[1], "T1 INSERT INTO t 1");
  CHECK_STR(e.statements[3], "T2 INSERT INTO t 2");
  example_free(&e);
}

// --- The story.

static void a_story_in_the_order_of_time(void) {
  struct example e;
  make_example(&e, lost, ISOLATION_SER, false);
  CHECK_INT(e.nstory, 4);
  expect_line(&e, 0, 10, "T1 began in session 0: it read x0 and wrote x1.");
  expect_line(&e, 1, 20, "T2 began in session 1: it read x0 and wrote x2.");
  expect_line(&e, 2, 30, "T2 committed.");
  expect_line(&e, 3, 40, "T1 committed.");
  example_free(&e);
}

static void a_story_without_times(void) {
  struct example e;
  make_example(&e, "[a==? a:=1]\n---\n[a==? a:=2]\n", ISOLATION_SER, false);
  CHECK_INT(e.nstory, 2);
  expect_line(&e, 0, TIME_UNKNOWN,
              "T1 in session 0 read x0 and wrote x1; it committed.");
  expect_line(&e, 1, TIME_UNKNOWN,
              "T2 in session 1 read x0 and wrote x2; it committed.");
  example_free(&e);
}

static void what_is_known_of_the_place_is_told(void) {
  struct small s;
  small_begin(&s, "unknown");
  s.txn.endpoint = "db-a:1";
  s.txn.level = "serializable";
  example_tell(&s.e);
  CHECK_INT(s.e.nstory, 2);
  expect_line(&s.e, 0, 1000,
              "T1 began in session 3 at db-a:1 at level serializable: it read "
              "x0 and wrote x1.");
  expect_line(&s.e, 1, 5000, "T1 never heard whether it had committed.");
  example_free(&s.e);
}

static void operations_that_are_left_out(void) {
  struct small s;
  small_begin(&s, "committed");
  s.e.timed = false;
  s.txn.nleft_out = 1;
  example_tell(&s.e);
  expect_line(&s.e, 0, TIME_UNKNOWN,
              "T1 in session 3 read x0, wrote x1 and did 1 more operation; it "
              "committed.");
  s.txn.nleft_out = 3;
  s.txn.end_op = 0;
  example_tell(&s.e);
  expect_line(&s.e, 0, TIME_UNKNOWN,
              "T1 in session 3 did 3 more operations; it committed.");
  s.txn.nleft_out = 0;
  example_tell(&s.e);
  expect_line(&s.e, 0, TIME_UNKNOWN,
              "T1 in session 3 did nothing; it committed.");
  example_free(&s.e);
}

// Each statement stands by itself where its time is known.
static void statements_with_times(void) {
  struct small s;
  small_begin(&s, "aborted");
  s.ops[0].begin = 2000;
  s.ops[1].begin = 3000;
  CHECK(!example_times_statements(&s.e)); // nobody knows their ends
  example_tell(&s.e);
  CHECK_INT(s.e.nstory, 4);
  expect_line(&s.e, 0, 1000, "T1 began in session 3.");
  expect_line(&s.e, 1, 2000, "T1 read x0.");
  expect_line(&s.e, 2, 3000, "T1 wrote x1.");
  expect_line(&s.e, 3, 5000, "T1 aborted.");
  s.ops[0].end = 2500;
  CHECK(!example_times_statements(&s.e));
  s.ops[1].end = 3500;
  CHECK(example_times_statements(&s.e));
  example_free(&s.e);
}

static void expect_time(const struct example *e, uint64_t ns,
                        const char *wanted) {
  char buffer[32];
  CHECK_STR(example_time(e, ns, buffer), wanted);
}

// Microseconds, unless two instants would then look the same.
static void times_tell_instants_apart(void) {
  struct small s;
  small_begin(&s, "committed");
  example_tell(&s.e);
  expect_time(&s.e, 4021999, "0.004021 s");
  expect_time(&s.e, 0, "0.000000 s");
  expect_time(&s.e, 61000000000, "61.000000 s");
  expect_time(&s.e, TIME_UNKNOWN, "later");
  s.txn.end = 1001; // its begin is 1000
  example_tell(&s.e);
  expect_time(&s.e, 4021999, "0.004021999 s");
  s.txn.end = 1000; // one instant needs no digits
  example_tell(&s.e);
  expect_time(&s.e, 4021999, "0.004021 s");
  s.txn.end = TIME_UNKNOWN;
  example_tell(&s.e);
  expect_time(&s.e, 4021999, "0.004021 s");
  example_free(&s.e);
}

// --- What is said of an example.

static void levels_without_one_operation(void) {
  struct example e = {.level = ISOLATION_SER, .minimal = ISOLATION_SI};
  CHECK_STR(example_kept_without_one(&e), "snapshot isolation");
  e.level = ISOLATION_NONE;
  CHECK_STR(example_kept_without_one(&e), "the level of each transaction");
  e.minimal = ISOLATION_NONE;
  CHECK(!example_kept_without_one(&e));
  e.level = ISOLATION_SER;
  CHECK(!example_kept_without_one(&e));
}

// No claim is made of operations that do not matter, where a read and a cycle
// are shown together.
static void operations_for_the_reader_alone(void) {
  struct small s;
  small_begin(&s, "committed");
  s.ops[0].matters = true;
  CHECK(!example_shows_more(&s.e));
  s.e.read = 0;
  CHECK(!example_shows_more(&s.e));
  s.e.ncycle = 2;
  CHECK(example_shows_more(&s.e));
  s.ops[1].matters = true;
  CHECK(!example_shows_more(&s.e));
}

static void values_by_their_names(void) {
  struct small s;
  small_begin(&s, "committed");
  CHECK(example_names_value(&s.e, '0'));
  CHECK(example_names_value(&s.e, '1'));
  CHECK(!example_names_value(&s.e, '*'));
  CHECK(example_has_short_values(&s.e));
  CHECK(!example_has_rows(&s.e));
  s.ops[1].label = "read *"; // is no name
  CHECK(!example_names_value(&s.e, '*'));
  s.ops[1].label = "read x*";
  CHECK(example_names_value(&s.e, '*'));
  s.ops[1].kind = "add";
  CHECK(!example_has_short_values(&s.e));
  s.ops[1].kind = "row update";
  CHECK(!example_has_short_values(&s.e));
  CHECK(example_has_rows(&s.e));
  s.ops[1].kind = "write";
  s.ops[1].label = "write a = 1";
  CHECK(!example_has_short_values(&s.e));
  s.ops[1].label = "write x1";
  CHECK(example_has_short_values(&s.e));
  s.txn.name = "3:4";
  CHECK(!example_has_short_values(&s.e));
}

static void marks_of_sentences(void) {
  struct example e = {.ncycle = 2};
  char buffer[32];
  CHECK_STR(example_mark(&e, 1, buffer), "1");
  CHECK_STR(example_mark(&e, 2, buffer), "2");
  CHECK_STR(example_mark(&e, 3, buffer), "a");
  e.ncycle = 0;
  CHECK_STR(example_mark(&e, 3, buffer), "3");
}

int main(void) {
  return TAP_RUN(
      {"a lost update", a_lost_update},
      {"the edges of a cycle", edges_of_the_cycle},
      {"transactions are in the order of their begin",
       transactions_are_in_the_order_of_their_begin},
      {"one wrong read", one_wrong_read},
      {"a read of what a failed statement wrote",
       a_read_of_what_a_failed_statement_wrote},
      {"raw names", raw_names},
      {"a search that met no row", a_search_that_met_no_row},
      {"a story in the order of time", a_story_in_the_order_of_time},
      {"a story without times", a_story_without_times},
      {"host, level and outcome are told", what_is_known_of_the_place_is_told},
      {"operations that are left out", operations_that_are_left_out},
      {"statements with times", statements_with_times},
      {"times tell instants apart", times_tell_instants_apart},
      {"the level without one operation", levels_without_one_operation},
      {"operations for the reader alone", operations_for_the_reader_alone},
      {"values by their names", values_by_their_names},
      {"marks of sentences", marks_of_sentences});
}

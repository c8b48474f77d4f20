// SPDX-License-Identifier: GPL-3.0-or-later
// The sentences of a counterexample: what an operation did, why one transaction
// comes before another one, and what is wrong with a read.
#include "config.h"

#include "base/memory.h"
#include "report/tale/names.h"
#include "report/tale/row_label.h"
#include "report/tale/sentence.h"
#include "report/tale/story.h"
#include "tests/kit/told.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>

// All transactions of a history in their order, and all operations, are told.
struct telling {
  struct told told;
  struct names names;
};

// The names point to the history, which stays where it is.
static void tell_all(struct telling *t, const char *text, bool raw) {
  t->told = told_of(text, ISOLATION_NONE);
  const struct history *h = &t->told.history;
  const uint32_t most = h->nops > h->ntxns ? h->nops : h->ntxns;
  uint32_t *all = xcalloc(most + (size_t)1, sizeof *all);
  for (uint32_t i = 0; i < most; i++)
    all[i] = i;
  names_init(&t->names, h, raw, all, h->ntxns, all, h->nops);
  free(all);
}

static void telling_free(struct telling *t) {
  names_free(&t->names);
  told_free(&t->told);
}

// One operation: its sentence and its label in a picture.
struct deed {
  const char *sentence, *label;
};

static void expect_deeds(const char *text, bool raw, const struct deed *deeds,
                         uint32_t ndeeds) {
  struct telling t;
  tell_all(&t, text, raw);
  char got[STORY_SENTENCE];
  CHECK_INT(t.told.history.nops, ndeeds);
  for (uint32_t op = 0; op < ndeeds && op < t.told.history.nops; op++) {
    story_operation(&t.names, op, got);
    CHECK_STR(got, deeds[op].sentence);
    story_label(&t.names, op, got);
    CHECK_STR(got, deeds[op].label);
  }
  telling_free(&t);
}

#define EXPECT_DEEDS(text, raw, ...)                                           \
  expect_deeds(text, raw, (const struct deed[]){__VA_ARGS__},                  \
               sizeof((const struct deed[]){__VA_ARGS__}) /                    \
                   sizeof(struct deed))

// --- Operations.

static void registers_by_short_names(void) {
  EXPECT_DEEDS("[a:=1]\n---\n[a==1 b==? a:1->2]\n", false,
               {"wrote x1", "write x1"}, {"read x1", "read x1"},
               {"read y0", "read y0"}, {"changed x1 to x2", "cas x1 to x2"});
}

static void registers_as_in_the_history(void) {
  EXPECT_DEEDS("[a:=1]\n---\n[a==1 a:1->2]\n", true,
               {"wrote key a = 1", "write a = 1"},
               {"read key a = 1", "read a = 1"},
               {"changed key a from 1 to 2", "cas a = 1 to 2"});
}

// A compare-and-set of the initial value, whose text is not recorded.
static void a_cas_of_what_was_there(void) {
  EXPECT_DEEDS("[a:?->2]\n", false, {"changed x0 to x1", "cas x0 to x1"});
  EXPECT_DEEDS("[a:?->2]\n", true,
               {"changed key a from the initial value to 2",
                "cas a = the initial value to 2"});
}

static void lists(void) {
  static const char text[] = "[l+=1]\n---\n[l+=2]\n---\n[l==[1,2] m==[]]\n";
  EXPECT_DEEDS(text, false, {"appended x1 to x", "append x1"},
               {"appended x2 to x", "append x2"},
               {"read [x1 x2]", "read [x1 x2]"}, {"read []", "read []"});
  EXPECT_DEEDS(text, true, {"appended 1 to key l", "append 1 to l"},
               {"appended 2 to key l", "append 2 to l"},
               {"read key l = [1 2]", "read l = [1 2]"},
               {"read key m = []", "read m = []"});
}

static void sets(void) {
  EXPECT_DEEDS("[s|=1]\n---\n[s|=2]\n---\n[s=={1}]\n", false,
               {"added 1 to s", "add 1 to s"}, {"added 2 to s", "add 2 to s"},
               {"found 1 in s", "find 1 in s"},
               {"read s without 2", "read s without 2"});
}

// --- Long lists.

// A list of 20 elements, 1 to 20, each appended by a session of its own; the
// reader is named, and one of the writers.
static struct told read_twenty(void) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  for (int i = 1; i <= 20; i++)
    fprintf(out, "[l+=%d]\n---\n", i);
  fputs("[l==[1", out);
  for (int i = 2; i <= 20; i++)
    fprintf(out, ",%d", i);
  fputs("]]\n", out);
  fclose(out);
  const struct told told = told_of(text, ISOLATION_NONE);
  free(text);
  return told;
}

static void expect_twenty(bool raw, uint32_t writer, const char *wanted) {
  struct told told = read_twenty();
  const uint32_t txns[] = {20, writer};
  const uint32_t shown[] = {20};
  struct names names;
  char got[STORY_SENTENCE];
  names_init(&names, &told.history, raw, txns, 2, shown, 1);
  story_operation(&names, 20, got);
  CHECK_STR(got, wanted);
  names_free(&names);
  told_free(&told);
}

// The first and the last one stay, and what a transaction with a name appended;
// what is between is left out where that is six or more.
static void long_lists_are_cut(void) {
  // Element 9 of T2: seven before it and ten behind it are left out.
  expect_twenty(false, 8, "read [x*a ... 7 more ... x2 ... 10 more ... x*s]");
  // Element 8: six are left out.
  expect_twenty(false, 7, "read [x*a ... 6 more ... x2 ... 11 more ... x*s]");
  // Element 7: only five stand between the first one and it.
  expect_twenty(false, 6,
                "read [x*a x*b x*c x*d x*e x*f x2 ... 12 more ... x*s]");
  expect_twenty(true, 8,
                "read key l = [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 "
                "20]");
}

// --- Rows.

static const char rows[] = "table t(b, v): 7{b=2,v=2}\n"
                           "[ins t/1{b=1,v=5}]\n"
                           "---\n"
                           "[upd t{b = 1}: 1@w1{b=1,v=6}, del t{v = 2}: 7@?]\n"
                           "---\n"
                           "[sel t{v > 1}: 1@w2{b=1,v=6} 7@?]\n";

// An INSERT tells all columns; a SELECT and an UPDATE tell those in which the
// versions differ: v.
static void rows_by_what_differs(void) {
  EXPECT_DEEDS(rows, false,
               {"inserted row t/1 with b = 1, v = 5", "insert 1: b = 1, v = 5"},
               {"changed row t/1 to v = 6", "write 1: v = 6"},
               {"deleted row t/7", "delete 7"},
               {"found row t/1 with v = 6", "read 1: v = 6"},
               {"found row t/7 with v = 2", "read 7: v = 2"});
}

static void rows_as_in_the_history(void) {
  struct telling t;
  tell_all(&t, rows, true);
  char got[STORY_SENTENCE];
  story_operation(&t.names, 1, got);
  CHECK_STR(got, "changed row t/1 to b = 1, v = 6");
  story_operation(&t.names, 4, got);
  CHECK_STR(got, "found row t/7 with b = 2, v = 2");
  telling_free(&t);
}

// Where only one row is shown, a label does without its key.
static void one_row_has_no_key(void) {
  EXPECT_DEEDS("table stock(n): 1{n=10}\n"
               "[sel stock{id = 1}: 1@?, upd stock{id = 1}: 1@?{n=9}]\n"
               "---\n"
               "[del stock{id = 1}: 1@w1]\n",
               false, {"found row stock/1 with n = 10", "read n = 10"},
               {"changed row stock/1 to n = 9", "write n = 9"},
               {"deleted row stock/1", "delete"});
}

// Rows of two tables that have the same key are told apart.
static void rows_of_two_tables(void) {
  EXPECT_DEEDS("table a(n)\ntable b(n)\n"
               "[ins a/1{n=1}, ins b/1{n=2}]\n"
               "---\n"
               "[sel a{n = 1}: 1@w1]\n",
               false, {"inserted row a/1 with n = 1", "insert a/1: n = 1"},
               {"inserted row b/1 with n = 2", "insert b/1: n = 2"},
               {"found row a/1 with n = 1", "read a/1: n = 1"});
}

// The columns of each table in which versions differ, as bits.
static void columns_that_differ(void) {
  struct told told = told_of(rows, ISOLATION_NONE);
  const uint32_t all[] = {0, 1, 2, 3, 4};
  uint64_t *columns = row_label_columns(&told.history, all, 5);
  CHECK_INT(columns[0], 2); // v, the second one
  free(columns);
  columns = row_label_columns(&told.history, all, 1);
  CHECK_INT(columns[0], 0); // one version differs from none
  free(columns);
  columns = row_label_columns(&told.history, all, 0);
  CHECK_INT(columns[0], 0);
  free(columns);
  told_free(&told);
}

static void a_label_keeps_to_its_room(void) {
  struct telling t;
  tell_all(&t, rows, false);
  char label[12];
  row_label(&t.names, 1, label, sizeof label);
  CHECK_STR(label, "write 1: v ");
  telling_free(&t);
}

// --- Edges.

static void expect_edge(const char *text, bool raw, struct edge edge,
                        const char *wanted) {
  struct telling t;
  tell_all(&t, text, raw);
  char got[STORY_SENTENCE];
  story_edge(&t.names, &edge, got);
  CHECK_STR(got, wanted);
  telling_free(&t);
}

static void kinds_have_names(void) {
  CHECK_STR(edge_kind_name(EDGE_SO), "SO");
  CHECK_STR(edge_kind_name(EDGE_RT), "RT");
  CHECK_STR(edge_kind_name(EDGE_WR), "WR");
  CHECK_STR(edge_kind_name(EDGE_WW), "WW");
  CHECK_STR(edge_kind_name(EDGE_RW), "RW");
}

static void edges_of_sessions_and_time(void) {
  static const char text[] = "[a:=1]\n---\n[a==1] [a:=2]\n";
  expect_edge(text, false, (struct edge){EDGE_SO, 1, 2, UINT32_MAX, UINT32_MAX},
              "T2 and T3 ran one after the other in session 1. So T2 comes "
              "before T3.");
  expect_edge(text, true, (struct edge){EDGE_RT, 0, 2, UINT32_MAX, UINT32_MAX},
              "0:0 had ended when 1:1 began. So 0:0 comes before 1:1.");
}

// Operations: 0 a:=1; 1 a==1, 2 a:=2; 3 a:=3; 4 a==?
static const char writers[] =
    "[a:=1]\n---\n[a==1 a:=2]\n---\n[a:=3]\n---\n[a==?]\n";

static void edges_of_registers(void) {
  expect_edge(writers, false, (struct edge){EDGE_WR, 0, 1, 0, 1},
              "T2 read x1, which T1 had written. So T1 comes before T2.");
  expect_edge(writers, true, (struct edge){EDGE_WR, 0, 1, 0, 1},
              "1:0 read key a = 1, which 0:0 had written. So 0:0 comes before "
              "1:0.");
  // T2 had read what it replaced; of T3 nobody knows what it found.
  expect_edge(writers, false, (struct edge){EDGE_WW, 0, 1, 0, 2},
              "T1 wrote x1. T2 replaced it by x2. So T1 comes before T2.");
  expect_edge(writers, false, (struct edge){EDGE_WW, 0, 2, 0, 3},
              "T1 wrote x1, which is older than T3's x3. So T1 comes before "
              "T3.");
  expect_edge(writers, false, (struct edge){EDGE_RW, 1, 2, 1, 3},
              "T2 read x1, which is older than T3's x3. So T2 comes before "
              "T3.");
  expect_edge(writers, false, (struct edge){EDGE_RW, 3, 2, 4, 3},
              "T4 read x0, which was there before T3 wrote x3. So T4 comes "
              "before T3.");
}

static void edges_of_lists(void) {
  static const char text[] = "[l+=1]\n---\n[l+=2]\n---\n[l==[1]]\n";
  expect_edge(text, false, (struct edge){EDGE_WR, 0, 2, 0, 2},
              "T3 read [x1], and T1 had appended x1. So T1 comes before T3.");
  expect_edge(text, false, (struct edge){EDGE_RW, 2, 1, 2, 1},
              "T3 read [x1]. T2 appended x2 only after that. So T3 comes "
              "before T2.");
  expect_edge(text, false, (struct edge){EDGE_WW, 0, 1, 0, 1},
              "T1 appended x1. T2 appended x2 only after that. So T1 comes "
              "before T2.");
}

static void edges_of_sets(void) {
  static const char text[] = "[s|=1]\n---\n[s|=2]\n---\n[s=={1}]\n";
  expect_edge(text, false, (struct edge){EDGE_WR, 0, 2, 0, 2},
              "T3 found 1 in s, which T1 had added. So T1 comes before T3.");
  expect_edge(text, false, (struct edge){EDGE_RW, 2, 1, 3, 1},
              "T3 read s without 2, which T2 added. So T3 comes before T2.");
}

// Operations: 0 insert 1; 1 update 1, 2 delete 7; 3 find 1, 4 find 7.
static void edges_of_rows(void) {
  expect_edge(rows, false, (struct edge){EDGE_WR, 1, 2, 1, 3},
              "T3 found row t/1 with v = 6, which T2 had written. So T2 comes "
              "before T3.");
  expect_edge(rows, false, (struct edge){EDGE_WR, 0, 1, 0, 1},
              "T1 inserted row t/1 with b = 1, v = 5. T2 replaced that: it "
              "changed row t/1 to v = 6. So T1 comes before T2.");
  expect_edge(rows, false, (struct edge){EDGE_RW, 2, 1, 4, 2},
              "T3 found row t/7 with v = 2. T2 replaced that: it deleted row "
              "t/7. So T3 comes before T2.");
}

static void expect_evident(struct edge edge, bool evident, uint32_t read) {
  struct told told = told_of(writers, ISOLATION_NONE);
  uint32_t got;
  CHECK_INT(story_edge_is_evident(&told.history, &edge, &got), evident);
  CHECK_INT(got, read);
  told_free(&told);
}

// An edge needs a reason where no operation shows the order of two versions.
static void evident_edges(void) {
  expect_evident((struct edge){EDGE_SO, 0, 1, UINT32_MAX, UINT32_MAX}, true,
                 UINT32_MAX);
  expect_evident((struct edge){EDGE_RT, 0, 1, UINT32_MAX, UINT32_MAX}, true,
                 UINT32_MAX);
  expect_evident((struct edge){EDGE_WR, 0, 1, 0, 1}, true, UINT32_MAX);
  expect_evident((struct edge){EDGE_RW, 3, 2, 4, 3}, true, UINT32_MAX);
  expect_evident((struct edge){EDGE_WW, 0, 1, 0, 2}, true, 1); // it read a
  expect_evident((struct edge){EDGE_WW, 0, 2, 0, 3}, false, UINT32_MAX);
  expect_evident((struct edge){EDGE_RW, 1, 2, 1, 3}, false, UINT32_MAX);
}

// --- Wrong reads.

static void expect_read(const char *text, enum anomaly anomaly,
                        const char *wanted) {
  struct telling t;
  tell_all(&t, text, false);
  struct verdict verdict;
  struct error error;
  char got[STORY_SENTENCE];
  const struct check_options options = {
      .question = {.level = ISOLATION_SER, .session_order = true}};
  CHECK_INT(check(&t.told.history, &options, &verdict, &error), 0);
  CHECK_INT(verdict.anomaly, anomaly);
  if (CHECK(verdict.kind == VERDICT_VIOLATION && verdict.op != UINT32_MAX)) {
    story_read(&t.names, &verdict, got);
    CHECK_STR(got, wanted);
  }
  verdict_free(&verdict);
  telling_free(&t);
}

static void wrong_reads(void) {
  expect_read("[a==5]\n", ANOMALY_THIN_AIR_READ,
              "T1 read key a = 5, which no transaction ever wrote to it.");
  expect_read("[a:=1]!\n---\n[a==1]\n", ANOMALY_ABORTED_READ,
              "T2 read x1, which T1 wrote, but T1 aborted.");
  expect_read("[a==1 a:=1]\n", ANOMALY_FUTURE_READ,
              "T1 read x1, which it wrote itself only later.");
  expect_read("[a:=1 a:=2 a==1]\n", ANOMALY_NOT_MY_LAST_WRITE,
              "T1 read x1a, which it had written itself, but had already "
              "overwritten.");
  expect_read("[a:=1 a==?]\n", ANOMALY_NOT_MY_OWN_WRITE,
              "T1 read x0, though it had itself written another value before.");
  expect_read("[a:=1 a:=2]\n---\n[a==1]\n", ANOMALY_INTERMEDIATE_READ,
              "T2 read x1a, which T1 itself overwrote before it committed.");
  expect_read("[a:=1]\n---\n[a==? a==1]\n", ANOMALY_NON_REPEATABLE_READS,
              "T2 read x1, though it had read another value there before.");
}

static void wrong_reads_of_lists(void) {
  expect_read("[l+=1]\n---\n[l+=2]\n---\n[l==[1,2]]\n---\n[l==[2,1]]\n",
              ANOMALY_INCOMPATIBLE_ORDER,
              "T4 read [x2 x1], and T3 read the same list, but neither result "
              "is a prefix of the other.");
  expect_read("[l+=1]\n---\n[l==[1,1]]\n", ANOMALY_DUPLICATE_ELEMENT,
              "T2 read [x1 x1], in which an element stands twice that was "
              "appended once.");
  expect_read("[l+=1]\n---\n[l+=2]\n---\n[l+=3]\n---\n[l==[1,2,3]]\n---\n"
              "[l==[1,3]]\n",
              ANOMALY_LOST_ELEMENT,
              "T5 read [x1 x3], which lacks an element that T4 saw before an "
              "element that is there.");
}

static void wrong_reads_of_sets(void) {
  expect_read("[s=={9}]\n", ANOMALY_THIN_AIR_READ,
              "T1 found 9 in s, which no transaction ever added.");
  expect_read("[s|=1]!\n---\n[s=={1}]\n", ANOMALY_ABORTED_READ,
              "T2 found 1 in s, which T1 added, but T1 aborted.");
  expect_read("[s=={1} s|=1]\n", ANOMALY_FUTURE_READ,
              "T1 found 1 in s, which it added itself only later.");
  expect_read("[s|=1 s=={}]\n", ANOMALY_NOT_MY_OWN_WRITE,
              "T1 read s without 1, though it had added it itself before.");
  expect_read("[s|=1]\n---\n[s=={} s=={1}]\n", ANOMALY_NON_REPEATABLE_READS,
              "T2 found 1 in s, though it had not found it before.");
  expect_read("[s|=1]\n---\n[s=={1} s=={}]\n", ANOMALY_NON_REPEATABLE_READS,
              "T2 read s without 1, though it had found it before.");
}

static void misses_of_sets(void) {
  struct told told =
      told_of("[s|=1]\n---\n[s=={}]\n---\n[s=={1}]\n", ISOLATION_NONE);
  CHECK(!story_misses(&told.history, 0));
  CHECK(story_misses(&told.history, 1));
  CHECK(!story_misses(&told.history, 2));
  told_free(&told);
}

// --- Contradictions.

static void expect_contradiction(const char *text, const char *wanted) {
  struct telling t;
  tell_all(&t, text, false);
  struct verdict verdict;
  struct error error;
  char got[STORY_SENTENCE];
  const struct check_options options = {
      .question = {.level = ISOLATION_SER, .session_order = true}};
  CHECK_INT(check(&t.told.history, &options, &verdict, &error), 0);
  if (CHECK(verdict.kind == VERDICT_VIOLATION && verdict.nedges)) {
    story_contradiction(&t.names, &verdict, got);
    CHECK_STR(got, wanted);
  }
  verdict_free(&verdict);
  telling_free(&t);
}

static void contradictions(void) {
  expect_contradiction("[a==? a:=1]\n---\n[a==? a:=2]\n",
                       "Each would have to come before the other. Whichever "
                       "came last, the change of the other one is lost.");
  expect_contradiction("[a==? b==? a:=1]\n---\n[a==? b==? b:=1]\n",
                       "Each would have to come before the other: no order of "
                       "the two keeps serializability.");
}

// Three transactions in a circle; any of them may be the first one of it.
static void a_cycle_of_three(void) {
  struct telling t;
  tell_all(&t, "[a==? c:=1]\n---\n[b==? a:=1]\n---\n[c==? b:=1]\n", false);
  struct edge edges[] = {
      {EDGE_RW, 1, 2, 2, 5}, {EDGE_RW, 2, 0, 4, 1}, {EDGE_RW, 0, 1, 0, 3}};
  const struct verdict verdict = {
      .kind = VERDICT_VIOLATION,
      .question = {.level = ISOLATION_SI, .session_order = true},
      .anomaly = ANOMALY_CYCLE_G2_ITEM,
      .op = UINT32_MAX,
      .nedges = 3,
      .edges = edges};
  char got[STORY_SENTENCE];
  story_contradiction(&t.names, &verdict, got);
  CHECK_STR(got, "So T2 would have to come before itself: no order of these "
                 "transactions keeps snapshot isolation.");
  telling_free(&t);
}

// --- Edges of statements.

// T1 and T2 each searched, and inserted a row that the other search would have
// found.  The part of the history is the whole of it.
static void expect_row_edge(const char *text, struct edge edge,
                            uint32_t statement, uint32_t leaver,
                            const char *wanted) {
  struct telling t;
  tell_all(&t, text, false);
  const struct verdict verdict = {.rows_part = &t.told.history,
                                  .nrow_edges = 1,
                                  .row_edges = &edge,
                                  .row_statements = &statement,
                                  .row_leavers = &leaver};
  char got[STORY_SENTENCE];
  story_row_edge(&t.names, &verdict, 0, got);
  CHECK_STR(got, wanted);
  telling_free(&t);
}

static void edges_of_searches(void) {
  static const char text[] = "table t(b)\n[sel t{b = 1}:, ins t/1{b=1}]\n---\n"
                             "[sel t{b = 1}:, ins t/2{b=1}]\n---\n"
                             "[del t{b = 1}: 1@w1 2@w2]\n";
  expect_row_edge(text, (struct edge){EDGE_RW, 0, 1, UINT32_MAX, 1}, 0,
                  UINT32_MAX,
                  "T1 looked for b = 1 and did not find row t/2. T2 inserted "
                  "row t/2 with b = 1. So T1 comes before T2.");
  // T3 took the row away, but only after T1, whose row it found.
  expect_row_edge(
      text, (struct edge){EDGE_RW, 0, 1, UINT32_MAX, 1}, 0, 2,
      "T1 looked for b = 1 and did not find row t/2. T2 inserted "
      "row t/2 with b = 1. T3, which took it away again, found what "
      "T1 wrote and comes after T1. So T1 comes before T2.");
  // Who made the row leave comes first.
  expect_row_edge(
      text, (struct edge){EDGE_WR, 2, 0, 3, UINT32_MAX}, 0, UINT32_MAX,
      "T1 looked for b = 1 and did not find row t/2. T3 deleted row "
      "t/2. So T3 comes before T1.");
  // Without a statement it is an edge like others.
  expect_row_edge(
      text, (struct edge){EDGE_WR, 1, 2, 1, 3}, UINT32_MAX, UINT32_MAX,
      "T2 inserted row t/2 with b = 1. T3 replaced that: it deleted "
      "row t/2. So T2 comes before T3.");
}

// --- Hosts.

static void expect_host(uint8_t *endpoints, const char *about, uint32_t txn,
                        const char *wanted) {
  char *copy = about ? xstrdup(about) : NULL;
  const struct history h = {.ntxns = 3, .endpoint = endpoints, .about = copy};
  char buffer[STORY_ENDPOINT];
  const char *got = story_endpoint(&h, txn, buffer);
  CHECK(!got == !wanted);
  if (got && wanted)
    CHECK_STR(got, wanted);
  free(copy);
}

static void hosts_by_the_record_of_the_run(void) {
  static const char about[] =
      "seed = 1\n; endpoint 1 = db-b:5432\n; endpoint 0 = db-a:5432";
  uint8_t hosts[] = {0, 1, HISTORY_NO_ENDPOINT};
  expect_host(hosts, about, 0, "db-a:5432");
  expect_host(hosts, about, 1, "db-b:5432");
  expect_host(hosts, about, 2, NULL);
  expect_host(NULL, about, 0, NULL);
  expect_host(hosts, NULL, 1, "endpoint 1");
  expect_host(hosts, "seed = 1\n", 1, "endpoint 1");
  hosts[0] = 11; // is not host 1
  expect_host(hosts, about, 0, "endpoint 11");
}

static void a_long_host_keeps_to_its_room(void) {
  char about[200] = "; endpoint 0 = ";
  char host[121];
  memset(host, 'h', 120);
  host[120] = '\0';
  strcat(about, host);
  host[STORY_ENDPOINT - 1] = '\0';
  uint8_t hosts[] = {0};
  expect_host(hosts, about, 0, host);
}

int main(void) {
  return TAP_RUN(
      {"registers by short names", registers_by_short_names},
      {"registers as in the history", registers_as_in_the_history},
      {"a compare-and-set of the initial value", a_cas_of_what_was_there},
      {"lists", lists}, {"sets", sets},
      {"long lists are cut where that spares the reader", long_lists_are_cut},
      {"rows by the columns that differ", rows_by_what_differs},
      {"rows as in the history", rows_as_in_the_history},
      {"a label does without the key of the only row", one_row_has_no_key},
      {"rows of two tables", rows_of_two_tables},
      {"columns in which versions differ", columns_that_differ},
      {"a label keeps to its room", a_label_keeps_to_its_room},
      {"kinds of edges", kinds_have_names},
      {"edges of sessions and of time", edges_of_sessions_and_time},
      {"edges of registers", edges_of_registers},
      {"edges of lists", edges_of_lists}, {"edges of sets", edges_of_sets},
      {"edges of rows", edges_of_rows},
      {"which edges need a reason", evident_edges},
      {"wrong reads of registers", wrong_reads},
      {"wrong reads of lists", wrong_reads_of_lists},
      {"wrong reads of sets", wrong_reads_of_sets},
      {"a read of a set misses an element", misses_of_sets},
      {"contradictions of two transactions", contradictions},
      {"a cycle of three transactions", a_cycle_of_three},
      {"edges of searches", edges_of_searches},
      {"hosts by the record of the run", hosts_by_the_record_of_the_run},
      {"a long host keeps to its room", a_long_host_keeps_to_its_room});
}

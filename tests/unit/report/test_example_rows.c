// SPDX-License-Identifier: GPL-3.0-or-later
// Statements in a counterexample: searches, conditions, faults in a few words,
// SQL, two looks at one row, and appends that no read shows.
#include "config.h"

#include "base/memory.h"
#include "report/tale/example_rows.h"
#include "report/tale/loss.h"
#include "report/tale/names.h"
#include "report/tale/reread.h"
#include "report/tale/statements.h"
#include "tests/kit/told.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>

// --- Searches and conditions.

// Statements: 0 SELECT, 1 INSERT; 2 SELECT, 3 UPDATE, 4 DELETE, 5 SELECT by
// key, 6 INSERT or nothing.  Operations: 0 insert; 1 found, 2 update, 3 found.
static const char searches[] =
    "table t(b)\n"
    "[sel t{b = 1}:, ins t/1{b=1}]\n"
    "---\n"
    "[sel t{b = 1}: 1@w1, upd t{b = 1}: 1@w1{b=2}, del t{TRUE}:, "
    "sel t{id = 1}: 1@w2, new t{id = 1}:]\n";

static void statements_that_meet_nothing(void) {
  struct told told = told_of(searches, ISOLATION_NONE);
  const struct rows *rows = told.history.rows;
  CHECK(statement_meets_nothing(rows, 0));
  CHECK(!statement_meets_nothing(rows, 1)); // looks for nothing
  CHECK(!statement_meets_nothing(rows, 2));
  CHECK(statement_meets_nothing(rows, 4));
  CHECK(!statement_meets_nothing(rows, 6)); // found that there is a row
  told_free(&told);
}

static void expect_search(const struct told *told, uint32_t txn,
                          uint32_t statement, uint32_t position,
                          const char *label, const char *sentence) {
  struct arena arena = {0};
  const struct example_op op =
      example_search(&arena, &told->history, txn, statement);
  CHECK_STR(op.kind, "search");
  CHECK_STR(op.key, "t");
  CHECK_STR(op.label, label);
  CHECK_STR(op.sentence, sentence);
  CHECK_STR(op.raw, sentence);
  CHECK_INT(op.position, position);
  CHECK(op.matters);
  CHECK_INT(op.begin, TIME_UNKNOWN);
  arena_free(&arena);
}

// Searches stand behind the operations of their transaction.
static void searches_say_how_many_they_met(void) {
  struct told told = told_of(searches, ISOLATION_NONE);
  expect_search(&told, 0, 0, 1, "search: no row",
                "looked in t for b = 1 and found no row");
  expect_search(&told, 1, 2, 3, "search: 1 row",
                "looked in t for b = 1 and found 1 row");
  expect_search(&told, 1, 3, 4, "update: 1 row",
                "looked in t for b = 1 and found 1 row");
  expect_search(&told, 1, 4, 5, "delete: no row",
                "looked in t for all rows and found no row");
  told_free(&told);
}

static void expect_condition(const struct history *h, uint32_t txn, uint32_t op,
                             uint32_t since, const char *wanted) {
  struct arena arena = {0};
  const char *got = example_condition(&arena, h, txn, op, since);
  CHECK(!got == !wanted);
  if (got && wanted)
    CHECK_STR(got, wanted);
  arena_free(&arena);
}

static void conditions_of_operations(void) {
  struct told told = told_of(searches, ISOLATION_NONE);
  expect_condition(&told.history, 0, 0, 0, NULL); // an INSERT has none
  expect_condition(&told.history, 1, 1, 1, "b = 1");
  expect_condition(&told.history, 1, 2, 2, "b = 1");
  expect_condition(&told.history, 1, 2, 3, NULL); // was told already
  expect_condition(&told.history, 1, 3, 1, NULL); // names the key alone
  told_free(&told);
  struct told registers = told_of("[a:=1]\n", ISOLATION_NONE);
  expect_condition(&registers.history, 0, 0, 0, NULL);
  told_free(&registers);
}

// --- Faults.

static struct example_op row_op(const char *kind, const char *key,
                                const char *label) {
  return (struct example_op){.kind = kind, .key = key, .label = label};
}

static void expect_fault(const struct example_op *op, const char *wanted) {
  CHECK(!op->fault == !wanted);
  if (op->fault && wanted)
    CHECK_STR(op->fault, wanted);
}

// T1 read 10 and writes 8 over the 9 that T2 left.
static void an_update_over_another_one(void) {
  struct example_op ops[] = {row_op("row", "stock/1", "read n = 10"),
                             row_op("row update", "stock/1", "write n = 8"),
                             row_op("row update", "stock/1", "write n = 9")};
  struct example_txn txns[] = {{.name = "T1", .end_op = 2},
                               {.name = "T2", .first_op = 2, .end_op = 3}};
  struct example_edge edges[] = {
      {.kind = "RW", .from = 0, .to = 1, .from_op = 0, .to_op = 2},
      {.kind = "WR", .from = 1, .to = 0, .from_op = 2, .to_op = 1}};
  struct example e = {.anomaly = "LostUpdate",
                      .txns = txns,
                      .ntxns = 2,
                      .ops = ops,
                      .nops = 3,
                      .edges = edges,
                      .nedges = 2,
                      .ncycle = 2,
                      .read = 1,
                      .other = 0};
  example_find_faults(&e);
  expect_fault(&ops[0], NULL);
  expect_fault(&ops[1], "had read n = 10");
  expect_fault(&ops[2], "overwritten");
  arena_free(&e.arena);
}

// A search misses the row that another transaction inserted.
static void a_search_that_misses_a_row(void) {
  struct example_op ops[] = {row_op("search", "t", "search: no row"),
                             row_op("row insert", "t/2", "insert 2: b = 1")};
  struct example_txn txns[] = {{.name = "T1", .end_op = 1},
                               {.name = "T2", .first_op = 1, .end_op = 2}};
  struct example_edge edges[] = {
      {.kind = "RW", .from = 0, .to = 1, .from_op = 0, .to_op = 1}};
  struct example e = {.anomaly = "PhantomWriteSkew",
                      .txns = txns,
                      .ntxns = 2,
                      .ops = ops,
                      .nops = 2,
                      .edges = edges,
                      .nedges = 1,
                      .ncycle = 1,
                      .read = EXAMPLE_NONE,
                      .other = EXAMPLE_NONE};
  example_find_faults(&e);
  expect_fault(&ops[0], "misses T2's row");
  expect_fault(&ops[1], NULL);
  // An edge from a read of the row itself misses nothing.
  ops[0] = row_op("row", "t/2", "read b = 0");
  example_find_faults(&e);
  expect_fault(&ops[0], NULL);
  arena_free(&e.arena);
}

// One transaction searches twice by one condition.
static void searches_that_differ(void) {
  struct example_op ops[] = {row_op("search", "t", "search: no row"),
                             row_op("row", "t/7", "read b = 1"),
                             row_op("search", "t", "search: no row")};
  ops[0].condition = ops[1].condition = "b = 1";
  ops[2].condition = "b = 2";
  struct example_txn txns[] = {{.name = "T1", .end_op = 3}};
  struct example e = {.anomaly = "PhantomRead",
                      .txns = txns,
                      .ntxns = 1,
                      .ops = ops,
                      .nops = 3,
                      .read = EXAMPLE_NONE,
                      .other = EXAMPLE_NONE};
  example_find_faults(&e);
  expect_fault(&ops[0], "without row 7");
  expect_fault(&ops[1], NULL);
  expect_fault(&ops[2], NULL); // by another condition
  arena_free(&e.arena);
}

static void registers_have_no_faults(void) {
  struct example_op ops[] = {row_op("read", "a", "read x0"),
                             row_op("write", "b", "write y1")};
  struct example_txn txns[] = {{.name = "T1", .end_op = 2}};
  struct example_edge edges[] = {
      {.kind = "RW", .from = 0, .to = 0, .from_op = 0, .to_op = 1}};
  struct example e = {.anomaly = "LostUpdate",
                      .txns = txns,
                      .ntxns = 1,
                      .ops = ops,
                      .nops = 2,
                      .edges = edges,
                      .nedges = 1,
                      .ncycle = 1,
                      .read = 1,
                      .other = EXAMPLE_NONE};
  example_find_faults(&e);
  expect_fault(&ops[0], NULL);
  expect_fault(&ops[1], NULL);
  arena_free(&e.arena);
}

// --- SQL.

static void tell_statements(struct example *e, const char *text,
                            const uint32_t txns[2], bool tried) {
  struct told told = told_of(text, ISOLATION_NONE);
  struct names names;
  const struct verdict verdict = {.kind = VERDICT_VIOLATION, .tried = tried};
  names_init(&names, &told.history, false, txns, 2, NULL, 0);
  *e = (struct example){0};
  statements_tell(e, &names, &verdict);
  names_free(&names);
  told_free(&told);
}

static const char statements[] =
    "table t(n): 9{n=9}\n"
    "[ins t/1{n=1}]\n"
    "---\n"
    "[sel t{n = 1}: 1@w1, selu t{n = 5}:, upd t{n = 1}: 1@w1{n=2}, "
    "add t{n = 2}: 1@w2{n=3}, del t{n = 9}: 9@?, new t{id = 4}: 4{n=4}]\n"
    "---\n"
    "[ins t/7{n=7}]!\n";

static void statements_as_sql(void) {
  static const char *const wanted[] = {
      "T1 INSERT INTO t 1",
      "T2 SELECT * FROM t WHERE n = 1 returned 1",
      "T2 SELECT FOR UPDATE * FROM t WHERE n = 5 returned nothing",
      "T2 UPDATE t WHERE n = 1 changed 1",
      "T2 UPDATE t WHERE n = 2 added to 1",
      "T2 DELETE FROM t WHERE n = 9 deleted 9",
      "T2 INSERT ON CONFLICT DO NOTHING INTO t WHERE id = 4 inserted 4"};
  enum { NWANTED = sizeof wanted / sizeof *wanted };
  struct example e;
  tell_statements(&e, statements, (const uint32_t[]){0, 1}, true);
  CHECK_INT(e.nstatements, NWANTED); // the third transaction was aborted
  for (uint32_t i = 0; i < NWANTED && i < e.nstatements; i++)
    CHECK_STR(e.statements[i], wanted[i]);
  example_free(&e);
}

// By the numbers of transactions; those of one stay in their order.
static void statements_are_in_the_order_of_names(void) {
  struct example e;
  tell_statements(&e, statements, (const uint32_t[]){1, 0}, true);
  CHECK_INT(e.nstatements, 7);
  CHECK_STR(e.statements[0], "T1 SELECT * FROM t WHERE n = 1 returned 1");
  CHECK(!strncmp(e.statements[5], "T1 INSERT ON CONFLICT", 21));
  CHECK_STR(e.statements[6], "T2 INSERT INTO t 1");
  example_free(&e);
}

// A cycle of operations tells itself.
static void statements_of_other_proofs(void) {
  struct example e;
  tell_statements(&e, statements, (const uint32_t[]){0, 1}, false);
  CHECK_INT(e.nstatements, 0);
  example_free(&e);
}

static void at_most_some_dozens_of_statements(void) {
  char *text;
  size_t bytes;
  struct example e;
  FILE *out = text_stream(&text, &bytes);
  fputs("table t(n)\n[", out);
  for (int i = 0; i < 60; i++)
    fprintf(out, "ins t/%d{n=1}, ", i);
  fputs("sel t{n = 2}:]\n[sel t{n = 2}:]\n", out);
  fclose(out);
  tell_statements(&e, text, (const uint32_t[]){0, 1}, true);
  CHECK_INT(e.nstatements, 48);
  CHECK_STR(e.statements[47], "T1 INSERT INTO t 47");
  example_free(&e);
  free(text);
}

// --- Two looks at one row.

// Operations: T1 0 found 10, 1 update to 8 of 9; T2 2 found 10, 3 update to 9.
static const char twice[] =
    "table stock(n): 1{n=10}\n"
    "[sel stock{id = 1}: 1@?, upd stock{id = 1}: 1@w2{n=8}]\n"
    "---\n"
    "[sel stock{id = 1}: 1@?, upd stock{id = 1}: 1@?{n=9}]\n";

static bool find_reread(const char *text, enum anomaly anomaly, uint32_t op,
                        uint32_t other, struct edge edges[REREAD_EDGES]) {
  struct told told = told_of(text, ISOLATION_NONE);
  const struct verdict verdict = {.kind = VERDICT_VIOLATION,
                                  .anomaly = anomaly,
                                  .op = op,
                                  .other_op = other};
  const bool found = reread_edges(&told.history, &verdict, edges);
  told_free(&told);
  return found;
}

static void expect_edge(const struct edge *edge, struct edge wanted) {
  CHECK_INT(edge->kind, wanted.kind);
  CHECK_INT(edge->from, wanted.from);
  CHECK_INT(edge->to, wanted.to);
  CHECK_INT(edge->from_op, wanted.from_op);
  CHECK_INT(edge->to_op, wanted.to_op);
}

static void two_looks_are_a_cycle(void) {
  struct edge edges[REREAD_EDGES];
  if (CHECK(find_reread(twice, ANOMALY_LOST_UPDATE, 1, 0, edges))) {
    expect_edge(&edges[0], (struct edge){EDGE_RW, 0, 1, 0, 3});
    expect_edge(&edges[1], (struct edge){EDGE_WR, 1, 0, 3, 1});
  }
  CHECK(find_reread(twice, ANOMALY_NON_REPEATABLE_READS, 1, 0, edges));
}

// By way of a third transaction's version.
static void two_looks_with_a_version_between(void) {
  struct edge edges[REREAD_EDGES];
  if (CHECK(find_reread("table t(n): 1{n=1}\n"
                        "[sel t{n = 1}: 1@?, sel t{n = 3}: 1@w2]\n---\n"
                        "[upd t{n = 1}: 1@?{n=2}]\n---\n"
                        "[upd t{n = 2}: 1@w1{n=3}]\n",
                        ANOMALY_NON_REPEATABLE_READS, 1, 0, edges))) {
    expect_edge(&edges[0], (struct edge){EDGE_RW, 0, 2, 0, 3});
    expect_edge(&edges[1], (struct edge){EDGE_WR, 2, 0, 3, 1});
  }
}

static void looks_that_are_no_cycle(void) {
  struct edge edges[REREAD_EDGES];
  CHECK(!find_reread(twice, ANOMALY_WRITE_SKEW, 1, 0, edges));
  CHECK(!find_reread(twice, ANOMALY_LOST_UPDATE, UINT32_MAX, 0, edges));
  CHECK(!find_reread(twice, ANOMALY_LOST_UPDATE, 1, SAW_THIN_AIR, edges));
  // The first look saw the later version.
  CHECK(!find_reread(twice, ANOMALY_LOST_UPDATE, 0, 1, edges));
  // Registers do not say what they replaced.
  CHECK(!find_reread("[a:=1]\n---\n[a==? a==1]\n", ANOMALY_NON_REPEATABLE_READS,
                     2, 1, edges));
  // A row that was inserted was made from no other version.
  CHECK(!find_reread("table t(n): 1{n=1}\n"
                     "[sel t{n = 1}: 1@?, sel t{n = 2}: 1@w1]\n---\n"
                     "[ins t/1{n=2}]\n",
                     ANOMALY_NON_REPEATABLE_READS, 1, 0, edges));
}

static void expect_sum(const char *about, enum anomaly anomaly, uint32_t op,
                       bool wanted) {
  struct told told = told_of(twice, ISOLATION_NONE);
  const struct verdict verdict = {
      .kind = VERDICT_VIOLATION, .anomaly = anomaly, .op = op};
  int64_t found = 0, left = 0;
  told.history.about = about ? xstrdup(about) : NULL;
  CHECK_INT(reread_may_add(&told.history, &verdict, &found, &left), wanted);
  CHECK_INT(found, wanted ? 9 : 0);
  CHECK_INT(left, wanted ? 8 : 0);
  told_free(&told);
}

// 8 may be 9 - 1, where who wrote the history is not isostress.
static void updates_that_may_add(void) {
  expect_sum(NULL, ANOMALY_LOST_UPDATE, 1, true);
  expect_sum("; seed = 1\n", ANOMALY_LOST_UPDATE, 1, false);
  expect_sum(NULL, ANOMALY_NON_REPEATABLE_READS, 1, false);
  expect_sum(NULL, ANOMALY_LOST_UPDATE, 3, false); // replaced what it had read
  expect_sum(NULL, ANOMALY_LOST_UPDATE, 0, false); // wrote nothing
  expect_sum(NULL, ANOMALY_LOST_UPDATE, UINT32_MAX, false);
}

// --- Lost appends.

static void expect_loss(const char *text, const char *wanted) {
  struct told told = told_of(text, ISOLATION_SER);
  struct arena arena = {0};
  const char *sentence = anomaly_info(ANOMALY_LOST_WRITE)->sentence;
  if (CHECK(told.verdict.kind == VERDICT_VIOLATION &&
            told.verdict.anomaly == ANOMALY_LOST_WRITE)) {
    const char *got = loss_meaning(&arena, &told.history, &told.verdict);
    CHECK(!strncmp(got, sentence, strlen(sentence)));
    CHECK_STR(got + strlen(sentence), wanted);
  }
  arena_free(&arena);
  told_free(&told);
}

static void reads_that_lack_an_append(void) {
  expect_loss("[x+=1] [x+=2]\n---\n[x==[2]]\n",
              "  Of 1 read of key x none shows 1, and 1 shows 2, which was "
              "appended later.");
  expect_loss("[x+=1] [x+=2]\n---\n[x==[2]]\n---\n[x==[2]]\n---\n[x==[]]\n",
              "  Of 3 reads of key x none shows 1, and 2 show 2, which was "
              "appended later.");
  // Reads of aborted transactions, and of other keys, do not count.
  expect_loss("[x+=1] [x+=2]\n---\n[x==[2] y==[]]\n---\n[x==[2]]!\n",
              "  Of 1 read of key x none shows 1, and 1 shows 2, which was "
              "appended later.");
}

// By the clock alone: the sessions do not order the two appends.
static void a_loss_in_real_time(void) {
  struct told told =
      told_in_time("[x+=1]@0..10\n---\n[x+=2]@20..30\n---\n[x==[2]]@40..50\n",
                   ISOLATION_SER);
  struct arena arena = {0};
  if (CHECK(told.verdict.anomaly == ANOMALY_LOST_WRITE)) {
    const char *got = loss_meaning(&arena, &told.history, &told.verdict);
    CHECK(strstr(got, "  Of 1 read of key x none shows 1, and 1 shows 2, which "
                      "was appended later."));
    CHECK_INT(loss_weakest(&told.verdict), ISOLATION_SSER);
  }
  arena_free(&arena);
  told_free(&told);
}

static void other_anomalies_mean_themselves(void) {
  struct told told = told_of("[a==? a:=1]\n---\n[a==? a:=2]\n", ISOLATION_SER);
  struct arena arena = {0};
  CHECK_STR(loss_meaning(&arena, &told.history, &told.verdict),
            anomaly_info(ANOMALY_LOST_UPDATE)->sentence);
  arena_free(&arena);
  told_free(&told);
}

// A cycle that needs real time breaks strict serializability alone.
static void the_weakest_level_of_a_loss(void) {
  struct edge edges[] = {{EDGE_WW, 0, 1, 0, 1}, {EDGE_SO, 1, 0, 0, 0}};
  const struct verdict verdict = {
      .broken = ISOLATION_RC, .nedges = 2, .edges = edges};
  CHECK_INT(loss_weakest(&verdict), ISOLATION_RC);
  edges[1].kind = EDGE_RT;
  CHECK_INT(loss_weakest(&verdict), ISOLATION_SSER);
}

int main(void) {
  return TAP_RUN(
      {"statements that meet nothing", statements_that_meet_nothing},
      {"searches say how many rows they met", searches_say_how_many_they_met},
      {"conditions of operations", conditions_of_operations},
      {"an update over another one", an_update_over_another_one},
      {"a search that misses a row", a_search_that_misses_a_row},
      {"searches of one condition that differ", searches_that_differ},
      {"registers have no faults", registers_have_no_faults},
      {"statements as SQL", statements_as_sql},
      {"statements are in the order of names",
       statements_are_in_the_order_of_names},
      {"other proofs tell no statements", statements_of_other_proofs},
      {"at most some dozens of statements", at_most_some_dozens_of_statements},
      {"two looks at one row are a cycle", two_looks_are_a_cycle},
      {"two looks with a version between", two_looks_with_a_version_between},
      {"looks that are no cycle", looks_that_are_no_cycle},
      {"updates that may add", updates_that_may_add},
      {"reads that lack an append", reads_that_lack_an_append},
      {"a loss in real time", a_loss_in_real_time},
      {"other anomalies mean themselves", other_anomalies_mean_themselves},
      {"the weakest level of a loss", the_weakest_level_of_a_loss});
}

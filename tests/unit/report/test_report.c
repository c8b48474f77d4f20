// SPDX-License-Identifier: GPL-3.0-or-later
// The report for people: every kind of verdict, word for word.
#include "config.h"

#include "recorder/builder/builder.h"
#include "report/report.h"
#include "report/shortfall.h"
#include "report/text/text.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>

enum { X, Y };

static void txn(struct builder *b, uint64_t session) {
  builder_txn(b, session, OUTCOME_OK, ISOLATION_SER, TIME_UNKNOWN,
              TIME_UNKNOWN);
}

static struct history finish(struct builder *b) {
  struct history history;
  struct error error;
  CHECK(builder_finish(b, &history, &error) == 0);
  return history;
}

// The verdict at the level as text; freed by the caller, as is the history.
static char *tell(struct history *history, enum isolation level) {
  const struct check_options options = {
      .question = {.level = level, .session_order = true}};
  struct verdict verdict;
  struct error error;
  char *text;
  size_t bytes;
  CHECK(check(history, &options, &verdict, &error) == 0);
  FILE *out = open_memstream(&text, &bytes);
  const struct report report = {
      .command = "check", .history = history, .verdict = &verdict};
  report_verdict(out, &report);
  fclose(out);
  verdict_free(&verdict);
  history_free(history);
  return text;
}

static void expect(struct builder *b, enum isolation level,
                   const char *wanted) {
  struct history history = finish(b);
  char *text = tell(&history, level);
  CHECK_STR(text, wanted);
  free(text);
}

static void a_pass(void) {
  struct builder *b = builder_open();
  txn(b, 0);
  builder_op(b, OP_WRITE, X, 1);
  expect(b, ISOLATION_SER,
         "PASS: serializability was kept.\n"
         "  1 committed, 0 aborted, 0 unknown transactions in 1 sessions; 1 "
         "operations count.\n"
         "  Proof: a commit order of 1 transactions, each read checked against "
         "it by separate code (0.00 s).\n"
         "  How much this history could have shown was not counted: the time "
         "was over.\n");
}

// The database says that it was at another level.
static void another_level(void) {
  struct builder *b = builder_open();
  txn(b, 0);
  builder_op(b, OP_WRITE, X, 1);
  struct history history = finish(b);
  const struct check_options options = {
      .question = {.level = ISOLATION_SER, .session_order = true}};
  const struct run_figures figures = {.level_asked = "serializable",
                                      .level_in_effect = "read committed"};
  struct verdict verdict;
  struct error error;
  char *text;
  size_t bytes;
  CHECK(check(&history, &options, &verdict, &error) == 0);
  const struct report report = {.command = "run",
                                .history = &history,
                                .verdict = &verdict,
                                .figures = &figures};
  FILE *out = open_memstream(&text, &bytes);
  report_verdict(out, &report);
  report_json(out, &report);
  fclose(out);
  CHECK(strstr(text,
               "PASS: serializability was kept, but the level in effect "
               "was \"read committed\", not \"serializable\".\n") == text);
  CHECK(strstr(text, "\"level_in_effect\": \"read committed\"") ||
        strstr(text, "\"level_in_effect\":\"read committed\""));
  free(text);
  verdict_free(&verdict);
  history_free(&history);
}

// A run that is not checked says so, too.
static void another_level_unchecked(void) {
  struct history history = {0};
  const struct run_figures figures = {.level_asked = "serializable",
                                      .level_in_effect = "read committed"};
  const struct report report = {.command = "run",
                                .history = &history,
                                .level = "serializable",
                                .claimed = ISOLATION_SER,
                                .figures = &figures};
  char *text;
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  report_text(out, &report, NULL);
  fclose(out);
  CHECK(strstr(text, "\nNOT CHECKED, but the level in effect was \"read "
                     "committed\", not \"serializable\".\n"));
  free(text);
}

// A store that was full even once is no success, other errors only if they
// are many.
static void a_full_store(void) {
  struct code_count code = {.cause = CAUSE_OTHER, .count = 1};
  const struct run_figures figures = {
      .begun = 1000, .codes = &code, .ncodes = 1};
  const struct report report = {.command = "run", .figures = &figures};
  struct shortfall shortfall;
  static const char *const full[] = {
      "database or disk is full", "The table 'isostress' is full",
      "could not extend file: No space left on device",
      "OOM command not allowed when used memory > 'maxmemory'.",
      "etcdserver: mvcc: database space exceeded"};
  for (size_t i = 0; i < sizeof full / sizeof *full; i++) {
    snprintf(code.text, sizeof code.text, "%s", full[i]);
    CHECK(shortfall_of(&report, &shortfall));
    CHECK(strstr(shortfall.sentence, "the store was full: 1 of 1,000 att"));
  }
  snprintf(code.text, sizeof code.text, "no such table");
  CHECK(!shortfall_of(&report, &shortfall));
}

static struct builder *lost_update(void) {
  struct builder *b = builder_open();
  for (uint64_t session = 0; session < 2; session++) {
    txn(b, session);
    builder_op(b, OP_READ, X, VALUE_INITIAL);
    builder_op(b, OP_WRITE, X, 7 + session);
  }
  builder_name_key(b, X, "account");
  return b;
}

static void a_cycle(void) {
  expect(lost_update(), ISOLATION_SI,
         "VIOLATION: snapshot isolation was broken by LostUpdate (P4, "
         "G-single).\n"
         "  2 committed, 0 aborted, 0 unknown transactions in 2 sessions; 4 "
         "operations count.\n"
         "  Proof: a cycle of 2 transactions, each step checked against the "
         "history by separate code (0.00 s).\n"
         "\n"
         "  LostUpdate: Two transactions wrote the same key, and one of them "
         "did not know of the other's write, which is lost.\n"
         "  It breaks snapshot isolation, which was checked, and no weaker "
         "level.\n"
         "  What happened:\n"
         "    T1 in session 0 read x0 and wrote x1; it committed.\n"
         "    T2 in session 1 read x0 and wrote x2; it committed.\n"
         "  Remove any one of these operations, and snapshot isolation is "
         "kept.\n"
         "  Why they contradict each other:\n"
         "    1. T1 read x0. T2 replaced it by x2. So T1 comes before T2.\n"
         "    2. T2 read x0. T1 replaced it by x1. So T2 comes before T1.\n"
         "    Each would have to come before the other. Whichever came last, "
         "the change of the other one is lost.\n");
}

// With the names and values of the history.
static void raw_values(void) {
  struct history history = finish(lost_update());
  const struct check_options options = {
      .question = {.level = ISOLATION_SI, .session_order = true}};
  struct verdict verdict;
  struct error error;
  char *text;
  size_t bytes;
  CHECK(check(&history, &options, &verdict, &error) == 0);
  FILE *out = open_memstream(&text, &bytes);
  const struct report report = {.command = "check",
                                .history = &history,
                                .verdict = &verdict,
                                .raw_values = true};
  report_verdict(out, &report);
  report_json(out, &report);
  fclose(out);
  CHECK(strstr(text, "1. 0:0 read key account = 0. 1:0 replaced it by 8. So "
                     "0:0 comes before 1:0."));
  CHECK(strstr(text, "1:0 in session 1 read key account = 0 and wrote key "
                     "account = 8; it committed."));
  CHECK(!strstr(text, "T1"));
  free(text);
  verdict_free(&verdict);
  history_free(&history);
}

static void a_wrong_read(void) {
  struct builder *b = builder_open();
  builder_txn(b, 0, OUTCOME_ABORTED, ISOLATION_SER, 1, 2);
  builder_op(b, OP_WRITE, X, 5);
  builder_txn(b, 1, OUTCOME_OK, ISOLATION_SER, 3, 4);
  builder_op(b, OP_READ, X, 5);
  expect(b, ISOLATION_RC,
         "VIOLATION: read committed was broken by AbortedRead (G1a, dirty "
         "read).\n"
         "  1 committed, 1 aborted, 0 unknown transactions in 2 sessions; 1 "
         "operations count.\n"
         "  Proof: one read, checked against the history by separate code "
         "(0.00 s).\n"
         "\n"
         "  AbortedRead: A transaction read a value that an aborted "
         "transaction had written.\n"
         "  It breaks read committed, which was checked, and no weaker "
         "level.\n"
         "  What happened, in the order of real time:\n"
         "    0.000000001 s: T1 began in session 0: it wrote x1.\n"
         "    0.000000002 s: T1 aborted.\n"
         "    0.000000003 s: T2 began in session 1: it read x1.\n"
         "    0.000000004 s: T2 committed.\n"
         "  Remove any one of these operations, and read committed is "
         "kept.\n"
         "  What is wrong:\n"
         "    T2 read x1, which T1 wrote, but T1 aborted.\n");
}

// Both writers of x wrote blindly: whichever comes last, one reader of y and x
// missed a write.  No single order is known, so there is no cycle to show.
static struct builder *open_orders(void) {
  struct builder *b = builder_open();
  for (uint64_t session = 0; session < 2; session++) {
    txn(b, session);
    builder_op(b, OP_WRITE, X, 1 + session);
    builder_op(b, OP_WRITE, Y, 3 + session);
  }
  txn(b, 2);
  builder_op(b, OP_READ, X, 1);
  builder_op(b, OP_READ, Y, 4);
  return b;
}

static void a_part(void) {
  expect(
      open_orders(), ISOLATION_RA,
      "VIOLATION: read atomic was broken by FracturedRead (G-single, read "
      "skew).\n"
      "  3 committed, 0 aborted, 0 unknown transactions in 3 sessions; 6 "
      "operations count.\n"
      "  Proof: an argument of 5 steps about 3 transactions, each step "
      "checked by separate code (0.00 s).\n"
      "\n"
      "  FracturedRead: A transaction saw one write of another transaction "
      "and missed another write of it.\n"
      "  It breaks read atomic, which was checked, and no weaker level.\n"
      "  What happened:\n"
      "    T1 in session 0 wrote x1 and wrote y1; it committed.\n"
      "    T2 in session 1 wrote x2 and wrote y2; it committed.\n"
      "    T3 in session 2 read x1 and read y2; it committed.\n"
      "  Remove any one of these operations, and read atomic is kept.\n"
      "  Why they contradict each other:\n"
      "    1. T3 read x1, which T1 had written. So T1 comes before T3.\n"
      "    2. T3 read y2, which T2 had written. So T2 comes before T3.\n"
      "    3. T2 wrote x2 and comes before T3 (see 2), but T3 read x1, which "
      "T1 wrote. So T2 comes before T1.\n"
      "    4. T1 wrote y1 and comes before T3 (see 1), but T3 read y2, which "
      "T2 wrote. So T1 comes before T2.\n"
      "    5. By 4 and 3, T1 would have to come before itself.\n"
      "    Of all commit orders of these 3 transactions none keeps read "
      "atomic.\n");
}

// The story of two reads of a list to which 1 and 2 were appended.
static char *tell_of_lists(const uint64_t *one, uint32_t none,
                           const uint64_t *other, uint32_t nother) {
  struct builder *b = builder_open();
  for (uint64_t session = 0; session < 2; session++) {
    txn(b, session);
    builder_op(b, OP_APPEND, X, 1 + session);
  }
  txn(b, 2);
  builder_list(b, X, one, none);
  txn(b, 3);
  builder_list(b, X, other, nother);
  struct history history = finish(b);
  return tell(&history, ISOLATION_RC);
}

static void a_list_in_two_orders(void) {
  static const uint64_t one[] = {1, 2}, other[] = {2, 1};
  char *text = tell_of_lists(one, 2, other, 2);
  CHECK(strstr(text, "broken by IncompatibleOrder"));
  CHECK(strstr(text, "T3 read [x1 x2], and T4 read the same list") ||
        strstr(text, "T4 read [x2 x1], and T3 read the same list"));
  free(text);
}

static void a_list_that_lost_an_element(void) {
  static const uint64_t all[] = {1, 2}, rest[] = {2};
  char *text = tell_of_lists(all, 2, rest, 1);
  CHECK(strstr(text, "broken by LostElement (lost append)"));
  CHECK(strstr(text, "T4 read [x2], which lacks an element that T3 saw "
                     "before an element that is there."));
  free(text);
}

// Two lost updates of one key, one of another, and a write skew, told apart and
// counted; the smallest of each is shown.
static void several_anomalies(void) {
  struct builder *b = builder_open();
  for (uint64_t session = 0; session < 3; session++) {
    txn(b, session);
    builder_op(b, OP_READ, X, VALUE_INITIAL);
    builder_op(b, OP_READ, Y, VALUE_INITIAL);
    builder_op(b, OP_WRITE, X, 10 + session);
  }
  for (uint64_t session = 3; session < 5; session++) {
    txn(b, session);
    builder_op(b, OP_READ, 5, VALUE_INITIAL);
    builder_op(b, OP_READ, 6, VALUE_INITIAL);
    builder_op(b, OP_WRITE, 2 + session, 20 + session);
  }
  for (uint64_t session = 5; session < 7; session++) {
    txn(b, session);
    builder_op(b, OP_READ, 9, VALUE_INITIAL);
    builder_op(b, OP_WRITE, 9, 30 + session);
  }
  struct history history = finish(b);
  struct check_options options = {
      .question = {.level = ISOLATION_SER, .session_order = true},
      .max_examples = 1};
  struct verdict verdict;
  struct error error;
  CHECK(check(&history, &options, &verdict, &error) == 0);
  CHECK_INT(verdict.anomaly, ANOMALY_LOST_UPDATE);
  CHECK_INT(verdict.found[ANOMALY_LOST_UPDATE], 3);
  CHECK_INT(verdict.found[ANOMALY_WRITE_SKEW], 1);
  CHECK(!verdict.found_more);
  CHECK_INT(verdict.nothers, 1);
  CHECK_INT(verdict.others[0].anomaly, ANOMALY_WRITE_SKEW);
  verdict_free(&verdict);
  options.max_examples = 5;
  CHECK(check(&history, &options, &verdict, &error) == 0);
  CHECK_INT(verdict.nothers, 3);
  verdict_free(&verdict);
  options.question.level = ISOLATION_SI; // which a write skew does not break
  CHECK(check(&history, &options, &verdict, &error) == 0);
  CHECK_INT(verdict.found[ANOMALY_WRITE_SKEW], 0);
  CHECK_INT(verdict.nothers, 2);
  verdict_free(&verdict);
  history_free(&history);
}

static void several_wrong_reads(void) {
  struct builder *b = builder_open();
  builder_txn(b, 0, OUTCOME_ABORTED, ISOLATION_SER, 1, 2);
  builder_op(b, OP_WRITE, X, 5);
  for (uint64_t session = 1; session < 4; session++) {
    txn(b, session);
    builder_op(b, OP_READ, session < 3 ? X : Y, session < 3 ? 5 : 77);
  }
  struct history history = finish(b);
  const struct check_options options = {
      .question = {.level = ISOLATION_RC, .session_order = true},
      .max_examples = 1};
  struct verdict verdict;
  struct error error;
  CHECK(check(&history, &options, &verdict, &error) == 0);
  CHECK_INT(verdict.found[ANOMALY_ABORTED_READ], 2);
  CHECK_INT(verdict.found[ANOMALY_THIN_AIR_READ], 1);
  CHECK_INT(verdict.nothers, 1);
  CHECK(verdict.others[0].anomaly != verdict.anomaly);
  verdict_free(&verdict);
  history_free(&history);
}

// Aborted reads do not hide a lost update elsewhere, nor in their transactions.
static void wrong_reads_and_cycles(void) {
  struct builder *b = builder_open();
  builder_txn(b, 0, OUTCOME_ABORTED, ISOLATION_SER, TIME_UNKNOWN, TIME_UNKNOWN);
  builder_op(b, OP_WRITE, X, 5);
  for (uint64_t session = 1; session < 3; session++) {
    txn(b, session);
    builder_op(b, OP_READ, X, 5);
    builder_op(b, OP_READ, Y, VALUE_INITIAL);
    builder_op(b, OP_WRITE, Y, 10 + session);
  }
  struct history history = finish(b);
  const struct check_options options = {
      .question = {.level = ISOLATION_SER, .session_order = true},
      .max_examples = 1};
  struct verdict verdict;
  struct error error;
  CHECK(check(&history, &options, &verdict, &error) == 0);
  CHECK_INT(verdict.anomaly, ANOMALY_ABORTED_READ);
  CHECK_INT(verdict.found[ANOMALY_ABORTED_READ], 2);
  CHECK_INT(verdict.found[ANOMALY_LOST_UPDATE], 1);
  if (CHECK(verdict.nothers == 1 && verdict.others[0].nedges == 2)) {
    const struct edge *edge = &verdict.others[0].edges[0];
    CHECK_INT(history.key[edge->from_op], history.key[edge->to_op]);
    CHECK_INT(history_txn(&history, edge->from_op), edge->from);
    CHECK_INT(history_txn(&history, edge->to_op), edge->to);
  }
  verdict_free(&verdict);
  history_free(&history);
}

// The document holds the same counterexample; its syntax is tested elsewhere.
static void a_document(void) {
  struct history history = finish(lost_update());
  const struct check_options options = {
      .question = {.level = ISOLATION_SI, .session_order = true}};
  struct verdict verdict;
  struct error error;
  char *text;
  size_t bytes;
  CHECK(check(&history, &options, &verdict, &error) == 0);
  FILE *out = open_memstream(&text, &bytes);
  const struct report report = {.command = "check",
                                .history_path = "a\"b",
                                .history = &history,
                                .verdict = &verdict};
  report_json(out, &report);
  fclose(out);
  CHECK(strstr(text, "\"schema\": \"isostress-report/1\""));
  CHECK(strstr(text, "\"path\": \"a\\\"b\""));
  CHECK(strstr(text, "\"verdict\": \"violation\""));
  CHECK(strstr(text, "\"anomaly\": \"LostUpdate\""));
  CHECK(strstr(text, "\"from\": \"0:0\""));
  CHECK(strstr(text, "\"weakest_level_broken\": \"si\""));
  free(text);
  verdict_free(&verdict);
  history_free(&history);
}

int main(void) {
  return TAP_RUN({"a level that was kept", a_pass},
                 {"a level other than the one asked for", another_level},
                 {"a level other than the one asked for, unchecked",
                  another_level_unchecked},
                 {"a full store is no success", a_full_store},
                 {"a level broken by a cycle", a_cycle},
                 {"raw values are kept on demand", raw_values},
                 {"a level broken by one read", a_wrong_read},
                 {"a level broken by a part of the history", a_part},
                 {"a list read in two orders", a_list_in_two_orders},
                 {"a list that lost an element", a_list_that_lost_an_element},
                 {"several anomalies are counted", several_anomalies},
                 {"several wrong reads are counted", several_wrong_reads},
                 {"wrong reads and cycles are counted", wrong_reads_and_cycles},
                 {"a report is read back as a document", a_document});
}

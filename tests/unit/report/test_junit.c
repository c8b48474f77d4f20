// SPDX-License-Identifier: GPL-3.0-or-later
// Results as JUnit suites: well-formed whatever they quote, with sums that are
// those of their tests, and an ending for each result of a run.
#include "config.h"

#include "base/memory.h"
#include "recorder/builder/builder.h"
#include "report/text/junit.h"
#include "tests/tap.h"

#include <unistd.h>

static const struct junit_property no_properties[] = {{NULL, NULL}};

// The XML of one test, without the suite around it.
static char *xml_of(const struct junit_test *test) {
  static const char head[] = "    </properties>\n", tail[] = "  </testsuite>\n";
  char *tests;
  size_t bytes;
  FILE *out = text_stream(&tests, &bytes);
  junit_put_test(out, test);
  fclose(out);
  char *suite = junit_suite("s", no_properties, tests, bytes);
  const char *first = strstr(suite, head), *end = strstr(suite, tail);
  char *xml = NULL;
  if (CHECK(first && end))
    xml = xasprintf("%.*s", (int)(end - first - (long)strlen(head)),
                    first + strlen(head));
  free(suite);
  free(tests);
  return xml;
}

static void expect_xml(const struct junit_test *test, const char *wanted) {
  char *xml = xml_of(test);
  if (xml)
    CHECK_STR(xml, wanted);
  free(xml);
}

static void one_test(void) {
  struct junit_test test = {.group = "memory",
                            .name = "a <b> & \"c\"",
                            .seconds = 1.5,
                            .ending = JUNIT_PASSED,
                            .text = "not shown",
                            .page = "not shown"};
  expect_xml(&test, "    <testcase classname=\"memory\" name=\"a &lt;b&gt; "
                    "&amp; &quot;c&quot;\" time=\"1.500\"/>\n");
  test = (struct junit_test){.group = "g",
                             .name = "n",
                             .ending = JUNIT_FAILURE,
                             .text = "x < y\n\n  ]]>\n"};
  expect_xml(&test, "    <testcase classname=\"g\" name=\"n\" time=\"0.000\">\n"
                    "      <failure message=\"x &lt; y\">x &lt; y\n\n  ]]&gt;"
                    "</failure>\n    </testcase>\n");
  test.ending = JUNIT_ERROR;
  test.text = "";
  test.page = "runs/a&b/report.html";
  expect_xml(&test,
             "    <testcase classname=\"g\" name=\"n\" time=\"0.000\">\n"
             "      <error message=\"\">\npage: runs/a&amp;b/report.html\n"
             "</error>\n    </testcase>\n");
  test.ending = JUNIT_SKIPPED;
  test.text = "not tried";
  test.page = NULL;
  expect_xml(&test, "    <testcase classname=\"g\" name=\"n\" time=\"0.000\">\n"
                    "      <skipped message=\"not tried\">not tried</skipped>\n"
                    "    </testcase>\n");
}

static void sums_of_a_suite(void) {
  static const struct junit_property properties[] = {
      {"target", "redis://h?a=1&b=\"2\""},
      {"server", ""},
      {"page", NULL},
      {"level", "multi"},
      {NULL, NULL}};
  char *tests;
  size_t bytes;
  FILE *out = text_stream(&tests, &bytes);
  for (int ending = 0; ending < JUNIT_ENDINGS; ending++)
    for (int i = 0; i <= ending; i++) // one passed, two failed...
      junit_put_test(out, &(struct junit_test){"g", "n", 0.25,
                                               (enum junit_ending)ending, "t",
                                               NULL});
  fclose(out);
  char *suite = junit_suite("a <suite>", properties, tests, bytes);
  static const char head[] =
      "  <testsuite name=\"a &lt;suite&gt;\" tests=\"10\" failures=\"2\" "
      "errors=\"3\" skipped=\"4\" time=\"2.500\">\n"
      "    <properties>\n"
      "      <property name=\"target\" value=\"redis://h?a=1&amp;b=&quot;2"
      "&quot;\"/>\n"
      "      <property name=\"level\" value=\"multi\"/>\n"
      "    </properties>\n"
      "    <testcase ";
  CHECK(!strncmp(suite, head, strlen(head)));
  free(suite);
  free(tests);
  suite = junit_suite("empty", no_properties, "", 0);
  CHECK_STR(suite, "  <testsuite name=\"empty\" tests=\"0\" failures=\"0\" "
                   "errors=\"0\" skipped=\"0\" time=\"0.000\">\n"
                   "    <properties>\n    </properties>\n  </testsuite>\n");
  free(suite);
}

static void expect_file(const char *path, const char *wanted) {
  char text[256] = "";
  FILE *file = fopen(path, "r");
  if (!CHECK(file != NULL))
    return;
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  CHECK_STR(text, wanted);
}

static void the_file(void) {
  char one[] = "  <testsuite/>\n", other[] = "  <testsuite name=\"b\"/>\n";
  char *const suites[] = {one, NULL, other};
  const char *tmp = getenv("TMPDIR");
  char *path = xasprintf("%s/isostress-test-junit.%ld.xml",
                         tmp && *tmp ? tmp : "/tmp", (long)getpid());
  struct error error = {0};
  CHECK_INT(junit_write(path, suites, 3, &error), 0);
  expect_file(path, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
                    "  <testsuite/>\n  <testsuite name=\"b\"/>\n"
                    "</testsuites>\n");
  CHECK_INT(junit_write(path, NULL, 0, &error), 0);
  expect_file(path, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
                    "</testsuites>\n");
  CHECK_INT(unlink(path), 0);
  free(path);
  CHECK_INT(junit_write("no/such/directory/junit.xml", suites, 3, &error), -1);
  CHECK(strstr(error.text, "no/such/directory/junit.xml"));
}

static void endings(void) {
  CHECK_INT(junit_ending_of(VERDICT_PASS), JUNIT_PASSED);
  CHECK_INT(junit_ending_of(VERDICT_VIOLATION), JUNIT_FAILURE);
  CHECK_INT(junit_ending_of(VERDICT_UNDECIDED), JUNIT_ERROR);
}

// ---- Runs

// The suite has these words.
static void expect_in(const struct report *report, const char *words) {
  char *suite = junit_suite_of_run("run 7", report);
  if (!CHECK(strstr(suite, words)))
    printf("# \"%s\" is not in:\n# %s\n", words, suite);
  free(suite);
}

static void nothing_checked(void) {
  struct report report = {.command = "run", .target = "memory:"};
  expect_in(&report, "name=\"run 7\" tests=\"1\" failures=\"0\" errors=\"0\" "
                     "skipped=\"1\"");
  expect_in(&report, "<testcase classname=\"run 7\" name=\"the level is kept\" "
                     "time=\"0.000\">\n      <skipped message=\"nothing was "
                     "checked\">nothing was checked</skipped>");
  expect_in(&report, "<property name=\"target\" value=\"memory:\"/>");
  report.asked = "snapshot isolation";
  expect_in(&report, "name=\"snapshot isolation is kept\"");
  report.trouble = "cannot connect to <h>\nat all";
  expect_in(&report, "failures=\"0\" errors=\"1\" skipped=\"0\"");
  expect_in(&report, "<error message=\"cannot connect to &lt;h&gt;\">cannot "
                     "connect to &lt;h&gt;\nat all</error>");
}

static void requirements(void) {
  static const struct report_requirement required[] = {
      {"throughput > 10", "12.00", true}, {"abort-share < 5", "7 <", false}};
  const struct report report = {
      .command = "run", .requirements = required, .nrequirements = 2};
  expect_in(&report, "tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\"");
  expect_in(&report, "name=\"throughput &gt; 10\" time=\"0.000\"/>");
  expect_in(&report,
            "<failure message=\"abort-share &lt; 5 was required, and it is "
            "7 &lt;\">");
}

// The page is named unless it could not be written.
static void where_the_page_is(void) {
  struct report report = {
      .command = "run", .directory = "d", .history_path = "d/history"};
  expect_in(&report, "<property name=\"page\" value=\"d/report.html\"/>");
  expect_in(&report, "<property name=\"history\" value=\"d/history\"/>");
  expect_in(&report, "\npage: d/report.html\n</skipped>");
  report.unwritten = true;
  char *suite = junit_suite_of_run("r", &report);
  CHECK(!strstr(suite, "report.html"));
  free(suite);
}

// A lost update, checked at a level.
struct checked_run {
  struct history history;
  struct verdict verdict;
  struct run_figures figures;
  struct report report;
};

static void open_checked(struct checked_run *r, enum isolation level) {
  const struct check_options options = {
      .question = {.level = level, .session_order = true}};
  struct builder *b = builder_open();
  struct error error = {0};
  *r = (struct checked_run){.figures = {.elapsed = 2000000000}};
  for (uint64_t session = 0; session < 2; session++) {
    builder_txn(b, session, OUTCOME_OK, ISOLATION_NONE, TIME_UNKNOWN,
                TIME_UNKNOWN);
    builder_op(b, OP_READ, 0, VALUE_INITIAL);
    builder_op(b, OP_WRITE, 0, 7 + session);
  }
  CHECK_INT(builder_finish(b, &r->history, &error), 0);
  CHECK_INT(check(&r->history, &options, &r->verdict, &error), 0);
  r->report = (struct report){.command = "run",
                              .target = "postgresql://h",
                              .level = "repeatable read",
                              .claimed = ISOLATION_SI,
                              .figures = &r->figures,
                              .history = &r->history,
                              .verdict = &r->verdict,
                              .check_seconds = 0.5};
}

static void close_checked(struct checked_run *r) {
  verdict_free(&r->verdict);
  history_free(&r->history);
}

static void a_level_that_was_kept(void) {
  struct checked_run r;
  open_checked(&r, ISOLATION_RC);
  expect_in(&r.report, "tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"0\" "
                       "time=\"2.500\"");
  expect_in(&r.report, "name=\"read committed is kept\" time=\"2.500\"/>");
  r.figures.end = RUN_STOPPED; // too early to call it a success
  expect_in(&r.report, "failures=\"0\" errors=\"1\" skipped=\"0\"");
  expect_in(&r.report, "<error message=\"INTERRUPTED: by a signal after 2.0 "
                       "s.\">INTERRUPTED: by a signal after 2.0 s.\n"
                       "INTERRUPTED: read committed was kept in what was "
                       "recorded.\n");
  close_checked(&r);
}

static void a_level_that_was_broken(void) {
  struct checked_run r;
  open_checked(&r, ISOLATION_SI);
  expect_in(&r.report, "tests=\"1\" failures=\"1\" errors=\"0\" skipped=\"0\"");
  expect_in(&r.report, "name=\"snapshot isolation is kept\"");
  expect_in(&r.report,
            "<failure message=\"VIOLATION: snapshot isolation was broken by "
            "LostUpdate (P4, G-single). Promised: yes. BROKEN PROMISE.\">");
  r.report.figures = NULL; // a check, where nobody knows what was promised
  expect_in(&r.report,
            "<failure message=\"VIOLATION: snapshot isolation was broken by "
            "LostUpdate (P4, G-single).\">");
  expect_in(&r.report, "time=\"0.500\"");
  close_checked(&r);
}

static void a_model_is_a_test(void) {
  static const struct log_model model = {.name = "bank",
                                         .summary = "sums <stay>"};
  static char sentence[] = "The sum was 7.";
  struct test_answer answer = {.model = &model,
                               .is = {.kind = VERDICT_PASS, .checked = 3}};
  struct report report = {.command = "run", .model = &answer};
  expect_in(&report, "name=\"the model of the workload holds\" "
                     "time=\"0.000\"/>");
  answer.is =
      (struct model_answer){.kind = VERDICT_UNDECIDED, .sentence = sentence};
  expect_in(&report, "<error message=\"model       bank: undecided: The sum "
                     "was 7.\">");
  answer.is.kind = VERDICT_VIOLATION;
  answer.is.name = "WrongTotal";
  expect_in(&report, "tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"1\"");
}

// It is a test of its own, and one that no transaction asked for did not pass.
static void an_invariant_is_a_test(void) {
  static const struct workload_options options = {
      .seed = 1, .nsessions = 1, .nkeys = 10};
  struct error error = {0};
  const struct workload *workload = workload_find("predicate", &error);
  struct invariant *invariant = invariant_open(
      workload, &options, "SELECT COUNT(*) FROM t1", 12, false, &error);
  if (!CHECK(invariant != NULL))
    return;
  struct run_figures figures = {.invariant = {.checked = 5}};
  const struct report report = {
      .command = "run", .figures = &figures, .invariant = invariant};
  expect_in(&report, "name=\"the invariant holds\" time=\"0.000\"/>");
  figures.invariant.checked = 0;
  expect_in(&report, "tests=\"2\" failures=\"0\" errors=\"1\" skipped=\"1\"");
  expect_in(&report, "<error message=\"invariant   SELECT COUNT(*) FROM t1 = "
                     "12: undecided: seen by 0 transactions\">");
  figures.invariant = (struct invariant_figures){.checked = 5, .broken = 1};
  expect_in(&report, "tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"1\"");
  invariant_close(invariant);
}

// ---- Scorecards

static const struct guarantee_row rows[] = {
    {"p4", "lost update", "Lost update", "", ANOMALY_LOST_UPDATE}};

// One level of PostgreSQL that rules the lost update out, with what became of
// it step by step.
static char *scorecard(struct guarantee_column *column, enum cell_kind kind,
                       const char *trouble) {
  struct guarantee_cell cell = {.kind = kind, .detail = "3 of 5"};
  column->level = "repeatable read";
  column->claimed = ISOLATION_SI;
  column->cells = &cell;
  const struct guarantees g = {.program = "isostress",
                               .target = "postgresql://h",
                               .command = "isostress scorecard",
                               .server = "PostgreSQL 15",
                               .rows = rows,
                               .nrows = 1,
                               .columns = column,
                               .ncolumns = 1,
                               .trouble = trouble};
  return junit_suite_of_scorecard(&g, NULL);
}

static void expect_scorecard(struct guarantee_column *column,
                             enum cell_kind kind, const char *trouble,
                             const char *words) {
  char *suite = scorecard(column, kind, trouble);
  if (!CHECK(strstr(suite, words)))
    printf("# \"%s\" is not in:\n# %s\n", words, suite);
  free(suite);
}

static void cells_of_a_scorecard(void) {
  struct guarantee_column column = {.kept = ISOLATION_NONE};
  expect_scorecard(&column, CELL_SEEN, NULL,
                   "name=\"Lost update: ruled out\" time=\"0.000\">\n"
                   "      <failure message=\"BROKEN PROMISE: Lost update: "
                   "&quot;repeatable read&quot; rules it out, and it was seen "
                   "step by step (3 of 5 performances).\">");
  expect_scorecard(&column, CELL_ABORTED, NULL,
                   "name=\"Lost update: ruled out\" time=\"0.000\"/>");
  expect_scorecard(&column, CELL_EMPTY, NULL,
                   "<skipped message=\"could not be tried here\">");
  expect_scorecard(&column, CELL_ABORTED, NULL,
                   "name=\"all levels were tried\" time=\"0.000\"/>");
  expect_scorecard(&column, CELL_ABORTED, "the server is gone",
                   "<error message=\"the server is gone\">");
}

static void loads_of_a_scorecard(void) {
  struct guarantee_column column = {.stressed = false};
  expect_scorecard(&column, CELL_ABORTED, NULL,
                   "<skipped message=\"there was no load\">");
  column.stressed = true;
  expect_scorecard(&column, CELL_ABORTED, NULL,
                   "<error message=\"UNDECIDED: whether it was kept.\">");
  column.kept = ISOLATION_SI;
  expect_scorecard(&column, CELL_ABORTED, NULL,
                   "classname=\"repeatable read\" name=\"under load: snapshot "
                   "isolation is kept\" time=\"0.000\"/>");
  column.violated = true;
  column.found[ANOMALY_LOST_UPDATE] = 2.5;
  expect_scorecard(
      &column, CELL_ABORTED, NULL,
      "<failure message=\"BROKEN PROMISE: snapshot isolation was "
      "broken under load.\">BROKEN PROMISE: snapshot isolation "
      "was broken under load.\nFound per 1,000 "
      "committed transactions: LostUpdate in 2.5 writes</failure>");
  expect_scorecard(&column, CELL_SEEN, NULL,
                   "step by step (3 of 5 performances) and under load (in 2.5 "
                   "writes per 1,000 committed transactions).\">");
  column.violated = false;
  snprintf(column.trouble, sizeof column.trouble, "no <disk>");
  expect_scorecard(&column, CELL_ABORTED, NULL,
                   "<error message=\"no &lt;disk&gt;\">");
}

int main(void) {
  return TAP_RUN({"a test of each ending, with markup", one_test},
                 {"a suite adds its tests up", sums_of_a_suite},
                 {"the file of all suites", the_file},
                 {"verdicts and endings", endings},
                 {"a run that was not checked", nothing_checked},
                 {"requirements are tests", requirements},
                 {"where the page is", where_the_page_is},
                 {"a level that was kept", a_level_that_was_kept},
                 {"a level that was broken", a_level_that_was_broken},
                 {"the model of a workload is a test", a_model_is_a_test},
                 {"an invariant is a test", an_invariant_is_a_test},
                 {"cells of a scorecard", cells_of_a_scorecard},
                 {"loads of a scorecard", loads_of_a_scorecard});
}

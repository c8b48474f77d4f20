// SPDX-License-Identifier: GPL-3.0-or-later
// The result for a terminal: the verdict first, what must not be overlooked
// always, 80 columns, and the counterexample as columns of sessions.
#include "config.h"

#include "base/memory.h"
#include "recorder/builder/builder.h"
#include "report/text/text.h"
#include "tests/tap.h"

enum { COLUMNS = 80, US = 1000, MS = 1000 * US, S = 1000 * MS };

// ---- Runs

// A lost update between two sessions, with times, and all of a run of it.
struct told_run {
  struct history history;
  struct verdict verdict;
  struct run_figures figures;
  struct report report;
};

static void open_run(struct told_run *r, enum isolation level) {
  const struct check_options options = {
      .question = {.level = level, .session_order = true}, .max_examples = 1};
  struct builder *b = builder_open();
  struct error error = {0};
  *r = (struct told_run){
      .figures = {.begun = 2, .committed = 2, .elapsed = S, .measured = S}};
  for (uint64_t session = 0; session < 2; session++) {
    builder_txn(b, session, OUTCOME_OK, ISOLATION_NONE, (1 + session) * MS,
                (5 + session) * MS);
    builder_op(b, OP_READ, 0, VALUE_INITIAL);
    builder_op(b, OP_WRITE, 0, 7 + session);
  }
  CHECK_INT(builder_finish(b, &r->history, &error), 0);
  CHECK_INT(check(&r->history, &options, &r->verdict, &error), 0);
  r->report = (struct report){.command = "run",
                              .target = "postgresql://h/db",
                              .workload = "mt",
                              .level = "repeatable read",
                              .claimed = ISOLATION_SI,
                              .clients = 2,
                              .figures = &r->figures,
                              .history = &r->history,
                              .verdict = &r->verdict};
}

static void close_run(struct told_run *r) {
  verdict_free(&r->verdict);
  history_free(&r->history);
}

// As a run tells it: from the report and what was stored of it.
static char *brief_of(const struct report *report, bool colour) {
  struct stored stored;
  struct error error = {0};
  char *document, *text;
  size_t bytes;
  FILE *out = text_stream(&document, &bytes);
  report_json(out, report);
  fclose(out);
  CHECK_INT(stored_of_bytes(&stored, "report", document, bytes, &error), 0);
  out = text_stream(&text, &bytes);
  text_put_brief(out, report, &stored, colour);
  fclose(out);
  stored_free(&stored);
  free(document);
  return text;
}

static void expect_in(const struct report *report, const char *words) {
  char *text = brief_of(report, false);
  if (!CHECK(strstr(text, words)))
    printf("# \"%s\" is not in:\n%s\n", words, text);
  free(text);
}

static void expect_first(const struct report *report, bool colour,
                         const char *words) {
  char *text = brief_of(report, colour);
  if (!CHECK(!strncmp(text, words, strlen(words))))
    printf("# \"%s\" is not the begin of:\n%s\n", words, text);
  free(text);
}

static void expect_columns(const char *text) {
  for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
    if (!CHECK(strcspn(line, "\n") <= COLUMNS))
      printf("# %.*s\n", (int)strcspn(line, "\n"), line);
}

static unsigned lines_in(const char *text) {
  unsigned lines = 0;
  for (; *text; text++)
    lines += *text == '\n';
  return lines;
}

static void a_violation(void) {
  struct told_run r;
  open_run(&r, ISOLATION_SI);
  expect_first(&r.report, false, "VIOLATION: ");
  expect_first(&r.report, true, "\033[1;31mVIOLATION\033[0m: ");
  expect_in(&r.report, "LostUpdate breaks snapshot isolation; found in 1 "
                       "write.\n");
  expect_in(&r.report, "\n  promised   Yes. Broken promise.\n");
  expect_in(&r.report, "T2: read x0");
  char *text = brief_of(&r.report, false);
  expect_columns(text);
  CHECK(lines_in(text) <= BRIEF_LINES + BRIEF_CASE);
  free(text);
  // Its level permits it: nobody is to blame.
  r.report.level = "read committed";
  r.report.claimed = ISOLATION_RC;
  expect_first(&r.report, true, "\033[1;33mVIOLATION\033[0m: ");
  close_run(&r);
}

// Lines beside the picture and what stands over it.
static unsigned lines_beside_picture(char *text) {
  static const char last[] = "T2: commit\n";
  const unsigned all = lines_in(text);
  char *first = strstr(text, "\n  The smallest case:\n");
  char *end = first ? strstr(first, last) : NULL;
  if (!CHECK(first && end))
    return all;
  end[strlen(last)] = '\0';
  return all - lines_in(first);
}

// Failures are told whatever their number; steps of the argument give way.
static void no_room(void) {
  enum { MANY = 5 };
  struct report_requirement required[MANY];
  struct told_run r;
  for (int i = 0; i < MANY; i++)
    required[i] = (struct report_requirement){"p99 < 1ms", "2 ms", false};
  open_run(&r, ISOLATION_SI);
  r.report.directory = "d";
  expect_in(&r.report, "\n    1. T1 read x0. T2 replaced it by x2. So T1 comes "
                       "before T2.\n");
  r.report.requirements = required;
  r.report.nrequirements = MANY;
  r.report.trouble = "the disk is full";
  char *text = brief_of(&r.report, false);
  CHECK(!strstr(text, "    1. T1 read x0."));
  CHECK(strstr(text, "  TROUBLE:   the disk is full\n"));
  CHECK(strstr(text, "  page       d/report.html\n"));
  CHECK(strstr(text, "  promised   Yes."));
  CHECK(strstr(text, "    (x1: what T1 wrote to x"));
  CHECK(strstr(text, "  again      isostress replay "));
  CHECK_INT(lines_beside_picture(text), BRIEF_LINES);
  free(text);
  close_run(&r);
}

static void a_pass(void) {
  struct told_run r;
  open_run(&r, ISOLATION_RC);
  r.report.directory = "runs/7";
  expect_first(&r.report, false, "PASS: ");
  expect_first(&r.report, true, "\033[1;32mPASS\033[0m: ");
  expect_in(&r.report,
            "\n      read committed: 2 committed transactions fit into one "
            "order;\n      separate code replayed it.\n");
  expect_in(&r.report, "\n  run        2 committed, 2/s; 0 refused (0.00 %)\n");
  expect_in(&r.report, "\n  page       runs/7/report.html\n");
  r.report.unwritten = true;
  expect_in(&r.report, "\n  results    runs/7, without a page\n");
  r.figures.end = RUN_STOPPED;
  expect_first(&r.report, false, "INTERRUPTED: ");
  expect_in(&r.report, "\n  stopped    by a signal after 1.0 s\n");
  close_run(&r);
}

static void a_run_in_figures(void) {
  struct told_run r;
  open_run(&r, ISOLATION_RC);
  r.figures.begun = 12000;
  r.figures.committed = 9000;
  r.figures.measured = 2 * (uint64_t)S;
  r.figures.by_cause[CAUSE_SERIALIZATION] = 1500;
  r.figures.by_cause[CAUSE_CLIENT] = 1200;
  r.figures.unknown = 3;
  expect_in(&r.report,
            "\n  run        9,000 committed, 4,500/s; 1,500 refused (12.50 %); "
            "1,200 rolled\n             back; 3 unknown\n");
  close_run(&r);
}

// A requirement that is not met comes before the verdict.
static void not_met(void) {
  static const struct report_requirement required[] = {
      {"abort-share < 5", "1 %", true}, {"throughput > 10", "2.00", false}};
  struct told_run r;
  open_run(&r, ISOLATION_RC);
  r.report.requirements = required;
  r.report.nrequirements = 2;
  expect_first(&r.report, false,
               "NOT MET: throughput > 10 was required, and it is 2.00.\n"
               "PASS: ");
  close_run(&r);
}

static void nothing_checked(void) {
  const struct run_figures figures = {.end = RUN_DONE};
  struct report report = {.command = "run",
                          .target = "memory:",
                          .workload = "mt",
                          .level = "si",
                          .claimed = ISOLATION_SI,
                          .figures = &figures};
  expect_first(&report, false, "NOT CHECKED");
  report.salvage = "the last <3> bytes";
  expect_in(&report, "\n  lost       the last <3> bytes\n");
  // Text that looks like markup stays as it is, and wraps.
  report.trouble = "cannot write <b>a very long path</b> & more of it, which "
                   "takes more than one line of the terminal";
  expect_in(&report,
            "\n  TROUBLE:   cannot write <b>a very long path</b> & more of it, "
            "which takes more\n             than one line of the terminal\n");
}

// The command that performs the case again, on a target that a shell can read.
static void again(void) {
  struct report_setting settings[] = {{"bug", "", NULL}, {NULL, NULL, NULL}};
  struct told_run r;
  open_run(&r, ISOLATION_SI);
  r.report.directory = "d";
  r.report.settings = settings;
  r.report.level = "si";
  r.report.target = "memory:";
  expect_in(&r.report, "  again      isostress replay --level=si d "
                       "'memory:'\n");
  settings->value = "lost-update";
  expect_in(&r.report, " d 'memory:?bug=lost-update'\n");
  r.report.target = "memory:?seed=1";
  expect_in(&r.report, " d 'memory:?seed=1&bug=lost-update'\n");
  settings->value = "";
  r.report.target = "postgresql://u:***@h";
  expect_in(&r.report, "--level=si d TARGET\n");
  r.report.target = "postgresql://h/it's";
  expect_in(&r.report, "--level=si d TARGET\n");
  close_run(&r);
}

// ---- Pictures

static char *picture_of(const struct example *e) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  text_put_picture(out, e);
  fclose(out);
  return text;
}

static void expect_picture(const struct example *e, const char *wanted) {
  char *text = picture_of(e);
  CHECK_STR(text, wanted);
  free(text);
}

static struct example_op an_op(const char *kind, const char *label,
                               uint64_t end) {
  return (struct example_op){
      .kind = kind, .key = "x", .label = label, .begin = end, .end = end};
}

// T1 reads, T2 replaces what T1 read, T1 is rolled back; times in that unit.
struct drawn {
  struct example_op ops[3];
  struct example_txn txns[2];
  struct example example;
};

static void draw(struct drawn *d, uint64_t unit) {
  *d = (struct drawn){.ops = {an_op("read", "read x0", 2 * unit),
                              an_op("read", "read x0", 4 * unit),
                              an_op("write", "write x2", 5 * unit)},
                      .txns = {{.name = "T1",
                                .outcome = "aborted",
                                .session = 3,
                                .end = 10 * unit,
                                .end_op = 1},
                               {.name = "T2",
                                .outcome = "committed",
                                .session = 7,
                                .begin = 3 * unit,
                                .end = 8 * unit,
                                .first_op = 1,
                                .end_op = 3}}};
  d->example = (struct example){.txns = d->txns,
                                .ntxns = 2,
                                .ops = d->ops,
                                .nops = 3,
                                .timed = true,
                                .read = EXAMPLE_NONE,
                                .other = EXAMPLE_NONE};
}

static void two_columns(void) {
  struct drawn d;
  draw(&d, MS);
  expect_picture(&d.example,
                 "       ms  session 3                         session 7\n"
                 "     0.00  T1: begin, read x0\n"
                 "     3.00                                    T2: begin, read "
                 "x0, write x2\n"
                 "     8.00                                    T2: commit\n"
                 "    10.00  T1: rolled back\n");
}

// The unit follows from the time between the first step and the last.
static void units_of_time(void) {
  struct drawn d;
  draw(&d, 10 * US);
  char *text = picture_of(&d.example);
  CHECK(strstr(text, "       us  session 3"));
  CHECK(strstr(text, "\n      100  T1: rolled back\n"));
  free(text);
  draw(&d, S);
  text = picture_of(&d.example);
  CHECK(strstr(text, "        s  session 3"));
  CHECK(strstr(text, "\n    10.00  T1: rolled back\n"));
  free(text);
}

// Nobody knows when, or whether, the transaction ended.
static void an_end_that_is_unknown(void) {
  struct drawn d;
  draw(&d, MS);
  d.txns[0].outcome = "unknown";
  d.txns[0].end = TIME_UNKNOWN;
  expect_picture(&d.example, "");
}

static void no_picture(void) {
  struct drawn d;
  draw(&d, MS);
  d.ops[1].label = "read a name that is much too long for a column";
  expect_picture(&d.example, "");
  draw(&d, MS);
  d.txns[0].begin = d.txns[1].begin = TIME_UNKNOWN;
  d.txns[0].end = d.txns[1].end = TIME_UNKNOWN;
  for (int i = 0; i < 3; i++)
    d.ops[i].begin = d.ops[i].end = TIME_UNKNOWN;
  d.example.timed = false;
  expect_picture(&d.example, "");
}

// Four sessions have columns, five have none.
static void many_sessions(void) {
  enum { MOST = 5 };
  struct example_txn txns[MOST];
  struct example_op ops[MOST];
  struct example e = {.txns = txns,
                      .ops = ops,
                      .timed = true,
                      .read = EXAMPLE_NONE,
                      .other = EXAMPLE_NONE};
  for (uint32_t i = 0; i < MOST; i++) {
    ops[i] = an_op("read", "r", (1 + i) * MS);
    txns[i] = (struct example_txn){.name = "T",
                                   .outcome = "committed",
                                   .session = i,
                                   .begin = i * MS,
                                   .end = (1 + i) * MS,
                                   .first_op = i,
                                   .end_op = i + 1};
  }
  e.ntxns = e.nops = 4;
  char *text = picture_of(&e);
  CHECK(strstr(text, "session 3\n"));
  expect_columns(text);
  free(text);
  e.ntxns = e.nops = MOST;
  expect_picture(&e, "");
}

int main(void) {
  return TAP_RUN({"a violation", a_violation},
                 {"a violation that has no room", no_room}, {"a pass", a_pass},
                 {"a run in figures", a_run_in_figures},
                 {"a requirement that is not met", not_met},
                 {"a run that was not checked", nothing_checked},
                 {"the command to see it again", again},
                 {"columns of two sessions", two_columns},
                 {"units of time", units_of_time},
                 {"an end that is unknown", an_end_that_is_unknown},
                 {"pictures that do not fit", no_picture},
                 {"four sessions and five", many_sessions});
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Why a run is no success, the warnings that stand beside a verdict, and the
// advice about values that nobody wrote.
#include "config.h"

#include "base/memory.h"
#include "recorder/builder/builder.h"
#include "report/shortfall.h"
#include "report/warning.h"
#include "tests/tap.h"

#define SECONDS UINT64_C(1000000000)

static struct code_count a_code(enum cause cause, const char *code,
                                const char *text, uint64_t count) {
  struct code_count c = {.cause = cause, .count = count};
  snprintf(c.code, sizeof c.code, "%s", code);
  snprintf(c.text, sizeof c.text, "%s", text);
  return c;
}

static void expect_errors(const struct run_figures *figures,
                          const char *wanted) {
  char text[SHORTFALL_TEXT] = "old";
  CHECK_INT(shortfall_errors(figures, text, sizeof text), *wanted != '\0');
  CHECK_STR(text, wanted);
}

static void errors_in_words(void) {
  struct code_count codes[] = {
      a_code(CAUSE_SERIALIZATION, "40001", "could not serialize", 50),
      a_code(CAUSE_OTHER, "13", "unable to open", 2),
      a_code(CAUSE_CONNECTION, "", "", 1)};
  struct run_figures figures = {.begun = 120, .codes = codes, .ncodes = 3};
  expect_errors(&figures, "3 of 120 attempts (2.50 %) ended in errors, mostly "
                          "other (13): unable to open");
  figures.ncodes = 2;
  expect_errors(&figures, "2 of 120 attempts (1.67 %) ended in errors, other "
                          "(13): unable to open");
  figures.ncodes = 1; // a refusal is none
  expect_errors(&figures, "");
  figures.codes = codes + 2;
  expect_errors(&figures,
                "1 of 120 attempts (0.83 %) ended in an error, connection "
                "lost");
  figures.ncodes = 0;
  expect_errors(&figures, "");
  codes[1] = a_code(CAUSE_OTHER, "1114", "The table 't' is full", 1500);
  figures =
      (struct run_figures){.begun = 1234567, .codes = codes + 1, .ncodes = 1};
  expect_errors(&figures, "the store was full: 1,500 of 1,234,567 attempts "
                          "(0.12 %) ended in errors, other (1114): The table "
                          "'t' is full");
}

static void a_text_that_has_no_room(void) {
  struct code_count code = a_code(CAUSE_OTHER, "1", "long words", 1);
  const struct run_figures figures = {.begun = 10, .codes = &code, .ncodes = 1};
  char text[9] = "";
  CHECK(shortfall_errors(&figures, text, sizeof text));
  CHECK_STR(text, "1 of 10 ");
}

// One attempt in a hundred may end in an error, and not one more.
static void few_errors(void) {
  struct code_count code = a_code(CAUSE_STATEMENT_TIMEOUT, "", "", 2);
  const struct run_figures figures = {
      .begun = 200, .codes = &code, .ncodes = 1};
  const struct report report = {.command = "run", .figures = &figures};
  struct shortfall s;
  CHECK(!shortfall_of(&report, &s));
  CHECK_INT(s.kind, SHORTFALL_NONE);
  CHECK_STR(s.sentence, "");
  code.count = 3;
  CHECK(shortfall_of(&report, &s));
  CHECK_INT(s.kind, SHORTFALL_ERRORS);
  CHECK_STR(s.word, "ERRORS");
  CHECK_STR(s.name, "errors");
  CHECK_STR(s.sentence, "3 of 200 attempts (1.50 %) ended in errors, statement "
                        "timeout");
}

static void a_signal(void) {
  struct run_figures figures = {
      .end = RUN_STOPPED, .elapsed = 5 * SECONDS / 2, .planned = 10 * SECONDS};
  const struct notice_figures noticed = {.seen = true}, quiet = {.seen = false};
  struct report report = {.command = "run", .figures = &figures};
  char text[SHORTFALL_TEXT] = "";
  CHECK(shortfall_interrupted(&report, text, sizeof text));
  CHECK_STR(text, "by a signal after 2.5 s of the 10.0 s asked for (25 %)");
  figures.planned = 0;
  report.notice = &quiet;
  CHECK(shortfall_interrupted(&report, text, sizeof text));
  CHECK_STR(text, "by a signal after 2.5 s");
  report.notice = &noticed; // the violation was the reason to stop
  CHECK(!shortfall_interrupted(&report, text, sizeof text));
  report.notice = NULL;
  figures.end = RUN_DONE;
  CHECK(!shortfall_interrupted(&report, text, sizeof text));
  report.figures = NULL;
  CHECK(!shortfall_interrupted(&report, text, sizeof text));
}

// The sentence of the model ends a line of its own, without its full stop.
static void a_broken_model(void) {
  static char sum[] = "The sum was 7, not 8.", two[] = "two at once",
              none[] = "";
  struct test_answer answer = {
      .is = {.kind = VERDICT_VIOLATION, .sentence = sum}};
  const struct report report = {.command = "run", .model = &answer};
  struct shortfall s;
  CHECK(shortfall_of(&report, &s));
  CHECK_INT(s.kind, SHORTFALL_MODEL);
  CHECK_STR(s.word, "VIOLATION");
  CHECK_STR(s.name, "model");
  CHECK_STR(s.sentence, "The sum was 7, not 8");
  answer.is.sentence = two;
  CHECK(shortfall_of(&report, &s));
  CHECK_STR(s.sentence, "two at once");
  answer.is.sentence = none;
  CHECK(shortfall_of(&report, &s));
  CHECK_STR(s.sentence, "");
  answer.is.kind = VERDICT_UNDECIDED;
  CHECK(!shortfall_of(&report, &s));
  answer.is.kind = VERDICT_PASS;
  CHECK(!shortfall_of(&report, &s));
}

static struct invariant *count_rows(void) {
  static const struct workload_options options = {
      .seed = 1, .nsessions = 1, .nkeys = 10};
  struct error error = {0};
  const struct workload *workload = workload_find("predicate", &error);
  struct invariant *invariant =
      workload ? invariant_open(workload, &options, "SELECT COUNT(*) FROM t1",
                                12, false, &error)
               : NULL;
  if (!CHECK(invariant != NULL))
    printf("# %s\n", error.text);
  return invariant;
}

static void a_broken_invariant(void) {
  struct invariant *invariant = count_rows();
  struct run_figures figures = {.invariant = {.checked = 40,
                                              .broken = 3,
                                              .first_at = 3 * SECONDS / 2,
                                              .first = {.words = "-5"}}};
  struct report report = {
      .command = "run", .figures = &figures, .invariant = invariant};
  struct shortfall s;
  if (!invariant)
    return;
  CHECK(shortfall_of(&report, &s));
  CHECK_INT(s.kind, SHORTFALL_INVARIANT);
  CHECK_STR(s.word, "VIOLATION");
  CHECK_STR(s.sentence,
            "SELECT COUNT(*) FROM t1 was -5, not 12, first "
            "1.500000 s after the start; 3 of 40 transactions saw another "
            "number");
  figures.invariant.first = (struct invariant_answer){.words = "NULL"};
  CHECK(shortfall_of(&report, &s));
  CHECK(strstr(s.sentence, "t1 was NULL, not 12, first "));
  figures.invariant.broken = 0;
  CHECK(!shortfall_of(&report, &s));
  figures.invariant.broken = 3;
  report.invariant = NULL;
  CHECK(!shortfall_of(&report, &s));
  invariant_close(invariant);
}

// Where several are so, the gravest one is told.
static void the_gravest_first(void) {
  static char no[] = "No.";
  struct invariant *invariant = count_rows();
  struct code_count code = a_code(CAUSE_OTHER, "", "", 90);
  struct run_figures figures = {.end = RUN_STOPPED,
                                .begun = 100,
                                .codes = &code,
                                .ncodes = 1,
                                .invariant = {.checked = 1, .broken = 1}};
  struct test_answer answer = {
      .is = {.kind = VERDICT_VIOLATION, .sentence = no}};
  struct report report = {.command = "run",
                          .figures = &figures,
                          .invariant = invariant,
                          .model = &answer,
                          .trouble = "the disk is gone"};
  struct shortfall s;
  CHECK(shortfall_of(&report, &s));
  CHECK_INT(s.kind, SHORTFALL_TROUBLE);
  CHECK_STR(s.word, "TROUBLE");
  CHECK_STR(s.sentence, "the disk is gone");
  report.trouble = NULL;
  CHECK(shortfall_of(&report, &s));
  CHECK_INT(s.kind, SHORTFALL_INVARIANT);
  report.invariant = NULL;
  CHECK(shortfall_of(&report, &s));
  CHECK_INT(s.kind, SHORTFALL_MODEL);
  report.model = NULL;
  CHECK(shortfall_of(&report, &s));
  CHECK_INT(s.kind, SHORTFALL_INTERRUPTED);
  figures.end = RUN_DONE;
  CHECK(shortfall_of(&report, &s));
  CHECK_INT(s.kind, SHORTFALL_ERRORS);
  invariant_close(invariant);
}

// ---- Warnings

static void expect_warnings(const struct report *report, const char *first,
                            const char *second) {
  struct arena arena = {0};
  const char *const *warnings = warnings_of(report, &arena);
  const char *const wanted[] = {first, second, NULL};
  for (int i = 0; i < 3; i++) {
    CHECK_INT(warnings[i] != NULL, wanted[i] != NULL);
    if (!warnings[i] || !wanted[i])
      break;
    CHECK_STR(warnings[i], wanted[i]);
  }
  arena_free(&arena);
}

static void many_aborts(void) {
  struct verdict verdict = {
      .kind = VERDICT_PASS,
      .counts = {.committed = 30, .aborted = 51, .unknown = 19}};
  struct code_count code = a_code(CAUSE_OTHER, "", "", 51);
  const struct run_figures errors = {.begun = 100, .codes = &code, .ncodes = 1};
  struct report report = {.command = "check", .verdict = &verdict};
  static const char told[] =
      "51.0 % of the attempts (51 of 100) were aborted, so that fewer "
      "transactions could show an anomaly; more --keys or fewer --clients let "
      "more of them commit.";
  expect_warnings(&report, told, NULL);
  verdict.kind = VERDICT_UNDECIDED;
  expect_warnings(&report, told, NULL);
  report.figures = &errors; // the errors are told instead
  expect_warnings(&report, NULL, NULL);
  report.figures = NULL;
  verdict.kind = VERDICT_VIOLATION;
  expect_warnings(&report, NULL, NULL);
  verdict = (struct verdict){.counts = {.committed = 50, .aborted = 50}};
  expect_warnings(&report, NULL, NULL); // a half is not more than a half
  verdict.counts = (struct verdict_counts){0};
  expect_warnings(&report, NULL, NULL); // of nothing
  report.verdict = NULL;
  expect_warnings(&report, NULL, NULL);
}

// A pass at serializability of a history with times; all anomalies but those
// named had chances.
struct warned_run {
  struct report report;
  struct history history;
  struct verdict verdict;
  struct run_figures figures;
  struct chances chances;
};

static void open_run(struct warned_run *w, const char *const *missing) {
  *w = (struct warned_run){
      .verdict = {.kind = VERDICT_PASS,
                  .question = {.level = ISOLATION_SER, .session_order = true}},
      .chances = {.timed = true, .all = true, .overlaps = 1000},
      .report = {.command = "run", .workload = "mt", .clients = 8}};
  for (uint32_t i = 0; i < CHANCE_KINDS; i++) {
    w->chances.low[i] = w->chances.high[i] = 9;
    for (const char *const *m = missing; *m; m++)
      if (!strcmp(*m, chance_kind(i)->anomaly))
        w->chances.low[i] = w->chances.high[i] = 0;
  }
  w->report.history = &w->history;
  w->report.verdict = &w->verdict;
  w->report.figures = &w->figures;
  w->report.chances = &w->chances;
}

static void no_chance(void) {
  static const char *const lost[] = {"LostUpdate", NULL}, *const none[] = {
                                                              NULL};
  struct warned_run w;
  open_run(&w, none);
  expect_warnings(&w.report, NULL, NULL);
  open_run(&w, lost);
  expect_warnings(&w.report,
                  "There was no chance of lost update. With --aim=LostUpdate "
                  "there can be.",
                  NULL);
  w.chances.overlaps = 999;
  expect_warnings(&w.report,
                  "There was no chance of lost update: transactions of two "
                  "sessions overlapped 999 times. More --transactions or "
                  "--time lets more of them overlap.",
                  NULL);
  w.report.clients = 1;
  expect_warnings(&w.report,
                  "There was no chance of lost update, which takes more "
                  "sessions. With --clients=2 there can be.",
                  NULL);
  w.verdict.counts = (struct verdict_counts){.committed = 1, .aborted = 2};
  expect_warnings(&w.report,
                  "66.7 % of the attempts (2 of 3) were aborted, so that fewer "
                  "transactions could show an anomaly; more --keys or fewer "
                  "--clients let more of them commit.",
                  "There was no chance of lost update, which takes more "
                  "sessions. With --clients=2 there can be.");
}

// The anomaly that people ask about first comes first, three are named, and an
// option stands once.
static void several_without_a_chance(void) {
  static const char *const all[] = {"LongFork", "WriteSkew", "LostUpdate",
                                    "FracturedRead", NULL},
                           *const two[] = {"LongFork", "LostUpdate", NULL};
  struct warned_run w;
  open_run(&w, all);
  w.report.clients = 1;
  expect_warnings(&w.report,
                  "There was no chance of lost update, write skew, fractured "
                  "read and others, which takes more sessions. With "
                  "--clients=2 there can be.",
                  NULL);
  open_run(&w, all + 1); // three, and no others
  w.report.clients = 1;
  expect_warnings(&w.report,
                  "There was no chance of lost update, write skew, fractured "
                  "read, which takes more sessions. With --clients=2 there can "
                  "be.",
                  NULL);
  open_run(&w, all);
  w.report.clients = 2; // a long fork alone takes more
  expect_warnings(&w.report,
                  "There was no chance of long fork, which takes more "
                  "sessions. With --clients=3 there can be.",
                  NULL);
  open_run(&w, two);
  expect_warnings(&w.report,
                  "There was no chance of lost update, long fork. With "
                  "--aim=LostUpdate, --aim=LongFork there can be.",
                  NULL);
}

static void without_a_chance_by_choice(void) {
  static const char *const lost[] = {"LostUpdate", NULL};
  struct report_setting settings[] = {
      {"keys", "5", NULL}, {"aim", "WriteSkew", NULL}, {NULL, NULL, NULL}};
  struct warned_run w;
  open_run(&w, lost);
  w.report.settings = settings;
  expect_warnings(&w.report, NULL, NULL);
  settings[1].name = "shares";
  expect_warnings(&w.report, NULL, NULL);
  settings[1].value = "";
  expect_warnings(&w.report,
                  "There was no chance of lost update. With --aim=LostUpdate "
                  "there can be.",
                  NULL);
  w.report.workload = "append"; // which has no option for it
  expect_warnings(&w.report, NULL, NULL);
  open_run(&w, lost);
  w.report.figures = NULL; // a check, where nothing can be chosen
  expect_warnings(&w.report, NULL, NULL);
  open_run(&w, lost);
  w.verdict.question.level = ISOLATION_RC; // which permits lost updates
  expect_warnings(&w.report, NULL, NULL);
}

// ---- Values that nobody wrote

// The advice about a history in which each key is read once, as these values.
static char *suspicion_of(const uint64_t *values, uint32_t n, uint64_t written,
                          const struct run_figures *figures) {
  struct builder *b = builder_open();
  struct history history;
  struct verdict verdict;
  struct error error = {0};
  char sentence[SUSPICION_ROOM];
  for (uint32_t i = 0; i < n; i++) {
    builder_txn(b, i, OUTCOME_OK, ISOLATION_SER, TIME_UNKNOWN, TIME_UNKNOWN);
    builder_op(b, OP_READ, i, values[i]);
  }
  builder_txn(b, n, OUTCOME_OK, ISOLATION_SER, TIME_UNKNOWN, TIME_UNKNOWN);
  builder_op(b, OP_WRITE, n, written);
  CHECK_INT(builder_finish(b, &history, &error), 0);
  const struct check_options options = {
      .question = {.level = ISOLATION_RC, .session_order = true}};
  CHECK_INT(check(&history, &options, &verdict, &error), 0);
  const struct report report = {.command = "check",
                                .figures = figures,
                                .history = &history,
                                .verdict = &verdict};
  const char *said = report_suspicion(&report, sentence);
  char *copy = said ? xstrdup(said) : NULL;
  verdict_free(&verdict);
  history_free(&history);
  return copy;
}

static void expect_suspicion(const uint64_t *values, uint32_t n,
                             uint64_t written,
                             const struct run_figures *figures,
                             const char *wanted) {
  char *said = suspicion_of(values, n, written, figures);
  CHECK_INT(said != NULL, wanted != NULL);
  if (said && wanted)
    CHECK_STR(said, wanted);
  free(said);
}

static void values_from_thin_air(void) {
  static const uint64_t alike[] = {99, 99}, three[] = {5, 6, 7};
  static const struct run_figures figures;
  expect_suspicion(alike, 2, 1, NULL,
                   "All values that were read and that nobody wrote are 99. If "
                   "keys held 99 before the history began, check it with "
                   "--init=99.");
  expect_suspicion(alike, 2, 99, NULL,
                   "All values that were read and that nobody wrote are 99. If "
                   "keys held 99 before the history began, check it with "
                   "--init=99 --duplicate-values=allow.");
  expect_suspicion(three, 3, 1, NULL,
                   "Most values that nobody wrote were there when their keys "
                   "were first read. If the store held data before the history "
                   "began, check it with --init=first-read.");
  expect_suspicion(three, 2, 1, NULL, NULL); // two are no sign of a start
  expect_suspicion(three, 0, 1, NULL, NULL); // a pass
  expect_suspicion(three, 1, 1, &figures,
                   "No session of this run wrote what was read: another "
                   "program may be writing to these tables. Make sure that "
                   "none does, and run again.");
}

int main(void) {
  return TAP_RUN(
      {"errors in words", errors_in_words},
      {"a text that has no room is cut", a_text_that_has_no_room},
      {"one attempt in a hundred may fail", few_errors},
      {"a run that a signal ended", a_signal},
      {"a broken model", a_broken_model},
      {"a broken invariant", a_broken_invariant},
      {"the gravest is told", the_gravest_first},
      {"a warning of aborts", many_aborts},
      {"a warning of an anomaly without a chance", no_chance},
      {"several anomalies without a chance", several_without_a_chance},
      {"no warning where the user chose so", without_a_chance_by_choice},
      {"advice about values that nobody wrote", values_from_thin_air});
}

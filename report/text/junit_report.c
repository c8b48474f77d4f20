// SPDX-License-Identifier: GPL-3.0-or-later
// Runs and checks as JUnit tests (report/text/junit.h).
#include "config.h"

#include "report/text/junit.h"

#include "base/memory.h"
#include "report/durable.h"
#include "report/model.h"
#include "report/shortfall.h"
#include "report/text/text.h"
#include "report/words/quantity.h"
#include "report/words/title.h"

#include <stdlib.h>
#include <string.h>

// Whether the invariant and the promise of a test were kept are tests of their
// own.
static bool ended_badly(const struct report *r, struct shortfall *shortfall) {
  return r->verdict && r->verdict->kind == VERDICT_PASS &&
         shortfall_of(r, shortfall) &&
         (shortfall->kind == SHORTFALL_INTERRUPTED ||
          shortfall->kind == SHORTFALL_UNHARMED ||
          shortfall->kind == SHORTFALL_ERRORS);
}

// Where nothing is promised, a broken level is no failure.
static bool keeps_none(const struct report *r) {
  return r->verdict && r->verdict->kind == VERDICT_VIOLATION &&
         report_is_open(r) && !report_breaks_promise(r);
}

static enum junit_ending ending_of_test(const struct report *r) {
  struct shortfall shortfall;
  return r->trouble || ended_badly(r, &shortfall) ? JUNIT_ERROR
         : keeps_none(r)                          ? JUNIT_PASSED
         : r->verdict ? junit_ending_of(r->verdict->kind)
                      : JUNIT_SKIPPED;
}

// The message, which is the first line, says whether the level allows it.
static char *add_promise(char *text, const char *promised) {
  const size_t first = strcspn(text, "\n");
  char *both = xasprintf("%.*s Promised: %s.%s", (int)first, text, promised,
                         text + first);
  free(text);
  return both;
}

// The verdict in words.
static char *junit_words_of(const struct report *r) {
  char *text;
  size_t bytes;
  if (r->trouble)
    return xstrdup(r->trouble);
  if (!r->verdict)
    return xstrdup("nothing was checked");
  FILE *out = text_stream(&text, &bytes);
  struct shortfall shortfall;
  if (ended_badly(r, &shortfall))
    fprintf(out, "%s: %s.\n", shortfall.word, shortfall.sentence);
  report_verdict(out, r);
  fclose(out);
  const char *promised = text_promised(r);
  return promised ? add_promise(text, promised) : text;
}

// A test with the text that it has no other use for.
static void put_junit_test(FILE *tests, struct junit_test test, char *text) {
  test.text = text;
  junit_put_test(tests, &test);
  free(text);
}

// The time of the run and of its check.
static double seconds_of(const struct report *r) {
  return r->check_seconds +
         (r->figures ? quantity_seconds(r->figures->elapsed) : 0);
}

// The level that was asked about, not the one that the database was set to.
static void put_junit_level(FILE *tests, struct junit_test test,
                            const struct report *r) {
  char title[TITLE_ROOM];
  char *name =
      keeps_none(r)
          ? xstrdup("the level, which promises nothing, is kept")
          : xasprintf("%s is kept", r->verdict ? title_of(r->verdict, title)
                                    : r->asked ? r->asked
                                               : "the level");
  test.name = name;
  test.seconds = seconds_of(r);
  test.ending = ending_of_test(r);
  put_junit_test(tests, test, junit_words_of(r));
  free(name);
}

// As the exit status: one that no transaction checked is undecided.
static enum junit_ending
ending_of_invariant(const struct invariant_figures *f) {
  return f->broken ? JUNIT_FAILURE : f->checked ? JUNIT_PASSED : JUNIT_ERROR;
}

static void put_invariant(FILE *tests, struct junit_test test,
                          const struct report *r) {
  char *words;
  size_t bytes;
  if (!r->invariant || !r->figures)
    return;
  FILE *out = text_stream(&words, &bytes);
  text_put_invariant(out, r);
  fclose(out);
  test.name = "the invariant holds";
  test.ending = ending_of_invariant(&r->figures->invariant);
  put_junit_test(tests, test, words);
}

static void put_model(FILE *tests, struct junit_test test,
                      const struct report *r) {
  char *words;
  size_t bytes;
  if (!r->model)
    return;
  FILE *out = text_stream(&words, &bytes);
  model_put_text(out, r->model);
  fclose(out);
  test.name = "the model of the workload holds";
  test.ending = junit_ending_of(r->model->is.kind);
  put_junit_test(tests, test, words);
}

// As the exit status: what is allowed, or may be late, is no failure.
static void put_durability(FILE *tests, struct junit_test test,
                           const struct report *r) {
  char *words;
  size_t bytes;
  if (!r->durable || r->durable->is.kind == VERDICT_UNDECIDED)
    return;
  FILE *out = text_stream(&words, &bytes);
  durable_put_text(out, r);
  fclose(out);
  memmove(words, words + strspn(words, "\n"),
          strlen(words + strspn(words, "\n")) + 1); // the message is line 1
  test.name = "no acknowledged write is lost";
  test.ending = r->durable->loss == LOSS_AGAINST_PROMISE ? JUNIT_FAILURE
                : r->durable->loss >= LOSS_UNSETTLED     ? JUNIT_SKIPPED
                                                         : JUNIT_PASSED;
  put_junit_test(tests, test, words);
}

static void put_junit_requirements(FILE *tests, struct junit_test test,
                                   const struct report *r) {
  for (uint32_t i = 0; i < r->nrequirements; i++) {
    const struct report_requirement *q = &r->requirements[i];
    test.name = q->text;
    test.ending = q->met ? JUNIT_PASSED : JUNIT_FAILURE;
    put_junit_test(tests, test,
                   xasprintf("%s was required, and it is %s", q->text, q->is));
  }
}

void junit_put_report(FILE *tests, const char *group,
                      const struct report *report, const char *page) {
  const struct junit_test test = {.group = group, .page = page};
  put_junit_level(tests, test, report);
  put_invariant(tests, test, report);
  put_model(tests, test, report);
  put_durability(tests, test, report);
  put_junit_requirements(tests, test, report);
}

char *junit_suite_of_run(const char *name, const struct report *report) {
  char *page = report->directory && !report->unwritten
                   ? xasprintf("%s/report.html", report->directory)
                   : NULL;
  char *tests;
  size_t bytes;
  FILE *out = text_stream(&tests, &bytes);
  junit_put_report(out, name, report, page);
  fclose(out);
  const struct junit_property properties[] = {
      {"program", PACKAGE_STRING},
      {"target", report->target},
      {"server", report->figures ? report->figures->server : NULL},
      {"workload", report->workload},
      {"isolation", report->level},
      {"page", page},
      {"history", report->history_path},
      {NULL, NULL}};
  char *suite = junit_suite(name, properties, tests, bytes);
  free(tests);
  free(page);
  return suite;
}

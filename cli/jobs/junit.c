// SPDX-License-Identifier: GPL-3.0-or-later
// Writes runs as JUnit test suites (cli/jobs/junit.h).  Of the format's
// dialects this is the part that Jenkins, GitLab and GitHub's actions read.
#include "config.h"

#include "cli/jobs/junit.h"

#include "base/memory.h"
#include "base/utf8.h"
#include "base/whole_file.h"
#include "report/model.h"
#include "report/quantity.h"
#include "report/shortfall.h"
#include "report/text.h"
#include "report/title.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum ending { PASSED, FAILURE, TROUBLED, SKIPPED, ENDINGS };

struct suite {
  const char *name;
  const struct report *report;
  FILE *tests; // as XML
  uint32_t count[ENDINGS];
};

// ---- Tests

// A message is one line.
static void put_first_line(FILE *out, const char *text) {
  char *line = xasprintf("%.*s", (int)strcspn(text, "\n"), text);
  put_markup(out, line);
  free(line);
}

// A test that took so long.  The first line of `text` is the message of one
// that did not pass, and all of it the body.
static void put_test(struct suite *s, const char *name, double seconds,
                     enum ending ending, const char *text) {
  static const char *const tags[] = {
      [FAILURE] = "failure", [TROUBLED] = "error", [SKIPPED] = "skipped"};
  FILE *out = s->tests;
  s->count[ending]++;
  fputs("    <testcase classname=\"", out);
  put_markup(out, s->name);
  fputs("\" name=\"", out);
  put_markup(out, name);
  fprintf(out, "\" time=\"%.3f\"", seconds);
  if (ending == PASSED) {
    fputs("/>\n", out);
    return;
  }
  fprintf(out, ">\n      <%s message=\"", tags[ending]);
  put_first_line(out, text);
  fputs("\">", out);
  put_markup(out, text);
  if (s->report->directory) {
    fputs("\npage: ", out);
    put_markup(out, s->report->directory);
    fputs("/report.html\n", out);
  }
  fprintf(out, "</%s>\n    </testcase>\n", tags[ending]);
}

// Whether the invariant and the promise of a test were kept are tests of their
// own.
static bool ended_badly(const struct report *r, struct shortfall *shortfall) {
  return r->verdict && r->verdict->kind == VERDICT_PASS &&
         shortfall_of(r, shortfall) &&
         (shortfall->kind == SHORTFALL_INTERRUPTED ||
          shortfall->kind == SHORTFALL_ERRORS);
}

// Where nothing is promised, a broken level is no failure.
static bool keeps_none(const struct report *r) {
  return r->verdict && r->verdict->kind == VERDICT_VIOLATION &&
         report_is_open(r) && !report_breaks_promise(r);
}

static enum ending ending_of(const struct report *r) {
  static const enum ending endings[] = {[VERDICT_PASS] = PASSED,
                                        [VERDICT_VIOLATION] = FAILURE,
                                        [VERDICT_UNDECIDED] = TROUBLED};
  struct shortfall shortfall;
  return r->trouble || ended_badly(r, &shortfall) ? TROUBLED
         : keeps_none(r)                          ? PASSED
         : r->verdict                             ? endings[r->verdict->kind]
                                                  : SKIPPED;
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
static char *words_of(const struct report *r) {
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

// The level that was asked about, not the one that the database was set to.
static void put_level(struct suite *s) {
  const struct report *r = s->report;
  char title[TITLE_ROOM], *words = words_of(r);
  char *name =
      keeps_none(r)
          ? xstrdup("the level, which promises nothing, is kept")
          : xasprintf("%s is kept",
                      r->verdict ? title_of(r->verdict, title) : "the level");
  put_test(s, name, r->check_seconds, ending_of(r), words);
  free(name);
  free(words);
}

static void put_invariant(struct suite *s) {
  const struct report *r = s->report;
  char *words;
  size_t bytes;
  if (!r->invariant || !r->figures)
    return;
  FILE *out = text_stream(&words, &bytes);
  text_put_invariant(out, r);
  fclose(out);
  put_test(s, "the invariant holds", 0,
           r->figures->invariant.broken ? FAILURE : PASSED, words);
  free(words);
}

static void put_model(struct suite *s) {
  const struct report *r = s->report;
  char *words;
  size_t bytes;
  if (!r->model)
    return;
  FILE *out = text_stream(&words, &bytes);
  model_put_text(out, r->model);
  fclose(out);
  const enum verdict_kind kind = r->model->is.kind;
  put_test(s, "the model of the workload holds", 0,
           kind == VERDICT_PASS        ? PASSED
           : kind == VERDICT_VIOLATION ? FAILURE
                                       : TROUBLED,
           words);
  free(words);
}

static void put_requirements(struct suite *s) {
  const struct report *r = s->report;
  for (uint32_t i = 0; i < r->nrequirements; i++) {
    const struct report_requirement *q = &r->requirements[i];
    char *words = xasprintf("%s was required, and it is %s", q->text, q->is);
    put_test(s, q->text, 0, q->met ? PASSED : FAILURE, words);
    free(words);
  }
}

// ---- Suites

static void put_property(FILE *out, const char *name, const char *value) {
  if (!value || !*value)
    return;
  fputs("      <property name=\"", out);
  put_markup(out, name);
  fputs("\" value=\"", out);
  put_markup(out, value);
  fputs("\"/>\n", out);
}

static void put_properties(FILE *out, const struct report *r) {
  char *page = r->directory ? xasprintf("%s/report.html", r->directory) : NULL;
  const struct {
    const char *name, *value;
  } properties[] = {{"program", "isostress " PACKAGE_VERSION},
                    {"target", r->target},
                    {"server", r->figures ? r->figures->server : NULL},
                    {"workload", r->workload},
                    {"isolation", r->level},
                    {"page", page},
                    {"history", r->history_path}};
  fputs("    <properties>\n", out);
  for (size_t i = 0; i < sizeof properties / sizeof *properties; i++)
    put_property(out, properties[i].name, properties[i].value);
  fputs("    </properties>\n", out);
  free(page);
}

// The time of the run and of its check.
static double seconds_of(const struct report *r) {
  return r->check_seconds +
         (r->figures ? quantity_seconds(r->figures->elapsed) : 0);
}

char *junit_suite(const char *name, const struct report *report) {
  struct suite s = {.name = name, .report = report};
  char *tests, *text;
  size_t bytes;
  s.tests = text_stream(&tests, &bytes);
  put_level(&s);
  put_invariant(&s);
  put_model(&s);
  put_requirements(&s);
  fclose(s.tests);
  FILE *out = text_stream(&text, &bytes);
  fputs("  <testsuite name=\"", out);
  put_markup(out, name);
  fprintf(out,
          "\" tests=\"%" PRIu32 "\" failures=\"%" PRIu32 "\" errors=\"%" PRIu32
          "\" skipped=\"%" PRIu32 "\" time=\"%.3f\">\n",
          s.count[PASSED] + s.count[FAILURE] + s.count[TROUBLED] +
              s.count[SKIPPED],
          s.count[FAILURE], s.count[TROUBLED], s.count[SKIPPED],
          seconds_of(report));
  put_properties(out, report);
  fputs(tests, out);
  fputs("  </testsuite>\n", out);
  fclose(out);
  free(tests);
  return text;
}

struct suites {
  char *const *texts;
  uint32_t count;
};

static void put_suites(FILE *out, const void *context) {
  const struct suites *suites = context;
  fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", out);
  for (uint32_t i = 0; i < suites->count; i++)
    if (suites->texts[i])
      fputs(suites->texts[i], out);
  fputs("</testsuites>\n", out);
}

int junit_write(const char *path, char *const *suites, uint32_t nsuites,
                struct error *error) {
  const struct suites all = {suites, nsuites};
  return whole_file_write(path, put_suites, &all, error);
}

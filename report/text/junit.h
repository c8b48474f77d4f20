// SPDX-License-Identifier: GPL-3.0-or-later
// Results as JUnit test suites, which CI systems show.  A suite has tests, and
// every command makes its own: a run for its level and its requirements, a
// check for each history and level, a scorecard for each cell, a sweep for each
// of its runs.
#ifndef REPORT_TEXT_JUNIT_H
#define REPORT_TEXT_JUNIT_H

#include "report/report.h"
#include "report/words/guarantees.h"

#include <stdio.h>

enum junit_ending {
  JUNIT_PASSED,
  JUNIT_FAILURE,
  JUNIT_ERROR,
  JUNIT_SKIPPED,
  JUNIT_ENDINGS
};

// A test that took so long.  The first line of `text` is the message of one
// that did not pass, and all of it the body.
struct junit_test {
  const char *group, *name; // the class of the format, and the name in it
  double seconds;
  enum junit_ending ending;
  const char *text;
  const char *page; // that tells more; NULL: none
};

struct junit_property {
  const char *name, *value; // value NULL or empty: left out
};

// Appends the test to tests for junit_suite.  They are bytes, so that a process
// can hand them to another one.
void junit_put_test(FILE *tests, const struct junit_test *test);

// The suite of such tests as XML; to be freed.  The last property has no name.
char *junit_suite(const char *name, const struct junit_property *properties,
                  const char *tests, size_t bytes);

// Appends the tests of what is known of a run or a check: its level, its
// invariant or model, and each requirement.
void junit_put_report(FILE *tests, const char *group,
                      const struct report *report, const char *page);

// The suite of a run; to be freed.
char *junit_suite_of_run(const char *name, const struct report *report);

// The suite of a scorecard: for each level a test of every anomaly, and one of
// the load; to be freed.
char *junit_suite_of_scorecard(const struct guarantees *guarantees,
                               const char *page);

// How a verdict ends its test.
enum junit_ending junit_ending_of(enum verdict_kind kind);

// Writes that many suites; NULL among them is none.  -1 with a sentence that
// names the file.
int junit_write(const char *path, char *const *suites, uint32_t nsuites,
                struct error *error);

#endif

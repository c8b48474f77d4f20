// SPDX-License-Identifier: GPL-3.0-or-later
// Tests, suites and their file (report/text/junit.h).  Of the format's dialects
// this is the part that Jenkins, GitLab and GitHub's actions read.
#include "config.h"

#include "report/text/junit.h"

#include "base/memory.h"
#include "base/utf8.h"
#include "base/whole_file.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// Before the XML of each test.
struct junit_head {
  double seconds;
  size_t bytes;
  enum junit_ending ending;
};

static void put_attribute(FILE *out, const char *name, const char *value) {
  fprintf(out, " %s=\"", name);
  put_markup(out, value);
  putc('"', out);
}

// A message is one line.
static void put_message(FILE *out, const char *text) {
  char *line = xasprintf("%.*s", (int)strcspn(text, "\n"), text);
  put_attribute(out, "message", line);
  free(line);
}

// Line by line, because markup has no line ends.
static void put_body(FILE *out, const char *text) {
  while (*text) {
    const size_t n = strcspn(text, "\n");
    char *line = xasprintf("%.*s", (int)n, text);
    put_markup(out, line);
    free(line);
    text += n;
    if (*text && *++text)
      putc('\n', out);
  }
}

static void put_xml(FILE *out, const struct junit_test *test) {
  static const char *const tags[] = {[JUNIT_FAILURE] = "failure",
                                     [JUNIT_ERROR] = "error",
                                     [JUNIT_SKIPPED] = "skipped"};
  fputs("    <testcase", out);
  put_attribute(out, "classname", test->group);
  put_attribute(out, "name", test->name);
  fprintf(out, " time=\"%.3f\"", test->seconds);
  if (test->ending == JUNIT_PASSED) {
    fputs("/>\n", out);
    return;
  }
  fprintf(out, ">\n      <%s", tags[test->ending]);
  put_message(out, test->text);
  putc('>', out);
  put_body(out, test->text);
  if (test->page) {
    fputs("\npage: ", out);
    put_markup(out, test->page);
    putc('\n', out);
  }
  fprintf(out, "</%s>\n    </testcase>\n", tags[test->ending]);
}

void junit_put_test(FILE *tests, const struct junit_test *test) {
  struct junit_head head = {.seconds = test->seconds, .ending = test->ending};
  char *xml;
  FILE *out = text_stream(&xml, &head.bytes);
  put_xml(out, test);
  fclose(out);
  fwrite(&head, sizeof head, 1, tests);
  fwrite(xml, 1, head.bytes, tests);
  free(xml);
}

enum junit_ending junit_ending_of(enum verdict_kind kind) {
  static const enum junit_ending endings[] = {
      [VERDICT_PASS] = JUNIT_PASSED,
      [VERDICT_VIOLATION] = JUNIT_FAILURE,
      [VERDICT_UNDECIDED] = JUNIT_ERROR};
  return endings[kind];
}

// ---- Suites

struct sums {
  uint32_t count[JUNIT_ENDINGS];
  double seconds;
};

// Writes the XML of all tests and adds them up.
static void put_junit_tests(FILE *out, const char *tests, size_t bytes,
                            struct sums *sums) {
  struct junit_head head;
  for (size_t at = 0; at + sizeof head <= bytes; at += head.bytes) {
    memcpy(&head, tests + at, sizeof head);
    at += sizeof head;
    assert(at + head.bytes <= bytes && head.ending < JUNIT_ENDINGS);
    sums->count[head.ending]++;
    sums->seconds += head.seconds;
    fwrite(tests + at, 1, head.bytes, out);
  }
}

static void put_properties(FILE *out, const struct junit_property *properties) {
  fputs("    <properties>\n", out);
  for (; properties->name; properties++) {
    if (!properties->value || !*properties->value)
      continue;
    fputs("      <property", out);
    put_attribute(out, "name", properties->name);
    put_attribute(out, "value", properties->value);
    fputs("/>\n", out);
  }
  fputs("    </properties>\n", out);
}

char *junit_suite(const char *name, const struct junit_property *properties,
                  const char *tests, size_t bytes) {
  struct sums sums = {0};
  char *xml, *text;
  size_t n;
  FILE *out = text_stream(&xml, &n);
  put_junit_tests(out, tests, bytes, &sums);
  fclose(out);
  uint32_t all = 0;
  for (int i = 0; i < JUNIT_ENDINGS; i++)
    all += sums.count[i];
  out = text_stream(&text, &n);
  fputs("  <testsuite", out);
  put_attribute(out, "name", name);
  fprintf(out,
          " tests=\"%" PRIu32 "\" failures=\"%" PRIu32 "\" errors=\"%" PRIu32
          "\" skipped=\"%" PRIu32 "\" time=\"%.3f\">\n",
          all, sums.count[JUNIT_FAILURE], sums.count[JUNIT_ERROR],
          sums.count[JUNIT_SKIPPED], sums.seconds);
  put_properties(out, properties);
  fputs(xml, out);
  fputs("  </testsuite>\n", out);
  fclose(out);
  free(xml);
  return text;
}

// ---- The file

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

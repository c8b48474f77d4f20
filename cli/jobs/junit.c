// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a run as a JUnit test suite (cli/jobs/junit.h).
#include "config.h"

#include "cli/jobs/junit.h"

#include "base/memory.h"
#include "base/utf8.h"
#include "base/whole_file.h"

#include <stdlib.h>

struct suite {
  const char *name;
  const struct report *report;
  const struct requirements *requirements;
};

// A test; `kind` is "failure", "error" or "skipped", NULL: it passed.
static void put_test(FILE *out, const struct suite *s, const char *name,
                     const char *kind, const char *text) {
  fputs("  <testcase classname=\"", out);
  put_markup(out, s->name);
  fputs("\" name=\"", out);
  put_markup(out, name);
  fputs("\"", out);
  if (!kind) {
    fputs("/>\n", out);
    return;
  }
  fprintf(out, "><%s message=\"", kind);
  put_markup(out, text);
  fprintf(out, "\"/></testcase>\n");
}

static const char *kind_of(const struct report *r) {
  if (r->trouble)
    return "error";
  if (!r->verdict)
    return "skipped";
  return r->verdict->kind == VERDICT_PASS        ? NULL
         : r->verdict->kind == VERDICT_VIOLATION ? "failure"
                                                 : "error";
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
  report_verdict(out, r);
  fclose(out);
  return text;
}

static void put_level(FILE *out, const struct suite *s) {
  char *words = words_of(s->report);
  char *name = xasprintf("%s is kept",
                         s->report->level ? s->report->level : "the level");
  put_test(out, s, name, kind_of(s->report), words);
  free(name);
  free(words);
}

static void put_requirement(FILE *out, const struct suite *s,
                            const struct requirement *r) {
  char is[REQUIREMENT_TEXT];
  if (!s->report->figures) {
    put_test(out, s, r->text, "error", "the run did not take place");
    return;
  }
  const bool met = requirement_is_met(r, s->report->figures, is);
  put_test(out, s, r->text, met ? NULL : "failure", is);
}

static void put_suite(FILE *out, const void *context) {
  const struct suite *s = context;
  fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"", out);
  put_markup(out, s->name);
  fprintf(out, "\" tests=\"%u\">\n", s->requirements->n + 1);
  put_level(out, s);
  for (uint32_t i = 0; i < s->requirements->n; i++)
    put_requirement(out, s, &s->requirements->all[i]);
  fputs("</testsuite>\n", out);
}

int junit_write(const char *path, const char *name, const struct report *report,
                const struct requirements *requirements, struct error *error) {
  const struct suite suite = {name, report, requirements};
  return whole_file_write(path, put_suite, &suite, error);
}

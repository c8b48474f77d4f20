// SPDX-License-Identifier: GPL-3.0-or-later
// For tests of what is made of stored reports: reports that are written down in
// the test.
#ifndef TESTS_KIT_REPORT_TEXT_H
#define TESTS_KIT_REPORT_TEXT_H

#include "report/stored.h"
#include "tests/tap.h"

// The report with these members, in single quotes; it is to be freed.
static inline struct stored report_of_text(const char *members) {
  struct stored stored;
  struct error error = {0};
  char *text;
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  fprintf(out, "{\"schema\": \"isostress-report/1\", %s}", members);
  fclose(out);
  for (char *c = text; *c; c++)
    *c = *c == '\'' ? '"' : *c;
  if (!CHECK(!stored_of_bytes(&stored, "test", text, bytes, &error)))
    printf("# %s\n# %s\n", error.text, text);
  free(text);
  return stored;
}

// A counterexample with nothing but what a report needs.
#define REPORT_EXAMPLE(anomaly, level)                                         \
  "'counterexample': {'anomaly': '" anomaly "', 'also': '', 'meaning': '', "   \
  "'weakest_level_broken': 'si', 'level': '" level "', 'sentence': '', "       \
  "'transactions': [{'name': '0:0', 'outcome': 'committed'}], 'cycle': []}"

#endif

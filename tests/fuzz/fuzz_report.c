// SPDX-License-Identifier: GPL-3.0-or-later
// Stored reports: whatever report.json holds, it is refused with a sentence, or
// its page and pictures are made, in which no script stands.
//
// fuzz-sources: base/*.c report/page*.c report/picture/plot.c
// report/words/quantity.c fuzz-sources: report/stored.c report/picture*.c
// report/tale/names.c fuzz-sources: report/tale/argue.c report/tale/story.c
// report/tale/example_json.c fuzz-sources: report/tale/example_tell.c
// fuzz-libs: -lgsl -lgslcblas -lm
// fuzz-seeds: tests/fuzz/report
#include "config.h"

#include "report/page/page.h"
#include "report/stored.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void look_for_scripts(const struct stored *stored) {
  char *text;
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  page_put_report(out, stored);
  fclose(out);
  const char *script = strstr(text, "<script"); // the page's own
  if (!script || strstr(script + 1, "<script"))
    abort();
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  struct stored stored;
  struct error error = {0};
  if (!stored_of_bytes(&stored, "fuzz", (const char *)data, bytes, &error))
    look_for_scripts(&stored);
  else if (!error.text[0])
    abort();
  stored_free(&stored);
  return 0;
}

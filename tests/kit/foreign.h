// SPDX-License-Identifier: GPL-3.0-or-later
// For tests of what is made of other tools' histories, in lines of our own.
#ifndef TESTS_KIT_FOREIGN_H
#define TESTS_KIT_FOREIGN_H

#include "base/file.h"
#include "base/memory.h"
#include "recorder/files/writer.h"
#include "recorder/formats/input.h"
#include "tests/kit/made_history.h"

#include <unistd.h>

static char in[] = "/tmp/isostress-foreign.XXXXXX";
static char out[] = "/tmp/isostress-foreign-lines.XXXXXX";

static enum model model;
static enum initial initial;

// A text of the format as JSON lines, or the sentence that it is refused with,
// without the path.  Free with free().
static inline char *as_lines(const char *format, const char *text,
                             size_t length) {
  const struct read_options options = {
      .format = format, .model = model, .initial = initial};
  struct history h;
  struct error error = {0};
  size_t bytes;
  FILE *file = fopen(in, "w");
  CHECK(file && fwrite(text, 1, length, file) == length && !fclose(file));
  if (history_read_with(in, &options, &h, &error))
    return xstrdup(error.text + strlen(in));
  CHECK_STR(error.text, "");
  CHECK(history_is_sound(&h));
  CHECK(!history_write(out, history_format_named("jsonl", &error), &h, NULL,
                       &error));
  history_free(&h);
  return (char *)file_load(out, SIZE_MAX - 1, &bytes, &error);
}

struct foreign {
  const char *format, *text, *lines;
};

static inline void check_texts(const struct foreign *texts, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const char *text = texts[i].text;
    char *lines = as_lines(texts[i].format, text, strlen(text));
    CHECK_STR(lines, texts[i].lines);
    free(lines);
  }
}

#define CHECK_TEXTS(texts) check_texts(texts, sizeof(texts) / sizeof *(texts))

#define RUN_FOREIGN(...)                                                       \
  do {                                                                         \
    close(mkstemp(in));                                                        \
    close(mkstemp(out));                                                       \
    const int status = TAP_RUN(__VA_ARGS__);                                   \
    unlink(in);                                                                \
    unlink(out);                                                               \
    return status;                                                             \
  } while (0)

#endif

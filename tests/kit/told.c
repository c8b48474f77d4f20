// SPDX-License-Identifier: GPL-3.0-or-later
// A history written down as text, and its verdict (tests/kit/told.h).
#include "config.h"

#include "tests/kit/told.h"

#include "recorder/files/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct told check_told(const char *text, struct question question) {
  struct told told;
  struct error error;
  const struct read_options options = {.format = "text",
                                       .called = "history",
                                       .text = text,
                                       .text_bytes = strlen(text)};
  const struct check_options asked = {.question = question};
  if (history_read_with("history", &options, &told.history, &error) ||
      check(&told.history, &asked, &told.verdict, &error)) {
    printf("Bail out! %s\n", error.text);
    exit(EXIT_FAILURE);
  }
  return told;
}

struct told told_of(const char *text, enum isolation level) {
  return check_told(text,
                    (struct question){.level = level, .session_order = true});
}

struct told told_in_time(const char *text, enum isolation level) {
  return check_told(text, (struct question){.level = level,
                                            .session_order = true,
                                            .real_time = true});
}

void told_free(struct told *told) {
  verdict_free(&told->verdict);
  history_free(&told->history);
}

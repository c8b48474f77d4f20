// SPDX-License-Identifier: GPL-3.0-or-later
// Exit statuses and complaints (cli/status.h).
#include "config.h"

#include "cli/status.h"

#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum status status_worse(enum status a, enum status b) {
  static const enum status order[] = {STATUS_TROUBLE, STATUS_USAGE,
                                      STATUS_VIOLATION, STATUS_UNDECIDED,
                                      STATUS_UNMET};
  for (size_t i = 0; i < sizeof order / sizeof *order; i++)
    if (a == order[i] || b == order[i])
      return order[i];
  return STATUS_KEPT;
}

enum status status_of_verdict(enum verdict_kind kind) {
  static const enum status statuses[] = {
      [VERDICT_PASS] = STATUS_KEPT,
      [VERDICT_VIOLATION] = STATUS_VIOLATION,
      [VERDICT_UNDECIDED] = STATUS_UNDECIDED,
  };
  return statuses[kind];
}

enum status status_interrupted(enum status status, const char *all_of_it) {
  fprintf(stderr, "isostress: interrupted before %s\n", all_of_it);
  return status_worse(status, STATUS_UNDECIDED);
}

void put_sentence(const char *sentence) {
  fputs("isostress: ", stderr);
  error_put(stderr, sentence);
  putc('\n', stderr);
}

void tell_user(const char *format, ...) {
  char *text;
  size_t bytes;
  va_list arguments;
  FILE *out = text_stream(&text, &bytes);
  va_start(arguments, format);
  vfprintf(out, format, arguments);
  va_end(arguments);
  fclose(out);
  put_sentence(text);
  free(text);
}

enum status complain(enum status status, const struct error *error) {
  put_sentence(error->text);
  return status;
}

enum status status_of_error(const struct error *error) {
  return error->usage ? STATUS_USAGE : STATUS_TROUBLE;
}

enum status complain_of(const struct error *error) {
  return complain(status_of_error(error), error);
}

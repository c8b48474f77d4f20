// SPDX-License-Identifier: GPL-3.0-or-later
// The error sentence (base/error.h).
#include "config.h"

#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int error_set(struct error *error, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(error->text, sizeof error->text, format, args);
  va_end(args);
  error->usage = false;
  return -1;
}

int error_set_usage(struct error *error, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(error->text, sizeof error->text, format, args);
  va_end(args);
  error->usage = true;
  return -1;
}

int error_cannot(struct error *error, const char *path, const char *done) {
  return error_set(error, "%s: cannot be %s: %s", path, done, strerror(errno));
}

int error_prefix(struct error *error, const char *format, ...) {
  char tail[sizeof error->text];
  memcpy(tail, error->text, sizeof tail);
  va_list args;
  va_start(args, format);
  int used = vsnprintf(error->text, sizeof error->text, format, args);
  va_end(args);
  if (used < 0 || (size_t)used + 3 > sizeof error->text)
    return -1;
  char *rest = error->text + used;
  size_t room = sizeof error->text - (size_t)used - 3;
  size_t bytes = strnlen(tail, room);
  memcpy(rest, ": ", 2);
  memcpy(rest + 2, tail, bytes);
  rest[2 + bytes] = 0;
  return -1;
}

void error_rename(struct error *error, const char *path, const char *called) {
  const size_t n = strlen(path);
  char rest[sizeof error->text];
  if (strncmp(error->text, path, n))
    return;
  memcpy(rest, error->text + n, sizeof rest - n);
  snprintf(error->text, sizeof error->text, "%s%s", called, rest);
}

void error_one_line(char *text, size_t room, const char *words) {
  size_t n = 0;
  for (; *words && n < room - 1; words++) {
    const bool blank = *words == '\n' || *words == '\t';
    if (!blank)
      text[n++] = *words;
    else if (n && text[n - 1] != ' ')
      text[n++] = ' ';
  }
  while (n && text[n - 1] == ' ')
    n--;
  text[n] = '\0';
}

// Bytes of a control character at the text, of which UTF-8 has some with two.
static size_t control_length(const unsigned char *p) {
  if (*p == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0)
    return 2;
  return (*p < 0x20 && *p != '\n') || *p == 0x7f;
}

void error_put(FILE *out, const char *sentence) {
  for (const unsigned char *p = (const unsigned char *)sentence; *p;) {
    const size_t n = control_length(p);
    for (size_t i = 0; i < n; i++)
      fprintf(out, "\\x%02x", *p++);
    if (!n)
      putc(*p++, out);
  }
}

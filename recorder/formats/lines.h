// SPDX-License-Identifier: GPL-3.0-or-later
// Reading texts of short lines.
#ifndef RECORDER_FORMATS_LINES_H
#define RECORDER_FORMATS_LINES_H

#include "recorder/formats/formats.h"

// Skips blanks and line feeds; true at the end of the file.
static inline bool lines_end(struct input *in) {
  for (;;) {
    input_want(in);
    while (*in->p == ' ' || *in->p == '\t' || *in->p == '\r' || *in->p == '\n')
      in->p++;
    if (in->p < in->end)
      return false;
    if (in->at_end)
      return true;
  }
}

// Takes a whole number below 2^62 at `*p`; false if there is none.
static inline bool take_number(char **p, uint64_t *number) {
  const char *start = *p;
  uint64_t n = 0;
  for (; **p >= '0' && **p <= '9' && *p - start < 19; ++*p)
    n = n * 10 + (uint64_t)(**p - '0');
  *number = n;
  return *p > start && n < VALUE_NAMED && !(**p >= '0' && **p <= '9');
}

static inline int line_refuse(struct parsing *parsing, const char *at,
                              const char *expected) {
  return input_refuse(&parsing->input, at, expected, parsing->error);
}

#endif

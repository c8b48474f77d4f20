// SPDX-License-Identifier: GPL-3.0-or-later
// Reading texts of short lines.
#ifndef RECORDER_FORMATS_LINES_H
#define RECORDER_FORMATS_LINES_H

#include "recorder/formats/digits.h"
#include "recorder/formats/formats.h"

#include <string.h>

enum { LINE_MAX_BYTES = INPUT_AHEAD / 2 }; // are there behind lines_end

// Skips blanks and line feeds; true at the end of the file.
static inline bool lines_end(struct input *in) {
  for (;;) {
    input_want(in);
    const char *start = in->p;
    while (*in->p == ' ' || *in->p == '\t' || *in->p == '\r' || *in->p == '\n')
      in->p++;
    if (in->at_end && in->p == in->end)
      return true;
    if (in->p < in->end && in->p - start < INPUT_AHEAD - LINE_MAX_BYTES)
      return false;
  }
}

// Goes behind the next line feed; false at the end of the file.
static inline bool lines_next(struct input *in) {
  char *feed;
  while (!(feed = memchr(in->p, '\n', (size_t)(in->end - in->p)))) {
    in->p = in->end;
    if (in->at_end)
      return false;
    input_more(in);
  }
  in->p = feed + 1;
  return true;
}

// Takes a whole number below 2^64 at `*p`; false if there is none.
static inline bool take_number(char **p, uint64_t *number) {
  const size_t n = digits_read(*p, number);
  const bool fits = digits_fit(*p, n, *number);
  *p += fits ? n : 0;
  return fits;
}

static inline int line_refuse(struct parsing *parsing, const char *at,
                              const char *expected) {
  return input_refuse(&parsing->input, at, expected, parsing->error);
}

#endif

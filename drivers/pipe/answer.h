// SPDX-License-Identifier: GPL-3.0-or-later
// An answer of a driver's process as it was read, in memory that is used again
// for the next one.
#ifndef DRIVERS_PIPE_ANSWER_H
#define DRIVERS_PIPE_ANSWER_H

#include "base/json_read.h"

// Zero-initialised is ready to use.
struct pipe_answer {
  struct arena arena, start;     // as it is, and as it was when it was empty
  const struct json_value *root; // an object; NULL: there is no answer
};

// Reads a line, and forgets the answer before; false if it is no JSON object.
bool answer_read(struct pipe_answer *answer, const char *line, size_t length);
void answer_free(struct pipe_answer *answer);

// A whole number, as a number or as text; false if it is none.  A negative one
// becomes a number above INT64_MAX; null is zero.
bool answer_whole(const struct json_value *value, uint64_t *number);
// The text of a string or a number; "" of anything else.
const char *answer_text(const struct json_value *value);

#endif

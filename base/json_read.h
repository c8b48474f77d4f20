// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a JSON document (RFC 8259) into a tree.  It is meant for documents that
// isostress wrote; it refuses other input, and input that is nested deeper than
// JSON_DEPTH, with a sentence.
#ifndef BASE_JSON_READ_H
#define BASE_JSON_READ_H

#include "base/error.h"
#include "base/memory.h"

#include <stddef.h>
#include <stdint.h>

enum { JSON_DEPTH = 64 };

enum json_type {
  JSON_NULL,
  JSON_FALSE,
  JSON_TRUE,
  JSON_NUMBER,
  JSON_STRING,
  JSON_ARRAY,
  JSON_OBJECT
};

struct json_value {
  enum json_type type;
  const char *name; // of a member; else NULL
  const char
      *text; // of a string, escapes undone; of a number as it was written
  struct json_value *first; // of an array or object
  struct json_value *next;  // in the same array or object
};

// The document; it lives in the arena.  NULL with a sentence that names the
// line.
const struct json_value *json_read(struct arena *arena, const char *bytes,
                                   size_t nbytes, struct error *error);

// The functions below treat NULL, and a value of another type, as a missing
// value.

// The member of an object, or NULL.
const struct json_value *json_member(const struct json_value *object,
                                     const char *name);
// The text of the member `name`, or `otherwise`.
const char *json_text(const struct json_value *object, const char *name,
                      const char *otherwise);
// The member's number as a whole number, or `otherwise`.
uint64_t json_whole(const struct json_value *object, const char *name,
                    uint64_t otherwise);
double json_real(const struct json_value *object, const char *name,
                 double otherwise);
bool json_is_true(const struct json_value *object, const char *name);
// The first element of an array that is a member, or NULL.
const struct json_value *json_first(const struct json_value *object,
                                    const char *name);
// The number of elements of that array.
uint32_t json_count(const struct json_value *object, const char *name);

#endif

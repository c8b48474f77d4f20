// SPDX-License-Identifier: GPL-3.0-or-later
// Writes JSON (RFC 8259), indented, as it is told: nothing is kept in memory.
// Inside an object every call names its member; inside an array, and for the
// document itself, the name is NULL.  The names keep clear of jansson's, which
// a driver may link.
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
  FILE *out;
  unsigned depth;
  bool fresh; // nothing was written yet at this depth
  bool line;  // the whole document is one line
};

void json_begin(struct json *json, FILE *out);
void json_begin_line(struct json *json, FILE *out); // the document is one line
void json_end(struct json *json); // checks that all is closed; ends the line

void json_put_object(struct json *json, const char *name);
void json_put_array(struct json *json, const char *name);
void json_close(struct json *json, char bracket); // '}' or ']'

// Text is escaped; bytes that are not UTF-8 become U+FFFD.  NULL is null.
void json_put_string(struct json *json, const char *name, const char *text);
void json_put_unsigned(struct json *json, const char *name, uint64_t number);
void json_put_signed(struct json *json, const char *name, int64_t number);
// Not a number and infinities are null.
void json_put_real(struct json *json, const char *name, double number);
void json_put_bool(struct json *json, const char *name, bool value);
void json_put_null(struct json *json, const char *name);

#endif

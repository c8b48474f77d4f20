// SPDX-License-Identifier: GPL-3.0-or-later
// Keys and values of tokens (recorder/formats/values.h).
#include "config.h"

#include "recorder/formats/values.h"

#include "base/memory.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL = 256 };

// A string in quotes, which make "1" another thing than 1.
static uint64_t number_quoted_text(const struct tokens *t, struct builder *b,
                                   uint64_t (*number_of)(struct builder *,
                                                         const char *,
                                                         size_t)) {
  char small[SMALL], *text = small;
  if (t->length + 2 > sizeof small)
    text = xmalloc(t->length + 2);
  text[0] = '"';
  memcpy(text + 1, t->text, t->length);
  text[t->length + 1] = '"';
  const uint64_t number = number_of(b, text, t->length + 2);
  if (text != small)
    free(text);
  return number;
}

// JSON has no keywords but as strings.
static bool is_keyword(const struct tokens *t) {
  return !t->edn && t->length > 1 && t->text[0] == ':';
}

// Could the string be taken for something else without its quotes?
static bool looks_like_a_word(const struct tokens *t) {
  return !t->length || strchr(":+-.\"0123456789[{\\", t->text[0]) ||
         (t->length > 1 && !memcmp(t->text, "#{", 2)) || token_is(t, "nil") ||
         token_is(t, "null") || token_is(t, "true") || token_is(t, "false");
}

bool token_is_signed(const struct tokens *t, int64_t *number) {
  char text[24], *end;
  *number = (int64_t)t->integer;
  if (t->kind == TOKEN_INTEGER)
    return true;
  if (t->kind != TOKEN_WORD || t->length < 2 || t->length >= sizeof text ||
      !(isdigit((unsigned char)t->text[0]) ||
        isdigit((unsigned char)t->text[1])))
    return false;
  memcpy(text, t->text, t->length);
  text[t->length] = 0;
  errno = 0;
  *number = strtoll(text, &end, 10);
  return !errno && !*end;
}

uint64_t key_of_token(const struct tokens *t, struct builder *b) {
  if (t->kind == TOKEN_INTEGER)
    return t->integer;
  if (t->kind == TOKEN_STRING && looks_like_a_word(t) && !is_keyword(t))
    return number_quoted_text(t, b, builder_key_named);
  return builder_key_named(b, t->text, t->length);
}

uint64_t value_of_token(const struct tokens *t, struct builder *b) {
  if (t->kind == TOKEN_INTEGER && t->integer)
    return t->integer;
  if (t->kind == TOKEN_STRING && !is_keyword(t))
    return number_quoted_text(t, b, builder_value_named);
  return builder_value_named(b, t->text, t->length);
}

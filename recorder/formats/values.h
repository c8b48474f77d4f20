// SPDX-License-Identifier: GPL-3.0-or-later
// Keys and values as JSON and EDN have them: whole numbers are themselves,
// everything else is a text with a number of its own, strings mostly in quotes.
#ifndef RECORDER_FORMATS_VALUES_H
#define RECORDER_FORMATS_VALUES_H

#include "recorder/builder/builder.h"
#include "recorder/formats/tokens.h"

// nil or null: nothing.
static inline bool token_is_nothing(const struct tokens *t) {
  return t->kind == TOKEN_WORD && (token_is(t, "nil") || token_is(t, "null"));
}

static inline bool token_is_scalar(const struct tokens *t) {
  return t->kind == TOKEN_INTEGER || t->kind == TOKEN_STRING ||
         t->kind == TOKEN_KEYWORD || t->kind == TOKEN_WORD;
}

// A whole number with a sign that fits into 64 bits, but no string.
bool token_is_signed(const struct tokens *tokens, int64_t *number);

// The current token, a scalar or printed, as a key.
uint64_t key_of_token(const struct tokens *tokens, struct builder *builder);

// As a value that is not nothing, and so is never VALUE_INITIAL: 0 is a text.
uint64_t value_of_token(const struct tokens *tokens, struct builder *builder);

// As an element of a list, where 0 is a number like any other.
static inline uint64_t element_of_token(const struct tokens *t,
                                        struct builder *builder) {
  return t->kind == TOKEN_INTEGER ? t->integer : value_of_token(t, builder);
}

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the tokens of SQL (sql/tokens.h).
#include "config.h"

#include "sql/tokens.h"

#include "base/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool begins_sql_word(char c) {
  return isalpha((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static bool continues_sql_word(char c) {
  return begins_sql_word(c) || isdigit((unsigned char)c) || c == '$';
}

// UINT32_MAX: it has no end.
static uint32_t end_of_sql_comment(const struct sql_dialect *d,
                                   const char *text, uint32_t at,
                                   uint32_t end) {
  uint32_t open = 1;
  at += 2;
  while (open && at + 1 < end) {
    const bool opens =
        d->comments_nest && text[at] == '/' && text[at + 1] == '*';
    const bool closes = text[at] == '*' && text[at + 1] == '/';
    open += opens;
    open -= closes;
    at += opens || closes ? 2 : 1;
  }
  return open ? UINT32_MAX : at;
}

static bool begins_line_comment(const struct sql_dialect *d, const char *text,
                                uint32_t at, uint32_t end) {
  if (d->comments_after_hash && at < end && text[at] == '#')
    return true;
  return at + 1 < end && text[at] == '-' && text[at + 1] == '-' &&
         (!d->dashes_need_space || at + 2 == end ||
          (unsigned char)text[at + 2] <= ' ');
}

static bool begins_block_comment(const struct sql_dialect *d, const char *text,
                                 uint32_t at, uint32_t end) {
  const bool runs = d->comments_run && at + 2 < end &&
                    (text[at + 2] == '!' || !strncmp(text + at + 2, "M!", 2));
  return at + 1 < end && text[at] == '/' && text[at + 1] == '*' && !runs;
}

// Behind blanks and comments; UINT32_MAX: a comment has no end.
static uint32_t skip_sql_space(const struct sql_dialect *d, const char *text,
                               uint32_t at, uint32_t end) {
  for (;;) {
    while (at < end && isspace((unsigned char)text[at]))
      at++;
    if (begins_line_comment(d, text, at, end)) {
      while (at < end && text[at] != '\n')
        at++;
    } else if (begins_block_comment(d, text, at, end)) {
      at = end_of_sql_comment(d, text, at, end);
      if (at == UINT32_MAX)
        return at;
    } else {
      return at;
    }
  }
}

// From the opening quote to behind the closing one; a doubled quote is one
// inside.  UINT32_MAX: it has no end.
static uint32_t end_of_sql_quote(const char *text, uint32_t at, uint32_t end,
                                 bool escapes) {
  const char quote = text[at++];
  for (; at < end; at++) {
    if (escapes && text[at] == '\\') {
      at++;
    } else if (text[at] == quote) {
      if (at + 1 == end || text[at + 1] != quote)
        return at + 1;
      at++;
    }
  }
  return UINT32_MAX;
}

// "$$...$$" or "$tag$...$tag$".  `at`: it is no such text.
static uint32_t end_of_dollars(const char *text, uint32_t at, uint32_t end) {
  uint32_t tag = at + 1;
  if (tag < end && begins_sql_word(text[tag]))
    while (tag < end && text[tag] != '$' && continues_sql_word(text[tag]))
      tag++;
  if (tag >= end || text[tag] != '$')
    return at;
  const uint32_t length = tag + 1 - at;
  for (uint32_t i = tag + 1; i + length <= end; i++)
    if (!memcmp(text + i, text + at, length))
      return i + length;
  return UINT32_MAX;
}

static uint32_t end_of_sql_number(const char *text, uint32_t at, uint32_t end) {
  while (at < end && (isalnum((unsigned char)text[at]) || text[at] == '.' ||
                      ((text[at] == '+' || text[at] == '-') &&
                       (text[at - 1] == 'e' || text[at - 1] == 'E'))))
    at++;
  return at;
}

static bool begins_sql_number(const char *text, uint32_t at, uint32_t end) {
  return isdigit((unsigned char)text[at]) ||
         (text[at] == '.' && at + 1 < end &&
          isdigit((unsigned char)text[at + 1]));
}

// E'...' has escapes; B'...', N'...' and X'...' have none.
static bool is_prefix_of_text(const char *text, uint32_t at, uint32_t end) {
  return at + 1 < end && text[at + 1] == '\'' && strchr("eEbBnNxX", text[at]);
}

static bool is_sql_quote(const struct sql_dialect *d, char c) {
  return c == '\'' || c == '"' || (c == '`' && d->names_in_backticks);
}

static void take_sql_token(const struct sql_dialect *d, const char *text,
                           uint32_t at, uint32_t end, struct sql_token *token) {
  const char c = text[at];
  *token = (struct sql_token){.kind = SQL_TOKEN_SIGN, .begin = at};
  token->end = at + 1;
  if (is_prefix_of_text(text, at, end)) {
    token->kind = SQL_TOKEN_TEXT;
    token->end = end_of_sql_quote(
        text, at + 1, end, d->backslashes_escape || c == 'e' || c == 'E');
  } else if (begins_sql_word(c)) {
    token->kind = SQL_TOKEN_WORD;
    while (token->end < end && continues_sql_word(text[token->end]))
      token->end++;
  } else if (begins_sql_number(text, at, end)) {
    token->kind = SQL_TOKEN_NUMBER;
    token->end = end_of_sql_number(text, at + 1, end);
  } else if (is_sql_quote(d, c)) {
    const bool names = c == '`' || (c == '"' && !d->texts_in_double_quotes);
    token->kind = names ? SQL_TOKEN_NAME : SQL_TOKEN_TEXT;
    token->end =
        end_of_sql_quote(text, at, end, !names && d->backslashes_escape);
  } else if (c == '$' && d->texts_in_dollars &&
             end_of_dollars(text, at, end) != at) {
    token->kind = SQL_TOKEN_TEXT;
    token->end = end_of_dollars(text, at, end);
  }
}

int sql_token_find(const struct sql_dialect *dialect, const char *text,
                   uint32_t *at, uint32_t end, struct sql_token *token) {
  const uint32_t begin = skip_sql_space(dialect, text, *at, end);
  if (begin == UINT32_MAX)
    return -1;
  *at = begin;
  if (begin >= end)
    return 0;
  take_sql_token(dialect, text, begin, end, token);
  if (token->end == UINT32_MAX)
    return -1;
  *at = token->end;
  return 1;
}

bool sql_tokens_read(struct sql_tokens *tokens, const char *text) {
  const uint32_t end = (uint32_t)strlen(text);
  struct sql_token token;
  uint32_t at = 0, depth = 0;
  int found;
  tokens->dialect = tokens->dialect ? tokens->dialect : &sql_dialect_postgresql;
  tokens->text = text;
  tokens->n = 0;
  while ((found = sql_token_find(tokens->dialect, text, &at, end, &token)) >
         0) {
    const char sign = token.kind == SQL_TOKEN_SIGN ? text[token.begin] : '\0';
    if (sign == ')' && !depth--)
      return false;
    token.depth = depth;
    depth += sign == '(';
    ARRAY_RESERVE(tokens->all, tokens->n, tokens->room);
    tokens->all[tokens->n++] = token;
  }
  return !found;
}

void sql_tokens_free(struct sql_tokens *tokens) {
  free(tokens->all);
  *tokens = (struct sql_tokens){0};
}

bool sql_token_is(const struct sql_tokens *tokens, uint32_t i,
                  const char *word) {
  if (i >= tokens->n)
    return false;
  const struct sql_token *t = &tokens->all[i];
  const size_t length = t->end - t->begin;
  return (t->kind == SQL_TOKEN_WORD || t->kind == SQL_TOKEN_SIGN) &&
         length == strlen(word) &&
         !strncasecmp(tokens->text + t->begin, word, length);
}

uint64_t sql_tokens_form(const struct sql_tokens *tokens) {
  uint64_t hash = UINT64_C(14695981039346656037); // FNV-1a
  for (uint32_t i = 0; i < tokens->n; i++) {
    const struct sql_token *t = &tokens->all[i];
    const bool any = t->kind == SQL_TOKEN_TEXT || t->kind == SQL_TOKEN_NUMBER;
    for (uint32_t c = t->begin; !any && c < t->end; c++)
      hash = (hash ^ (unsigned char)tokens->text[c]) * UINT64_C(1099511628211);
    hash = (hash ^ (any ? '?' : ' ')) * UINT64_C(1099511628211);
  }
  return hash;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// The tokens of a statement in the user's own SQL.  A token says where a word,
// a name, a text or a sign stands, and how many brackets are open there.
// Nothing here knows what SQL means: the database is asked that.
#ifndef SQL_TOKENS_H
#define SQL_TOKENS_H

#include "sql/dialect.h"

#include <stdbool.h>
#include <stdint.h>

enum sql_token_kind {
  SQL_TOKEN_WORD,   // a keyword, or a name without quotes
  SQL_TOKEN_NAME,   // in the quotes of names
  SQL_TOKEN_TEXT,   // in those of texts, or between dollars
  SQL_TOKEN_NUMBER, // digits, with a point or an exponent
  SQL_TOKEN_SIGN,   // one character of anything else
};

struct sql_token {
  uint8_t kind;   // enum sql_token_kind
  uint32_t depth; // open brackets around it, its own not counted
  uint32_t begin, end;
};

// Zero-initialised is empty, and reads as PostgreSQL does.
struct sql_tokens {
  const struct sql_dialect *dialect;
  const char *text; // the caller's
  struct sql_token *all;
  uint32_t n, room;
};

// Finds the first token from `*at` on, up to `end`, and moves `*at` behind the
// token.  Blanks and comments are no tokens.  1: there is one; 0: there is
// none; -1: a quote or a comment has no end.  The depth is left at 0.
int sql_token_find(const struct sql_dialect *dialect, const char *text,
                   uint32_t *at, uint32_t end, struct sql_token *token);

// Reads all of them, in place of what was there.  False: a quote or a comment
// has no end, or more brackets close than open.  Free with sql_tokens_free.
bool sql_tokens_read(struct sql_tokens *tokens, const char *text);
void sql_tokens_free(struct sql_tokens *tokens);

// Is token i, which may be behind the last one, this word in any case, or this
// sign?  `word` is in small letters.
bool sql_token_is(const struct sql_tokens *tokens, uint32_t i,
                  const char *word);

// A number that is equal for statements that differ in their numbers, texts,
// blanks and comments alone, and mostly for no others.
uint64_t sql_tokens_form(const struct sql_tokens *tokens);

#endif

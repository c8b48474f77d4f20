// SPDX-License-Identifier: GPL-3.0-or-later
// JSON and EDN token by token, through a window (input.h): for
// files of gigabytes of which a few kinds of members matter.  Separators are
// taken for blanks, and brackets of all kinds for brackets: the readers say
// what they expect.
#ifndef RECORDER_FORMATS_TOKENS_H
#define RECORDER_FORMATS_TOKENS_H

#include "recorder/formats/input.h"

enum token_kind {
  TOKEN_END,     // of the file
  TOKEN_OPEN,    // a bracket; a set of EDN starts with '{' too, and `set`
  TOKEN_CLOSE,   // its counterpart
  TOKEN_INTEGER, // from 0 to below TOKEN_INTEGER_END
  TOKEN_STRING,  // without quotes and escapes
  TOKEN_KEYWORD, // of EDN, with its colon
  TOKEN_WORD,    // true, nil, 1.5, -3...
  TOKEN_PRINTED, // a collection, made one by printed.h
  TOKEN_WRONG,   // none: token_refuse says why
};

#define TOKEN_INTEGER_END (UINT64_C(1) << 62)

// A word is short; a string may be as long as a table with all of its rows.
enum {
  WORD_MAX = INPUT_AHEAD / 2,
  STRING_MAX = 1 << 30,
  TOKEN_DEPTH_MAX = 256
};

struct tokens {
  struct input *input;
  struct error *error; // of sentences about it
  bool edn;

  // The current token.
  enum token_kind kind;
  char bracket;
  bool set;
  uint64_t integer;
  char *text; // of all but brackets, as far as the window goes; no zero byte
  uint32_t length;

  uint32_t depth;    // of brackets that are open
  unsigned discards; // of EDN, that we are in
  bool skipping;     // what is too long for a token may be skipped
  const char *wrong; // why there is none
};

// Goes to the next token.
enum token_kind token_next(struct tokens *tokens);

// Goes to the last token of the value whose first is the current one.  -1 if
// there is no end to it.
int token_skip(struct tokens *tokens);

// token_skip; -1 with a sentence that it is not what was expected.
int token_pass(struct tokens *tokens, const char *expected);

bool token_is(const struct tokens *tokens, const char *text);

// Is it this name, as a string, symbol or keyword?
bool token_names(const struct tokens *tokens, const char *name);

static inline bool token_opens(const struct tokens *t, char bracket) {
  return t->kind == TOKEN_OPEN && t->bracket == bracket;
}

// Makes the current token none: that was expected instead.
enum token_kind token_wrong(struct tokens *tokens, const char *expected);

// -1 with a sentence that the current token is not what was expected.
int token_refuse(const struct tokens *tokens, const char *expected);

// A member of an object that matters: its value's first token is the current
// one when `read` is called, its last one when it returns 0.
struct member {
  const char *name; // NULL: the end of the table
  int (*read)(void *reading);
};

// Has an object that so many brackets are open for, seen from the start of the
// text, a member of this name?  Of EDN it starts with a colon.
bool text_has_member(const char *text, int depth, const char *name);

// How deep brackets stand in one another in a text that is nothing but a list
// of nothing, `open` being its first one; else 0.
int text_empty_depth(const char *text, char open);

// Reads an object from its bracket, which is the current token, to the closing
// one.  -1 with a sentence.
int token_members(struct tokens *tokens, const struct member *members,
                  void *reading);

// Reads what is in brackets, likewise: `read` is called for each value.
int token_elements(struct tokens *tokens, int (*read)(void *reading),
                   void *reading);

// Reads a whole file of objects, one behind the other or in brackets: `read` is
// called at the bracket of each and has to go to the closing one.
int token_objects(struct tokens *tokens, int (*read)(void *reading),
                  void *reading);

#endif

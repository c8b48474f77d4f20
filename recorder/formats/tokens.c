// SPDX-License-Identifier: GPL-3.0-or-later
// The tokenizer of JSON and EDN (recorder/formats/tokens.h).
#include "config.h"

#include "recorder/formats/tokens.h"

#include "recorder/formats/digits.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { DISCARDS_MAX = 16 }; // inside each other

enum class {
  CLASS_WORD, // of a word or a number
  CLASS_DIGIT,
  CLASS_TAG,   // of EDN; inside a word, of that
  CLASS_COLON, // of EDN, likewise
  CLASS_BLANK,
  CLASS_OPEN,
  CLASS_CLOSE,
  CLASS_QUOTE,
  CLASS_COMMENT, // of EDN
  CLASS_ZERO,    // the end of the window, or a byte that must not be there
};

// The classes of characters, for JSON and for EDN.
static const uint8_t classes[2][256] = {
#define CLASSES_OF_BOTH                                                        \
  [0] = CLASS_ZERO, [' '] = CLASS_BLANK, ['\t'] = CLASS_BLANK,                 \
  ['\n'] = CLASS_BLANK, ['\r'] = CLASS_BLANK, [','] = CLASS_BLANK,             \
  ['['] = CLASS_OPEN, ['{'] = CLASS_OPEN, ['('] = CLASS_OPEN,                  \
  [']'] = CLASS_CLOSE, ['}'] = CLASS_CLOSE, [')'] = CLASS_CLOSE,               \
  ['"'] = CLASS_QUOTE, ['0' ... '9'] = CLASS_DIGIT, [';'] = CLASS_COMMENT
    {CLASSES_OF_BOTH, [':'] = CLASS_BLANK},
    {CLASSES_OF_BOTH, ['#'] = CLASS_TAG, ['^'] = CLASS_TAG,
     [':'] = CLASS_COLON}};

static inline enum class class_in(bool edn, char c) {
  return (enum class)classes[edn][(unsigned char)c];
}

static inline enum class class_of(const struct tokens *t, char c) {
  return class_in(t->edn, c);
}

enum token_kind token_wrong(struct tokens *t, const char *why) {
  t->wrong = why;
  return t->kind = TOKEN_WRONG;
}

static unsigned hex(const char *p) {
  unsigned n = 0;
  for (int i = 0; i < 4; i++) {
    if (!isxdigit((unsigned char)p[i]))
      return 0xfffd;
    n = n * 16 + (isdigit((unsigned char)p[i])
                      ? (unsigned)(p[i] - '0')
                      : (unsigned)(tolower(p[i]) - 'a') + 10);
  }
  return n;
}

static char *put_token_utf8(char *to, unsigned c) {
  if (c < 0x80)
    *to++ = (char)c;
  else if (c < 0x800) {
    *to++ = (char)(0xc0 | c >> 6);
    *to++ = (char)(0x80 | (c & 0x3f));
  } else {
    if (c < 0x10000)
      *to++ = (char)(0xe0 | c >> 12);
    else {
      *to++ = (char)(0xf0 | c >> 18);
      *to++ = (char)(0x80 | (c >> 12 & 0x3f));
    }
    *to++ = (char)(0x80 | (c >> 6 & 0x3f));
    *to++ = (char)(0x80 | (c & 0x3f));
  }
  return to;
}

// Behind "\\u", to behind its digits; two escapes may be the halves of one
// character.
static unsigned take_code(const char **p, const char *end) {
  assert(*p < end);
  const unsigned code = hex(*p);
  const char *next = *p += 4;
  if (code >> 10 != 0xd800 >> 10 || end - next < 6 || memcmp(next, "\\u", 2) ||
      hex(next + 2) >> 10 != 0xdc00 >> 10)
    return code;
  *p += 6;
  return 0x10000 + ((code & 0x3ff) << 10 | (hex(next + 2) & 0x3ff));
}

// Replaces escapes, which are longer than what they stand for.
static void unescape(struct tokens *t) {
  static const char shorts[256] = {
      ['n'] = '\n', ['t'] = '\t', ['r'] = '\r', ['b'] = '\b', ['f'] = '\f'};
  const char *from = t->text, *end = t->text + t->length;
  char *to = t->text;
  while (from < end) {
    if (*from != '\\' || from + 1 == end) {
      *to++ = *from++;
      continue;
    }
    const unsigned char c = (unsigned char)from[1];
    from += 2;
    if (c == 'u' && end - from >= 4) {
      const unsigned code = take_code(&from, end);
      to = put_token_utf8(to, code ? code : 0xfffd);
    } else
      *to++ = shorts[c] ? shorts[c] : (char)c;
  }
  t->length = (uint32_t)(to - t->text);
}

// A string behind its quote.  One that is skipped may be of any length.
static enum token_kind take_string(struct tokens *t) {
  struct input *in = t->input;
  bool escapes = false;
  char *p = ++in->p;
  for (;;) {
    while (*p != '"' && *p != '\\' && *p)
      p++;
    if (*p == '"')
      break;
    if (*p == '\\' && p + 1 < in->end) {
      escapes = true;
      p += 2;
    } else if (p < in->end && !*p)
      return token_wrong(t, "a zero byte");
    else if (in->at_end)
      return token_wrong(t, "'\"' at the end of the string, but the file ends");
    else if (t->skipping) {
      in->p = p;
      input_more(in);
      p = in->p;
    } else if (p - in->p > STRING_MAX)
      return token_wrong(t, "a string of less than 1 GiB");
    else {
      const ptrdiff_t length = p - in->p;
      input_longer(in);
      p = in->p + length;
    }
  }
  t->text = in->p;
  t->length = (uint32_t)(p - in->p);
  in->p = p + 1;
  if (escapes && !t->skipping)
    unescape(t);
  return t->kind = TOKEN_STRING;
}

static inline bool ends_token_word(const struct tokens *t, char c) {
  return class_of(t, c) > CLASS_COLON;
}

// Does the N of a large number of EDN end it?  3N is 3.
static bool ends_big(const char *text, uint32_t length) {
  return length > 1 && text[length - 1] == 'N' &&
         isdigit((unsigned char)text[length - 2]) &&
         (isdigit((unsigned char)*text) || strchr("+-", *text));
}

static enum token_kind take_word_token(struct tokens *t, enum token_kind kind) {
  struct input *in = t->input;
  char *p = in->p;
  if (*p == '\\' && t->edn && p + 1 < in->end)
    p += 2; // a character, which may be a bracket
  else
    p++;
  while (!ends_token_word(t, *p))
    p++;
  t->text = in->p;
  t->length = (uint32_t)(p - in->p);
  in->p = p;
  if (t->length > WORD_MAX)
    return token_wrong(t, "a word of less than 32 KiB");
  if (t->edn && ends_big(t->text, t->length))
    t->length--;
  return t->kind = kind;
}

static enum token_kind take_number_token(struct tokens *t) {
  char *const start = t->input->p;
  uint64_t n;
  char *const p = start + digits_read(start, &n);
  const bool big = t->edn && *p == 'N';
  if (p - start > DIGITS_MAX || n >= TOKEN_INTEGER_END ||
      !ends_token_word(t, p[big]) || (*start == '0' && p - start > 1))
    return take_word_token(t, TOKEN_WORD);
  t->text = start;
  t->length = (uint32_t)(p - start);
  t->integer = n;
  t->input->p = p + big;
  return t->kind = TOKEN_INTEGER;
}

static void skip_edn_comment(struct input *in) {
  while (*in->p != '\n' && !(in->p == in->end && in->at_end)) {
    if (in->p == in->end)
      input_more(in);
    else
      in->p++;
  }
}

// Leaves the next value out.
static bool discard(struct tokens *t) {
  if (t->discards == DISCARDS_MAX) {
    token_wrong(t, "less of what is left out by '#_'");
    return false;
  }
  t->discards++;
  token_next(t);
  const int failed = token_skip(t);
  t->discards--;
  return !failed;
}

// Behind '#': "_" leaves the next value out, and the name of a tag is left out
// before the value that it belongs to; as what stands behind "^", of which the
// value says nothing.
static bool pass_tag(struct tokens *t) {
  const bool metadata = *t->input->p == '^';
  char *p = ++t->input->p;
  if (metadata)
    return discard(t);
  if (*p == '_') {
    t->input->p++;
    return discard(t);
  }
  return ends_token_word(t, *p) ||
         take_word_token(t, TOKEN_WORD) != TOKEN_WRONG;
}

static enum token_kind take_bracket(struct tokens *t, enum token_kind kind) {
  t->depth += kind == TOKEN_OPEN ? 1 : UINT32_MAX;
  t->bracket = *t->input->p++;
  t->set = false;
  return t->kind = kind;
}

static enum token_kind take_set(struct tokens *t) {
  t->input->p++;
  take_bracket(t, TOKEN_OPEN);
  t->set = true;
  return t->kind;
}

// Goes to what stands behind the blanks, of which there may be more than a
// window; a token and what follows it are there then.
static char *pass_blanks(struct tokens *t) {
  struct input *in = t->input;
  for (;;) {
    input_want(in);
    char *p = in->p;
    while (class_of(t, *p) == CLASS_BLANK)
      p++;
    const bool few = p - in->p < INPUT_AHEAD / 4;
    in->p = p;
    if (few)
      return p;
  }
}

enum token_kind token_next(struct tokens *t) {
  struct input *in = t->input;
  t->integer = 0;
  for (;;) {
    const char *p = pass_blanks(t);
    switch (class_of(t, *p)) {
    case CLASS_BLANK:
      break;
    case CLASS_OPEN:
      return take_bracket(t, TOKEN_OPEN);
    case CLASS_CLOSE:
      return take_bracket(t, TOKEN_CLOSE);
    case CLASS_QUOTE:
      return take_string(t);
    case CLASS_DIGIT:
      return take_number_token(t);
    case CLASS_WORD:
      if (*in->p != '+' || !t->edn || !isdigit((unsigned char)in->p[1]))
        return take_word_token(t, TOKEN_WORD);
      in->p++; // +3 is 3
      return take_number_token(t);
    case CLASS_COMMENT:
      if (!t->edn)
        return take_word_token(t, TOKEN_WORD);
      skip_edn_comment(in);
      break;
    case CLASS_TAG:
      if (p[0] == '#' && p[1] == '{')
        return take_set(t);
      if (p[0] == '#' && p[1] == '#')
        return take_word_token(t, TOKEN_WORD); // ##NaN
      if (!pass_tag(t))
        return t->kind;
      break;
    case CLASS_COLON:
      return take_word_token(t, TOKEN_KEYWORD);
    case CLASS_ZERO:
      if (in->p < in->end)
        return token_wrong(t, "no zero byte in a text file");
      if (in->at_end)
        return t->kind = TOKEN_END;
    }
  }
}

int token_skip(struct tokens *t) {
  uint32_t depth = 0;
  const bool skipping = t->skipping;
  t->skipping = true;
  for (;;) {
    depth += t->kind == TOKEN_OPEN;
    depth -= t->kind == TOKEN_CLOSE && depth;
    if (t->kind == TOKEN_END || t->kind == TOKEN_WRONG || !depth)
      break;
    if (depth > TOKEN_DEPTH_MAX) {
      token_wrong(t, "brackets in brackets, 256 deep at most");
      break;
    }
    token_next(t);
  }
  t->skipping = skipping;
  return t->kind == TOKEN_END || t->kind == TOKEN_WRONG ? -1 : 0;
}

// Most names differ in the first character.
static inline bool is_name(const char *text, uint32_t length,
                           const char *name) {
  uint32_t i = 0;
  while (i < length && name[i] && name[i] == text[i])
    i++;
  return i == length && !name[i];
}

bool token_is(const struct tokens *t, const char *text) {
  return t->kind >= TOKEN_INTEGER && is_name(t->text, t->length, text);
}

bool token_names(const struct tokens *t, const char *name) {
  const bool keyword = t->kind == TOKEN_KEYWORD;
  return t->kind >= TOKEN_INTEGER &&
         is_name(t->text + keyword, t->length - keyword, name);
}

static const char *find_token_start(const struct tokens *t) {
  switch (t->kind) {
  case TOKEN_OPEN:
  case TOKEN_CLOSE:
  case TOKEN_PRINTED:
    return t->input->p - 1;
  case TOKEN_INTEGER:
  case TOKEN_KEYWORD:
  case TOKEN_WORD:
    return t->text;
  case TOKEN_STRING:
    return t->text - 1;
  default:
    return t->input->p;
  }
}

int token_refuse(const struct tokens *t, const char *expected) {
  char sentence[256];
  const char *ends = t->kind == TOKEN_END ? ", but the file ends" : "";
  snprintf(sentence, sizeof sentence, "expected %s%s",
           t->kind == TOKEN_WRONG ? t->wrong : expected, ends);
  return input_refuse(t->input, find_token_start(t), sentence, t->error);
}

int token_pass(struct tokens *t, const char *expected) {
  return token_skip(t) ? token_refuse(t, expected) : 0;
}

// The end of a string, behind its quote.
static const char *behind_string(const char *p) {
  for (; *p && *p != '"'; p++)
    p += *p == '\\' && p[1];
  return p + (*p == '"');
}

static bool is_member(const char *p, const char *name) {
  const bool json = *p == '"';
  const size_t n = strlen(name);
  if (strncmp(p + json, name, n))
    return false;
  p += json + n;
  if (!json) // a keyword
    return !*p || strchr(" \t\r\n,[({\"", *p);
  return *p == '"' && p[1 + strspn(p + 1, " \t\r\n")] == ':';
}

bool text_has_member(const char *text, int depth, const char *name) {
  for (const char *p = text; *p;) {
    const enum class class = class_in(true, *p);
    if (depth == 0 && strchr("\":", *p) && is_member(p, name))
      return true;
    depth += (class == CLASS_CLOSE) - (class == CLASS_OPEN);
    if (class == CLASS_QUOTE)
      p = behind_string(p + 1);
    else if (class == CLASS_COMMENT)
      p += strcspn(p, "\n");
    else
      p += 1 + (*p == '\\' && p[1]); // of EDN, a character
  }
  return false;
}

int text_empty_depth(const char *text, char open) {
  int depth = 0, deepest = 0;
  for (const char *p = text; *p; p++) {
    const bool opens = *p == '[' || *p == '(', closes = *p == ']' || *p == ')';
    if (opens    ? !depth && (deepest || *p != open)
        : closes ? !depth
                 : *p != ',' && !isspace((unsigned char)*p))
      return 0;
    depth += opens - closes;
    deepest = depth > deepest ? depth : deepest;
  }
  return depth ? 0 : deepest;
}

static const struct member *member_named(const struct tokens *t,
                                         const struct member *members) {
  while (members->name && !token_names(t, members->name))
    members++;
  return members;
}

static int read_member(struct tokens *t, const struct member *member,
                       void *reading) {
  t->skipping = !member->name;
  token_next(t);
  t->skipping = false;
  if (t->kind == TOKEN_CLOSE || t->kind == TOKEN_END || t->kind == TOKEN_WRONG)
    return token_refuse(t, "the value of the member");
  if (member->name)
    return member->read(reading);
  return token_pass(t, "the end of the value");
}

int token_members(struct tokens *t, const struct member *members,
                  void *reading) {
  if (!token_opens(t, '{'))
    return token_refuse(t, "'{'");
  for (;;) {
    if (token_next(t) == TOKEN_CLOSE)
      return 0;
    if (t->kind < TOKEN_INTEGER || t->kind == TOKEN_WRONG)
      return token_refuse(t, "the name of a member, or '}'");
    if (read_member(t, member_named(t, members), reading))
      return -1;
  }
}

int token_elements(struct tokens *t, int (*read)(void *reading),
                   void *reading) {
  if (t->kind != TOKEN_OPEN || t->bracket == '{')
    return token_refuse(t, "'['");
  while (token_next(t) != TOKEN_CLOSE) {
    if (t->kind == TOKEN_END || t->kind == TOKEN_WRONG)
      return token_refuse(t, "']'");
    if (read(reading))
      return -1;
  }
  return 0;
}

int token_objects(struct tokens *t, int (*read)(void *reading), void *reading) {
  token_next(t);
  const bool vector = t->kind == TOKEN_OPEN && t->bracket != '{';
  if (vector)
    token_next(t);
  for (; token_opens(t, '{'); token_next(t))
    if (read(reading))
      return -1;
  if (vector && t->kind != TOKEN_CLOSE)
    return token_refuse(t, "the next operation, or ']' at the end of all");
  if (vector)
    token_next(t);
  return t->kind == TOKEN_END ? 0 : token_refuse(t, "the next operation");
}

// SPDX-License-Identifier: GPL-3.0-or-later
// The JSON reader (base/json_read.h).
#include "config.h"

#include "base/json_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct json_reader {
  struct arena *arena;
  const char *at, *end;
  unsigned line, depth;
  struct error *error;
  bool failed;
};

static void fail_json(struct json_reader *r, const char *what) {
  if (!r->failed)
    error_set(r->error, "line %u: this is not JSON: %s", r->line, what);
  r->failed = true;
  r->at = r->end;
}

static char peek(struct json_reader *r) {
  return r->at < r->end ? *r->at : '\0';
}

static void skip_space(struct json_reader *r) {
  while (r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at) {
    r->line += *r->at == '\n';
    r->at++;
  }
}

static bool take_json(struct json_reader *r, char c) {
  skip_space(r);
  if (peek(r) != c)
    return false;
  r->at++;
  return true;
}

// --- Texts.

static unsigned hex_digit(char c) {
  return c >= '0' && c <= '9'   ? (unsigned)(c - '0')
         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
         : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
                                : 16;
}

static unsigned read_hex(struct json_reader *r) {
  unsigned code = 0;
  for (int i = 0; i < 4; i++) {
    const unsigned digit = hex_digit(peek(r));
    if (digit > 15) {
      fail_json(r, "\\u takes four hexadecimal digits");
      return 0;
    }
    code = code << 4 | digit;
    r->at++;
  }
  return code;
}

// Writes a code point.  Half a pair of surrogates becomes U+FFFD, and so does
// NUL, which would end the text.
static unsigned read_code(struct json_reader *r) {
  const unsigned high = read_hex(r);
  if (high < 0xd800 || high > 0xdfff)
    return high ? high : 0xfffd;
  if (high > 0xdbff || r->end - r->at < 6 || r->at[0] != '\\' ||
      r->at[1] != 'u')
    return 0xfffd;
  r->at += 2;
  const unsigned low = read_hex(r);
  return low >= 0xdc00 && low <= 0xdfff
             ? 0x10000 + ((high & 0x3ff) << 10) + (low & 0x3ff)
             : 0xfffd;
}

static char *put_json_utf8(char *to, unsigned code) {
  if (code < 0x80) {
    *to++ = (char)code;
  } else if (code < 0x800) {
    *to++ = (char)(0xc0 | code >> 6);
    *to++ = (char)(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    *to++ = (char)(0xe0 | code >> 12);
    *to++ = (char)(0x80 | (code >> 6 & 0x3f));
    *to++ = (char)(0x80 | (code & 0x3f));
  } else {
    *to++ = (char)(0xf0 | code >> 18);
    *to++ = (char)(0x80 | (code >> 12 & 0x3f));
    *to++ = (char)(0x80 | (code >> 6 & 0x3f));
    *to++ = (char)(0x80 | (code & 0x3f));
  }
  return to;
}

static char *read_escape(struct json_reader *r, char *to) {
  static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
  const char c = peek(r);
  const char *known = c ? strchr(from, c) : NULL;
  if (r->at < r->end)
    r->at++;
  if (c == 'u')
    return put_json_utf8(to, read_code(r));
  if (!known)
    fail_json(r, "an unknown escape in a text");
  else
    *to++ = into[known - from];
  return to;
}

// After the opening quote.
static const char *read_json_text(struct json_reader *r) {
  const char *close = r->at;
  while (close < r->end && *close != '"')
    close += *close == '\\' ? 2 : 1;
  if (close >= r->end) {
    fail_json(r, "a text does not end");
    return "";
  }
  char *text = arena_take(r->arena, (size_t)(close - r->at) + 1), *to = text;
  while (r->at < close && !r->failed) {
    const char c = *r->at++;
    if (c == '\\')
      to = read_escape(r, to);
    else if ((unsigned char)c < 0x20)
      fail_json(r, "a control character in a text");
    else
      *to++ = c;
  }
  *to = '\0';
  if (!r->failed)
    r->at = close + 1;
  return text;
}

// --- Values.

static void read_json_number(struct json_reader *r, struct json_value *value) {
  const char *start = r->at;
  while (r->at < r->end && *r->at && strchr("+-.0123456789eE", *r->at))
    r->at++;
  const size_t length = (size_t)(r->at - start);
  char *text = arena_take(r->arena, length + 1);
  memcpy(text, start, length);
  text[length] = '\0';
  char *end;
  strtod(text, &end);
  value->type = JSON_NUMBER;
  value->text = text;
  if (length == 0 || *end)
    fail_json(r, "a value is expected here");
}

static bool read_json_word(struct json_reader *r, struct json_value *value) {
  static const struct {
    const char *word;
    enum json_type type;
  } words[] = {{"null", JSON_NULL}, {"false", JSON_FALSE}, {"true", JSON_TRUE}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    const size_t length = strlen(words[i].word);
    if ((size_t)(r->end - r->at) >= length &&
        !memcmp(r->at, words[i].word, length)) {
      r->at += length;
      value->type = words[i].type;
      return true;
    }
  }
  return false;
}

static struct json_value *read_json_value(struct json_reader *r);

static void read_name(struct json_reader *r, const char **name) {
  if (!take_json(r, '"'))
    fail_json(r, "a member needs a name in quotes");
  else
    *name = read_json_text(r);
  if (!r->failed && !take_json(r, ':'))
    fail_json(r, "a colon is expected after a name");
}

static void read_members(struct json_reader *r, struct json_value *parent,
                         char close) {
  struct json_value **link = &parent->first;
  if (take_json(r, close))
    return;
  do {
    const char *name = NULL;
    if (parent->type == JSON_OBJECT)
      read_name(r, &name);
    *link = read_json_value(r);
    (*link)->name = name;
    link = &(*link)->next;
  } while (!r->failed && take_json(r, ','));
  if (!r->failed && !take_json(r, close))
    fail_json(r, "a comma or a closing bracket is expected here");
}

static struct json_value *read_json_value(struct json_reader *r) {
  struct json_value *value = arena_take(r->arena, sizeof *value);
  *value = (struct json_value){.type = JSON_NULL};
  if (++r->depth > JSON_DEPTH)
    fail_json(r, "it is nested too deeply");
  skip_space(r);
  if (r->failed || read_json_word(r, value)) {
    r->depth--;
    return value;
  }
  if (take_json(r, '{')) {
    value->type = JSON_OBJECT;
    read_members(r, value, '}');
  } else if (take_json(r, '[')) {
    value->type = JSON_ARRAY;
    read_members(r, value, ']');
  } else if (take_json(r, '"')) {
    value->type = JSON_STRING;
    value->text = read_json_text(r);
  } else {
    read_json_number(r, value);
  }
  r->depth--;
  return value;
}

const struct json_value *json_read(struct arena *arena, const char *bytes,
                                   size_t nbytes, struct error *error) {
  struct json_reader r = {.arena = arena,
                          .at = bytes,
                          .end = bytes + nbytes,
                          .line = 1,
                          .error = error};
  const struct json_value *document = read_json_value(&r);
  skip_space(&r);
  if (r.at < r.end)
    fail_json(&r, "something follows the document");
  return r.failed ? NULL : document;
}

// --- Looking things up.

const struct json_value *json_member(const struct json_value *object,
                                     const char *name) {
  if (!object || object->type != JSON_OBJECT)
    return NULL;
  for (const struct json_value *m = object->first; m; m = m->next)
    if (!strcmp(m->name, name))
      return m;
  return NULL;
}

const char *json_text(const struct json_value *object, const char *name,
                      const char *otherwise) {
  const struct json_value *m = json_member(object, name);
  return m && m->type == JSON_STRING ? m->text : otherwise;
}

static const char *number_text(const struct json_value *object,
                               const char *name) {
  const struct json_value *m = json_member(object, name);
  return m && m->type == JSON_NUMBER ? m->text : NULL;
}

uint64_t json_whole(const struct json_value *object, const char *name,
                    uint64_t otherwise) {
  const char *text = number_text(object, name);
  if (!text || text[0] == '-')
    return otherwise;
  errno = 0;
  const uint64_t number = strtoull(text, NULL, 10);
  return errno ? otherwise : number;
}

double json_real(const struct json_value *object, const char *name,
                 double otherwise) {
  const char *text = number_text(object, name);
  return text ? strtod(text, NULL) : otherwise;
}

bool json_is_true(const struct json_value *object, const char *name) {
  const struct json_value *m = json_member(object, name);
  return m && m->type == JSON_TRUE;
}

const struct json_value *json_first(const struct json_value *object,
                                    const char *name) {
  const struct json_value *m = json_member(object, name);
  return m && m->type == JSON_ARRAY ? m->first : NULL;
}

uint32_t json_count(const struct json_value *object, const char *name) {
  uint32_t n = 0;
  for (const struct json_value *e = json_first(object, name); e; e = e->next)
    n++;
  return n;
}

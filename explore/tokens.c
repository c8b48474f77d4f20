// SPDX-License-Identifier: GPL-3.0-or-later
// Tokens of a program (explore/parsing.h).  Columns count from 1.
#include "config.h"

#include "explore/parsing.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int parser_complain(const struct parser *p, const char *format, ...) {
  va_list args;
  char text[400];
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return error_set_usage(p->error, "%s:%u:%u: %s", p->program->path,
                         p->token.line, p->token.column, text);
}

int parser_expected(const struct parser *p, const char *wanted) {
  static const char *const ends[] = {[TOKEN_EOF] = "the end of the file",
                                     [TOKEN_LINE] = "the end of the line"};
  const struct notation_token *t = &p->token;
  if (t->kind <= TOKEN_LINE)
    return parser_complain(p, "expected %s, not %s", wanted, ends[t->kind]);
  return parser_complain(p, "expected %s, not \"%.60s\"", wanted, t->text);
}

static bool is_notation_char(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

// `#@line N` says that what follows was translated from line N (sql/),
// and `#@script NAME` from which file.
static void skip_notation_comment(struct parser *p) {
  unsigned line;
  char script[64];
  if (sscanf(p->p, "#@script %63[^\n]", script) == 1)
    p->script = arena_strdup(&p->program->arena, script);
  if (sscanf(p->p, "#@line %9u", &line) == 1)
    p->line = line - 1;
  p->p += strcspn(p->p, "\n");
}

// Blanks, comments, a line's end behind a comma or a backslash.
static void skip_notation_blanks(struct parser *p) {
  const bool goes_on = p->token.kind == TOKEN_SYMBOL && *p->token.text == ',';
  for (;;) {
    if (*p->p == '#')
      skip_notation_comment(p);
    const bool continued = *p->p == '\\' && p->p[1] == '\n';
    p->p += continued;
    if (*p->p == '\n' && (continued || goes_on)) {
      p->line++;
      p->line_start = p->p + 1;
    } else if (*p->p == '\n' || !isspace((unsigned char)*p->p)) {
      return;
    }
    p->p++;
  }
}

static int take_notation_number(struct parser *p) {
  struct notation_token *t = &p->token;
  size_t n = 0;
  t->kind = TOKEN_NUMBER;
  t->number = 0;
  while (isdigit((unsigned char)*p->p)) {
    if (t->number > VALUE_MOST / 10 - 1)
      return parser_complain(p, "this number is too large");
    t->number = 10 * t->number + (*p->p - '0');
    t->text[n++] = *p->p++;
  }
  t->text[n] = '\0';
  if (is_notation_char(*p->p))
    return parser_complain(p, "a name cannot begin with a digit");
  return 0;
}

// Names with a hyphen, all of them levels.
static const struct {
  const char *word, *rest;
} hyphenated[] = {{"rc", "-statement"}, {"mysql", "-rr"}};

static int take_notation_word(struct parser *p) {
  struct notation_token *t = &p->token;
  size_t n = 0;
  t->kind = TOKEN_WORD;
  for (; is_notation_char(*p->p); p->p++) {
    if (n == 64)
      return parser_complain(p, "this name is longer than 64 characters");
    t->text[n++] = *p->p;
  }
  t->text[n] = '\0';
  for (size_t i = 0; i < sizeof hyphenated / sizeof *hyphenated; i++) {
    const size_t rest = strlen(hyphenated[i].rest);
    if (strcmp(t->text, hyphenated[i].word) ||
        strncmp(p->p, hyphenated[i].rest, rest) || is_notation_char(p->p[rest]))
      continue;
    strcat(t->text, hyphenated[i].rest);
    p->p += rest;
    break;
  }
  return 0;
}

static int take_text(struct parser *p) {
  struct notation_token *t = &p->token;
  size_t n = 0;
  t->kind = TOKEN_TEXT;
  for (p->p++; *p->p != '"'; p->p++) {
    if (!*p->p || *p->p == '\n')
      return parser_complain(p, "the text lacks its closing quote");
    if ((unsigned char)*p->p < ' ' || n == sizeof t->text - 1)
      return parser_complain(p, "a text has at most 255 printable characters");
    t->text[n++] = *p->p;
  }
  p->p++;
  t->text[n] = '\0';
  return 0;
}

static int take_notation_symbol(struct parser *p) {
  static const char *const symbols[] = {"..", "==", "!=", "<=", ">=", "=", "<",
                                        ">",  "+",  "-",  "*",  "/",  "%", "(",
                                        ")",  "[",  "]",  ",",  ":"};
  struct notation_token *t = &p->token;
  t->kind = TOKEN_SYMBOL;
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
    const size_t n = strlen(symbols[i]);
    if (!strncmp(p->p, symbols[i], n)) {
      memcpy(t->text, symbols[i], n + 1);
      p->p += n;
      return 0;
    }
  }
  if (isprint((unsigned char)*p->p))
    return parser_complain(p, "\"%c\" has no meaning here", *p->p);
  return parser_complain(p, "the byte 0x%02x has no meaning here",
                         (unsigned char)*p->p);
}

int parser_advance(struct parser *p) {
  struct notation_token *t = &p->token;
  const char *before = p->p;
  skip_notation_blanks(p);
  t->line = p->line;
  t->column = (uint32_t)(p->p - p->line_start) + 1;
  t->glued = p->p == before;
  t->text[0] = '\0';
  if (!*p->p) {
    t->kind = TOKEN_EOF;
    return 0;
  }
  if (*p->p == '\n' || *p->p == ';') {
    t->kind = TOKEN_LINE;
    if (*p->p++ == '\n') {
      p->line++;
      p->line_start = p->p;
    }
    return 0;
  }
  if (isdigit((unsigned char)*p->p))
    return take_notation_number(p);
  if (is_notation_char(*p->p))
    return take_notation_word(p);
  return *p->p == '"' ? take_text(p) : take_notation_symbol(p);
}

bool parser_at(const struct parser *p, const char *text) {
  const struct notation_token *t = &p->token;
  return (t->kind == TOKEN_WORD || t->kind == TOKEN_SYMBOL) &&
         !strcmp(t->text, text);
}

int parser_accept(struct parser *p, const char *text) {
  if (!parser_at(p, text))
    return 0;
  return parser_advance(p) ? -1 : 1;
}

int parser_require(struct parser *p, const char *text) {
  char quoted[80];
  snprintf(quoted, sizeof quoted, "\"%s\"", text);
  return parser_at(p, text) ? parser_advance(p) : parser_expected(p, quoted);
}

int parser_name(struct parser *p, const char *what, const char **name) {
  if (p->token.kind != TOKEN_WORD)
    return parser_expected(p, what);
  *name = arena_strdup(&p->program->arena, p->token.text);
  return parser_advance(p);
}

int parser_end_of_line(struct parser *p) {
  if (p->token.kind == TOKEN_EOF)
    return 0;
  if (p->token.kind != TOKEN_LINE)
    return parser_expected(p, "the end of the line or \";\"");
  return parser_advance(p);
}

int parser_skip_lines(struct parser *p) {
  while (p->token.kind == TOKEN_LINE)
    if (parser_advance(p))
      return -1;
  return 0;
}

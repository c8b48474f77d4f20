// SPDX-License-Identifier: GPL-3.0-or-later
// Reads histories written by hand (formats/TEXT.md): `[x:=1 y==2]! [z+=3]`, a
// line of dashes between sessions.
#include "config.h"

#include "recorder/formats/text.h"

#include "recorder/formats/digits.h"
#include "recorder/formats/row_notation.h"
#include "recorder/formats/tokens.h"

#include "base/utf8.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

struct text_reading {
  struct input *input;
  char *p; // next character; input->p where it may go away
  struct builder *builder;
  uint64_t session;
  enum isolation level; // the last one that was named
  bool tells_nothing;
  uint64_t nothing; // that was expected
  struct value_list list;
  struct row_reading rows;
  bool ends_statement; // the last operation: a comma may follow
  struct error *error;
};

// The marks behind a closing bracket.
struct marks {
  enum outcome outcome;
  enum isolation level;
  uint64_t begin, end;
};

static int complain_of_text(struct text_reading *r, const char *at,
                            const char *what) {
  return input_refuse(r->input, at, what, r->error);
}

// Makes the next things to be read available.
static void want(struct text_reading *r) {
  r->input->p = r->p;
  input_want(r->input);
  r->p = r->input->p;
}

static uint64_t line_here(struct text_reading *r) {
  r->input->p = r->p;
  return input_line(r->input);
}

// Is this zero byte the end of what is available, but not of the file?
static bool at_end_of_window(const struct text_reading *r) {
  return r->p == r->input->end && !r->input->at_end;
}

static bool is_text_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// Skips blanks, however many; the text behind them is available afterwards.
static void skip_text_blanks(struct text_reading *r) {
  bool many;
  do {
    want(r);
    char *p = r->p;
    while (is_text_blank(*p))
      p++;
    many = p - r->p >= INPUT_AHEAD / 2;
    r->p = p;
  } while (many || at_end_of_window(r));
}

static bool at_comment(const char *p) {
  return *p == '#' || (p[0] == '/' && p[1] == '/');
}

static inline bool accept_mark(struct text_reading *r, const char *token) {
  const size_t n = strlen(token);
  const bool there = memcmp(r->p, token, n) == 0;
  r->p += there ? n : 0;
  return there;
}

static bool is_name_char(char c) {
  static const bool names[256] = {['0' ... '9'] = true,
                                  ['A' ... 'Z'] = true,
                                  ['a' ... 'z'] = true,
                                  ['_'] = true};
  return names[(unsigned char)c];
}

// The bytes of a character beyond ASCII, which may be a letter: none if it is a
// blank, which would be taken for a part of a name, or none at all.
static size_t letter_length(const char *p) {
  static const struct {
    const char *first, *last;
  } blanks[] = {{"\xc2\x80", "\xc2\xa0"}, // U+0080 to U+00A0, and so on
                {"\xe1\x9a\x80", "\xe1\x9a\x80"},
                {"\xe2\x80\x80", "\xe2\x81\xaf"},
                {"\xe3\x80\x80", "\xe3\x80\x80"},
                {"\xef\xbb\xbf", "\xef\xbb\xbf"}};
  size_t n = (unsigned char)*p < 0x80 ? 0 : utf8_length(p);
  for (size_t i = 0; i < sizeof blanks / sizeof *blanks && n; i++)
    if (n == strlen(blanks[i].first) && memcmp(p, blanks[i].first, n) >= 0 &&
        memcmp(p, blanks[i].last, n) <= 0)
      n = 0;
  return n;
}

const char *text_end_of_name(const char *p) {
  for (size_t n = 1; n; p += n)
    n = is_name_char(*p) ? 1 : letter_length(p);
  return p;
}

static int read_text_number(struct text_reading *r, uint64_t *number) {
  const char *const start = r->p;
  while (r->p[0] == '0' && isdigit((unsigned char)r->p[1]))
    r->p++;
  const size_t n = digits_read(r->p, number);
  if (n && !digits_fit(r->p, n, *number))
    return complain_of_text(r, start, "the number is not below 2^64");
  r->p += n;
  return n ? 0 : complain_of_text(r, start, "expected a number");
}

// An element of a list.
static int read_text_element(struct text_reading *r, uint64_t *value) {
  char text[24];
  if (read_text_number(r, value))
    return -1;
  if (*value >= VALUE_NAMED) {
    const int n = snprintf(text, sizeof text, "%" PRIu64, *value);
    *value = builder_value_named(r->builder, text, (size_t)n);
  }
  return 0;
}

// Reads a value that is written to a register.
static int read_written(struct text_reading *r, uint64_t *value) {
  if (read_text_element(r, value))
    return -1;
  if (!*value)
    *value = builder_zero(r->builder, true);
  return 0;
}

// Reads a value that a register held; `?` is the initial value.
static int read_text_value(struct text_reading *r, uint64_t *value) {
  *value = r->nothing;
  if (accept_mark(r, "?"))
    return 0;
  if (!isdigit((unsigned char)*r->p))
    return complain_of_text(r, r->p, "expected a number or '?'");
  if (read_text_element(r, value))
    return -1;
  if (!*value)
    *value = builder_zero(r->builder, false);
  return 0;
}

static int read_text_key(struct text_reading *r, const char *end,
                         uint64_t *key) {
  const char *start = r->p;
  r->p += end - start;
  if (r->p == start)
    return complain_of_text(r, start, "expected the name of a key, or ']'");
  if (r->p - start > TEXT_NAME_MAX_BYTES)
    return complain_of_text(r, start, "the name is longer than 64 bytes");
  *key = builder_key_named(r->builder, start, (size_t)(r->p - start));
  return 0;
}

// Behind `x==[` or `x=={`, to the bracket that closes.
static int read_text_elements(struct text_reading *r, const char *end,
                              const char *expected) {
  r->list.count = 0;
  skip_text_blanks(r);
  while (!accept_mark(r, end)) {
    uint64_t value;
    if (r->list.count && !accept_mark(r, ","))
      return complain_of_text(r, r->p, expected);
    skip_text_blanks(r);
    if (read_text_element(r, &value))
      return -1;
    value_list_push(&r->list, value);
    skip_text_blanks(r);
  }
  return 0;
}

static int read_text_list(struct text_reading *r, uint64_t key) {
  if (read_text_elements(r, "]", "expected ',' or ']' in the list"))
    return -1;
  builder_list(r->builder, key, r->list.values, r->list.count);
  return 0;
}

static int read_text_set(struct text_reading *r, uint64_t key) {
  const uint64_t line = line_here(r);
  if (read_text_elements(r, "}", "expected ',' or '}' in the set"))
    return -1;
  builder_set(r->builder, key, r->list.values, r->list.count, line);
  return 0;
}

// Behind `x|=`.
static int read_add(struct text_reading *r, uint64_t key) {
  uint64_t element;
  const uint64_t line = line_here(r);
  if (read_text_element(r, &element))
    return -1;
  builder_add(r->builder, key, element, line);
  return 0;
}

static int read_text_cas(struct text_reading *r, uint64_t key) {
  uint64_t expected, value;
  if (read_text_value(r, &expected))
    return -1;
  if (!accept_mark(r, "->"))
    return complain_of_text(r, r->p, "expected '->' and the new value");
  if (read_written(r, &value))
    return -1;
  builder_cas(r->builder, key, expected, value);
  return 0;
}

// Makes all of a statement or a table available, which is in one line.  Commas
// and brackets in the braces of a condition or an image do not end it.
static void want_rows(struct text_reading *r, bool table) {
  size_t n = 0;
  bool braces = false, ends = false;
  want(r);
  while (!ends) {
    const size_t available = (size_t)(r->input->end - r->p);
    for (; n < available && !ends; n++) {
      const char c = r->p[n];
      braces = c == '{' || (braces && c != '}');
      ends = c == '\n' || (!table && !braces && (c == ']' || c == ','));
    }
    ends |= !ends && !input_longer(r->input);
    r->p = r->input->p;
  }
}

// Reads a statement or a table with `read`, from the text at r->p.
static int read_text_rows(struct text_reading *r,
                          const char *(*read)(struct row_reading *,
                                              const char *, uint64_t)) {
  want_rows(r, read == row_table_read);
  const char *end = read(&r->rows, r->p, input_line(r->input));
  if (!end)
    return complain_of_text(r, r->rows.at, r->rows.why);
  r->p += end - r->p;
  return 0;
}

static int read_text_operation(struct text_reading *r) {
  uint64_t key = 0, value = 0;
  const char *const end = text_end_of_name(r->p);
  r->ends_statement = is_text_blank(*end) && row_statement_comes(r->p);
  if (r->ends_statement)
    return read_text_rows(r, row_statement_read);
  if (read_text_key(r, end, &key))
    return -1;
  if (accept_mark(r, "==["))
    return read_text_list(r, key);
  if (accept_mark(r, "=={"))
    return read_text_set(r, key);
  if (accept_mark(r, "|="))
    return read_add(r, key);
  if (r->tells_nothing && accept_mark(r, "==?")) {
    builder_nothing(r->builder, key);
    return 0;
  }
  if (accept_mark(r, "==")) {
    if (read_text_value(r, &value))
      return -1;
    builder_op(r->builder, OP_READ, key, value);
    return 0;
  }
  bool append = accept_mark(r, "+=");
  if (append || accept_mark(r, ":=")) {
    if (append ? read_text_element(r, &value) : read_written(r, &value))
      return -1;
    builder_op(r->builder, append ? OP_APPEND : OP_WRITE, key, value);
    return 0;
  }
  if (accept_mark(r, ":"))
    return read_text_cas(r, key);
  return complain_of_text(
      r, r->p,
      "expected ':=', '==', '+=', '|=' or ':OLD->NEW' behind "
      "the key");
}

static int read_text_time(struct text_reading *r, uint64_t *time) {
  const char *start = r->p;
  if (read_text_number(r, time))
    return -1;
  return *time > INT64_MAX
             ? complain_of_text(r, start, "the number is not below 2^63")
             : 0;
}

// 10..20, 10.. or ..20
static int read_times(struct text_reading *r, struct marks *marks) {
  const char *start = r->p;
  const bool begin = *r->p != '.';
  if (begin && read_text_time(r, &marks->begin))
    return -1;
  if (!accept_mark(r, ".."))
    return complain_of_text(r, r->p, "expected '..' and the end time");
  const bool end = !begin || isdigit((unsigned char)*r->p);
  if (end && read_text_time(r, &marks->end))
    return -1;
  if (begin && marks->end < marks->begin)
    return complain_of_text(r, start, "the transaction ends before it begins");
  return 0;
}

static int read_text_level(struct text_reading *r, struct marks *marks) {
  const char *start = r->p;
  char name[8] = "";
  r->p += text_end_of_name(start) - start;
  if ((size_t)(r->p - start) < sizeof name)
    memcpy(name, start, (size_t)(r->p - start));
  if (!strcmp(name, isolation_name(r->level)) ||
      isolation_parse(name, &r->level)) {
    marks->level = r->level;
    return 0;
  }
  return complain_of_text(r, start,
                          "expected a level: none, rc, ra, cc, pc, si, ser "
                          "or sser");
}

static int read_marks(struct text_reading *r, struct marks *marks) {
  for (;;) {
    if (accept_mark(r, "!"))
      marks->outcome = OUTCOME_ABORTED;
    else if (accept_mark(r, "?"))
      marks->outcome = OUTCOME_UNKNOWN;
    else if (accept_mark(r, "@")) {
      if (read_times(r, marks))
        return -1;
    } else if (accept_mark(r, "%")) {
      if (read_text_level(r, marks))
        return -1;
    } else
      return 0;
  }
}

static bool at_end_of_line(const struct text_reading *r) {
  return !*r->p || *r->p == '\n' || at_comment(r->p);
}

static int read_what_follows(struct text_reading *r) {
  struct marks marks = {.begin = TIME_UNKNOWN, .end = TIME_UNKNOWN};
  if (read_marks(r, &marks))
    return -1;
  if (!at_end_of_line(r) && !is_text_blank(*r->p) && *r->p != '[' &&
      *r->p != '/')
    return complain_of_text(r, r->p,
                            "expected '!', '?', '@BEGIN..END', '%LEVEL' or a "
                            "blank behind the transaction");
  builder_outcome(r->builder, marks.outcome);
  builder_level(r->builder, marks.level);
  builder_times(r->builder, marks.begin, marks.end);
  return 0;
}

// Complains at the opening bracket, or as near to it as is still there.
static int complain_of_end(struct text_reading *r, uint64_t start) {
  const uint64_t first = r->input->offset;
  const char *at = start < first ? r->p : r->input->buffer + (start - first);
  return complain_of_text(r, at, "expected ']' at the end of the transaction");
}

static int read_transaction(struct text_reading *r) {
  r->input->p = r->p;
  const uint64_t start = input_offset(r->input);
  builder_txn(r->builder, r->session, OUTCOME_OK, ISOLATION_NONE, TIME_UNKNOWN,
              TIME_UNKNOWN);
  r->p++;
  skip_text_blanks(r);
  while (!accept_mark(r, "]")) {
    if (at_end_of_line(r))
      return complain_of_end(r, start);
    if (read_text_operation(r))
      return -1;
    if (r->ends_statement)
      (void)accept_mark(r, ",");
    if (!is_text_blank(*r->p) && *r->p != ']' && *r->p != '\n' && *r->p)
      return complain_of_text(r, r->p,
                              "expected a blank or ']' behind the operation");
    skip_text_blanks(r);
  }
  return read_what_follows(r);
}

static int read_separator(struct text_reading *r) {
  while (accept_mark(r, "-"))
    ;
  r->session++;
  skip_text_blanks(r);
  if (!at_end_of_line(r))
    return complain_of_text(r, r->p,
                            "expected nothing behind a line of dashes");
  return 0;
}

// Goes to the line feed, or to the end of the file.
static void skip_text_line(struct text_reading *r) {
  while (*r->p != '\n' && (r->p < r->input->end || at_end_of_window(r))) {
    if (at_end_of_window(r))
      want(r);
    else
      r->p++;
  }
}

static int read_text_line(struct text_reading *r) {
  skip_text_blanks(r);
  if (*r->p == '-' && read_separator(r))
    return -1;
  if (row_table_comes(r->p)) {
    r->p += strlen("table");
    if (read_text_rows(r, row_table_read))
      return -1;
    skip_text_blanks(r);
    if (!at_end_of_line(r))
      return complain_of_text(r, r->p, "expected nothing behind the table");
  }
  while (!at_end_of_line(r)) {
    if (*r->p != '[')
      return complain_of_text(r, r->p,
                              "expected '[' at the start of a transaction");
    if (read_transaction(r))
      return -1;
    skip_text_blanks(r);
  }
  if (!*r->p && r->p < r->input->end)
    return complain_of_text(r, r->p, "a zero byte in a text file");
  skip_text_line(r);
  return 0;
}

static int text_parse(struct parsing *parsing) {
  struct text_reading r = {.input = &parsing->input,
                           .p = parsing->input.p,
                           .builder = parsing->builder,
                           .tells_nothing = tells_nothing(parsing),
                           .nothing =
                               value_of_nothing(parsing->options->initial),
                           .rows = {.builder = parsing->builder},
                           .error = parsing->error};
  int status = read_text_line(&r);
  while (status == 0 && *r.p == '\n') {
    r.p++;
    status = read_text_line(&r);
  }
  r.input->p = r.p;
  if (status == 0)
    status = row_reading_check(&r.rows, r.input->path, r.error);
  row_reading_free(&r.rows);
  value_list_free(&r.list);
  return status;
}

// A map of EDN, as #jepsen.history.Op{:index 0}, is no comment.
static bool is_tagged(const char *p) {
  return *p == '#' && p[strcspn(p, "{ \t\n")] == '{';
}

// Looks at the first thing that is no comment and no line of dashes: a
// transaction, but not a list of JSON or EDN, which a file that is no more than
// `[]` is.  If there is none, dashes are sessions that did nothing, and
// comments may be anybody's.
static bool text_recognise(const unsigned char *head, size_t bytes) {
  const char *p = (const char *)head, *end = p + bytes;
  bool dashes = false;
  while (p < end &&
         (isspace((unsigned char)*p) || at_comment(p) || *p == '-')) {
    if (is_tagged(p))
      return false;
    dashes |= *p == '-';
    p += at_comment(p) ? strcspn(p, "\n") : 1;
  }
  if (p == end)
    return dashes;
  if (row_table_comes(p))
    return true;
  if (*p != '[')
    return false;
  p += 1 + strspn(p + 1, " \t");
  const char *name = p;
  p = text_end_of_name(p);
  if (*name == ']')
    return !text_empty_depth((const char *)head, '[');
  return p > name && *p && strchr(":=+|", *p);
}

const struct history_format format_text = {
    .name = "text",
    .summary = "written by hand, as dbcop's text notation and more: TEXT.md",
    .example = "[x:=1 y:=1] [x==1 x:=2]\n"
               "---\n"
               "[x==2 y==1]",
    .initial = INITIAL_BY_KEY,
    .says = FEATURE_DUPLICATES | FEATURE_LISTS | FEATURE_CAS | FEATURE_ABORTED |
            FEATURE_UNKNOWN | FEATURE_TIMES | FEATURE_LEVELS | FEATURE_NAMES |
            FEATURE_UNCOMMITTED_READS | FEATURE_ROWS | FEATURE_SETS,
    .recognise = text_recognise,
    .parse = text_parse,
    .extension = "hist",
    .write = text_write,
};

// SPDX-License-Identifier: GPL-3.0-or-later
// Reads tables and statements (recorder/formats/row_notation.h).
#include "config.h"

#include "recorder/formats/row_notation.h"

#include "base/memory.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONDITION_MAX = 4096 }; // bytes

// A text being read.
struct notation_cursor {
  struct row_reading *r;
  const char *p;
  uint64_t line;
};

static bool refuse_notation(struct notation_cursor *c, const char *what) {
  c->r->at = c->p;
  snprintf(c->r->why, sizeof c->r->why, "%s", what);
  return false;
}

static void skip_noted_blanks(struct notation_cursor *c) {
  while (*c->p == ' ' || *c->p == '\t')
    c->p++;
}

static bool takes(struct notation_cursor *c, char sign) {
  skip_noted_blanks(c);
  if (*c->p != sign)
    return false;
  c->p++;
  return true;
}

static size_t noted_word_length(const char *p) {
  size_t n = 0;
  if (isalpha((unsigned char)*p) || *p == '_')
    while (isalnum((unsigned char)p[n]) || p[n] == '_')
      n++;
  return n;
}

static bool read_noted_word(struct notation_cursor *c, const char *what,
                            const char **word, size_t *length) {
  skip_noted_blanks(c);
  *word = c->p;
  *length = noted_word_length(c->p);
  if (*length == 0 || *length >= ROW_NAME)
    return refuse_notation(c, what);
  c->p += *length;
  return true;
}

static bool read_noted_number(struct notation_cursor *c, int64_t *number) {
  skip_noted_blanks(c);
  char *end;
  errno = 0;
  const char sign = *c->p == '-';
  if (!isdigit((unsigned char)c->p[sign ? 1 : 0]))
    return refuse_notation(c, "expected a whole number");
  *number = strtoll(c->p, &end, 10);
  if (errno)
    return refuse_notation(c, "the number does not fit 64 bits");
  c->p = end;
  return true;
}

static void note_version(struct noted_versions *v,
                         struct noted_version version) {
  ARRAY_RESERVE(v->items, v->count, v->room);
  v->items[v->count++] = version;
}

// --- Images: {b=1,v=5}.

static uint32_t column_named(const struct predicate_columns *columns,
                             const char *name, size_t length) {
  for (uint32_t i = 0; i < columns->count; i++)
    if (strlen(columns->names[i]) == length &&
        !memcmp(columns->names[i], name, length))
      return i;
  return UINT32_MAX;
}

static bool refuse_noted_column(struct notation_cursor *c, const char *name,
                                size_t length) {
  char text[128];
  snprintf(text, sizeof text, "the table has no column %.*s", (int)length,
           name);
  c->p = name;
  return refuse_notation(c, text);
}

// Reads `b=1` into its place.
static bool read_noted_column(struct notation_cursor *c,
                              const struct predicate_columns *columns,
                              uint64_t *seen, uint32_t first) {
  const char *name;
  size_t length;
  if (!read_noted_word(c, "expected the name of a column", &name, &length))
    return false;
  const uint32_t i = column_named(columns, name, length);
  if (i == UINT32_MAX)
    return refuse_noted_column(c, name, length);
  if (*seen >> i & 1)
    return refuse_notation(c, "the column is there twice");
  *seen |= UINT64_C(1) << i;
  return takes(c, '=') ? read_noted_number(c, &c->r->numbers[first + i])
                       : refuse_notation(c, "expected '=' and a whole number");
}

static uint32_t reserve_numbers(struct row_reading *r, uint32_t count) {
  while (r->numbers_room - r->nnumbers < count) {
    r->numbers_room = r->numbers_room ? 2 * r->numbers_room : 64;
    r->numbers = xrealloc(r->numbers, r->numbers_room, sizeof *r->numbers);
  }
  r->nnumbers += count;
  return r->nnumbers - count;
}

// Behind the opening bracket; `*first` is where the columns are in numbers.
static bool read_image(struct notation_cursor *c, uint32_t table,
                       uint32_t *first) {
  const struct predicate_columns columns =
      builder_columns(c->r->builder, table);
  uint64_t seen = 0;
  *first = reserve_numbers(c->r, columns.count);
  if (columns.count)
    do
      if (!read_noted_column(c, &columns, &seen, *first))
        return false;
    while (takes(c, ','));
  if (!takes(c, '}'))
    return refuse_notation(c, "expected ',' or '}'");
  return seen == (UINT64_C(1) << columns.count) - 1
             ? true
             : refuse_notation(c,
                               "expected all columns of the table before this");
}

// --- Rows: 1@w2{b=1,v=5}.

// The notation behind the key of a row, by the sort of the statement.
static const struct row_rules {
  uint8_t kind; // enum op_kind, without `@`
  uint8_t kind_of_seen;
  bool is_seen, may_be_seen; // with `@`
  bool has_image, may_have_image;
} rules[] = {
    [STATEMENT_SELECT] = {OP_ROW, OP_ROW, true, true, false, true},
    [STATEMENT_LOCKING_SELECT] = {OP_ROW, OP_ROW, true, true, false, true},
    [STATEMENT_INSERT] = {OP_ROW_INSERT, 0, false, false, true, true},
    [STATEMENT_UPSERT] = {OP_ROW_INSERT, OP_ROW_UPDATE, false, true, true,
                          true},
    [STATEMENT_UPDATE] = {0, OP_ROW_UPDATE, true, true, true, true},
    [STATEMENT_DELETE] = {0, OP_ROW_DELETE, true, true, false, false},
    [STATEMENT_INSERT_NEW] = {OP_ROW_INSERT, 0, false, false, true, true},
    [STATEMENT_ADD] = {0, OP_ROW_UPDATE, true, true, true, true},
};

// Behind `@`: w1, or ? for what was preloaded.
static bool read_stamp(struct notation_cursor *c, uint64_t *stamp) {
  int64_t number = 0;
  *stamp = 0;
  if (takes(c, '?'))
    return true;
  if (*c->p != 'w')
    return refuse_notation(
        c, "expected 'wN', the N-th writing statement of the file, "
           "or '?', the preloaded row");
  c->p++;
  if (!read_noted_number(c, &number))
    return false;
  *stamp = (uint64_t)number;
  return number > 0 ? true
                    : refuse_notation(c, "statements are counted from w1");
}

static void add_noted_row(struct row_reading *r, struct told_row row,
                          uint32_t image) {
  ARRAY_RESERVE(r->rows, r->nrows, r->rows_room);
  ARRAY_RESERVE(r->images, r->nrows, r->images_room);
  r->images[r->nrows] = image;
  r->rows[r->nrows++] = row;
}

static bool read_noted_row(struct notation_cursor *c, enum statement_sort sort,
                           uint32_t table) {
  const struct row_rules *rule = &rules[sort];
  struct row_reading *r = c->r;
  struct told_row row = {.kind = rule->kind};
  uint32_t image = ROWS_NONE;
  if (!read_noted_number(c, &row.key))
    return false;
  const bool is_seen = *c->p == '@';
  if (is_seen && !rule->may_be_seen)
    return refuse_notation(
        c, "an inserted row was not there: it has no @ and no version");
  if (!is_seen && rule->is_seen)
    return refuse_notation(
        c, "expected '@' and the version of the row that was found");
  if (is_seen) {
    c->p++;
    row.kind = rule->kind_of_seen;
    if (!read_stamp(c, &row.saw))
      return false;
    note_version(&r->seen,
                 (struct noted_version){table, row.key, row.saw, c->line});
  }
  const bool has_image = *c->p == '{';
  if (has_image && !rule->may_have_image)
    return refuse_notation(c, "a deleted row has no columns");
  if (!has_image && rule->has_image)
    return refuse_notation(c, "expected the columns of the row, as {b=1}");
  if (has_image) {
    c->p++;
    if (!read_image(c, table, &image))
      return false;
  }
  if (op_leaves_row(row.kind))
    note_version(&r->written,
                 (struct noted_version){table, row.key, r->nwriting, c->line});
  add_noted_row(r, row, image);
  return true;
}

// --- Statements.

static bool read_noted_table_name(struct notation_cursor *c, uint32_t *table) {
  const char *name;
  size_t length;
  if (!read_noted_word(c, "expected the name of a table", &name, &length))
    return false;
  *table = builder_table_named(c->r->builder, name, length);
  if (*table != ROWS_NONE)
    return true;
  c->p = name;
  return refuse_notation(c,
                         "there is no table of that name before this: say its "
                         "columns first, as in `table t(b, v)`");
}

// Reads {b = 1} and lifts its constants, so that statements of one shape share
// a condition.
static bool read_noted_condition(struct notation_cursor *c,
                                 struct told_statement *s,
                                 int64_t *parameters) {
  char text[CONDITION_MAX];
  struct predicate predicate;
  struct error error;
  if (!takes(c, '{'))
    return refuse_notation(c, "expected '{' and the condition");
  const size_t length = strcspn(c->p, "}\n");
  if (c->p[length] != '}' || length >= sizeof text)
    return refuse_notation(c, "expected '}' behind the condition");
  memcpy(text, c->p, length);
  text[length] = 0;
  const struct predicate_columns columns =
      builder_columns(c->r->builder, s->table);
  if (predicate_read(&predicate, text, &columns, &error))
    return refuse_notation(c, error.text);
  if (predicate.nparameters)
    return refuse_notation(c, "parameters have no values here: write numbers");
  if (s->sort == STATEMENT_INSERT_NEW && !predicate_names_keys(&predicate))
    return refuse_notation(
        c, "the condition of `new` says which keys: " ROW_KEY_COLUMN
           " = 1, or " ROW_KEY_COLUMN " IN (1, 2)");
  predicate_lift(&predicate, parameters);
  s->condition = builder_condition(c->r->builder, s->table, &predicate);
  s->parameters = parameters;
  c->p += length + 1;
  return true;
}

// Rows behind `sel t{...}:`, as long as they come.
static bool read_found_rows(struct notation_cursor *c,
                            const struct told_statement *s) {
  if (!takes(c, ':'))
    return refuse_notation(c, "expected ':' and the rows");
  for (skip_noted_blanks(c); isdigit((unsigned char)*c->p) || *c->p == '-';
       skip_noted_blanks(c))
    if (!read_noted_row(c, (enum statement_sort)s->sort, s->table))
      return false;
  return true;
}

// Is this `t/`, the row of a table?
static bool is_row_of_table(const char *p) {
  const size_t n = noted_word_length(p);
  return n && p[n] == '/';
}

// Is the name of a table all that there is, as of an INSERT that failed?
static bool ends_at_name(const struct notation_cursor *c) {
  return !*c->p || strchr(" \t,]", *c->p);
}

// Rows of `ins t/1{...} t/2{...}`, as long as they come.
static bool read_named_rows(struct notation_cursor *c,
                            struct told_statement *s) {
  bool first = true;
  skip_noted_blanks(c);
  do {
    const char *start = c->p;
    uint32_t table;
    if (!read_noted_table_name(c, &table))
      return false;
    if (first && ends_at_name(c)) {
      s->table = table;
      return true;
    }
    if (!takes(c, '/'))
      return refuse_notation(c, "expected '/' and the key of a row");
    if (!first && table != s->table) {
      c->p = start;
      return refuse_notation(c, "a statement has rows of one table only");
    }
    s->table = table;
    first = false;
    if (!read_noted_row(c, (enum statement_sort)s->sort, table))
      return false;
    skip_noted_blanks(c);
  } while (is_row_of_table(c->p));
  return true;
}

// The numbers of all images are there, and do not move any more.
static void point_to_images(struct row_reading *r) {
  for (uint32_t i = 0; i < r->nrows; i++)
    if (r->images[i] != ROWS_NONE)
      r->rows[i].image = r->numbers + r->images[i];
}

// STATEMENT_COUNT: no such word.
static enum statement_sort sort_of_word(const char *p, size_t length) {
  int sort = 0;
  for (; sort < STATEMENT_COUNT; sort++) {
    const char *word = statement_word((enum statement_sort)sort);
    if (strlen(word) == length && !memcmp(word, p, length))
      break;
  }
  return (enum statement_sort)sort;
}

bool row_statement_comes(const char *p) {
  const size_t n = noted_word_length(p);
  return (p[n] == ' ' || p[n] == '\t') && sort_of_word(p, n) != STATEMENT_COUNT;
}

const char *row_statement_read(struct row_reading *r, const char *text,
                               uint64_t line) {
  struct notation_cursor c = {.r = r, .p = text, .line = line};
  const size_t n = noted_word_length(text);
  struct told_statement s = {.sort = (uint8_t)sort_of_word(text, n),
                             .condition = NO_CONDITION};
  int64_t parameters[PREDICATE_PARAMETERS];
  r->nrows = r->nnumbers = 0;
  if (s.sort == STATEMENT_COUNT) {
    refuse_notation(
        &c, "expected a statement: sel, selu, ins, ups, upd, del or new");
    return NULL;
  }
  c.p += n;
  if (statement_writes((enum statement_sort)s.sort))
    s.stamp = ++r->nwriting;
  const bool is_read = statement_has_condition((enum statement_sort)s.sort)
                           ? read_noted_table_name(&c, &s.table) &&
                                 read_noted_condition(&c, &s, parameters) &&
                                 read_found_rows(&c, &s)
                           : read_named_rows(&c, &s);
  if (!is_read)
    return NULL;
  point_to_images(r);
  s.rows = r->rows;
  s.nrows = r->nrows;
  builder_statement(r->builder, &s);
  return c.p;
}

// --- Tables.

bool row_table_comes(const char *p) {
  if (strncmp(p, "table", 5) != 0 || (p[5] != ' ' && p[5] != '\t'))
    return false;
  p += 5 + strspn(p + 5, " \t");
  const size_t n = noted_word_length(p);
  return n && p[n + strspn(p + n, " \t")] == '(';
}

// The names of columns, each with a zero byte behind it.
struct column_names {
  char text[PREDICATE_COLUMNS][ROW_NAME];
  const char *names[PREDICATE_COLUMNS];
  uint32_t count;
};

static bool is_taken(const struct column_names *n, const char *name,
                     size_t length) {
  const struct predicate_columns columns = {NULL, n->names, n->count};
  return (length == strlen(ROW_KEY_COLUMN) &&
          !memcmp(name, ROW_KEY_COLUMN, length)) ||
         column_named(&columns, name, length) != UINT32_MAX;
}

static bool read_column_names(struct notation_cursor *c,
                              struct column_names *n) {
  const char *name;
  size_t length;
  if (takes(c, ')'))
    return true;
  do {
    if (!read_noted_word(c, "expected the name of a column", &name, &length))
      return false;
    if (n->count == PREDICATE_COLUMNS)
      return refuse_notation(c, "a table has at most 32 columns");
    if (is_taken(n, name, length)) {
      c->p = name;
      return refuse_notation(
          c, "the table has a column of that name already; every "
             "table has the key " ROW_KEY_COLUMN);
    }
    snprintf(n->text[n->count], ROW_NAME, "%.*s", (int)length, name);
    n->names[n->count] = n->text[n->count];
    n->count++;
  } while (takes(c, ','));
  return takes(c, ')') ? true : refuse_notation(c, "expected ',' or ')'");
}

static bool read_preloaded(struct notation_cursor *c, uint32_t table) {
  for (skip_noted_blanks(c); isdigit((unsigned char)*c->p) || *c->p == '-';
       skip_noted_blanks(c)) {
    int64_t key;
    uint32_t first;
    if (!read_noted_number(c, &key))
      return false;
    if (!takes(c, '{'))
      return refuse_notation(c, "expected the columns of the row, as {b=1}");
    c->r->nnumbers = 0;
    if (!read_image(c, table, &first))
      return false;
    builder_preload(c->r->builder, table, key, c->r->numbers + first);
    note_version(&c->r->written,
                 (struct noted_version){table, key, 0, c->line});
  }
  return true;
}

static bool read_noted_table(struct notation_cursor *c) {
  struct column_names columns = {.count = 0};
  char name[ROW_NAME];
  const char *word;
  size_t length;
  if (!read_noted_word(c, "expected the name of a table", &word, &length))
    return false;
  if (builder_table_named(c->r->builder, word, length) != ROWS_NONE)
    return refuse_notation(c, "there is a table of that name already");
  if (builder_rows(c->r->builder)->ntables == ROW_TABLES)
    return refuse_notation(c, "there are at most 256 tables");
  snprintf(name, sizeof name, "%.*s", (int)length, word);
  if (!takes(c, '('))
    return refuse_notation(c, "expected '(' and the names of columns");
  if (!read_column_names(c, &columns))
    return false;
  const uint32_t table =
      builder_table(c->r->builder, name, columns.names, columns.count);
  return takes(c, ':') ? read_preloaded(c, table) : true;
}

const char *row_table_read(struct row_reading *r, const char *text,
                           uint64_t line) {
  struct notation_cursor c = {.r = r, .p = text, .line = line};
  return read_noted_table(&c) ? c.p : NULL;
}

// --- The end of the file.

static int by_noted_version(const void *a, const void *b) {
  const struct noted_version *x = a, *y = b;
  if (x->table != y->table)
    return x->table < y->table ? -1 : 1;
  if (x->key != y->key)
    return x->key < y->key ? -1 : 1;
  return (x->stamp > y->stamp) - (x->stamp < y->stamp);
}

static int complain_of_version(const struct row_reading *r, const char *path,
                               const struct noted_version *v, bool is_twice,
                               struct error *error) {
  const char *table = builder_rows(r->builder)->tables[v->table].name;
  if (is_twice)
    return error_set(error,
                     "%s:%" PRIu64 ": row %s/%" PRId64
                     " is written twice by one statement",
                     path, v->line, table, v->key);
  if (!v->stamp)
    return error_set(error,
                     "%s:%" PRIu64 ": row %s/%" PRId64
                     " was not preloaded: name the statement that wrote it, as "
                     "in @w1, or preload it, as in `table %s(...): %" PRId64
                     "{...}`",
                     path, v->line, table, v->key, table, v->key);
  return error_set(error,
                   "%s:%" PRIu64 ": nobody wrote row %s/%" PRId64 "@w%" PRIu64
                   ": w%" PRIu64 " is no statement of this file that inserts "
                   "or changes that row",
                   path, v->line, table, v->key, v->stamp, v->stamp);
}

int row_reading_check(struct row_reading *r, const char *path,
                      struct error *error) {
  struct noted_versions *w = &r->written;
  if (w->count)
    qsort(w->items, w->count, sizeof *w->items, by_noted_version);
  for (uint32_t i = 1; i < w->count; i++)
    if (!by_noted_version(&w->items[i - 1], &w->items[i]))
      return complain_of_version(r, path, &w->items[i], true, error);
  for (uint32_t i = 0; i < r->seen.count; i++)
    if (!w->count || !bsearch(&r->seen.items[i], w->items, w->count,
                              sizeof *w->items, by_noted_version))
      return complain_of_version(r, path, &r->seen.items[i], false, error);
  return 0;
}

void row_reading_free(struct row_reading *r) {
  FREE_EACH(r->written.items, r->seen.items, r->rows, r->images, r->numbers);
}

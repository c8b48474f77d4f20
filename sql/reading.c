// SPDX-License-Identifier: GPL-3.0-or-later
// Tokens (sql/reading.h).
#include "config.h"

#include "sql/reading.h"

#include <ctype.h>
#include <string.h>

static bool is_sql_word_char(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

static int skip_sql_blanks(struct sql_reader *r) {
  for (;; r->p++) {
    if (r->p[0] == '-' && r->p[1] == '-')
      r->p += strcspn(r->p, "\n");
    const char *end =
        r->p[0] == '/' && r->p[1] == '*' ? strstr(r->p, "*/") : NULL;
    for (; end && r->p < end + 2; r->p++)
      r->line += *r->p == '\n';
    if (*r->p == '\n' && r->lines)
      return 0;
    r->line += *r->p == '\n';
    if (!isspace((unsigned char)*r->p))
      return 0;
  }
}

static int take_sql_word(struct sql_reader *r, enum sql_kind kind) {
  size_t n = 0;
  r->kind = kind;
  for (; is_sql_word_char(*r->p); r->p++) {
    if (n == 48)
      return sql_refuse(r, "a name is longer than 48 characters");
    r->text[n++] = (char)tolower((unsigned char)*r->p);
  }
  r->text[n] = '\0';
  return n ? 0 : sql_refuse(r, "a name is missing");
}

static int take_sql_number(struct sql_reader *r) {
  const size_t n = strspn(r->p, "0123456789");
  r->kind = SQL_NUMBER;
  if (n > 18 || r->p[n] == '.' || is_sql_word_char(r->p[n]))
    return sql_refuse(r, "only integers of up to 18 digits are understood; "
                         "write cents, seconds or the like");
  snprintf(r->text, sizeof r->text, "%.*s", (int)n, r->p);
  r->p += n;
  return 0;
}

static int take_sql_symbol(struct sql_reader *r) {
  static const char *const symbols[] = {"<>", "!=", "<=", ">=", "=", "<",
                                        ">",  "+",  "-",  "*",  "/", "%",
                                        "(",  ")",  ",",  ";",  "."};
  r->kind = SQL_SYMBOL;
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
    const size_t n = strlen(symbols[i]);
    if (!strncmp(r->p, symbols[i], n)) {
      memcpy(r->text, symbols[i], n + 1);
      r->p += n;
      r->depth += *r->text == '(';
      r->depth -= *r->text == ')';
      return 0;
    }
  }
  const char found[2] = {isprint((unsigned char)*r->p) ? *r->p : '?', '\0'};
  const char *instead = sql_advice(found);
  return sql_refuse(r, "%s has no meaning here%s%s",
                    *found == '\'' ? "a text"
                                   : (char[]){'"', *found, '"', '\0'},
                    instead ? "; " : "", instead ? instead : "");
}

// The case of letters is passed over in quotes, too.
static int take_quoted_name(struct sql_reader *r) {
  const char quote = *r->p++;
  if (take_sql_word(r, SQL_WORD))
    return -1;
  r->quoted = true;
  if (*r->p++ == quote)
    return 0;
  r->p--;
  return sql_refuse(r, "a quoted name has letters, digits and underscores "
                       "here; rename it");
}

int sql_advance(struct sql_reader *r) {
  r->quoted = false;
  skip_sql_blanks(r);
  r->at = r->line;
  r->token = r->p;
  r->text[0] = '\0';
  const char c = *r->p;
  if (!c) {
    r->kind = SQL_END;
    return 0;
  }
  if (c == '\n') {
    r->kind = SQL_LINE;
    r->line++;
    r->p++;
    return 0;
  }
  if (isdigit((unsigned char)c))
    return take_sql_number(r);
  if (is_sql_word_char(c))
    return take_sql_word(r, SQL_WORD);
  if (c == '"' || c == '`')
    return take_quoted_name(r);
  if (c != ':' && c != '\\')
    return take_sql_symbol(r);
  r->p++;
  r->kind = SQL_SYMBOL;
  if (c == ':' && !is_sql_word_char(*r->p))
    return sql_refuse(r, "\":\" names no variable; %s", sql_advice(":"));
  return take_sql_word(r, c == ':' ? SQL_VARIABLE : SQL_COMMAND);
}

bool sql_at(const struct sql_reader *r, const char *text) {
  return (r->kind == SQL_WORD || r->kind == SQL_SYMBOL) && !r->quoted &&
         !strcmp(r->text, text);
}

int sql_accept(struct sql_reader *r, const char *text) {
  if (!sql_at(r, text))
    return 0;
  return sql_advance(r) ? -1 : 1;
}

int sql_require(struct sql_reader *r, const char *text) {
  char quoted[80];
  snprintf(quoted, sizeof quoted, "\"%s\"", text);
  return sql_at(r, text) ? sql_advance(r) : sql_expected(r, quoted);
}

bool sql_begins_call(const struct sql_reader *r) {
  return r->kind == SQL_WORD && !r->quoted && r->p[strspn(r->p, " \t")] == '(';
}

int sql_name(struct sql_reader *r, const char *what, char name[64]) {
  if (r->kind != SQL_WORD)
    return sql_expected(r, what);
  memcpy(name, r->text, 64);
  return sql_advance(r);
}

const struct sql_table *sql_find_table(const struct sql_schema *schema,
                                       const char *name) {
  for (uint32_t i = 0; i < schema->ntables; i++)
    if (!strcmp(schema->tables[i].name, name))
      return &schema->tables[i];
  return NULL;
}

uint32_t sql_find_column(const struct sql_table *table, const char *name) {
  for (uint32_t i = 0; i < table->ncolumns; i++)
    if (!strcmp(table->columns[i], name))
      return i;
  return UINT32_MAX;
}

int sql_qualifier(struct sql_reader *r, char qualifier[64]) {
  qualifier[0] = '\0';
  if (r->kind != SQL_WORD || *r->p != '.')
    return 0;
  memcpy(qualifier, r->text, 64);
  return sql_advance(r) || sql_advance(r) ? -1 : 0;
}

int sql_table_here(struct sql_reader *r, const struct sql_schema *schema,
                   const struct sql_table **table) {
  char ignored[64];
  if (sql_qualifier(r, ignored))
    return -1;
  *table = r->kind == SQL_WORD ? sql_find_table(schema, r->text) : NULL;
  if (schema->is_refused && (!*table || (*table)->is_refused))
    return error_set_usage(r->error, "%s", "");
  if (r->kind == SQL_WORD && !*table)
    return sql_refuse(r, "the schema has no table \"%s\"", r->text);
  return *table ? sql_advance(r) : sql_expected(r, "a table");
}

int sql_insert_columns(struct sql_reader *r, const struct sql_table *table,
                       uint32_t order[SQL_COLUMNS_MAX]) {
  uint32_t n = 0;
  bool given[SQL_COLUMNS_MAX] = {false};
  for (uint32_t i = 0; i < table->ncolumns; i++)
    order[i] = i;
  if (sql_at(r, "(")) {
    do {
      char name[64];
      if (sql_advance(r) || sql_name(r, "a column", name))
        return -1;
      const uint32_t column = sql_find_column(table, name);
      if (column == UINT32_MAX || given[column])
        return sql_refuse(r, "\"%s\" is no column of %s, or comes twice", name,
                          table->name);
      given[column] = true;
      order[n++] = column;
    } while (sql_at(r, ","));
    if (n < table->ncolumns)
      return sql_refuse(r, "all %u columns of %s need a value", table->ncolumns,
                        table->name);
    if (sql_require(r, ")"))
      return -1;
  }
  return sql_require(r, "values");
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Scripts in the database's own SQL (steps/written.h).
#include "config.h"

#include "steps/written.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// ---- Texts with quotes

// Behind the byte, or behind the text between quotes that begins there.
static const char *behind(const char *p) {
  const char *end = *p == '\'' ? strchr(p + 1, '\'') : NULL;
  return end ? end + 1 : p + 1;
}

static bool begins_word(const char *text, const char *p) {
  return p == text || !(isalnum((unsigned char)p[-1]) || p[-1] == '_');
}

static bool is_word_at(const char *text, const char *p, const char *word) {
  const size_t n = strlen(word);
  return begins_word(text, p) && !strncasecmp(p, word, n) &&
         !isalnum((unsigned char)p[n]) && p[n] != '_';
}

// Where the statement of a line ends.
static const char *end_of_written(const char *p) {
  while (*p && *p != '#' && strncmp(p, "=>", 2) != 0)
    p = behind(p);
  return p;
}

// Where the first of the words stands outside of quotes, up to `end`; `end`:
// none does.
static const char *find_words(const char *text, const char *end,
                              const char *const *words) {
  for (const char *p = text; p < end; p = behind(p))
    for (const char *const *word = words; *word; word++)
      if (is_word_at(text, p, *word))
        return p;
  return end;
}

// ---- Is it asked for?

static bool sets_key(const char *text, const char *end) {
  static const char *const key[] = {"id", NULL};
  static const char *const where[] = {"where", NULL};
  static const char *const set[] = {"set", NULL};
  const char *sets = find_words(text, end, set);
  const char *last = find_words(sets, end, where);
  for (const char *p = find_words(sets, last, key); p < last;
       p = find_words(p + 1, last, key)) {
    const char *before = p - 1, *next = p + 2 + strspn(p + 2, " \t");
    while (before > sets && isspace((unsigned char)*before))
      before--;
    if (*next == '=' && (*before == ',' || tolower(*before) == 't'))
      return true;
  }
  return false;
}

static bool statement_asks(const char *text) {
  static const char *const words[] = {"null",  "skip",  "nowait", "limit",
                                      "order", "share", "like",   "returning",
                                      "join",  NULL};
  const char *end = end_of_written(text);
  return memchr(text, '\'', (size_t)(end - text)) ||
         find_words(text, end, words) < end || sets_key(text, end);
}

// Has a column a type, or a row NULL or a text?
static bool table_asks(const char *text) {
  static const char *const null[] = {"null", NULL};
  const char *end = end_of_written(text), *open = strchr(text, '(');
  if (memchr(text, '\'', (size_t)(end - text)) ||
      find_words(text, end, null) < end)
    return true;
  for (const char *p = open ? open + 1 : end; p < end && *p != ')'; p++)
    if (isspace((unsigned char)*p) && isalnum((unsigned char)p[-1]) &&
        isalpha((unsigned char)p[strspn(p, " \t")]))
      return true;
  return false;
}

bool written_asks(const char *line) {
  static const char *const verbs[] = {"select", "insert", "update", "delete",
                                      NULL};
  line += strspn(line, " \t");
  if (!strncmp(line, "schema:", 7))
    return true;
  if (is_word_at(line, line, "table") &&
      line[5 + strspn(line + 5, " \t")] != ':')
    return table_asks(line + 5);
  const char *colon = strchr(line, ':');
  if (!colon || *line == '#')
    return false;
  colon += 1 + strspn(colon + 1, " \t");
  for (const char *const *verb = verbs; *verb; verb++)
    if (is_word_at(colon, colon, *verb))
      return statement_asks(colon);
  return false;
}

// ---- Tables

static void add_to_schema(struct script *s, const char *text) {
  s->schema =
      arena_printf(&s->arena, "%s%s\n", s->schema ? s->schema : "", text);
}

int written_schema(struct script_reading *r) {
  const char *text = reading_quoted(r);
  if (!text)
    return -1;
  if (!reading_at_end(r))
    return reading_complain(r, "expected the end of the line");
  const size_t n = strlen(text);
  add_to_schema(r->script, n && text[n - 1] == ';'
                               ? text
                               : arena_printf(&r->script->arena, "%s;", text));
  return 0;
}

struct written_column {
  const char *name, *type; // NULL: it follows from the rows
  bool has_text;
};

// The text up to a comma or the parenthesis that ends the list.
static const char *take_item(struct script_reading *r) {
  const char *start = r->p;
  uint32_t depth = 0;
  while (*r->p && (depth || (*r->p != ',' && *r->p != ')'))) {
    depth += *r->p == '(';
    depth -= *r->p == ')';
    r->p = behind(r->p);
  }
  const char *end = r->p;
  while (end > start && isspace((unsigned char)end[-1]))
    end--;
  return arena_printf(&r->script->arena, "%.*s", (int)(end - start), start);
}

static int read_written_columns(struct script_reading *r,
                                struct written_column *columns, uint32_t *n) {
  if (!reading_accept(r, "("))
    return reading_complain(r, "expected \"(\" and the names of columns");
  do {
    if (*n == TABLE_COLUMNS_MOST)
      return reading_complain(r, "more than %d columns", TABLE_COLUMNS_MOST);
    struct written_column *column = &columns[(*n)++];
    *column = (struct written_column){.name = reading_word(r)};
    if (!column->name)
      return reading_complain(r, "expected the name of a column");
    reading_skip_blanks(r);
    column->type = take_item(r);
  } while (reading_accept(r, ","));
  return reading_accept(r, ")")
             ? 0
             : reading_complain(r, "expected \")\" behind the columns");
}

// "(1, NULL)"; the first value is the key.
static int read_written_row(struct script_reading *r,
                            struct written_column *columns, uint32_t n,
                            const char **rows) {
  const char *row = "";
  uint32_t i = 0;
  if (!reading_accept(r, "("))
    return reading_complain(r, "expected \"(\" and a row");
  do {
    reading_skip_blanks(r);
    const char *value = take_item(r);
    if (i && i <= n)
      columns[i - 1].has_text |= *value == '\'';
    row =
        arena_printf(&r->script->arena, "%s%s%s", row, i++ ? ", " : "", value);
  } while (reading_accept(r, ","));
  if (i != n + 1)
    return reading_complain(r, "a row has its key and %u column%s", n,
                            n == 1 ? "" : "s");
  *rows = arena_printf(&r->script->arena, "%s%s(%s)", *rows, **rows ? ", " : "",
                       row);
  return reading_accept(r, ")")
             ? 0
             : reading_complain(r, "expected \")\" behind the row");
}

int written_table(struct script_reading *r) {
  struct arena *arena = &r->script->arena;
  struct written_column columns[TABLE_COLUMNS_MOST];
  uint32_t n = 0;
  const char *name = reading_word(r), *rows = "";
  if (!name)
    return reading_complain(r, "expected the name of a table");
  if (read_written_columns(r, columns, &n))
    return -1;
  int failed = 0;
  if (reading_accept(r, ":"))
    while (!failed && !reading_at_end(r))
      failed = read_written_row(r, columns, n, &rows);
  if (failed)
    return -1;
  const char *text = arena_printf(
      arena, "CREATE TABLE %s (id bigint NOT NULL PRIMARY KEY", name);
  for (uint32_t i = 0; i < n; i++)
    text = arena_printf(arena, "%s, %s %s", text, columns[i].name,
                        *columns[i].type      ? columns[i].type
                        : columns[i].has_text ? "varchar(100)"
                                              : "bigint");
  add_to_schema(r->script, arena_printf(arena, "%s);", text));
  if (*rows)
    add_to_schema(r->script,
                  arena_printf(arena, "INSERT INTO %s VALUES %s;", name, rows));
  return 0;
}

// ---- Statements

// The part of a SELECT that begins with one of the words, up to the next part.
static const char *part_of(struct arena *arena, const char *text,
                           const char *end, const char *word) {
  static const char *const parts[] = {"where", "order", "limit", "for", NULL};
  const char *const one[] = {word, NULL};
  const char *start = find_words(text, end, one);
  const char *next = start < end ? find_words(start + 1, end, parts) : end;
  while (next > start && isspace((unsigned char)next[-1]))
    next--;
  return start < end ? arena_printf(arena, " %.*s", (int)(next - start), start)
                     : "";
}

// Rows come in the order of their keys, unless the script says another one; and
// databases want the parts in one order.
static const char *written_select(struct arena *arena, const char *table,
                                  const char *text, const char *end) {
  const char *order = part_of(arena, text, end, "order");
  return arena_printf(
      arena, "SELECT * FROM %s%s%s%s%s", table,
      part_of(arena, text, end, "where"), *order ? order : " ORDER BY id",
      part_of(arena, text, end, "limit"), part_of(arena, text, end, "for"));
}

int written_statement(struct script_reading *r, const char *verb,
                      struct step *step) {
  struct arena *arena = &r->script->arena;
  reading_skip_blanks(r);
  const char *start = r->p, *end = end_of_written(start);
  while (end > start && isspace((unsigned char)end[-1]))
    end--;
  const char *table = reading_word(r);
  if (!table)
    return reading_complain(r, "expected the name of a table");
  reading_skip_blanks(r);
  const char *rest = arena_printf(arena, "%.*s", (int)(end - r->p), r->p);
  step->kind = STEP_SQL;
  step->words = arena_printf(arena, "%s %.*s", verb, (int)(end - start), start);
  step->text =
      !strcmp(verb, "select") ? written_select(arena, table, r->p, end)
      : !strcmp(verb, "insert")
          ? arena_printf(arena, "INSERT INTO %s VALUES %s", table, rest)
      : !strcmp(verb, "update")
          ? arena_printf(arena, "UPDATE %s %s", table, rest)
          : arena_printf(arena, "DELETE FROM %s %s", table, rest);
  r->p = end;
  return 0;
}

// ---- Rows

// Puts the value that begins here, and goes behind it.
static const char *put_value(FILE *out, const char *p) {
  const char quote = *p == '"' || *p == '\'' ? *p++ : '\0';
  if (!quote && (!*p || *p == ',' || (*p == ')' && !p[1])))
    fputs("NULL", out);
  while (*p && (quote || (*p != ',' && !(*p == ')' && !p[1])))) {
    if (*p == quote && p[1] != quote)
      return p + 1;
    p += (quote && *p == quote) || (*p == '\\' && p[1]);
    putc(*p++, out);
  }
  return p;
}

void written_put_image(FILE *out, const char *image) {
  const char *p = image + (*image == '(');
  p = put_value(out, p);
  while (*p == ',') {
    putc(',', out);
    p = put_value(out, p + 1);
  }
}

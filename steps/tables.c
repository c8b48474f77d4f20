// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of rows in a step script and the statements on them (steps/reading.h).
#include "config.h"

#include "steps/reading.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// ---- Words

// A word of SQL, in any case.
static bool accept_word(struct script_reading *r, const char *word) {
  const size_t n = strlen(word);
  reading_skip_blanks(r);
  const bool there = !strncasecmp(r->p, word, n) &&
                     !isalnum((unsigned char)r->p[n]) && r->p[n] != '_';
  r->p += there ? n : 0;
  return there;
}

static int read_step_number(struct script_reading *r, int64_t *number) {
  char *end;
  reading_skip_blanks(r);
  errno = 0;
  *number = strtoll(r->p, &end, 10);
  if (end == r->p || errno)
    return reading_complain(r, "expected a whole number in front of \"%.40s\"",
                            r->p);
  r->p = end;
  return 0;
}

static int expect_token(struct script_reading *r, const char *token) {
  return reading_accept(r, token)
             ? 0
             : reading_complain(r, "expected \"%s\" in front of \"%.40s\"",
                                token, r->p);
}

// ---- The line of a table

static int read_columns(struct script_reading *r, const char **names,
                        uint32_t *count) {
  if (expect_token(r, "("))
    return -1;
  do {
    const char *name = reading_word(r);
    if (!name || isdigit((unsigned char)*name))
      return reading_complain(r, "expected the name of a column");
    if (*count == TABLE_COLUMNS_MOST)
      return reading_complain(r, "more than %d columns", TABLE_COLUMNS_MOST);
    if (!strcasecmp(name, "id") || !strcasecmp(name, "wid") ||
        !strcasecmp(name, "prev"))
      return reading_complain(
          r, "every table has columns id, wid and prev; choose another name");
    names[(*count)++] = name;
  } while (reading_accept(r, ","));
  return expect_token(r, ")");
}

// "(" key, then the columns ")".
static int read_table_row(struct script_reading *r, int64_t *numbers,
                          uint32_t ncolumns) {
  for (uint32_t c = 0; c <= ncolumns; c++)
    if (expect_token(r, c ? "," : "(") || read_step_number(r, &numbers[c]))
      return -1;
  if (numbers[0] < 0)
    return reading_complain(r, "the key of a row is not below 0");
  return expect_token(r, ")");
}

static bool has_row(const int64_t *rows, uint32_t nrows, uint32_t width) {
  bool there = false;
  for (uint32_t i = 0; i < nrows; i++)
    there |= rows[i * width] == rows[nrows * width];
  return there;
}

static int read_table_rows(struct script_reading *r, struct table_spec *table) {
  const uint32_t width = table->columns.count + 1;
  uint32_t room = 0;
  int64_t *rows = NULL;
  int failed = 0;
  while (!failed && !reading_at_end(r)) {
    const size_t used = (size_t)table->nlisted * width;
    while (used + width > room)
      rows = xrealloc(rows, room = room * 2 + width, sizeof *rows);
    failed = read_table_row(r, rows + used, table->columns.count);
    if (!failed && has_row(rows, table->nlisted, width))
      failed =
          reading_complain(r, "the key %" PRId64 " is there twice", rows[used]);
    table->nlisted += !failed;
  }
  const size_t bytes = (size_t)table->nlisted * width * sizeof *rows;
  if (bytes)
    table->listed = memcpy(arena_take(&r->script->arena, bytes), rows, bytes);
  free(rows);
  return failed;
}

static uint32_t find_script_table(const struct script *s, const char *name) {
  uint32_t t = 0;
  while (t < s->ntables && strcmp(s->tables[t].name, name))
    t++;
  return t;
}

int reading_table(struct script_reading *r) {
  struct script *s = r->script;
  const char **names =
      arena_take(&s->arena, TABLE_COLUMNS_MOST * sizeof *names);
  struct table_spec table = {.name = reading_word(r)};
  if (!table.name || isdigit((unsigned char)*table.name))
    return reading_complain(r, "expected the name of a table");
  if (find_script_table(s, table.name) < s->ntables)
    return reading_complain(r, "the table %s is there twice", table.name);
  if (s->ntables == TABLES_MOST)
    return reading_complain(r, "more than %d tables", TABLES_MOST);
  table.columns = (struct predicate_columns){.key = "id", .names = names};
  if (read_columns(r, names, &table.columns.count) ||
      (reading_accept(r, ":") && read_table_rows(r, &table)))
    return -1;
  if (!reading_at_end(r))
    return reading_complain(r, "expected : and rows, or the end of the line, "
                               "behind the columns");
  ARRAY_RESERVE(s->tables, s->ntables, r->tables_room);
  s->tables[s->ntables++] = table;
  return 0;
}

// ---- Statements

static int read_step_table(struct script_reading *r, uint32_t *table) {
  const char *name = reading_word(r);
  if (!name)
    return reading_complain(r, "expected the name of a table");
  *table = find_script_table(r->script, name);
  return *table < r->script->ntables
             ? 0
             : reading_complain(r,
                                "there is no table %s; say its columns above, "
                                "as in \"table %s (b, v): (1, 10, 20)\"",
                                name, name);
}

static int add_condition_of_script(struct script_reading *r,
                                   struct statement *statement,
                                   const char *text) {
  struct script *s = r->script;
  struct error error;
  ARRAY_RESERVE(s->templates, s->ntemplates, r->templates_room);
  struct template_spec *condition = &s->templates[s->ntemplates];
  condition->table = statement->table;
  if (predicate_read(&condition->predicate, text,
                     &s->tables[statement->table].columns, &error))
    return reading_complain(r, "%s", error.text);
  if (condition->predicate.nparameters)
    return reading_complain(r, "a condition has numbers, not $1");
  statement->template = s->ntemplates++;
  return 0;
}

static bool ends_condition(const char *p, bool may_lock) {
  return !*p || *p == '#' || !strncmp(p, "=>", 2) ||
         (may_lock && isspace((unsigned char)*p) &&
          !strncasecmp(p + strspn(p, " \t"), "for", 3) &&
          isspace((unsigned char)p[strspn(p, " \t") + 3]));
}

// "where" and a condition, or nothing, which all rows satisfy.
static int read_step_condition(struct script_reading *r,
                               struct statement *statement) {
  if (!accept_word(r, "where"))
    return add_condition_of_script(r, statement, "TRUE");
  reading_skip_blanks(r);
  const char *start = r->p;
  while (!ends_condition(r->p, statement->sort == STATEMENT_SELECT))
    r->p++;
  return add_condition_of_script(
      r, statement,
      arena_printf(&r->script->arena, "%.*s", (int)(r->p - start), start));
}

static int begin_statement(struct script_reading *r, enum statement_sort sort,
                           struct step *step, struct statement **statement) {
  *statement = arena_take(&r->script->arena, sizeof **statement);
  **statement = (struct statement){.sort = sort};
  step->statement = *statement;
  return read_step_table(r, &(*statement)->table);
}

int reading_select(struct script_reading *r, struct step *step) {
  struct statement *statement;
  if (begin_statement(r, STATEMENT_SELECT, step, &statement) ||
      read_step_condition(r, statement))
    return -1;
  if (!accept_word(r, "for"))
    return 0;
  statement->sort = STATEMENT_LOCKING_SELECT;
  return accept_word(r, "update")
             ? 0
             : reading_complain(r, "expected \"update\" behind \"for\"");
}

int reading_delete(struct script_reading *r, struct step *step) {
  struct statement *statement;
  return begin_statement(r, STATEMENT_DELETE, step, &statement) ||
                 read_step_condition(r, statement)
             ? -1
             : 0;
}

int reading_insert(struct script_reading *r, struct step *step) {
  struct statement *statement;
  int64_t numbers[1 + TABLE_COLUMNS_MOST];
  if (begin_statement(r, STATEMENT_INSERT, step, &statement))
    return -1;
  const uint32_t n = r->script->tables[statement->table].columns.count;
  struct column_set *sets =
      arena_take(&r->script->arena, n * sizeof *sets + sizeof(int64_t));
  if (read_table_row(r, numbers, n))
    return -1;
  for (uint32_t c = 0; c < n; c++)
    sets[c] =
        (struct column_set){.column = (uint8_t)c, .number = numbers[c + 1]};
  statement->key = (uint64_t)numbers[0];
  statement->sets = sets;
  statement->nsets = n;
  if (!accept_word(r, "or"))
    return 0;
  if (!accept_word(r, "nothing"))
    return reading_complain(r, "expected \"nothing\" behind \"or\"");
  statement->sort = STATEMENT_INSERT_NEW;
  return add_condition_of_script(
      r, statement,
      arena_printf(&r->script->arena, "id = %" PRId64, numbers[0]));
}

static int read_step_set(struct script_reading *r,
                         const struct predicate_columns *columns,
                         struct column_set *set) {
  const char *name = reading_word(r);
  uint32_t c = 0;
  while (name && c < columns->count && strcmp(columns->names[c], name))
    c++;
  if (!name || c == columns->count)
    return reading_complain(r, "expected a column of the table to set");
  if (expect_token(r, "="))
    return -1;
  set->column = (uint8_t)c;
  set->adds = accept_word(r, name);
  if (!set->adds)
    return read_step_number(r, &set->number);
  const bool less = reading_accept(r, "-");
  if ((!less && expect_token(r, "+")) || read_step_number(r, &set->number))
    return -1;
  set->number = less ? -set->number : set->number;
  return 0;
}

static int read_sets(struct script_reading *r,
                     const struct predicate_columns *columns,
                     struct statement *statement, struct column_set *sets) {
  do {
    if (statement->nsets == columns->count)
      return reading_complain(r, "a column is set twice");
    if (read_step_set(r, columns, &sets[statement->nsets]))
      return -1;
    for (uint32_t i = 0; i < statement->nsets; i++)
      if (sets[i].column == sets[statement->nsets].column)
        return reading_complain(r, "a column is set twice");
    statement->nsets++;
  } while (reading_accept(r, ","));
  return 0;
}

int reading_update(struct script_reading *r, struct step *step) {
  struct statement *statement;
  if (begin_statement(r, STATEMENT_UPDATE, step, &statement))
    return -1;
  const struct predicate_columns *columns =
      &r->script->tables[statement->table].columns;
  struct column_set *sets =
      arena_take(&r->script->arena, TABLE_COLUMNS_MOST * sizeof *sets);
  statement->sets = sets;
  // Without SET it changes nothing but whose version the row is, as if a column
  // were set to what it holds.
  return (accept_word(r, "set") && read_sets(r, columns, statement, sets)) ||
                 read_step_condition(r, statement)
             ? -1
             : 0;
}

int reading_check_tables(struct script_reading *r) {
  const struct script *s = r->script;
  if (!script_has_tables(s) || !s->nkeys)
    return 0;
  return error_set(r->error,
                   "%s: has keys as well as tables; a script has one or the "
                   "other",
                   s->path);
}

// ---- Writing

const char *statement_verb(const struct statement *statement) {
  static const char *const verbs[STATEMENT_COUNT] = {
      [STATEMENT_SELECT] = "select",         [STATEMENT_INSERT] = "insert",
      [STATEMENT_LOCKING_SELECT] = "select", [STATEMENT_UPSERT] = "upsert",
      [STATEMENT_UPDATE] = "update",         [STATEMENT_DELETE] = "delete",
      [STATEMENT_INSERT_NEW] = "insert"};
  return verbs[statement->sort];
}

void statement_put_sets(FILE *out, const struct statement *s,
                        const struct predicate_columns *columns,
                        const char *set_word) {
  for (uint32_t i = 0; i < s->nsets; i++) {
    const struct column_set *set = &s->sets[i];
    const char *name = columns->names[set->column];
    fprintf(out, "%s %s = ", i ? "," : set_word, name);
    if (set->adds)
      fprintf(out, "%s + ", name);
    fprintf(out, "%" PRId64, set->number);
  }
}

void statement_put_new_row(FILE *out, const struct statement *s) {
  fprintf(out, " (%" PRIu64, s->key);
  for (uint32_t c = 0; c < s->nsets; c++)
    fprintf(out, ", %" PRId64, s->sets[c].number);
  putc(')', out);
}

void statement_put(FILE *out, const struct script *script,
                   const struct statement *s) {
  const struct table_spec *table = &script->tables[s->table];
  fprintf(out, " %s", table->name);
  if (statement_inserts(s->sort)) {
    statement_put_new_row(out, s);
    fputs(s->sort == STATEMENT_INSERT_NEW ? " or nothing" : "", out);
    return;
  }
  statement_put_sets(out, s, &table->columns, " set");
  const struct predicate *p = &script->templates[s->template].predicate;
  if (p->nodes[p->nnodes - 1].op != PREDICATE_TRUE) {
    fputs(" where ", out);
    predicate_write(out, p, &table->columns, PREDICATE_BOUND, NULL);
  }
  if (s->sort == STATEMENT_LOCKING_SELECT)
    fputs(" for update", out);
}

void script_put_table(FILE *out, const struct table_spec *table) {
  const struct predicate_columns *columns = &table->columns;
  const uint32_t width = columns->count + 1;
  fprintf(out, "table %s", table->name);
  for (uint32_t c = 0; c < columns->count; c++)
    fprintf(out, "%s%s", c ? ", " : " (", columns->names[c]);
  fputs(table->nlisted ? "):" : ")", out);
  for (uint32_t i = 0; i < table->nlisted; i++) {
    for (uint32_t c = 0; c < width; c++)
      fprintf(out, "%s%" PRId64, c ? ", " : " (", table->listed[i * width + c]);
    putc(')', out);
  }
}

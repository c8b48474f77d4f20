// SPDX-License-Identifier: GPL-3.0-or-later
// Composes statements on rows (drivers/sql_text/sql_rows.h).
#include "config.h"

#include "drivers/sql_text/sql_rows.h"

#include "base/memory.h"
#include "drivers/options.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- The instrument

#define CHANGES (1u << STATEMENT_UPDATE | 1u << STATEMENT_DELETE)

int sql_rows_read_instrument(const char *value, struct target *target,
                             struct sql_rows_dialect *dialect,
                             struct error *error) {
  static const char *const instruments[] = {"full", "reads", "after", NULL};
  const int chosen = option_choice("instrument", value, instruments, error);
  if (chosen < 0)
    return -1;
  dialect->plain = chosen == 1;
  dialect->after = chosen == 2;
  if (dialect->plain) {
    target->lacks = CHANGES;
    target->lacks_because =
        "instrument=reads does not tell which rows an UPDATE or a DELETE "
        "changed";
  }
  return 0;
}

// ---- Composing

struct composing {
  FILE *out;
  const struct sql_rows_dialect *dialect;
  const struct table_spec *table;
  const struct predicate *condition; // NULL: it has none
  struct sql_rows_form *form;
};

static void put_sql(const struct composing *c, const char *words) {
  fputs(words, c->out);
}

// A parameter whose value comes from there.
static void put_source(struct composing *c, int of, uint32_t number) {
  struct sql_rows_form *form = c->form;
  assert(form->nsources < SQL_ROWS_SOURCES);
  form->sources[form->nsources++] =
      (struct sql_rows_source){.of = of, .number = (uint8_t)number};
  if (c->dialect->dollars)
    fprintf(c->out, "$%u", form->nsources);
  else
    put_sql(c, "?");
}

// "c1, c2" with this in front of each.
static void put_sql_columns(const struct composing *c, const char *before) {
  for (uint32_t i = 0; i < c->table->columns.count; i++)
    fprintf(c->out, "%s%s", before, c->table->columns.names[i]);
}

static void note_param(struct composing *c, uint32_t number) {
  c->form->sources[c->form->nsources++] =
      (struct sql_rows_source){.of = SOURCE_PARAM, .number = (uint8_t)number};
}

// Where parameters are $1, $2..., those of the condition are the first ones.
static void number_parameters(struct composing *c) {
  if (c->dialect->dollars && c->condition)
    for (uint32_t i = 0; i < c->condition->nparameters; i++)
      note_param(c, i);
}

static void put_sql_where(struct composing *c) {
  const bool soft = c->dialect->soft;
  uint8_t order[PREDICATE_NODES];
  put_sql(c, soft ? " WHERE dead = 0 AND (" : " WHERE ");
  if (!c->dialect->dollars) {
    const uint32_t n = predicate_order(c->condition, order);
    for (uint32_t i = 0; i < n; i++)
      note_param(c, order[i]);
  }
  predicate_write(c->out, c->condition, &c->table->columns,
                  c->dialect->dollars ? PREDICATE_DOLLAR : PREDICATE_QUESTION,
                  NULL);
  put_sql(c, soft ? ")" : "");
}

// Puts the row as it was into the session's variable: its key, wid and columns.
static void put_capture(const struct composing *c) {
  put_sql(
      c, "prev = IF(LENGTH(@isostress_rows := CONCAT(@isostress_rows, id, ' ', "
         "wid");
  put_sql_columns(c, ", ' ', ");
  put_sql(c, ", ';')) >= 0, wid, wid), wid = ");
}

static void put_stamp(struct composing *c) {
  if (c->dialect->captures)
    put_capture(c);
  else
    put_sql(c, "prev = wid, wid = ");
  put_source(c, SOURCE_STAMP, 0);
}

static void put_returning(const struct composing *c, const char *stamp) {
  if (c->dialect->after)
    return;
  fprintf(c->out, " RETURNING id, %s", stamp);
  put_sql_columns(c, ", ");
}

static void put_select(struct composing *c, const char *name) {
  put_sql(c, "SELECT id, wid");
  put_sql_columns(c, ", ");
  fprintf(c->out, " FROM %s", name);
  put_sql_where(c);
  if (c->form->is.limited) {
    put_sql(c, " ORDER BY id LIMIT ");
    put_source(c, SOURCE_LIMIT, 0);
  }
  if (c->form->is.sort == STATEMENT_LOCKING_SELECT ||
      c->form->is.part == SQL_ROWS_LOCKED)
    put_sql(c, c->dialect->lock);
}

// Stamps are never used twice.
static void put_behind(struct composing *c, const char *name) {
  put_sql(c, "SELECT id, prev");
  put_sql_columns(c, ", ");
  fprintf(c->out, " FROM %s WHERE wid = ", name);
  put_source(c, SOURCE_STAMP, 0);
}

static void put_update(struct composing *c, const char *name) {
  fprintf(c->out, "UPDATE %s SET ", name);
  put_stamp(c);
  for (uint32_t i = 0; i < c->table->columns.count; i++) {
    const char *column = c->table->columns.names[i];
    if (!(c->form->is.sets >> i & 1))
      continue;
    fprintf(c->out, ", %s = ", column);
    if (c->form->is.adds >> i & 1)
      fprintf(c->out, "%s + ", column);
    put_source(c, SOURCE_SET, i);
  }
  if (c->form->is.sort == STATEMENT_DELETE)
    put_sql(c, ", dead = 1");
  put_sql_where(c);
  if (!c->dialect->captures)
    put_returning(c, "prev");
}

static void put_delete(struct composing *c, const char *name) {
  fprintf(c->out, "DELETE FROM %s", name);
  put_sql_where(c);
  put_returning(c, "wid");
}

static void put_sql_insert(struct composing *c, const char *name) {
  const bool or_nothing = c->form->is.sort == STATEMENT_INSERT_NEW;
  fprintf(c->out, "INSERT %sINTO %s (id, wid%s",
          or_nothing ? c->dialect->nothing[0] : "", name,
          c->dialect->plain ? "" : ", prev");
  put_sql_columns(c, ", ");
  put_sql(c, ") VALUES (");
  put_source(c, SOURCE_KEY, 0);
  put_sql(c, ", ");
  put_source(c, SOURCE_STAMP, 0);
  put_sql(c, c->dialect->plain ? "" : ", -1");
  for (uint32_t i = 0; i < c->table->columns.count; i++) {
    put_sql(c, ", ");
    put_source(c, SOURCE_SET, i);
  }
  put_sql(c, ")");
  if (or_nothing)
    put_sql(c, c->dialect->nothing[1]);
  if (!sql_rows_insert_is_silent(c->dialect))
    put_returning(c, "prev");
}

static void put_change(struct composing *c, const char *name) {
  switch (c->form->is.sort) {
  case STATEMENT_UPDATE:
    put_update(c, name);
    break;
  case STATEMENT_DELETE:
    (c->dialect->soft ? put_update : put_delete)(c, name);
    break;
  case STATEMENT_INSERT:
  case STATEMENT_INSERT_NEW:
    put_sql_insert(c, name);
    break;
  default:
    put_select(c, name);
  }
}

static char *sql_text_of_form(struct sql_rows_form *form,
                              const struct sql_rows_dialect *dialect,
                              const char *base, const struct tables *tables) {
  char *text = NULL;
  size_t length;
  const struct table_spec *table = &tables->table[form->is.table];
  struct composing c = {.dialect = dialect, .table = table, .form = form};
  char *name = sql_rows_table(dialect, base, table);
  assert(!dialect->plain || !(CHANGES & 1u << form->is.sort));
  if (!statement_inserts(form->is.sort) && form->is.part != SQL_ROWS_BEHIND)
    c.condition = &tables->templates[form->is.template].predicate;
  c.out = text_stream(&text, &length);
  number_parameters(&c);
  (form->is.part == SQL_ROWS_CHANGE   ? put_change
   : form->is.part == SQL_ROWS_BEHIND ? put_behind
                                      : put_select)(&c, name);
  fclose(c.out);
  free(name);
  return text;
}

// ---- Forms

// One that finds rows by their stamp is the same for all statements.
static struct sql_rows_form form_of(const struct statement *s,
                                    enum sql_rows_part part) {
  struct sql_rows_form form = {.is.part = part, .is.table = s->table};
  if (part == SQL_ROWS_BEHIND)
    return form;
  form.is.sort = s->sort;
  form.is.template = statement_inserts(s->sort) ? 0 : s->template;
  form.is.limited = s->limit > 0;
  for (uint32_t i = 0; i < s->nsets; i++) {
    form.is.sets |= UINT32_C(1) << s->sets[i].column;
    form.is.adds |= (uint32_t)s->sets[i].adds << s->sets[i].column;
  }
  return form;
}

static bool is_same_form(const struct sql_rows_form *a,
                         const struct sql_rows_form *b) {
  return a->is.part == b->is.part && a->is.sort == b->is.sort &&
         a->is.table == b->is.table && a->is.template == b->is.template &&
         a->is.limited == b->is.limited && a->is.sets == b->is.sets &&
         a->is.adds == b->is.adds;
}

struct sql_rows_form *
sql_rows_part(struct sql_rows *rows, const struct sql_rows_dialect *dialect,
              const char *base, const struct tables *tables,
              const struct statement *statement, enum sql_rows_part part) {
  struct sql_rows_form form = form_of(statement, part);
  for (uint32_t i = 0; i < rows->nforms; i++)
    if (is_same_form(rows->forms[i], &form))
      return rows->forms[i];
  ARRAY_RESERVE(rows->forms, rows->nforms, rows->room);
  form.number = rows->nforms;
  form.text = sql_text_of_form(&form, dialect, base, tables);
  struct sql_rows_form *kept = xmalloc(sizeof *kept);
  *kept = form;
  return rows->forms[rows->nforms++] = kept;
}

struct sql_rows_form *sql_rows_form(struct sql_rows *rows,
                                    const struct sql_rows_dialect *dialect,
                                    const char *base,
                                    const struct tables *tables,
                                    const struct statement *statement) {
  return sql_rows_part(rows, dialect, base, tables, statement, SQL_ROWS_CHANGE);
}

void sql_rows_free(struct sql_rows *rows) {
  for (uint32_t i = 0; i < rows->nforms; i++) {
    free(rows->forms[i]->text);
    free(rows->forms[i]);
  }
  free(rows->forms);
  *rows = (struct sql_rows){0};
}

static int64_t number_set(const struct statement *s, uint32_t column) {
  uint32_t i = 0;
  while (s->sets[i].column != column)
    i++;
  return s->sets[i].number;
}

void sql_rows_values(const struct sql_rows_form *form,
                     const struct statement *s, uint64_t stamp,
                     int64_t values[SQL_ROWS_SOURCES]) {
  for (uint32_t i = 0; i < form->nsources; i++) {
    const struct sql_rows_source *source = &form->sources[i];
    values[i] = source->of == SOURCE_PARAM   ? s->params[source->number]
                : source->of == SOURCE_SET   ? number_set(s, source->number)
                : source->of == SOURCE_STAMP ? (int64_t)stamp
                : source->of == SOURCE_KEY   ? (int64_t)s->key
                                             : (int64_t)s->limit;
  }
}

// A row that was inserted has no version before it.
void sql_rows_add(struct row_list *list, const struct sql_rows_dialect *dialect,
                  const struct statement *statement, int64_t key, int64_t saw,
                  const int64_t *columns, uint32_t ncolumns) {
  int64_t *image =
      row_list_add(list, statement_kind(statement->sort), (uint64_t)key,
                   saw < 0 ? 0 : (uint64_t)saw, ncolumns);
  memcpy(image, columns, ncolumns * sizeof *columns);
  if (statement->sort == STATEMENT_UPDATE && dialect->captures)
    statement_apply(statement, image);
}

void sql_rows_end(struct row_list *list, const struct sql_rows_dialect *dialect,
                  const struct statement *statement) {
  if (dialect->soft && statement->sort == STATEMENT_INSERT_NEW && !list->count)
    list->refused = true;
}

void sql_rows_add_inserted(struct row_list *list,
                           const struct statement *statement) {
  statement_apply(statement, row_list_add(list, OP_ROW_INSERT, statement->key,
                                          0, statement->nsets));
}

// ---- Tables

char *sql_rows_table(const struct sql_rows_dialect *dialect, const char *base,
                     const struct table_spec *table) {
  const char q = dialect->quote, *dot = strchr(base, '.');
  if (!dot)
    return xasprintf("%c%s_%s%c", q, base, table->name, q);
  return xasprintf("%c%.*s%c.%c%s_%s%c", q, (int)(dot - base), base, q, q,
                   dot + 1, table->name, q);
}

char *sql_rows_create(const struct sql_rows_dialect *dialect, const char *base,
                      const struct table_spec *table) {
  struct arena arena = {0};
  const char *type = dialect->integer;
  char *name = sql_rows_table(dialect, base, table);
  const char *text = arena_printf(
      &arena, "CREATE TABLE %s (id %s NOT NULL PRIMARY KEY", name, type);
  for (uint32_t i = 0; i < table->columns.count; i++)
    text = arena_printf(&arena, "%s, %s %s NOT NULL", text,
                        table->columns.names[i], type);
  text = arena_printf(&arena, "%s, wid %s NOT NULL", text, type);
  if (!dialect->plain)
    text = arena_printf(&arena, "%s, prev %s NOT NULL", text, type);
  if (dialect->soft)
    text = arena_printf(&arena, "%s, dead %s DEFAULT 0 NOT NULL", text, type);
  char *copy = xasprintf("%s)%s", text, dialect->options);
  arena_free(&arena);
  free(name);
  return copy;
}

char *sql_rows_index(const struct sql_rows_dialect *dialect, const char *base,
                     const struct table_spec *table, const char *method) {
  const char *dot = strchr(base, '.');
  char *name = sql_rows_table(dialect, base, table);
  char *text = xasprintf(
      "CREATE INDEX %s_%s_%s ON %s %s%s(%s)", dot ? dot + 1 : base, table->name,
      table->columns.names[table->indexed], name, method ? method : "",
      method ? " " : "", table->columns.names[table->indexed]);
  free(name);
  return text;
}

char *sql_rows_fill(const struct sql_rows_dialect *dialect, const char *base,
                    const struct table_spec *table, uint64_t first,
                    uint64_t end) {
  char *text = NULL, *name = sql_rows_table(dialect, base, table);
  size_t length;
  FILE *out = text_stream(&text, &length);
  const bool plain = dialect->plain;
  fprintf(out, "INSERT INTO %s (id, wid%s", name, plain ? "" : ", prev");
  for (uint32_t i = 0; i < table->columns.count; i++)
    fprintf(out, ", %s", table->columns.names[i]);
  fputs(") VALUES ", out);
  for (uint64_t row = first; row < end; row++) {
    int64_t columns[TABLE_COLUMNS_MOST];
    const uint64_t key = table_first_row_at(table, row, columns);
    fprintf(out, "%s(%" PRIu64 ", 0%s", row > first ? ", " : "", key,
            plain ? "" : ", -1");
    for (uint32_t i = 0; i < table->columns.count; i++)
      fprintf(out, ", %" PRId64, columns[i]);
    fputs(")", out);
  }
  fclose(out);
  free(name);
  return text;
}

// ---- Questions

static void put_question_table(FILE *out, const struct sql_rows_dialect *d,
                               const char *base,
                               const struct table_spec *table) {
  char *name = sql_rows_table(d, base, table);
  const char q = d->quote;
  fprintf(out, "%c%s%c AS (SELECT id", q, table->name, q);
  if (table->own_key)
    fprintf(out, " AS %c%s%c", q, table->own_key, q);
  for (uint32_t i = 0; i < table->columns.count; i++)
    fprintf(out, ", %s", table->columns.names[i]);
  fprintf(out, " FROM %s%s)", name, d->soft ? " WHERE dead = 0" : "");
  free(name);
}

// The names are those of common table expressions.  The SELECT stands in
// parentheses, so that its own WITH, ORDER BY and LIMIT go with it, and nothing
// but a SELECT is taken.
char *sql_rows_question(const struct sql_rows_dialect *dialect,
                        const char *base, const struct tables *tables,
                        const char *select) {
  char *text = NULL;
  size_t length;
  FILE *out = text_stream(&text, &length);
  fputs("WITH ", out);
  for (uint32_t t = 0; t < tables->ntables; t++) {
    fputs(t ? ", " : "", out);
    put_question_table(out, dialect, base, &tables->table[t]);
  }
  fprintf(out, " SELECT * FROM (%s\n) AS answer", select);
  fclose(out);
  return text;
}

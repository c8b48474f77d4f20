// SPDX-License-Identifier: GPL-3.0-or-later
// Expressions and WHERE (sql/translator.h).  In the notation the row at
// hand is `row`, the list of its columns, and its primary key is `id`.
#include "config.h"

#include "sql/maker.h"

#include <stdlib.h>
#include <string.h>

// The places that an expression is written to.
struct writing {
  FILE *text, *constant;
  struct sql_value *value;
  bool is_constant;
};

static struct sql_variable *find(struct translator *t, const char *name) {
  for (uint32_t i = 0; i < t->nvariables; i++)
    if (!strcmp(t->variables[i].name, name))
      return &t->variables[i];
  return NULL;
}

int sql_set_variable(struct translator *t, const char *name, char *constant) {
  struct sql_variable *v = find(t, name);
  if (!v && t->nvariables == VARIABLES_MAX) {
    free(constant);
    return sql_refuse(t->r, "a script has at most %d variables", VARIABLES_MAX);
  }
  if (!v) {
    v = &t->variables[t->nvariables++];
    snprintf(v->name, sizeof v->name, "%s", name);
    v->is = NULL;
  }
  free(v->is);
  v->is = constant;
  return 0;
}

static void put(struct writing *w, const char *text) {
  fputs(text, w->text);
  fputs(text, w->constant);
}

int sql_variable_number(struct translator *t, const char *name) {
  const struct sql_variable *v = find(t, name);
  if (!v && t->refused && !sql_set_variable(t, name, NULL))
    v = find(t, name);
  return v ? (int)(v - t->variables)
           : sql_refuse(t->r,
                        ":%s has no value here; use \\set or \\gset first",
                        name);
}

static int put_variable(struct translator *t, struct writing *w) {
  const int number = sql_variable_number(t, t->r->text);
  if (number < 0)
    return -1;
  const struct sql_variable *v = &t->variables[number];
  fprintf(w->text, " v_%s", t->r->text);
  fprintf(w->constant, " %s", v->is ? v->is : "");
  w->is_constant &= v->is != NULL;
  return 0;
}

// False if it is no column.
static bool put_column(struct translator *t, const struct sql_table *table,
                       struct writing *w) {
  const uint32_t column = t->r->kind == SQL_WORD && table
                              ? sql_find_column(table, t->r->text)
                              : UINT32_MAX;
  if (column == UINT32_MAX)
    return false;
  if (column == table->key)
    fputs(" id", w->text);
  else
    fprintf(w->text, " row[%u]", column + 1);
  w->is_constant = false;
  w->value->has_columns = true;
  w->value->has_row |= column != table->key;
  return true;
}

// A token of an expression in the notation.
static int put_token(struct translator *t, const struct sql_table *table,
                     struct writing *w, bool *ends) {
  static const char *const same[][2] = {
      {"and", " and"}, {"or", " or"}, {"not", " not"}, {"<", " <"},
      {">", " >"},     {"<=", " <="}, {">=", " >="},   {"!=", " !="},
      {"+", " +"},     {"-", " -"},   {"*", " *"},     {"/", " /"},
      {"%", " %"},     {"(", " ("},   {"=", " =="},    {"<>", " !="}};
  const struct sql_reader *r = t->r;
  *ends = false;
  if (r->kind == SQL_VARIABLE)
    return put_variable(t, w);
  if (r->kind == SQL_NUMBER) {
    put(w, " ");
    put(w, r->text);
    return 0;
  }
  for (size_t i = 0; i < sizeof same / sizeof *same; i++)
    if (sql_at(r, same[i][0])) {
      put(w, same[i][1]);
      return 0;
    }
  *ends = !put_column(t, table, w);
  return 0;
}

static bool is_operator(const struct sql_reader *r) {
  return sql_at(r, "and") || sql_at(r, "or") || sql_at(r, "not") ||
         sql_at(r, "in");
}

// `bare`: AND and OR end it.
static int take(struct translator *t, const struct sql_table *table, bool bare,
                struct writing *w) {
  uint32_t open = 0, n = 0;
  for (;; n++) {
    bool ends = false;
    if (sql_at(t->r, ")") && open) {
      put(w, " )");
      open--;
    } else if (bare && !open && (sql_at(t->r, "and") || sql_at(t->r, "or"))) {
      break;
    } else if (sql_begins_call(t->r) && !is_operator(t->r)) {
      const char *instead = sql_advice(t->r->text);
      return sql_refuse(t->r, "%s() cannot be explored; %s", t->r->text,
                        instead ? instead
                                : "write a number on which sessions meet, and "
                                  "explore a few");
    } else {
      open += sql_at(t->r, "(");
      if (put_token(t, table, w, &ends))
        return -1;
    }
    if (ends)
      break;
    if (sql_advance(t->r))
      return -1;
  }
  return n && !open ? 0 : sql_expected(t->r, "a value");
}

static int take_value(struct translator *t, const struct sql_table *table,
                      bool bare, struct sql_value *value) {
  size_t bytes;
  *value = (struct sql_value){0};
  struct writing w = {.text = text_stream(&value->text, &bytes),
                      .value = value,
                      .is_constant = true};
  w.constant = text_stream(&value->constant, &bytes);
  const int failed = take(t, table, bare, &w);
  fclose(w.text);
  fclose(w.constant);
  if (!w.is_constant) {
    free(value->constant);
    value->constant = NULL;
  }
  return failed;
}

int sql_take_value(struct translator *t, const struct sql_table *table,
                   struct sql_value *value) {
  return take_value(t, table, true, value);
}

int sql_take_condition(struct translator *t, const struct sql_table *table,
                       struct sql_value *value) {
  return take_value(t, table, false, value);
}

void sql_value_free(struct sql_value *value) {
  free(value->text);
  free(value->constant);
  *value = (struct sql_value){0};
}

// ---- WHERE

void sql_where_free(struct sql_where *where) {
  free(where->id);
  free(where->row);
  *where = (struct sql_where){0};
}

static void also(struct sql_where *where, const char *condition) {
  char *all = where->row ? xasprintf("%s and (%s)", where->row, condition)
                         : xasprintf("(%s)", condition);
  free(where->row);
  where->row = all;
}

// `key = e`, where e has no columns: 1; else 0, and nothing is taken.
static int take_id(struct translator *t, const struct sql_table *table,
                   struct sql_where *where) {
  const struct sql_reader start = *t->r;
  struct sql_value value = {0};
  bool is_id = t->r->kind == SQL_WORD && !where->id &&
               sql_find_column(table, t->r->text) == table->key;
  if (is_id && sql_advance(t->r))
    return -1;
  is_id = is_id && sql_at(t->r, "=");
  if (is_id && (sql_advance(t->r) || sql_take_value(t, table, &value))) {
    sql_value_free(&value);
    return -1;
  }
  if (is_id && !value.has_columns && !sql_at(t->r, "or")) {
    where->id = value.text;
    value.text = NULL;
  } else {
    is_id = false;
    *t->r = start;
  }
  sql_value_free(&value);
  return is_id;
}

static int take_conjunct(struct translator *t, const struct sql_table *table,
                         struct sql_where *where) {
  struct sql_value value;
  int failed = take_id(t, table, where);
  if (failed)
    return failed < 0 ? -1 : 0;
  failed = sql_take_value(t, table, &value);
  if (!failed)
    also(where, value.text);
  sql_value_free(&value);
  return failed;
}

int sql_take_where(struct translator *t, const struct sql_table *table,
                   struct sql_where *where) {
  *where = (struct sql_where){0};
  if (t->maker)
    return sql_make_where(t, table);
  if (!sql_at(t->r, "where"))
    return 0;
  if (sql_advance(t->r))
    return -1;
  const struct sql_reader start = *t->r;
  do {
    if (take_conjunct(t, table, where))
      return -1;
  } while (sql_at(t->r, "and") && !sql_advance(t->r));
  if (!sql_at(t->r, "or"))
    return 0;
  struct sql_value value;
  sql_where_free(where);
  *t->r = start;
  const int failed = sql_take_condition(t, table, &value);
  if (!failed)
    also(where, value.text);
  sql_value_free(&value);
  return failed;
}

char *sql_where_finds(const struct sql_where *where) {
  return where->row ? xasprintf("row != none and %s", where->row)
                    : xstrdup("row != none");
}

int sql_take_id(struct translator *t, const struct sql_table *table,
                struct sql_where *where) {
  *where = (struct sql_where){0};
  if (t->maker)
    return sql_make_where(t, table);
  if (!sql_at(t->r, "where"))
    return sql_expected(t->r, "\"where\"");
  const struct sql_reader start = *t->r;
  if (sql_take_where(t, table, where))
    return -1;
  if (where->id)
    return 0;
  if (!sql_at(t->r, ";"))
    return sql_expected(t->r, "\";\"");
  *t->r = start;
  return sql_refuse(t->r,
                    "WHERE names one row here, by its primary key: WHERE %s = "
                    "..., and AND with other conditions on it",
                    table->columns[table->key]);
}

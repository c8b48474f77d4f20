// SPDX-License-Identifier: GPL-3.0-or-later
// SELECT (sql/translator.h): columns of a row, or COUNT, SUM, MIN and
// MAX over the rows of a table.  The rows that it finds are the list `found`.
#include "config.h"

#include "sql/maker.h"

#include <stdlib.h>
#include <string.h>

struct output { // and what \gset calls it
  enum sql_output kind;
  uint32_t column;
  char of[64], name[64];
};

struct outputs {
  uint32_t n;
  struct output all[SQL_COLUMNS_MAX];
};

// Which function begins here; SQL_OUTPUT_COLUMN: none.
static int function(struct translator *t, enum sql_output *kind) {
  static const char *const names[] = {
      [SQL_OUTPUT_COUNT] = "count",
      [SQL_OUTPUT_SUM] = "sum",
      [SQL_OUTPUT_MIN] = "min",
      [SQL_OUTPUT_MAX] = "max",
  };
  *kind = SQL_OUTPUT_COLUMN;
  if (!sql_begins_call(t->r))
    return 0;
  for (enum sql_output i = SQL_OUTPUT_COUNT; i <= SQL_OUTPUT_MAX; i++)
    if (sql_at(t->r, names[i]))
      *kind = i;
  const char *instead = sql_advice(t->r->text);
  return *kind
             ? 0
             : sql_refuse(t->r, "%s() cannot be %s; %s", t->r->text,
                          t->maker ? "run" : "explored",
                          instead ? instead
                                  : "there are COUNT, SUM, MIN and MAX of one "
                                    "column");
}

// `FROM t x`, or a word that makes more of the table than it is.
static int refuse_more(const struct translator *t) {
  if (t->r->kind != SQL_WORD || sql_at(t->r, "where") || sql_at(t->r, "for"))
    return 0;
  return sql_advice(t->r->text)
             ? sql_expected(t->r, "WHERE, FOR UPDATE or \";\"")
             : sql_refuse(t->r,
                          "\"%s\" is another name of the table; leave it "
                          "out, and write columns alone",
                          t->r->text);
}

// One column of the list, or a function of one.
static int take_output(struct translator *t, struct outputs *o) {
  enum sql_output kind;
  char *of = o->all[o->n].of, *name = o->all[o->n].name;
  if (function(t, &kind))
    return -1;
  if (kind) {
    memcpy(name, t->r->text, 64);
    if (sql_advance(t->r) || sql_require(t->r, "("))
      return -1;
  }
  const int all = kind == SQL_OUTPUT_COUNT ? sql_accept(t->r, "*") : 0;
  if (!kind && sql_at(t->r, "*"))
    return sql_refuse(t->r, "expected a column, not \"*\"; name the columns "
                            "that the program uses");
  if (all < 0 ||
      (!all &&
       sql_name(t->r,
                kind == SQL_OUTPUT_COUNT ? "\"*\" or a column" : "a column",
                of)) ||
      (kind && sql_require(t->r, ")")))
    return -1;
  if (!kind)
    memcpy(name, of, 64);
  const int renames = sql_accept(t->r, "as");
  if (renames < 0 || (renames && sql_name(t->r, "a name", name)))
    return -1;
  o->all[o->n++].kind = kind;
  if (!o->all[0].kind == !kind)
    return 0;
  return sql_refuse(t->r, "columns beside COUNT, SUM, MIN or MAX cannot be "
                          "explored; use two SELECTs");
}

static int take_outputs(struct translator *t, struct outputs *o) {
  *o = (struct outputs){0};
  do {
    if (o->n && sql_advance(t->r))
      return -1;
    if (o->n == SQL_COLUMNS_MAX)
      return sql_refuse(t->r, "SELECT returns at most %d columns",
                        SQL_COLUMNS_MAX);
    if (take_output(t, o))
      return -1;
  } while (sql_at(t->r, ","));
  return 0;
}

static int find_columns(struct translator *t, const struct sql_table *table,
                        struct outputs *o) {
  for (uint32_t i = 0; i < o->n; i++) {
    if (!*o->all[i].of)
      continue; // COUNT(*)
    o->all[i].column = sql_find_column(table, o->all[i].of);
    if (o->all[i].column == UINT32_MAX)
      return sql_refuse(t->r, "%s has no column \"%s\"", table->name,
                        o->all[i].of);
  }
  return 0;
}

// " for update", " for share" or "".
static int take_lock(struct translator *t, const struct sql_where *where,
                     const char **lock) {
  *lock = "";
  if (!sql_at(t->r, "for"))
    return 0;
  if (!where->id && !t->maker)
    return sql_refuse(t->r, "FOR UPDATE and FOR SHARE lock one row here, which "
                            "WHERE names by its primary key");
  if (sql_advance(t->r))
    return -1;
  if (t->maker && sql_at(t->r, "share"))
    return sql_refuse(t->r, "FOR SHARE cannot be run; use FOR UPDATE");
  *lock = sql_at(t->r, "share") ? " for share" : " for update";
  return sql_at(t->r, "share") ? sql_advance(t->r)
                               : sql_require(t->r, "update");
}

// All of it is one line, so that it has the line of the statement.
static void put_found(struct translator *t, const struct sql_table *table,
                      const struct sql_where *where, const char *lock) {
  if (!where->id) {
    fprintf(t->out, "  scan %s%s%s into found\n", table->name,
            where->row ? " where " : "", where->row ? where->row : "");
    return;
  }
  char *when = sql_where_finds(where);
  fprintf(t->out,
          "  let id =%s; read %s[id] into row%s where %s; let found = []; if "
          "%s; let found = [row]; end\n",
          where->id, table->name, lock, when, when);
  free(when);
}

// Puts the output into the variable.
static void put_output(FILE *out, enum sql_output kind, const char *variable,
                       uint32_t column) {
  static const char *const keeps[] = {[SQL_OUTPUT_SUM] = "true",
                                      [SQL_OUTPUT_MIN] = "<",
                                      [SQL_OUTPUT_MAX] = ">"};
  const char *v = variable;
  switch (kind) {
  case SQL_OUTPUT_COLUMN:
    fprintf(out, "  let row = found[1]; let %s = row[%u]\n", v, column);
    break;
  case SQL_OUTPUT_COUNT:
    fprintf(out, "  let %s = length(found)\n", v);
    break;
  case SQL_OUTPUT_SUM:
    fprintf(out,
            "  let %s = none; for row in found; if %s == none; let %s = "
            "0; end; let %s = %s + row[%u]; end\n",
            v, v, v, v, v, column);
    break;
  default:
    fprintf(out,
            "  let %s = none; for row in found; if %s == none or row[%u] "
            "%s %s; let %s = row[%u]; end; end\n",
            v, v, column, keeps[kind], v, v, column);
  }
}

// The client is told the columns of the rows, which come in no order that
// SQL knows; or the values of the functions.
static void put_answer(FILE *out, const struct outputs *o) {
  if (!o->all[0].kind)
    fputs("  let told = []; for row in found; let told = told + [[", out);
  for (uint32_t i = 0; i < o->n; i++) {
    const uint32_t column = o->all[i].column + 1;
    if (!o->all[i].kind) {
      fprintf(out, "%srow[%u]", i ? ", " : "", column);
    } else {
      put_output(out, o->all[i].kind, "told", column);
      fputs("  answer told\n", out);
    }
  }
  fputs(o->all[0].kind ? "" : "]]; end; answer sorted(told)\n", out);
}

static void make_outputs(struct translator *t, const struct outputs *o) {
  struct sql_step *step = t->maker->step;
  const struct sql_table *table = &t->schema->tables[step->table];
  step->outputs =
      arena_take(&t->maker->all->arena, o->n * sizeof *step->outputs);
  for (uint32_t i = 0; i < o->n; i++)
    step->outputs[step->noutputs++] = (struct sql_output_column){
        o->all[i].kind, sql_row_column(table, o->all[i].column)};
}

// In the step that the statement has become.
static void keep_output(struct translator *t, const struct output *output,
                        const char *variable) {
  struct sql_step *step = t->maker->step;
  if (!step->kept)
    step->kept =
        arena_take(&t->maker->all->arena, SQL_COLUMNS_MAX * sizeof *step->kept);
  step->kept[step->nkept++] = (struct sql_kept){
      .kind = output->kind,
      .column = sql_row_column(&t->schema->tables[step->table], output->column),
      .variable = (uint32_t)sql_variable_number(t, variable)};
}

static int gset(struct translator *t, const struct outputs *o) {
  char prefix[64] = "", variable[64], local[72];
  t->r->lines = true;
  if (sql_advance(t->r) ||
      (t->r->kind == SQL_WORD && sql_name(t->r, "a prefix", prefix)))
    return -1;
  if (!o->all[0].kind && !t->maker)
    fputs("  if length(found) != 1; rollback; end\n", t->out);
  for (uint32_t i = 0; i < o->n; i++) {
    snprintf(variable, sizeof variable, "%.14s%.48s", prefix, o->all[i].name);
    if (sql_set_variable(t, variable, NULL))
      return -1;
    snprintf(local, sizeof local, "v_%s", variable);
    if (t->maker)
      keep_output(t, &o->all[i], variable);
    else
      put_output(t->out, o->all[i].kind, local, o->all[i].column + 1);
  }
  return sql_end_of_line(t);
}

int sql_select(struct translator *t) {
  const struct sql_table *table;
  struct outputs o;
  struct sql_where where = {0};
  const char *lock;
  int failed = take_outputs(t, &o) || sql_require(t->r, "from") ||
               sql_table_here(t->r, t->schema, &table) ||
               find_columns(t, table, &o);
  if (!failed && sql_at(t->r, ","))
    failed = sql_refuse(t->r, "joins cannot be explored; use a SELECT for "
                              "each table");
  failed = failed || refuse_more(t);
  if (!failed && t->maker)
    sql_make_statement(t, table);
  failed =
      failed || sql_take_where(t, table, &where) || take_lock(t, &where, &lock);
  if (!failed && t->maker) {
    make_outputs(t, &o);
    sql_put_statement(t, *lock ? STATEMENT_LOCKING_SELECT : STATEMENT_SELECT);
  } else if (!failed) {
    put_found(t, table, &where, lock);
    put_answer(t->out, &o);
    if (!where.id)
      t->schema->scanned |= UINT32_C(1) << (table - t->schema->tables);
  }
  sql_where_free(&where);
  if (failed)
    return -1;
  if (t->r->kind == SQL_COMMAND && !strcmp(t->r->text, "gset"))
    return gset(t, &o);
  return sql_require(t->r, ";");
}

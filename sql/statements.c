// SPDX-License-Identifier: GPL-3.0-or-later
// Reads SELECT, UPDATE, DELETE and INSERT (sql/tree.h).
#include "config.h"

#include "sql/tree.h"

#include <string.h>

// ---- SELECT

// Which function begins here; SQL_OUTPUT_COLUMN: none.
static int parse_function(const struct sql_parser *p, enum sql_output *kind) {
  static const char *const names[] = {
      [SQL_OUTPUT_COUNT] = "count",
      [SQL_OUTPUT_SUM] = "sum",
      [SQL_OUTPUT_MIN] = "min",
      [SQL_OUTPUT_MAX] = "max",
  };
  *kind = SQL_OUTPUT_COLUMN;
  if (!sql_begins_call(p->r))
    return 0;
  for (enum sql_output i = SQL_OUTPUT_COUNT; i <= SQL_OUTPUT_MAX; i++)
    if (sql_at(p->r, names[i]))
      *kind = i;
  const char *instead = sql_advice(p->r->text);
  return *kind
             ? 0
             : sql_refuse(p->r, "%s() cannot be %s; %s", p->r->text,
                          p->runs ? "run" : "explored",
                          instead ? instead
                                  : "there are COUNT, SUM, MIN and MAX of one "
                                    "column");
}

// `FROM t x`, or a word that makes more of the table than it is.
static int refuse_more_tables(const struct sql_parser *p) {
  if (sql_at(p->r, ","))
    return sql_refuse(p->r, "joins cannot be explored; use a SELECT for "
                            "each table");
  if (p->r->kind != SQL_WORD || sql_at(p->r, "where") || sql_at(p->r, "for"))
    return 0;
  return sql_advice(p->r->text)
             ? sql_expected(p->r, "WHERE, FOR UPDATE or \";\"")
             : sql_refuse(p->r,
                          "\"%s\" is another name of the table; leave it "
                          "out, and write columns alone",
                          p->r->text);
}

// `*`, or the column that the output is of.
static int parse_output_column(struct sql_parser *p,
                               struct sql_output_item *o) {
  const bool counts = o->kind == SQL_OUTPUT_COUNT;
  if (!o->kind && sql_at(p->r, "*"))
    return sql_refuse(p->r, "expected a column, not \"*\"; name the columns "
                            "that the program uses");
  if (counts && sql_at(p->r, "*"))
    return sql_advance(p->r);
  return sql_name(p->r, counts ? "\"*\" or a column" : "a column", o->of);
}

// One column of the list, or a function of one.
static int parse_output(struct sql_parser *p, struct sql_output_item *o) {
  if (parse_function(p, &o->kind))
    return -1;
  if (o->kind) {
    memcpy(o->name, p->r->text, sizeof o->name);
    if (sql_advance(p->r) || sql_require(p->r, "("))
      return -1;
  }
  if (parse_output_column(p, o) || (o->kind && sql_require(p->r, ")")))
    return -1;
  if (!o->kind)
    memcpy(o->name, o->of, sizeof o->name);
  const int renames = sql_accept(p->r, "as");
  return renames < 0 || (renames && sql_name(p->r, "a name", o->name)) ? -1 : 0;
}

static int parse_outputs(struct sql_parser *p, struct sql_item *item) {
  do {
    if (item->noutputs && sql_advance(p->r))
      return -1;
    if (item->noutputs == SQL_COLUMNS_MAX)
      return sql_refuse(p->r, "SELECT returns at most %d columns",
                        SQL_COLUMNS_MAX);
    struct sql_output_item *o = &item->outputs[item->noutputs++];
    if (parse_output(p, o))
      return -1;
    if (!item->outputs[0].kind != !o->kind)
      return sql_refuse(p->r, "columns beside COUNT, SUM, MIN or MAX cannot be "
                              "explored; use two SELECTs");
  } while (sql_at(p->r, ","));
  return 0;
}

static int find_output_columns(const struct sql_parser *p,
                               struct sql_item *item) {
  for (uint32_t i = 0; i < item->noutputs; i++) {
    struct sql_output_item *o = &item->outputs[i];
    if (!*o->of)
      continue; // COUNT(*)
    o->column = sql_find_column(item->table, o->of);
    if (o->column == UINT32_MAX)
      return sql_refuse(p->r, "%s has no column \"%s\"", item->table->name,
                        o->of);
  }
  return 0;
}

// `[WHERE ...]`
static int parse_where(struct sql_parser *p, struct sql_item *item) {
  if (!sql_at(p->r, "where"))
    return 0;
  if (sql_advance(p->r))
    return -1;
  item->where_line = p->r->at;
  p->table = item->table;
  const int failed = sql_parse_condition(p, &item->where);
  p->table = NULL;
  return failed;
}

static int parse_lock(struct sql_parser *p, struct sql_item *item) {
  if (!sql_at(p->r, "for"))
    return 0;
  item->lock_line = p->r->at;
  if (sql_advance(p->r))
    return -1;
  item->lock = sql_at(p->r, "share") ? SQL_LOCK_SHARE : SQL_LOCK_UPDATE;
  return item->lock == SQL_LOCK_SHARE ? sql_advance(p->r)
                                      : sql_require(p->r, "update");
}

// \gset, up to the end of its line.
static int parse_kept(struct sql_parser *p, struct sql_item *item) {
  char prefix[64] = "", variable[64];
  item->keeps = true;
  p->r->lines = true;
  if (sql_advance(p->r) ||
      (p->r->kind == SQL_WORD && sql_name(p->r, "a prefix", prefix)))
    return -1;
  for (uint32_t i = 0; i < item->noutputs; i++) {
    snprintf(variable, sizeof variable, "%.14s%.48s", prefix,
             item->outputs[i].name);
    const int number = sql_new_variable(p, variable);
    if (number < 0)
      return -1;
    item->outputs[i].variable = (uint32_t)number;
  }
  return 0;
}

int sql_parse_select(struct sql_parser *p, struct sql_item *item) {
  if (parse_outputs(p, item) || sql_require(p->r, "from") ||
      sql_table_here(p->r, p->schema, &item->table) ||
      find_output_columns(p, item) || refuse_more_tables(p) ||
      parse_where(p, item) || parse_lock(p, item))
    return -1;
  item->end = *p->r;
  if (p->r->kind == SQL_COMMAND && !strcmp(p->r->text, "gset"))
    return parse_kept(p, item);
  return 0;
}

// ---- UPDATE and DELETE

static int parse_assignment(struct sql_parser *p, struct sql_item *item) {
  const struct sql_table *table = item->table;
  char name[64];
  if (sql_advance(p->r) || sql_name(p->r, "a column", name))
    return -1;
  const uint32_t column = sql_find_column(table, name);
  if (column == UINT32_MAX)
    return sql_refuse(p->r, "%s has no column \"%s\"", table->name, name);
  if (column == table->key)
    return sql_refuse(p->r, "a primary key cannot be changed here; DELETE "
                            "and INSERT instead");
  if (sql_require(p->r, "="))
    return -1;
  if (item->sets[column]) {
    item->twice = column + 1;
    item->twice_line = p->r->at;
  } else {
    item->order[item->nsets++] = column;
  }
  p->table = table;
  const int failed = sql_parse_value(p, &item->sets[column]);
  p->table = NULL;
  return failed;
}

int sql_parse_update(struct sql_parser *p, struct sql_item *item) {
  if (sql_table_here(p->r, p->schema, &item->table))
    return -1;
  if (!sql_at(p->r, "set"))
    return sql_expected(p->r, "\"SET\"");
  do {
    if (parse_assignment(p, item))
      return -1;
  } while (sql_at(p->r, ","));
  const int failed = parse_where(p, item);
  item->end = *p->r;
  return failed;
}

int sql_parse_delete(struct sql_parser *p, struct sql_item *item) {
  const int failed = sql_require(p->r, "from") ||
                     sql_table_here(p->r, p->schema, &item->table) ||
                     parse_where(p, item);
  item->end = *p->r;
  return failed ? -1 : 0;
}

// ---- INSERT

static int parse_conflict(struct sql_parser *p, bool *ignores) {
  const int said = sql_accept(p->r, "on");
  *ignores = said > 0;
  if (said <= 0)
    return said;
  if (sql_require(p->r, "conflict"))
    return -1;
  if (!sql_at(p->r, "do"))
    return sql_refuse(p->r, "ON CONFLICT is of the primary key here; write ON "
                            "CONFLICT DO NOTHING, without its column");
  if (sql_advance(p->r))
    return -1;
  if (!sql_at(p->r, "nothing"))
    return sql_refuse(p->r, "ON CONFLICT DO NOTHING can be explored; for DO "
                            "UPDATE use that and an UPDATE");
  return sql_advance(p->r);
}

int sql_parse_insert(struct sql_parser *p, struct sql_item *item) {
  struct sql_reader *r = p->r;
  uint32_t order[SQL_COLUMNS_MAX];
  if (sql_require(r, "into") || sql_table_here(r, p->schema, &item->table) ||
      sql_insert_columns(r, item->table, order) || sql_require(r, "("))
    return -1;
  for (uint32_t i = 0; i < item->table->ncolumns; i++)
    if ((i && sql_require(r, ",")) || sql_parse_value(p, &item->sets[order[i]]))
      return -1;
  if (sql_require(r, ")"))
    return -1;
  if (sql_at(r, ","))
    return sql_refuse(r, "an INSERT has one row here; use one for each");
  const int failed = parse_conflict(p, &item->ignores);
  item->end = *r;
  return failed;
}

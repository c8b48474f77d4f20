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

static bool ends_table(const struct sql_reader *r) {
  static const char *const behind[] = {"where", "for", "order", "set"};
  bool ends = r->kind != SQL_WORD;
  for (size_t i = 0; i < sizeof behind / sizeof *behind; i++)
    ends |= sql_at(r, behind[i]);
  return ends;
}

// `x` or `AS x` behind a table.
static int parse_alias(struct sql_parser *p, struct sql_item *item,
                       const char *wanted) {
  struct sql_reader *r = p->r;
  if (!ends_table(r)) {
    const int said = sql_accept(r, "as");
    if (said < 0)
      return -1;
    if (!said && !r->quoted && sql_advice(r->text))
      return sql_expected(r, wanted);
    if (sql_name(r, "a name of the table", item->alias))
      return -1;
  }
  if (sql_at(r, ","))
    return sql_refuse(r, "joins cannot be explored; use a SELECT for "
                         "each table");
  return ends_table(r) ? 0 : sql_expected(r, wanted);
}

// `*`, or the column that the output is of.
static int parse_output_column(struct sql_parser *p,
                               struct sql_output_item *o) {
  const bool counts = o->kind == SQL_OUTPUT_COUNT;
  if (counts && (sql_at(p->r, "*") || p->r->kind == SQL_NUMBER))
    return sql_advance(p->r);
  if (sql_qualifier(p->r, o->qualifier))
    return -1;
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
  item->everything = sql_at(p->r, "*");
  if (item->everything)
    return sql_advance(p->r);
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

static void name_everything(struct sql_item *item) {
  const struct sql_table *table = item->table;
  for (; item->noutputs < table->ncolumns; item->noutputs++) {
    struct sql_output_item *o = &item->outputs[item->noutputs];
    memcpy(o->of, table->columns[item->noutputs], sizeof o->of);
    memcpy(o->name, o->of, sizeof o->name);
  }
}

static int find_output_columns(const struct sql_parser *p,
                               struct sql_item *item) {
  if (item->everything)
    name_everything(item);
  for (uint32_t i = 0; i < item->noutputs; i++) {
    struct sql_output_item *o = &item->outputs[i];
    if (!*o->of)
      continue; // COUNT(*)
    if (sql_check_qualifier(p, o->qualifier, item->table, item->alias))
      return -1;
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
  p->alias = item->alias;
  const int failed = sql_parse_condition(p, &item->where);
  p->table = NULL;
  return failed;
}

// ORDER BY of all rows, which are told in no order anyway.
static int pass_order(struct sql_parser *p, const struct sql_item *item) {
  int goes_on = sql_accept(p->r, "order");
  if (goes_on <= 0)
    return goes_on;
  if (sql_require(p->r, "by"))
    return -1;
  while (goes_on > 0) {
    char qualifier[64], name[64];
    if (sql_qualifier(p->r, qualifier) || sql_name(p->r, "a column", name) ||
        sql_check_qualifier(p, qualifier, item->table, item->alias))
      return -1;
    if (sql_find_column(item->table, name) == UINT32_MAX)
      return sql_refuse(p->r, "%s has no column \"%s\"", item->table->name,
                        name);
    if (sql_accept(p->r, "asc") < 0 || sql_accept(p->r, "desc") < 0)
      return -1;
    goes_on = sql_accept(p->r, ",");
  }
  return goes_on;
}

// FOR NO KEY UPDATE is FOR UPDATE where no foreign key locks.
static int parse_lock(struct sql_parser *p, struct sql_item *item) {
  if (!sql_at(p->r, "for"))
    return 0;
  item->lock_line = p->r->at;
  if (sql_advance(p->r))
    return -1;
  const int no_key = sql_accept(p->r, "no");
  if (no_key < 0 || (no_key && sql_require(p->r, "key")))
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
      parse_alias(p, item, "WHERE, FOR UPDATE or \";\"") ||
      find_output_columns(p, item) || parse_where(p, item) ||
      pass_order(p, item) || parse_lock(p, item))
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
  p->alias = item->alias;
  const int failed = sql_parse_value(p, &item->sets[column]);
  p->table = NULL;
  return failed;
}

int sql_parse_update(struct sql_parser *p, struct sql_item *item) {
  if (sql_table_here(p->r, p->schema, &item->table) ||
      parse_alias(p, item, "\"SET\""))
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
                     parse_alias(p, item, "WHERE or \";\"") ||
                     parse_where(p, item);
  item->end = *p->r;
  return failed ? -1 : 0;
}

// ---- INSERT

// `(key)` behind ON CONFLICT.
static int pass_conflict_column(struct sql_parser *p,
                                const struct sql_table *table) {
  char name[64];
  if (!sql_at(p->r, "("))
    return 0;
  if (sql_advance(p->r) || sql_name(p->r, "a column", name))
    return -1;
  if (sql_find_column(table, name) != table->key)
    return sql_refuse(p->r,
                      "ON CONFLICT is of the primary key here, which is "
                      "%s",
                      table->columns[table->key]);
  return sql_require(p->r, ")");
}

static int parse_conflict(struct sql_parser *p, const struct sql_table *table,
                          bool *ignores) {
  const int said = sql_accept(p->r, "on");
  *ignores |= said > 0;
  if (said <= 0)
    return said;
  if (sql_require(p->r, "conflict") || pass_conflict_column(p, table))
    return -1;
  if (!sql_at(p->r, "do"))
    return sql_expected(p->r, "\"DO\"");
  if (sql_advance(p->r))
    return -1;
  if (!sql_at(p->r, "nothing"))
    return sql_refuse(p->r, "ON CONFLICT DO NOTHING can be explored; for DO "
                            "UPDATE use that and an UPDATE");
  return sql_advance(p->r);
}

// INSERT IGNORE, INSERT OR IGNORE
static int parse_ignore(struct sql_parser *p, bool *ignores) {
  const int either = sql_accept(p->r, "or");
  if (either < 0)
    return -1;
  if (either && !sql_at(p->r, "ignore"))
    return sql_expected(p->r, "\"IGNORE\"");
  const int said = sql_accept(p->r, "ignore");
  *ignores = said > 0;
  return said < 0 ? -1 : 0;
}

static int parse_inserted_row(struct sql_parser *p, struct sql_item *item,
                              const uint32_t *order) {
  if (sql_require(p->r, "("))
    return -1;
  for (uint32_t i = 0; i < item->table->ncolumns; i++)
    if ((i && sql_require(p->r, ",")) ||
        sql_parse_value(p, &item->sets[order[i]]))
      return -1;
  return sql_require(p->r, ")");
}

int sql_parse_insert(struct sql_parser *p, struct sql_item *item) {
  struct sql_reader *r = p->r;
  uint32_t order[SQL_COLUMNS_MAX];
  bool ignores = false;
  if (parse_ignore(p, &ignores) || sql_require(r, "into") ||
      sql_table_here(r, p->schema, &item->table) ||
      sql_insert_columns(r, item->table, order) ||
      parse_inserted_row(p, item, order))
    return -1;
  for (struct sql_item *last = item; sql_at(r, ","); last = last->more) {
    last->more = arena_take(&p->arena, sizeof *last->more);
    *last->more = *item;
    last->more->more = NULL;
    if (sql_advance(r) || parse_inserted_row(p, last->more, order))
      return -1;
  }
  const int failed = parse_conflict(p, item->table, &ignores);
  for (struct sql_item *row = item; row; row = row->more) {
    row->ignores = ignores;
    row->end = *r;
  }
  return failed;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Translates a pgbench script (explore/sql/sql.h).  A statement outside of
// BEGIN and COMMIT is a transaction of its own.  A transaction that pgbench
// would abort, by a duplicate key or a \gset without a row, rolls back.
#include "config.h"

#include "explore/sql/reading.h"

#include <stdlib.h>
#include <string.h>

enum { VARIABLES_MAX = 64 };

struct translator {
  struct sql_reader *r;
  const struct sql_schema *schema;
  FILE *out;
  const char *name;
  uint32_t ntransactions;
  bool open;     // between BEGIN and COMMIT
  uint32_t nifs; // open ones
  char *sets;    // \set commands before the next transaction
  uint32_t nvariables;
  char variables[VARIABLES_MAX][64];
};

// ---- Expressions

static bool is_set(const struct translator *t, const char *name) {
  for (uint32_t i = 0; i < t->nvariables; i++)
    if (!strcmp(t->variables[i], name))
      return true;
  return false;
}

static int set_variable(struct translator *t, const char *name) {
  if (is_set(t, name))
    return 0;
  if (t->nvariables == VARIABLES_MAX)
    return sql_refuse(t->r, "a script has at most %d variables", VARIABLES_MAX);
  snprintf(t->variables[t->nvariables++], sizeof *t->variables, "%s", name);
  return 0;
}

// A token of an expression in the notation; false: it ends here.
static int put_token(struct translator *t, const struct sql_table *table,
                     FILE *out, bool *ends) {
  static const char *const same[] = {"and", "or", "not", "<", ">", "<=", ">=",
                                     "!=",  "+",  "-",   "*", "/", "%",  "("};
  const struct sql_reader *r = t->r;
  *ends = false;
  if (r->kind == SQL_NUMBER)
    fprintf(out, " %s", r->text);
  else if (r->kind == SQL_VARIABLE && is_set(t, r->text))
    fprintf(out, " v_%s", r->text);
  else if (r->kind == SQL_VARIABLE)
    return sql_refuse(r, ":%s has no value here; use \\set or \\gset first",
                      r->text);
  else if (sql_at(r, "="))
    fputs(" ==", out);
  else if (sql_at(r, "<>"))
    fputs(" !=", out);
  else {
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
      if (sql_at(r, same[i])) {
        fprintf(out, " %s", r->text);
        return 0;
      }
    const uint32_t column = r->kind == SQL_WORD && table
                                ? sql_find_column(table, r->text)
                                : UINT32_MAX;
    if (column != UINT32_MAX)
      fprintf(out, " row[%u]", column + 1);
    else
      *ends = true;
  }
  return 0;
}

static bool begins_call(const struct sql_reader *r) {
  return r->kind == SQL_WORD && r->p[strspn(r->p, " \t")] == '(';
}

// Up to what is no part of it.  `bare`: `and` ends it.
static int expression(struct translator *t, const struct sql_table *table,
                      FILE *out, bool bare) {
  uint32_t open = 0, n = 0;
  for (;; n++) {
    bool ends = false;
    if (sql_at(t->r, ")") && open) {
      fputs(" )", out);
      open--;
    } else if (bare && !open && (sql_at(t->r, "and") || sql_at(t->r, "or"))) {
      break;
    } else if (begins_call(t->r) && !sql_at(t->r, "and") &&
               !sql_at(t->r, "or") && !sql_at(t->r, "not")) {
      return sql_refuse(t->r, "%s() cannot be explored; write a constant",
                        t->r->text);
    } else {
      open += sql_at(t->r, "(");
      if (put_token(t, table, out, &ends))
        return -1;
    }
    if (ends)
      break;
    if (sql_advance(t->r))
      return -1;
  }
  return n && !open ? 0 : sql_expected(t->r, "a value");
}

// ---- Statements

static void put_line(struct translator *t) {
  fprintf(t->out, "#@line %u\n", t->r->at);
}

static void begin(struct translator *t) {
  fprintf(t->out, "transaction %s_%u(v_client_id)\n%s", t->name,
          ++t->ntransactions, t->sets ? t->sets : "");
  free(t->sets);
  t->sets = NULL;
}

// `WHERE key = value`, into the local `key`.
static int where(struct translator *t, const struct sql_table *table) {
  char name[64];
  if (sql_require(t->r, "where") || sql_name(t->r, "the primary key", name))
    return -1;
  if (sql_find_column(table, name) != table->key)
    return sql_refuse(t->r,
                      "WHERE names one row, by its primary key: WHERE %s "
                      "= ...",
                      table->columns[table->key]);
  if (sql_require(t->r, "="))
    return -1;
  fputs("  let key =", t->out);
  if (expression(t, NULL, t->out, true))
    return -1;
  fputs("; ", t->out);
  if (sql_at(t->r, "and") || sql_at(t->r, "or"))
    return sql_refuse(t->r, "WHERE names one row, by its primary key alone; "
                            "test the rest with \\if");
  return 0;
}

// All of a statement is one line, so that it has the line of the statement.
static void put_read(struct translator *t, const struct sql_table *table,
                     bool locks) {
  fprintf(t->out, "read %s[key] into row%s; ", table->name,
          locks ? " for update" : "");
}

struct chosen { // columns of a SELECT, and what \gset calls them
  uint32_t n, columns[SQL_COLUMNS_MAX];
  char names[SQL_COLUMNS_MAX][64];
};

static int choose_columns(struct translator *t, struct chosen *c,
                          char names[SQL_COLUMNS_MAX][64]) {
  c->n = 0;
  do {
    if ((c->n && sql_advance(t->r)) || c->n == SQL_COLUMNS_MAX ||
        begins_call(t->r))
      return sql_refuse(t->r, "SELECT takes columns of one row; what counts or "
                              "sums rows cannot be explored yet");
    if (sql_name(t->r, "a column", names[c->n]))
      return -1;
    memcpy(c->names[c->n], names[c->n], 64);
    const int renames = sql_accept(t->r, "as");
    if (renames < 0 || (renames && sql_name(t->r, "a name", c->names[c->n])))
      return -1;
    c->n++;
  } while (sql_at(t->r, ","));
  return 0;
}

static int gset(struct translator *t, const struct chosen *c) {
  char prefix[64] = "", variable[64];
  t->r->lines = true;
  if (sql_advance(t->r) ||
      (t->r->kind == SQL_WORD && sql_name(t->r, "a prefix", prefix)))
    return -1;
  t->r->lines = false;
  if (t->r->kind != SQL_LINE && t->r->kind != SQL_END)
    return sql_expected(t->r, "the end of the line");
  fputs("if row == none; rollback; end\n", t->out);
  for (uint32_t i = 0; i < c->n; i++) {
    snprintf(variable, sizeof variable, "%.14s%.48s", prefix, c->names[i]);
    if (set_variable(t, variable))
      return -1;
    fprintf(t->out, "  let v_%s = row[%u]\n", variable, c->columns[i] + 1);
  }
  return sql_advance(t->r);
}

static int select_row(struct translator *t) {
  char names[SQL_COLUMNS_MAX][64];
  const struct sql_table *table;
  struct chosen c;
  if (choose_columns(t, &c, names) || sql_require(t->r, "from") ||
      sql_table_here(t->r, t->schema, &table))
    return -1;
  for (uint32_t i = 0; i < c.n; i++) {
    c.columns[i] = sql_find_column(table, names[i]);
    if (c.columns[i] == UINT32_MAX)
      return sql_refuse(t->r, "%s has no column \"%s\"", table->name, names[i]);
  }
  if (where(t, table))
    return -1;
  const int locks = sql_accept(t->r, "for");
  if (locks < 0 || (locks && sql_require(t->r, "update")))
    return -1;
  put_read(t, table, locks);
  if (t->r->kind == SQL_COMMAND && !strcmp(t->r->text, "gset"))
    return gset(t, &c);
  fputc('\n', t->out);
  return sql_require(t->r, ";");
}

static void put_row(FILE *out, const struct sql_table *table,
                    char *const values[SQL_COLUMNS_MAX]) {
  fprintf(out, "write %s[key] [", table->name);
  for (uint32_t i = 0; i < table->ncolumns; i++)
    if (values[i])
      fprintf(out, "%s(%s)", i ? ", " : "", values[i]);
    else
      fprintf(out, "%srow[%u]", i ? ", " : "", i + 1);
  fputc(']', out);
}

static void free_values(char *values[SQL_COLUMNS_MAX]) {
  for (int i = 0; i < SQL_COLUMNS_MAX; i++)
    free(values[i]);
}

static int value_text(struct translator *t, const struct sql_table *table,
                      char **text) {
  size_t bytes;
  free(*text);
  FILE *out = open_memstream(text, &bytes);
  if (!out)
    out_of_memory(1);
  const int failed = expression(t, table, out, true);
  fclose(out);
  return failed;
}

static int assignments(struct translator *t, const struct sql_table *table,
                       char *values[SQL_COLUMNS_MAX]) {
  do {
    char name[64];
    if (sql_advance(t->r) || sql_name(t->r, "a column", name))
      return -1;
    const uint32_t column = sql_find_column(table, name);
    if (column == UINT32_MAX)
      return sql_refuse(t->r, "%s has no column \"%s\"", table->name, name);
    if (column == table->key)
      return sql_refuse(t->r, "a primary key cannot be changed here; DELETE "
                              "and INSERT instead");
    if (sql_require(t->r, "=") || value_text(t, table, &values[column]))
      return -1;
  } while (sql_at(t->r, ","));
  return 0;
}

static int update(struct translator *t) {
  const struct sql_table *table;
  char *values[SQL_COLUMNS_MAX] = {NULL};
  int failed = sql_table_here(t->r, t->schema, &table);
  if (!failed && !sql_at(t->r, "set"))
    failed = sql_expected(t->r, "\"SET\"");
  failed = failed || assignments(t, table, values) || where(t, table);
  if (!failed) {
    put_read(t, table, true);
    fputs("if row != none; ", t->out);
    put_row(t->out, table, values);
    fputs("; end\n", t->out);
  }
  free_values(values);
  return failed ? -1 : sql_require(t->r, ";");
}

static int delete_row(struct translator *t) {
  const struct sql_table *table;
  if (sql_require(t->r, "from") || sql_table_here(t->r, t->schema, &table) ||
      where(t, table))
    return -1;
  put_read(t, table, true);
  fprintf(t->out, "if row != none; write %s[key] none; end\n", table->name);
  return sql_require(t->r, ";");
}

static int on_conflict(struct translator *t, bool *ignores) {
  const int said = sql_accept(t->r, "on");
  *ignores = said > 0;
  if (said <= 0)
    return said;
  return sql_require(t->r, "conflict") || sql_require(t->r, "do") ||
                 sql_require(t->r, "nothing")
             ? -1
             : 0;
}

static int insert(struct translator *t) {
  const struct sql_table *table;
  uint32_t order[SQL_COLUMNS_MAX];
  char *values[SQL_COLUMNS_MAX] = {NULL};
  bool ignores = false;
  int failed = sql_require(t->r, "into") ||
               sql_table_here(t->r, t->schema, &table) ||
               sql_insert_columns(t->r, table, order) || sql_require(t->r, "(");
  for (uint32_t i = 0; !failed && i < table->ncolumns; i++)
    failed =
        (i && sql_require(t->r, ",")) || value_text(t, NULL, &values[order[i]]);
  failed = failed || sql_require(t->r, ")") || on_conflict(t, &ignores);
  if (!failed) {
    fprintf(t->out, "  let key =%s; ", values[table->key]);
    put_read(t, table, true);
    fputs(ignores ? "if row == none; " : "if row != none; rollback; end; ",
          t->out);
    put_row(t->out, table, values);
    fputs(ignores ? "; end\n" : "\n", t->out);
  }
  free_values(values);
  return failed ? -1 : sql_require(t->r, ";");
}

// ---- Meta-commands

static int end_of_line(struct translator *t) {
  t->r->lines = false;
  if (t->r->kind != SQL_LINE && t->r->kind != SQL_END)
    return sql_expected(t->r, "the end of the line");
  return sql_advance(t->r);
}

static int set(struct translator *t) {
  char name[64];
  char *value = NULL;
  t->r->lines = true;
  if (sql_advance(t->r) || sql_name(t->r, "a variable", name))
    return -1;
  int failed = value_text(t, NULL, &value) || set_variable(t, name);
  if (!failed && t->open) {
    fprintf(t->out, "  let v_%s =%s\n", name, value);
  } else if (!failed) {
    char *more =
        xasprintf("%s  let v_%s =%s\n", t->sets ? t->sets : "", name, value);
    free(t->sets);
    t->sets = more;
  }
  free(value);
  return failed ? -1 : end_of_line(t);
}

static int branch(struct translator *t) {
  t->r->lines = true;
  if (!t->open)
    return sql_refuse(t->r, "\\if stands between BEGIN and COMMIT here");
  fputs("  if", t->out);
  if (sql_advance(t->r) || expression(t, NULL, t->out, false))
    return -1;
  fputc('\n', t->out);
  t->nifs++;
  return end_of_line(t);
}

static int command(struct translator *t) {
  const char *name = t->r->text;
  if (!strcmp(name, "set"))
    return set(t);
  if (!strcmp(name, "if"))
    return branch(t);
  const bool ends = !strcmp(name, "endif");
  if (!ends && strcmp(name, "else"))
    return sql_refuse(t->r,
                      "\\%s cannot be explored; there are \\set, \\if, "
                      "\\else, \\endif and \\gset",
                      name);
  if (!t->nifs)
    return sql_refuse(t->r, "\\%s without \\if", name);
  fputs(ends ? "  end\n" : "  else\n", t->out);
  t->nifs -= ends;
  t->r->lines = true;
  return sql_advance(t->r) ? -1 : end_of_line(t);
}

// ---- Transactions

static int edge_of_transaction(struct translator *t) {
  const bool begins = sql_at(t->r, "begin"), rolls = sql_at(t->r, "rollback");
  if (begins == t->open)
    return sql_refuse(t->r, begins ? "there is an open transaction already"
                                   : "no transaction is open");
  if (!begins && !rolls && t->nifs)
    return sql_refuse(t->r, "COMMIT stands behind \\endif here");
  if (begins)
    begin(t);
  else
    fputs(rolls ? "  rollback\n" : "end\n", t->out);
  if (rolls && !t->nifs)
    fputs("end\n", t->out);
  t->open = begins || (rolls && t->nifs);
  return sql_advance(t->r) ? -1 : sql_require(t->r, ";");
}

static int statement(struct translator *t) {
  static const struct {
    const char *name;
    int (*take)(struct translator *t);
  } statements[] = {{"select", select_row},
                    {"update", update},
                    {"delete", delete_row},
                    {"insert", insert}};
  const bool alone = !t->open;
  for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
    if (!sql_at(t->r, statements[i].name))
      continue;
    if (alone)
      begin(t);
    put_line(t);
    if (sql_advance(t->r) || statements[i].take(t))
      return -1;
    fputs(alone ? "end\n" : "", t->out);
    return 0;
  }
  return sql_refuse(t->r,
                    "\"%s\" cannot be explored; there are BEGIN, COMMIT, "
                    "ROLLBACK, SELECT, INSERT, UPDATE and DELETE",
                    t->r->text);
}

int sql_read_script(struct sql_reader *r, const struct sql_schema *schema,
                    const char *name, FILE *out, uint32_t *ntransactions) {
  struct translator t = {.r = r, .schema = schema, .out = out, .name = name};
  int failed = set_variable(&t, "client_id") || sql_advance(r);
  while (!failed && r->kind != SQL_END)
    failed = r->kind == SQL_COMMAND ? command(&t)
             : sql_at(r, "begin") || sql_at(r, "commit") || sql_at(r, "end") ||
                     sql_at(r, "rollback")
                 ? edge_of_transaction(&t)
                 : statement(&t);
  if (!failed && t.open)
    failed = sql_expected(r, "COMMIT");
  free(t.sets);
  *ntransactions = t.ntransactions;
  return failed;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a script as a program in the notation (sql/tree.h), for explore.  The
// row at hand is `row`, the list of its columns, and its primary key is `id`;
// the rows that a SELECT finds are the list `found`.  All of a statement is one
// line, so that it has the line of the statement.  A transaction that pgbench
// would abort, by a duplicate key or a \gset without a row, rolls back.
#include "config.h"

#include "sql/tree.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct program_emitter {
  struct sql_parser parser;
  FILE *out;
  const char *name;
  uint32_t ntransactions;
  char *sets; // \set commands before the next transaction
  char *constants[SQL_VARIABLES_MAX]; // expressions that variables equal; or
                                      // NULL: it depends on rows
};

// ---- Expressions

static const char *notation_word(uint8_t op) {
  static const char *const words[] = {
      [SQL_ADD] = "+",      [SQL_SUBTRACT] = "-", [SQL_MULTIPLY] = "*",
      [SQL_DIVIDE] = "/",   [SQL_MODULO] = "%",   [SQL_LESS] = "<",
      [SQL_AT_MOST] = "<=", [SQL_GREATER] = ">",  [SQL_AT_LEAST] = ">=",
      [SQL_EQUAL] = "==",   [SQL_UNEQUAL] = "!=", [SQL_AND] = "and",
      [SQL_OR] = "or",      [SQL_NOT] = "not",    [SQL_NEGATIVE] = "-",
      [SQL_BRACKETS] = "(",
  };
  return words[op];
}

static void put_notation_column(FILE *out, const struct sql_node *node,
                                const struct sql_table *table) {
  assert(table);
  if (node->number == table->key)
    fputs(" id", out);
  else
    fprintf(out, " row[%u]", (uint32_t)node->number + 1);
}

// With `constants`, variables are written as what they equal.
static void put_expression(FILE *out, const struct sql_node *node,
                           const struct sql_table *table,
                           char *const *constants) {
  if (node->op == SQL_PUSH) {
    fprintf(out, " %s", node->text);
  } else if (node->op == SQL_LOAD && constants) {
    fprintf(out, " %s", constants[node->number]);
  } else if (node->op == SQL_LOAD) {
    fprintf(out, " v_%s", node->text);
  } else if (node->op == SQL_COLUMN) {
    put_notation_column(out, node, table);
  } else if (node->op == SQL_RANDOM) {
    fprintf(out, " %s[v_client_id]", node->text);
  } else {
    if (node->right)
      put_expression(out, node->left, table, constants);
    fprintf(out, " %s", notation_word(node->op));
    put_expression(out, node->right ? node->right : node->left, table,
                   constants);
    fputs(node->op == SQL_BRACKETS ? " )" : "", out);
  }
}

// To be freed.
static char *expression_text(const struct sql_node *node,
                             const struct sql_table *table,
                             char *const *constants) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  put_expression(out, node, table, constants);
  fclose(out);
  return text;
}

static bool has_columns(const struct sql_node *node) {
  return node && (node->op == SQL_COLUMN || has_columns(node->left) ||
                  has_columns(node->right));
}

static bool is_constant_node(const struct program_emitter *e,
                             const struct sql_node *node) {
  return !node ||
         (node->op != SQL_COLUMN &&
          (node->op != SQL_LOAD || e->constants[node->number]) &&
          is_constant_node(e, node->left) && is_constant_node(e, node->right));
}

// To be freed; NULL: it depends on rows.
static char *constant_text(const struct program_emitter *e,
                           const struct sql_node *node) {
  return is_constant_node(e, node) ? expression_text(node, NULL, e->constants)
                                   : NULL;
}

// Takes the constant over, or NULL.
static void set_constant(struct program_emitter *e, uint32_t variable,
                         char *constant) {
  free(e->constants[variable]);
  e->constants[variable] = constant;
}

// ---- WHERE

struct rows_of_where {
  char *id;  // of the only row; NULL: all rows are looked at
  char *row; // what must hold of `id` and `row`; NULL: nothing
};

static void add_row_condition(struct rows_of_where *found,
                              const struct sql_node *node,
                              const struct sql_table *table) {
  char *text = expression_text(node, table, NULL);
  char *all = found->row ? xasprintf("%s and (%s)", found->row, text)
                         : xasprintf("(%s)", text);
  free(found->row);
  free(text);
  found->row = all;
}

static bool is_key(const struct sql_node *node, const struct sql_table *table) {
  node = sql_unbracketed(node);
  return node->op == SQL_COLUMN && node->number == table->key;
}

// The first `key = e`, where e has no columns, names the row; what else is
// combined by AND must hold of it.
static void split_condition(struct rows_of_where *found,
                            const struct sql_node *node,
                            const struct sql_table *table) {
  node = sql_unbracketed(node);
  if (node->op == SQL_AND) {
    split_condition(found, node->left, table);
    split_condition(found, node->right, table);
  } else if (!found->id && node->op == SQL_EQUAL && is_key(node->left, table) &&
             !has_columns(node->right)) {
    found->id = expression_text(node->right, table, NULL);
  } else {
    add_row_condition(found, node, table);
  }
}

static struct rows_of_where split_where(const struct sql_item *item) {
  struct rows_of_where found = {0};
  if (item->where)
    split_condition(&found, item->where, item->table);
  return found;
}

// The condition on `row` under which WHERE, which names one row, finds it.  To
// be freed.
static char *row_is_found(const struct rows_of_where *found) {
  return found->row ? xasprintf("row != none and %s", found->row)
                    : xstrdup("row != none");
}

static void free_found_rows(struct rows_of_where *found) {
  FREE_EACH(found->id, found->row);
}

// ---- SELECT

static int refuse_lock(const struct program_emitter *e,
                       const struct sql_item *item) {
  return sql_refuse_line(e->parser.r, item->lock_line,
                         "FOR UPDATE and FOR SHARE lock one row here, which "
                         "WHERE names by its primary key");
}

static void put_row_select(struct program_emitter *e,
                           const struct sql_item *item,
                           const struct rows_of_where *found) {
  static const char *const locks[] = {[SQL_LOCK_NONE] = "",
                                      [SQL_LOCK_SHARE] = " for share",
                                      [SQL_LOCK_UPDATE] = " for update"};
  const char *name = item->table->name;
  if (!found->id) {
    fprintf(e->out, "  scan %s%s%s into found\n", name,
            found->row ? " where " : "", found->row ? found->row : "");
    return;
  }
  char *when = row_is_found(found);
  fprintf(e->out,
          "  let id =%s; read %s[id] into row%s where %s; let found = []; if "
          "%s; let found = [row]; end\n",
          found->id, name, locks[item->lock], when, when);
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
static void put_select_answer(FILE *out, const struct sql_item *item) {
  const bool of_rows = item->outputs[0].kind == SQL_OUTPUT_COLUMN;
  if (of_rows)
    fputs("  let told = []; for row in found; let told = told + [[", out);
  for (uint32_t i = 0; i < item->noutputs; i++) {
    const uint32_t column = item->outputs[i].column + 1;
    if (of_rows) {
      fprintf(out, "%srow[%u]", i ? ", " : "", column);
    } else {
      put_output(out, item->outputs[i].kind, "told", column);
      fputs("  answer told\n", out);
    }
  }
  fputs(of_rows ? "]]; end; answer sorted(told)\n" : "", out);
}

static void put_gset(struct program_emitter *e, const struct sql_item *item) {
  char local[72];
  if (!item->keeps)
    return;
  if (item->outputs[0].kind == SQL_OUTPUT_COLUMN)
    fputs("  if length(found) != 1; rollback; end\n", e->out);
  for (uint32_t i = 0; i < item->noutputs; i++) {
    const struct sql_output_item *o = &item->outputs[i];
    snprintf(local, sizeof local, "v_%s", e->parser.variables[o->variable]);
    set_constant(e, o->variable, NULL);
    e->parser.numbers[o->variable].none = true;
    put_output(e->out, o->kind, local, o->column + 1);
  }
}

static int emit_select(struct program_emitter *e, const struct sql_item *item) {
  struct rows_of_where found = split_where(item);
  const struct sql_schema *s = e->parser.schema;
  const bool scans = !found.id;
  put_row_select(e, item, &found);
  put_select_answer(e->out, item);
  put_gset(e, item);
  free_found_rows(&found);
  if (scans && item->lock)
    return refuse_lock(e, item);
  if (scans)
    e->parser.schema->scanned |= UINT32_C(1) << (item->table - s->tables);
  return 0;
}

// ---- UPDATE and DELETE

static void put_row_read(FILE *out, const struct sql_table *table,
                         const char *id, const char *lock) {
  fprintf(out, "  let id =%s; read %s[id] into row %s; ", id, table->name,
          lock);
}

static void put_row_written(FILE *out, const struct sql_item *item) {
  const struct sql_table *table = item->table;
  fprintf(out, "write %s[id] [", table->name);
  for (uint32_t i = 0; i < table->ncolumns; i++) {
    fputs(i ? ", " : "", out);
    if (!item->sets[i]) {
      fprintf(out, "row[%u]", i + 1);
      continue;
    }
    fputc('(', out);
    put_expression(out, item->sets[i], table, NULL);
    fputc(')', out);
  }
  fputc(']', out);
}

// Puts the statement on the row that WHERE finds; the client is told how many
// rows it changed.
static void put_changed_row(FILE *out, const struct sql_item *item,
                            const struct rows_of_where *found) {
  char *when = row_is_found(found);
  // Databases lock the row that the statement writes, and none where it writes
  // none.
  char *lock = xasprintf("for update where %s", when);
  put_row_read(out, item->table, found->id, lock);
  fprintf(out, "if %s; ", when);
  if (item->kind == SQL_ITEM_UPDATE)
    put_row_written(out, item);
  else
    fprintf(out, "write %s[id] none", item->table->name);
  fputs("; answer 1; else; answer 0; end\n", out);
  free(lock);
  free(when);
}

static int refuse_many_rows(const struct program_emitter *e,
                            const struct sql_item *item) {
  const struct sql_reader *r = e->parser.r;
  if (!item->where)
    return sql_expected(r, "\"where\"");
  if (!sql_at(r, ";"))
    return sql_expected(r, "\";\"");
  return sql_refuse_line(r, item->where_line,
                         "WHERE names one row here, by its primary key: WHERE "
                         "%s = ..., and AND with other conditions on it",
                         item->table->columns[item->table->key]);
}

static int emit_change(struct program_emitter *e, const struct sql_item *item) {
  struct rows_of_where found = split_where(item);
  const bool names_one = found.id != NULL;
  if (names_one)
    put_changed_row(e->out, item, &found);
  free_found_rows(&found);
  return names_one ? 0 : refuse_many_rows(e, item);
}

// ---- INSERT

// Keeps in mind that there may be such a row, for scans.
static void remember_inserted(const struct program_emitter *e,
                              const struct sql_item *item) {
  struct sql_schema *s = e->parser.schema;
  ARRAY_RESERVE(s->inserts, s->ninserts, s->inserts_room);
  s->inserts[s->ninserts++] = (struct sql_inserted){
      .table = (uint32_t)(item->table - s->tables),
      .id = constant_text(e, item->sets[item->table->key]),
      .line = e->parser.r->at};
}

static void emit_insert(const struct program_emitter *e,
                        const struct sql_item *item) {
  char *id = expression_text(item->sets[item->table->key], item->table, NULL);
  remember_inserted(e, item);
  put_row_read(e->out, item->table, id, "for insert");
  fputs(item->ignores ? "if row == none; " : "if row != none; rollback; end; ",
        e->out);
  put_row_written(e->out, item);
  fputs(item->ignores ? "; answer 1; else; answer 0; end\n" : "\n", e->out);
  free(id);
}

// ---- Between statements

static void put_transaction_begin(struct program_emitter *e) {
  const char *path = e->parser.r->path, *slash = strrchr(path, '/');
  fprintf(e->out, "#@script %s\ntransaction %s_%u(v_client_id)\n%s",
          slash ? slash + 1 : path, e->name, ++e->ntransactions,
          e->sets ? e->sets : "");
  free(e->sets);
  e->sets = NULL;
}

static void emit_set(struct program_emitter *e, const struct sql_item *item) {
  const char *name = e->parser.variables[item->variable];
  char *value = expression_text(item->value, NULL, NULL);
  char *constant = e->parser.nifs ? NULL : constant_text(e, item->value);
  set_constant(e, item->variable,
               constant ? xasprintf("(%s)", constant) : NULL);
  if (e->parser.open) {
    fprintf(e->out, "  let v_%s =%s\n", name, value);
  } else {
    char *more =
        xasprintf("%s  let v_%s =%s\n", e->sets ? e->sets : "", name, value);
    free(e->sets);
    e->sets = more;
  }
  FREE_EACH(constant, value);
}

static void emit_if(const struct program_emitter *e,
                    const struct sql_item *item) {
  if (!item->value)
    return;
  fputs("  if", e->out);
  put_expression(e->out, item->value, NULL, NULL);
  fputc('\n', e->out);
}

static int emit_statement(struct program_emitter *e,
                          const struct sql_item *item) {
  int failed = 0;
  if (item->alone)
    put_transaction_begin(e);
  fprintf(e->out, "#@line %u\n", item->line);
  if (item->kind == SQL_ITEM_SELECT)
    failed = emit_select(e, item);
  else if (item->kind == SQL_ITEM_INSERT)
    emit_insert(e, item);
  else
    failed = emit_change(e, item);
  fputs(item->alone ? "end\n" : "", e->out);
  return failed;
}

static int emit_notation(void *emitter, const struct sql_item *item) {
  struct program_emitter *e = emitter;
  switch (item->kind) {
  case SQL_ITEM_SET:
    emit_set(e, item);
    return 0;
  case SQL_ITEM_IF:
    emit_if(e, item);
    return 0;
  case SQL_ITEM_ELSE:
    fputs("  else\n", e->out);
    return 0;
  case SQL_ITEM_ENDIF:
    fputs("  end\n", e->out);
    return 0;
  case SQL_ITEM_BEGIN:
    put_transaction_begin(e);
    return 0;
  case SQL_ITEM_COMMIT:
    fputs("end\n", e->out);
    return 0;
  case SQL_ITEM_ROLLBACK:
    fputs(e->parser.nifs ? "  rollback\n" : "  rollback\nend\n", e->out);
    return 0;
  default:
    return emit_statement(e, item);
  }
}

int sql_read_script(struct sql_reader *r, struct sql_schema *schema,
                    const char *name, FILE *out, uint32_t *ntransactions) {
  struct program_emitter e = {
      .parser = {.r = r, .schema = schema, .emit = emit_notation},
      .out = out,
      .name = name};
  e.parser.emitter = &e;
  e.constants[0] = xstrdup("v_client_id");
  const int failed = sql_parse(&e.parser);
  *ntransactions = e.ntransactions;
  free(e.sets);
  for (uint32_t i = 0; i < SQL_VARIABLES_MAX; i++)
    free(e.constants[i]);
  return failed;
}

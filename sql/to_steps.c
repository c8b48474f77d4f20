// SPDX-License-Identifier: GPL-3.0-or-later
// Makes steps of a script (sql/tree.h), for run (sql/steps.h).
#include "config.h"

#include "sql/tree.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

enum { IFS_MAX = 32 };

struct steps_emitter {
  struct sql_parser parser;
  struct sql_scripts *all;
  struct sql_script *script;
  uint32_t first;           // step of the next transaction
  uint32_t branch[IFS_MAX]; // the step whose target is still open
};

uint32_t sql_row_column(const struct sql_table *table, uint32_t column) {
  return column == table->key ? TABLE_COLUMNS_MOST
                              : column - (column > table->key);
}

const char *sql_text_on_a_line(struct arena *arena, const char *text,
                               const char *end) {
  char *line = arena_take(arena, (size_t)(end - text) + 1);
  size_t n = 0;
  while (text < end) {
    const bool blank = isspace((unsigned char)*text);
    if (text[0] == '-' && text[1] == '-') {
      text += strcspn(text, "\n");
      continue;
    }
    if (!blank || (n && line[n - 1] != ' '))
      line[n++] = blank ? ' ' : *text;
    text++;
  }
  line[n - (n && line[n - 1] == ' ')] = '\0';
  return line;
}

static struct sql_step *add_script_step(struct steps_emitter *e,
                                        enum sql_step_kind kind) {
  struct sql_script *script = e->script;
  struct sql_step *step = arena_take(&e->all->arena, sizeof *step);
  const struct sql_reader *r = e->parser.r;
  const char *slash = strrchr(r->path, '/');
  step->kind = kind;
  step->place =
      arena_printf(&e->all->arena, "%s:%u", slash ? slash + 1 : r->path, r->at);
  ARRAY_RESERVE(script->steps, script->nsteps, script->steps_room);
  return script->steps[script->nsteps++] = step;
}

// ---- Values

static int refuse_column_here(const struct steps_emitter *e,
                              const struct sql_node *node) {
  return sql_refuse_line(e->parser.r, node->line,
                         "a run sends numbers and variables here, no column: "
                         "\"%s\" needs a SELECT before with \\gset",
                         node->text);
}

static int add_value_operation(const struct steps_emitter *e,
                               struct sql_code *code,
                               const struct sql_node *node, uint8_t op) {
  if (code->n == SQL_CODE_MOST)
    return sql_refuse_line(e->parser.r, node->line,
                           "a value has at most %d operations", SQL_CODE_MOST);
  code->all[code->n].op = op;
  code->all[code->n++].number = node->number;
  return 0;
}

static int make_code(const struct steps_emitter *e, const struct sql_node *node,
                     struct sql_code *code) {
  if (node->op == SQL_COLUMN)
    return refuse_column_here(e, node);
  if ((node->left && make_code(e, node->left, code)) ||
      (node->right && make_code(e, node->right, code)))
    return -1;
  return node->op == SQL_BRACKETS
             ? 0
             : add_value_operation(e, code, node, node->op);
}

static const struct sql_node *leftmost(const struct sql_node *node) {
  while (node->right)
    node = node->left;
  return node;
}

// `column + value - value`: the code is what is added to the column.
static int make_added(const struct steps_emitter *e, uint32_t column,
                      const struct sql_node *node, struct sql_code *code) {
  static const struct sql_node zero = {.op = SQL_PUSH};
  if (node->op == SQL_COLUMN && node->number == column)
    return add_value_operation(e, code, &zero, SQL_PUSH);
  assert(node->op == SQL_ADD || node->op == SQL_SUBTRACT);
  return make_added(e, column, node->left, code) ||
                 make_code(e, node->right, code) ||
                 add_value_operation(e, code, node, node->op)
             ? -1
             : 0;
}

static bool is_sum(const struct sql_node *node) {
  const bool sums = node->op == SQL_ADD || node->op == SQL_SUBTRACT;
  while (node->op == SQL_ADD || node->op == SQL_SUBTRACT)
    node = node->left;
  return sums && node->op == SQL_COLUMN;
}

static bool is_that_column(const struct sql_node *node, uint32_t column) {
  return node->op == SQL_COLUMN && node->number == column;
}

// `value + column` as `column + value`.
static const struct sql_node *column_first(const struct sql_node *node,
                                           uint32_t column,
                                           struct sql_node *swapped) {
  if (node->op != SQL_ADD || !is_that_column(node->right, column) ||
      is_that_column(leftmost(node), column))
    return node;
  *swapped = *node;
  swapped->left = node->right;
  swapped->right = node->left;
  return swapped;
}

// `column + value`, `column - value`, or a value without columns.
static int make_assignment(const struct steps_emitter *e,
                           const struct sql_table *table, uint32_t column,
                           const struct sql_node *node,
                           struct sql_assignment *set) {
  struct sql_node swapped;
  node = column_first(sql_unbracketed(node), column, &swapped);
  const struct sql_node *first = leftmost(node);
  const char *name = table->columns[column];
  *set = (struct sql_assignment){.column = sql_row_column(table, column)};
  set->adds = first->op == SQL_COLUMN && first->number == column;
  if (!set->adds)
    return make_code(e, node, &set->value);
  if (is_sum(node))
    return make_added(e, column, node, &set->value);
  return sql_refuse_line(e->parser.r, first->line,
                         "a run can SET %s = a value, %s + a value or %s - "
                         "a value",
                         name, name, name);
}

// ---- Conditions

struct condition_maker {
  const struct steps_emitter *e;
  const struct sql_item *item;
  struct sql_step *step;
  struct predicate *predicate;
};

static int add_part(const struct condition_maker *c,
                    struct predicate_node part) {
  return predicate_add(c->predicate, part)
             ? 0
             : sql_refuse(c->e->parser.r,
                          "a run cannot have this condition: it has more than "
                          "%d parts",
                          PREDICATE_NODES);
}

static uint8_t newest_part(const struct condition_maker *c) {
  return (uint8_t)(c->predicate->nnodes - 1);
}

// Why the node is no comparison of a column with a value.
static int refuse_comparison(const struct condition_maker *c,
                             const struct sql_node *node) {
  const struct sql_reader *r = c->e->parser.r;
  const struct sql_node *above = NULL;
  for (; node->right || node->op == SQL_BRACKETS; node = node->left)
    above = node;
  if (node->op != SQL_COLUMN || node->number == UINT32_MAX)
    return sql_refuse_line(r, node->line,
                           "a comparison begins with a column of %s here, not "
                           "with \"%s\"",
                           c->item->table->name, node->text);
  if (!above && sql_advice(c->item->end.text))
    return sql_expected(&c->item->end, "a comparison");
  return sql_refuse_line(r, node->line,
                         "a run compares a column with a value here: COLUMN = "
                         "VALUE; not \"%s\"",
                         !above                      ? c->item->end.text
                         : above->op == SQL_BRACKETS ? ")"
                                                     : above->text);
}

static bool is_column(const struct sql_node *node) {
  return node->op == SQL_COLUMN && node->number != UINT32_MAX;
}

// `column % number`, whose comparison is the node.
static int make_remainder(const struct condition_maker *c,
                          const struct sql_node *node,
                          struct predicate_node *part) {
  const struct sql_reader *r = c->e->parser.r;
  const struct sql_node *by = node->left->right;
  if (by->op != SQL_PUSH)
    return sql_refuse_line(r, by->line,
                           "expected a number behind %%, not \"%s\"", by->text);
  if (node->op != SQL_EQUAL)
    return sql_refuse_line(r, node->line,
                           "expected \"=\" behind a remainder, not \"%s\"",
                           node->text);
  if (by->number < 1)
    return sql_refuse_line(r, by->line,
                           "a run cannot have this condition: a remainder is "
                           "that of a positive number");
  part->op = PREDICATE_REMAINDER;
  part->modulus = by->number;
  return 0;
}

static int make_comparison(const struct condition_maker *c,
                           const struct sql_node *node) {
  static const uint8_t ops[] = {
      [SQL_LESS] = PREDICATE_LESS,       [SQL_AT_MOST] = PREDICATE_AT_MOST,
      [SQL_GREATER] = PREDICATE_GREATER, [SQL_AT_LEAST] = PREDICATE_AT_LEAST,
      [SQL_EQUAL] = PREDICATE_EQUAL,     [SQL_UNEQUAL] = PREDICATE_UNEQUAL};
  if (node->op < SQL_LESS || node->op > SQL_UNEQUAL)
    return refuse_comparison(c, node);
  const bool divides = node->left->op == SQL_MODULO;
  const struct sql_node *column =
      sql_unbracketed(divides ? node->left->left : node->left);
  struct sql_step *step = c->step;
  if (!is_column(column))
    return refuse_comparison(c, node);
  const uint32_t number =
      sql_row_column(c->item->table, (uint32_t)column->number);
  struct predicate_node part = {
      .op = ops[node->op],
      .column = number == TABLE_COLUMNS_MOST ? PREDICATE_KEY : (uint8_t)number,
      .right = {.parameter = true, .number = step->nparams}};
  if (divides && make_remainder(c, node, &part))
    return -1;
  if (step->nparams == PREDICATE_PARAMETERS)
    return sql_refuse_line(c->e->parser.r, node->line,
                           "a condition has at most %d values here",
                           PREDICATE_PARAMETERS);
  c->predicate->nparameters = step->nparams + 1;
  return make_code(c->e, node->right, &step->params[step->nparams++]) ||
                 add_part(c, part)
             ? -1
             : 0;
}

static int make_condition(const struct condition_maker *c,
                          const struct sql_node *node) {
  const bool joins = node->op == SQL_AND || node->op == SQL_OR;
  if (node->op == SQL_BRACKETS)
    return make_condition(c, node->left);
  if (!joins && node->op != SQL_NOT)
    return make_comparison(c, node);
  if (make_condition(c, node->left))
    return -1;
  struct predicate_node part = {.op = node->op == SQL_AND  ? PREDICATE_AND
                                      : node->op == SQL_OR ? PREDICATE_OR
                                                           : PREDICATE_NOT,
                                .first = newest_part(c)};
  if (joins && make_condition(c, node->right))
    return -1;
  part.end = joins ? newest_part(c) : 0;
  return add_part(c, part);
}

// The condition of the step, which becomes the newest one.
static struct predicate *new_condition(const struct steps_emitter *e,
                                       struct sql_step *step) {
  struct sql_scripts *all = e->all;
  ARRAY_RESERVE(all->templates, all->ntemplates, all->templates_room);
  struct template_spec *template = &all->templates[all->ntemplates];
  *template = (struct template_spec){.table = step->table};
  step->template = all->ntemplates++;
  return &template->predicate;
}

static int make_where(const struct steps_emitter *e,
                      const struct sql_item *item, struct sql_step *step) {
  if (!item->where)
    return 0;
  const struct condition_maker c = {e, item, step, new_condition(e, step)};
  return make_condition(&c, item->where);
}

// The condition of an INSERT that may do nothing.
static void make_key_condition(const struct steps_emitter *e,
                               struct sql_step *step) {
  struct predicate *p = new_condition(e, step);
  const bool added =
      predicate_add(p, (struct predicate_node){.op = PREDICATE_EQUAL,
                                               .column = PREDICATE_KEY,
                                               .right = {.parameter = true}});
  assert(added);
  (void)added;
  p->nparameters = 1;
  step->params[step->nparams++] = step->value;
}

// ---- Statements

static int make_select(const struct steps_emitter *e,
                       const struct sql_item *item, struct sql_step *step) {
  struct arena *arena = &e->all->arena;
  if (make_where(e, item, step))
    return -1;
  if (item->lock == SQL_LOCK_SHARE)
    return sql_refuse_line(e->parser.r, item->lock_line,
                           "FOR SHARE cannot be run; use FOR UPDATE");
  step->sort = item->lock ? STATEMENT_LOCKING_SELECT : STATEMENT_SELECT;
  step->noutputs = item->noutputs;
  step->nkept = item->keeps ? item->noutputs : 0;
  step->outputs = arena_take(arena, item->noutputs * sizeof *step->outputs);
  step->kept = arena_take(arena, item->noutputs * sizeof *step->kept);
  for (uint32_t i = 0; i < item->noutputs; i++) {
    const struct sql_output_item *o = &item->outputs[i];
    const uint32_t column = sql_row_column(item->table, o->column);
    step->outputs[i] = (struct sql_output_column){o->kind, column};
    step->kept[i] = (struct sql_kept){o->kind, column, o->variable};
  }
  return 0;
}

static int make_update(const struct steps_emitter *e,
                       const struct sql_item *item, struct sql_step *step) {
  step->sort = STATEMENT_UPDATE;
  step->nsets = item->nsets;
  step->sets = arena_take(&e->all->arena, item->nsets * sizeof *step->sets);
  for (uint32_t i = 0; i < item->nsets; i++)
    if (make_assignment(e, item->table, item->order[i],
                        item->sets[item->order[i]], &step->sets[i]))
      return -1;
  if (item->twice)
    return sql_refuse_line(e->parser.r, item->twice_line,
                           "SET has the column %s twice",
                           item->table->columns[item->twice - 1]);
  return make_where(e, item, step);
}

static int make_insert(const struct steps_emitter *e,
                       const struct sql_item *item, struct sql_step *step) {
  const struct sql_table *table = item->table;
  step->sort = item->ignores ? STATEMENT_INSERT_NEW : STATEMENT_INSERT;
  step->nsets = table->ncolumns - 1;
  step->sets = arena_take(&e->all->arena, table->ncolumns * sizeof *step->sets);
  for (uint32_t i = 0; i < table->ncolumns; i++) {
    const uint32_t at = sql_row_column(table, i);
    struct sql_code *code =
        i == table->key ? &step->value : &step->sets[at].value;
    if (i != table->key)
      step->sets[at].column = at;
    if (make_code(e, item->sets[i], code))
      return -1;
  }
  if (item->ignores)
    make_key_condition(e, step);
  return 0;
}

// ---- Transactions and branches

static void begin_steps(const struct steps_emitter *e) {
  struct sql_script *script = e->script;
  ARRAY_RESERVE(script->first, script->ntransactions,
                script->transactions_room);
  script->first[script->ntransactions++] = e->first;
}

// A transaction that rolls back in a branch ends behind it.
static void end_steps(struct steps_emitter *e, enum sql_step_kind kind) {
  add_script_step(e, kind);
  if (kind == SQL_STEP_COMMIT || !e->parser.nifs)
    e->first = e->script->nsteps;
}

static int make_set(struct steps_emitter *e, const struct sql_item *item) {
  struct sql_step *step = add_script_step(e, SQL_STEP_SET);
  step->variable = item->variable;
  return make_code(e, item->value, &step->value);
}

static int make_if(struct steps_emitter *e, const struct sql_item *item) {
  if (e->parser.nifs == IFS_MAX)
    return sql_refuse(e->parser.r, "\\if is nested more than %d deep", IFS_MAX);
  e->branch[e->parser.nifs] = e->script->nsteps;
  struct sql_step *step = add_script_step(e, SQL_STEP_UNLESS);
  return item->value ? make_code(e, item->value, &step->value) : 0;
}

static void close_branch(const struct steps_emitter *e) {
  struct sql_script *script = e->script;
  script->steps[e->branch[e->parser.nifs - 1]]->target = script->nsteps;
}

static void make_else(struct steps_emitter *e) {
  const uint32_t go = e->script->nsteps;
  add_script_step(e, SQL_STEP_GO);
  close_branch(e);
  e->branch[e->parser.nifs - 1] = go;
}

static int make_statement_step(struct steps_emitter *e,
                               const struct sql_item *item) {
  if (item->alone)
    begin_steps(e);
  struct sql_step *step = add_script_step(e, SQL_STEP_STATEMENT);
  step->table = (uint32_t)(item->table - e->parser.schema->tables);
  step->template = step->table; // TRUE
  step->line = item->line;
  step->text = sql_text_on_a_line(&e->all->arena, item->begin, item->end.token);
  step->sort = STATEMENT_DELETE;
  const int failed =
      item->kind == SQL_ITEM_SELECT   ? make_select(e, item, step)
      : item->kind == SQL_ITEM_UPDATE ? make_update(e, item, step)
      : item->kind == SQL_ITEM_INSERT ? make_insert(e, item, step)
                                      : make_where(e, item, step);
  if (item->alone)
    end_steps(e, SQL_STEP_COMMIT);
  return failed;
}

static int emit_step(void *emitter, const struct sql_item *item) {
  struct steps_emitter *e = emitter;
  switch (item->kind) {
  case SQL_ITEM_SET:
    return make_set(e, item);
  case SQL_ITEM_IF:
    return make_if(e, item);
  case SQL_ITEM_ELSE:
    make_else(e);
    return 0;
  case SQL_ITEM_ENDIF:
    close_branch(e);
    return 0;
  case SQL_ITEM_BEGIN:
    begin_steps(e);
    return 0;
  case SQL_ITEM_COMMIT:
    end_steps(e, SQL_STEP_COMMIT);
    return 0;
  case SQL_ITEM_ROLLBACK:
    end_steps(e, SQL_STEP_ROLLBACK);
    return 0;
  default:
    return make_statement_step(e, item);
  }
}

int sql_make_script(struct sql_reader *r, struct sql_schema *schema,
                    struct sql_scripts *all, struct sql_script *script) {
  struct steps_emitter e = {
      .parser = {.r = r, .schema = schema, .runs = true, .emit = emit_step},
      .all = all,
      .script = script};
  e.parser.emitter = &e;
  const int failed = sql_parse(&e.parser);
  const uint32_t n = e.parser.nvariables;
  const char **names = arena_take(&all->arena, (n + (size_t)1) * sizeof *names);
  for (uint32_t i = 0; i < n; i++)
    names[i] = arena_strdup(&all->arena, e.parser.variables[i]);
  script->nvariables = n;
  script->variables = names;
  return failed;
}

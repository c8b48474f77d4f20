// SPDX-License-Identifier: GPL-3.0-or-later
// Reads values and conditions of statements that are to be performed
// (sql/maker.h).
#include "config.h"

#include "sql/maker.h"

#include <stdlib.h>
#include <string.h>

static int put(struct translator *t, struct sql_code *code, uint8_t op,
               int64_t number) {
  if (code->n == SQL_CODE_MOST)
    return sql_refuse(t->r, "a value has at most %d operations", SQL_CODE_MOST);
  code->all[code->n].op = op;
  code->all[code->n++].number = number;
  return 0;
}

// ---- Values, from the loosest operator to the tightest

struct operator{ // between two operands
  const char *word;
  uint8_t op;
};
enum { LOOSE_OR, LOOSE_AND, COMPARISON, SUM, PRODUCT, LEVELS };
static const struct operator operators[LEVELS][9] = {
    [LOOSE_OR] = {{"or", SQL_OR}},
    [LOOSE_AND] = {{"and", SQL_AND}},
    [COMPARISON] = {{"=", SQL_EQUAL},
                    {"<>", SQL_UNEQUAL},
                    {"!=", SQL_UNEQUAL},
                    {"<=", SQL_AT_MOST},
                    {">=", SQL_AT_LEAST},
                    {"<", SQL_LESS},
                    {">", SQL_GREATER}},
    [SUM] = {{"+", SQL_ADD}, {"-", SQL_SUBTRACT}},
    [PRODUCT] = {{"*", SQL_MULTIPLY}, {"/", SQL_DIVIDE}, {"%", SQL_MODULO}},
};

static const struct operator* here(const struct sql_reader *r, int level) {
  for (const struct operator* o = operators[level]; o->word; o++)
    if (sql_at(r, o->word))
      return o;
  return NULL;
}

static int take(struct translator *t, int level, struct sql_code *code);

static int take_call(struct translator *t, struct sql_code *code) {
  if (!sql_at(t->r, "random"))
    return sql_refuse(t->r, "%s() cannot be run; %s", t->r->text,
                      sql_advice(t->r->text) ? sql_advice(t->r->text)
                                             : "there is random(LOW, HIGH)");
  return sql_advance(t->r) || sql_require(t->r, "(") || take(t, SUM, code) ||
                 sql_require(t->r, ",") || take(t, SUM, code) ||
                 sql_require(t->r, ")")
             ? -1
             : put(t, code, SQL_RANDOM, 0);
}

static int take_operand(struct translator *t, struct sql_code *code) {
  if (sql_accept(t->r, "-"))
    return take_operand(t, code) || put(t, code, SQL_NEGATIVE, 0) ? -1 : 0;
  if (sql_accept(t->r, "("))
    return take(t, LOOSE_OR, code) ? -1 : sql_require(t->r, ")");
  if (sql_begins_call(t->r))
    return take_call(t, code);
  if (t->r->kind == SQL_VARIABLE) {
    const int number = sql_variable_number(t, t->r->text);
    return number < 0 || put(t, code, SQL_LOAD, number) ? -1
                                                        : sql_advance(t->r);
  }
  if (t->r->kind == SQL_WORD && !sql_advice(t->r->text))
    return sql_refuse(t->r,
                      "a run sends numbers and variables here, no column: "
                      "\"%s\" needs a SELECT before with \\gset",
                      t->r->text);
  if (t->r->kind != SQL_NUMBER)
    return sql_expected(t->r, "a value");
  return put(t, code, SQL_PUSH, strtoll(t->r->text, NULL, 10))
             ? -1
             : sql_advance(t->r);
}

// Operators of one level associate to the left.
static int take(struct translator *t, int level, struct sql_code *code) {
  if (level == LEVELS)
    return take_operand(t, code);
  if (level == COMPARISON && sql_at(t->r, "not"))
    return sql_advance(t->r) || take(t, COMPARISON, code)
               ? -1
               : put(t, code, SQL_NOT, 0);
  if (take(t, level + 1, code))
    return -1;
  for (const struct operator* o; (o = here(t->r, level));)
    if (sql_advance(t->r) || take(t, level + 1, code) || put(t, code, o->op, 0))
      return -1;
  return 0;
}

int sql_make_value(struct translator *t, bool bare, struct sql_code *code) {
  code->n = 0;
  return take(t, bare ? COMPARISON : LOOSE_OR, code);
}

int sql_make_assignment(struct translator *t, const struct sql_table *table,
                        uint32_t column, struct sql_assignment *set) {
  *set = (struct sql_assignment){.column = sql_row_column(table, column)};
  set->adds = sql_at(t->r, table->columns[column]);
  if (!set->adds)
    return sql_make_value(t, true, &set->value);
  if (sql_advance(t->r) || put(t, &set->value, SQL_PUSH, 0))
    return -1;
  if (!here(t->r, SUM))
    return sql_refuse(t->r,
                      "a run can SET %s = a value, %s + a value or %s - "
                      "a value",
                      table->columns[column], table->columns[column],
                      table->columns[column]);
  for (const struct operator* o; (o = here(t->r, SUM));)
    if (sql_advance(t->r) || take(t, PRODUCT, &set->value) ||
        put(t, &set->value, o->op, 0))
      return -1;
  return 0;
}

// ---- Conditions

struct condition {
  struct translator *t;
  const struct sql_table *table;
  FILE *out; // in the language of sql/predicate.h
};

static int take_any(struct condition *c);

static int take_parameter(struct condition *c) {
  struct sql_step *step = c->t->maker->step;
  if (step->nparams == PREDICATE_PARAMETERS)
    return sql_refuse(c->t->r, "a condition has at most %d values here",
                      PREDICATE_PARAMETERS);
  struct sql_code *code = &step->params[step->nparams++];
  fprintf(c->out, " $%u", step->nparams);
  return take(c->t, SUM, code);
}

static int take_remainder(struct condition *c) {
  struct sql_reader *r = c->t->r;
  if (sql_advance(r))
    return -1;
  if (r->kind != SQL_NUMBER)
    return sql_expected(r, "a number behind %");
  fprintf(c->out, " %% %s", r->text);
  if (sql_advance(r))
    return -1;
  return sql_at(r, "=") ? 0 : sql_expected(r, "\"=\" behind a remainder");
}

static int take_comparison(struct condition *c) {
  struct sql_reader *r = c->t->r;
  const uint32_t column =
      r->kind == SQL_WORD ? sql_find_column(c->table, r->text) : UINT32_MAX;
  if (column == UINT32_MAX)
    return sql_refuse(r,
                      "a comparison begins with a column of %s here, not "
                      "with \"%s\"",
                      c->table->name, r->text);
  fprintf(c->out, " %s",
          column == c->table->key ? "id" : c->table->columns[column]);
  if (sql_advance(r) || (sql_at(r, "%") && take_remainder(c)))
    return -1;
  const struct operator* o = here(r, COMPARISON);
  if (!o && sql_advice(r->text))
    return sql_expected(r, "a comparison");
  if (!o)
    return sql_refuse(r,
                      "a run compares a column with a value here: COLUMN = "
                      "VALUE; not \"%s\"",
                      r->text);
  fprintf(c->out, " %s", o->op == SQL_UNEQUAL ? "<>" : o->word);
  return sql_advance(r) ? -1 : take_parameter(c);
}

static int take_one(struct condition *c) {
  struct sql_reader *r = c->t->r;
  if (sql_at(r, "not")) {
    fputs(" NOT", c->out);
    return sql_advance(r) ? -1 : take_one(c);
  }
  if (!sql_at(r, "("))
    return take_comparison(c);
  fputs(" (", c->out);
  if (sql_advance(r) || take_any(c))
    return -1;
  fputs(")", c->out);
  return sql_require(r, ")");
}

static int take_all(struct condition *c) {
  if (take_one(c))
    return -1;
  while (sql_at(c->t->r, "and")) {
    fputs(" AND", c->out);
    if (sql_advance(c->t->r) || take_one(c))
      return -1;
  }
  return 0;
}

static int take_any(struct condition *c) {
  if (take_all(c))
    return -1;
  while (sql_at(c->t->r, "or")) {
    fputs(" OR", c->out);
    if (sql_advance(c->t->r) || take_all(c))
      return -1;
  }
  return 0;
}

int sql_make_where(struct translator *t, const struct sql_table *table) {
  struct sql_scripts *all = t->maker->all;
  struct condition c = {.t = t, .table = table};
  struct error why = {0};
  char *text = NULL;
  size_t bytes;
  if (!sql_at(t->r, "where"))
    return 0;
  c.out = text_stream(&text, &bytes);
  int failed = sql_advance(t->r) || take_any(&c);
  fclose(c.out);
  ARRAY_RESERVE(all->templates, all->ntemplates, all->templates_room);
  struct template_spec *template = &all->templates[all->ntemplates];
  *template = (struct template_spec){.table = t->maker->step->table};
  if (!failed && predicate_read(&template->predicate, text,
                                &all->tables[template->table].columns, &why))
    failed = sql_refuse(t->r, "a run cannot have this condition: %s", why.text);
  t->maker->step->template = all->ntemplates++;
  free(text);
  return failed ? -1 : 0;
}

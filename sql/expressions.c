// SPDX-License-Identifier: GPL-3.0-or-later
// Reads values and conditions by recursive descent (sql/tree.h).
#include "config.h"

#include "sql/tree.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { NESTING_MAX = 100, EXPRESSION_MAX = 2000 };

// ---- Variables

static int find_script_variable(const struct sql_parser *p, const char *name) {
  for (uint32_t i = 0; i < p->nvariables; i++)
    if (!strcmp(p->variables[i], name))
      return (int)i;
  return -1;
}

int sql_new_variable(struct sql_parser *p, const char *name) {
  const int known = find_script_variable(p, name);
  if (known >= 0)
    return known;
  if (p->nvariables == SQL_VARIABLES_MAX)
    return sql_refuse(p->r, "a script has at most %d variables",
                      SQL_VARIABLES_MAX);
  snprintf(p->variables[p->nvariables], sizeof p->variables[0], "%s", name);
  p->numbers[p->nvariables].none = true;
  return (int)p->nvariables++;
}

static int known_script_variable(struct sql_parser *p, const char *name) {
  const int number =
      p->refused ? sql_new_variable(p, name) : find_script_variable(p, name);
  return number >= 0
             ? number
             : sql_refuse(p->r,
                          ":%s has no value here; use \\set or \\gset first",
                          name);
}

// ---- Nodes

// A node of the token at hand, which has no operands yet.
static struct sql_node *token_node(struct sql_parser *p, uint8_t op,
                                   int64_t number) {
  struct sql_node *node = arena_take(&p->arena, sizeof *node);
  *node = (struct sql_node){.op = op,
                            .number = number,
                            .text = arena_strdup(&p->arena, p->r->text),
                            .line = p->r->at,
                            .size = 1};
  return node;
}

static int take_operands(struct sql_parser *p, struct sql_node *node,
                         const struct sql_node *left,
                         const struct sql_node *right) {
  assert(left);
  node->left = left;
  node->right = right;
  node->size += left->size + (right ? right->size : 0);
  return node->size <= EXPRESSION_MAX
             ? 0
             : sql_refuse(p->r, "an expression has at most %d parts",
                          EXPRESSION_MAX);
}

// ---- Operators, from the loosest to the tightest

enum { LOOSE_OR, LOOSE_AND, COMPARISON, SUM, PRODUCT, LEVELS };
struct sql_operator { // between two operands
  const char *word;
  uint8_t op;
};
static const struct sql_operator operators[LEVELS][9] = {
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

static const struct sql_operator *operator_at(const struct sql_reader *r,
                                              int level) {
  for (const struct sql_operator *o = operators[level]; o->word; o++)
    if (sql_at(r, o->word))
      return o;
  return NULL;
}

static int parse_level(struct sql_parser *p, int level,
                       const struct sql_node **node);

// The operand of `-`, NOT or `(`, which is read already.
static int parse_nested(struct sql_parser *p, int level,
                        const struct sql_node **node) {
  if (p->nesting == NESTING_MAX)
    return sql_refuse(p->r, "an expression is nested more than %d deep",
                      NESTING_MAX);
  p->nesting++;
  const int failed = parse_level(p, level, node);
  p->nesting--;
  return failed;
}

// `-`, NOT or `(` with what follows.
static int parse_prefixed(struct sql_parser *p, uint8_t op, int level,
                          const struct sql_node **node) {
  struct sql_node *made = token_node(p, op, 0);
  const struct sql_node *operand = NULL;
  *node = made;
  if (sql_advance(p->r) || parse_nested(p, level, &operand) ||
      (op == SQL_BRACKETS && sql_require(p->r, ")")))
    return -1;
  return take_operands(p, made, operand, NULL);
}

static int refuse_called_function(const struct sql_parser *p) {
  const char *instead = sql_advice(p->r->text);
  return sql_refuse(p->r, "%s() cannot be %s; %s", p->r->text,
                    p->runs ? "run" : "explored",
                    instead ? instead : "there is random(LOW, HIGH)");
}

// random(LOW, HIGH)
static int parse_call(struct sql_parser *p, const struct sql_node **node) {
  if (!sql_at(p->r, "random"))
    return refuse_called_function(p);
  struct sql_node *made = token_node(p, SQL_RANDOM, 0);
  const struct sql_node *low = NULL, *high = NULL;
  *node = made;
  if (sql_advance(p->r) || sql_require(p->r, "(") ||
      parse_nested(p, SUM, &low) || sql_require(p->r, ",") ||
      parse_nested(p, SUM, &high) || sql_require(p->r, ")"))
    return -1;
  return take_operands(p, made, low, high) ||
                 (!p->runs && sql_add_draw(p, made))
             ? -1
             : 0;
}

const struct sql_node *sql_unbracketed(const struct sql_node *node) {
  while (node->op == SQL_BRACKETS)
    node = node->left;
  return node;
}

int sql_check_qualifier(const struct sql_parser *p, const char *qualifier,
                        const struct sql_table *table, const char *alias) {
  return !*qualifier || !strcmp(qualifier, *alias ? alias : table->name)
             ? 0
             : sql_refuse(p->r, "the statement has no table \"%s\"", qualifier);
}

// A column, or a word that only a run takes for one, to refuse it in its place.
static int parse_word(struct sql_parser *p, const struct sql_node **node) {
  char qualifier[64];
  if (sql_qualifier(p->r, qualifier) ||
      (p->table &&
       sql_check_qualifier(p, qualifier, p->table, p->alias ? p->alias : "")))
    return -1;
  const uint32_t column =
      p->table ? sql_find_column(p->table, p->r->text) : UINT32_MAX;
  if (column == UINT32_MAX && (!p->runs || sql_advice(p->r->text)))
    return sql_expected(p->r, "a value");
  *node = token_node(p, SQL_COLUMN, column);
  return sql_advance(p->r);
}

static bool is_joining_word(const struct sql_reader *r) {
  return sql_at(r, "and") || sql_at(r, "or") || sql_at(r, "not") ||
         sql_at(r, "in");
}

// :scale, which is 1 in pgbench unless the script sets it.
static bool is_scale(const struct sql_parser *p) {
  return !strcmp(p->r->text, "scale") && find_script_variable(p, "scale") < 0;
}

static int parse_operand(struct sql_parser *p, const struct sql_node **node) {
  const struct sql_reader *r = p->r;
  if (sql_at(r, "-"))
    return parse_prefixed(p, SQL_NEGATIVE, LEVELS, node);
  if (sql_at(r, "("))
    return parse_prefixed(p, SQL_BRACKETS, LOOSE_OR, node);
  if (sql_begins_call(r) && !is_joining_word(r))
    return parse_call(p, node);
  if (r->kind == SQL_WORD)
    return parse_word(p, node);
  if (r->kind == SQL_NUMBER) {
    *node = token_node(p, SQL_PUSH, strtoll(r->text, NULL, 10));
    return sql_advance(p->r);
  }
  if (r->kind != SQL_VARIABLE)
    return sql_expected(r, "a value");
  if (is_scale(p)) {
    struct sql_node *one = token_node(p, SQL_PUSH, 1);
    one->text = "1";
    *node = one;
    return sql_advance(p->r);
  }
  const int number = known_script_variable(p, r->text);
  if (number < 0)
    return -1;
  *node = token_node(p, SQL_LOAD, number);
  return sql_advance(p->r);
}

static const struct sql_node *joined(struct sql_parser *p, uint8_t op,
                                     const struct sql_node *left,
                                     const struct sql_node *right) {
  struct sql_node *made = token_node(p, op, 0);
  return take_operands(p, made, left, right) ? NULL : made;
}

// `IN (a, b)` as left = a OR left = b, behind its word; NULL: refused.
static const struct sql_node *parse_list(struct sql_parser *p,
                                         const struct sql_node *left) {
  const struct sql_node *all = NULL, *value;
  int goes_on = sql_require(p->r, "(") ? -1 : 1;
  while (goes_on > 0) {
    const struct sql_node *is = NULL;
    if (!parse_nested(p, SUM, &value))
      is = joined(p, SQL_EQUAL, left, value);
    all = is && all ? joined(p, SQL_OR, all, is) : is;
    goes_on = all ? sql_accept(p->r, ",") : -1;
  }
  return goes_on < 0 || sql_require(p->r, ")") ? NULL : all;
}

// `BETWEEN a AND b` as left >= a AND left <= b, likewise.
static const struct sql_node *parse_between(struct sql_parser *p,
                                            const struct sql_node *left) {
  const struct sql_node *low, *high;
  if (parse_nested(p, SUM, &low) || sql_require(p->r, "and") ||
      parse_nested(p, SUM, &high))
    return NULL;
  const struct sql_node *least = joined(p, SQL_AT_LEAST, left, low);
  const struct sql_node *most = joined(p, SQL_AT_MOST, left, high);
  return least && most ? joined(p, SQL_AND, least, most) : NULL;
}

static bool is_range_word(const struct sql_reader *r) {
  return sql_at(r, "in") || sql_at(r, "between") || sql_at(r, "not");
}

// `[NOT] IN` or `[NOT] BETWEEN` of the node.
static int parse_range(struct sql_parser *p, const struct sql_node **node) {
  const int negated = sql_accept(p->r, "not");
  const int lists = negated < 0 ? -1 : sql_accept(p->r, "in");
  if (lists < 0 || (!lists && sql_require(p->r, "between")))
    return -1;
  const struct sql_node *made =
      lists ? parse_list(p, *node) : parse_between(p, *node);
  made = made ? joined(p, SQL_BRACKETS, made, NULL) : NULL;
  made = made && negated ? joined(p, SQL_NOT, made, NULL) : made;
  *node = made ? made : *node;
  return made ? 0 : -1;
}

// Operators of one level associate to the left.
static int parse_level(struct sql_parser *p, int level,
                       const struct sql_node **node) {
  if (level == LEVELS)
    return parse_operand(p, node);
  if (level == COMPARISON && sql_at(p->r, "not"))
    return parse_prefixed(p, SQL_NOT, COMPARISON, node);
  if (parse_level(p, level + 1, node))
    return -1;
  if (level == COMPARISON && is_range_word(p->r))
    return parse_range(p, node);
  for (const struct sql_operator *o; (o = operator_at(p->r, level));) {
    struct sql_node *made = token_node(p, o->op, 0);
    const struct sql_node *left = *node, *right;
    *node = made;
    if (sql_advance(p->r) || parse_level(p, level + 1, &right) ||
        take_operands(p, made, left, right))
      return -1;
  }
  return 0;
}

int sql_parse_value(struct sql_parser *p, const struct sql_node **node) {
  return parse_level(p, COMPARISON, node);
}

int sql_parse_condition(struct sql_parser *p, const struct sql_node **node) {
  return parse_level(p, LOOSE_OR, node);
}

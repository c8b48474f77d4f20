// SPDX-License-Identifier: GPL-3.0-or-later
// random(LOW, HIGH) of a script that is explored (sql/tree.h): each of its
// values is tried, so that the bounds have to be known.
#include "config.h"

#include "sql/tree.h"

#include <inttypes.h>
#include <string.h>

static const struct sql_number unknown = {.none = true};

static struct sql_number known(int64_t is) {
  return (struct sql_number){.is = is};
}

// Computes what the bounds of a range have of operators.
static struct sql_number combined(uint8_t op, int64_t left, int64_t right) {
  int64_t is = 0;
  switch (op) {
  case SQL_ADD:
    return __builtin_add_overflow(left, right, &is) ? unknown : known(is);
  case SQL_SUBTRACT:
    return __builtin_sub_overflow(left, right, &is) ? unknown : known(is);
  case SQL_MULTIPLY:
    return __builtin_mul_overflow(left, right, &is) ? unknown : known(is);
  default:
    return unknown;
  }
}

struct sql_number sql_known_number(const struct sql_parser *p,
                                   const struct sql_node *node) {
  if (node->op == SQL_PUSH)
    return known(node->number);
  if (node->op == SQL_LOAD)
    return p->numbers[node->number];
  if (node->op == SQL_BRACKETS)
    return sql_known_number(p, node->left);
  if (!node->left || (!node->right && node->op != SQL_NEGATIVE))
    return unknown;
  const struct sql_number left = sql_known_number(p, node->left);
  if (left.none)
    return unknown;
  if (node->op == SQL_NEGATIVE)
    return combined(SQL_SUBTRACT, 0, left.is);
  const struct sql_number right = sql_known_number(p, node->right);
  return right.none ? unknown : combined(node->op, left.is, right.is);
}

int sql_add_draw(struct sql_parser *p, struct sql_node *node) {
  struct sql_schema *schema = p->schema;
  const struct sql_number low = sql_known_number(p, node->left),
                          high = sql_known_number(p, node->right);
  if (low.none || high.none)
    return sql_refuse(p->r, "LOW and HIGH of random() are numbers here, or "
                            "variables that \\set makes of numbers; write "
                            "numbers");
  if (low.is > high.is)
    return sql_refuse(p->r,
                      "random(%" PRId64 ", %" PRId64
                      ") has no value; write the lower number first",
                      low.is, high.is);
  if (high.is - low.is < 0 || high.is - low.is >= SQL_DRAW_VALUES_MAX)
    return sql_refuse(p->r,
                      "random(%" PRId64 ", %" PRId64
                      ") has more than %d values, and each is tried; write a "
                      "smaller range on which sessions meet, such as "
                      "random(1, 2)",
                      low.is, high.is, SQL_DRAW_VALUES_MAX);
  if (schema->ndraws == SQL_DRAWS_MAX)
    return sql_refuse(p->r, "there are more than %d random(); write numbers",
                      SQL_DRAWS_MAX);
  struct sql_draw *draw = &schema->draws[schema->ndraws++];
  *draw = (struct sql_draw){.low = low.is, .high = high.is};
  snprintf(draw->name, sizeof draw->name, "random_%s_%u",
           p->sets ? p->sets : "value", schema->ndraws);
  node->text = arena_strdup(&p->arena, draw->name);
  return 0;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Computes values of scripts (sql/steps.h) as SQL does.
#include "config.h"

#include "sql/steps.h"

#include <assert.h>

static bool add_checked(int64_t a, int64_t b, int64_t *c) {
  return !__builtin_add_overflow(a, b, c);
}

static bool subtract(int64_t a, int64_t b, int64_t *c) {
  return !__builtin_sub_overflow(a, b, c);
}

static bool multiply(int64_t a, int64_t b, int64_t *c) {
  return !__builtin_mul_overflow(a, b, c);
}

static bool divide(int64_t a, int64_t b, int64_t *c) {
  if (!b || (a == INT64_MIN && b == -1))
    return false;
  *c = a / b;
  return true;
}

static bool modulo(int64_t a, int64_t b, int64_t *c) {
  if (!b)
    return false;
  *c = b == -1 ? 0 : a % b;
  return true;
}

#define COMPARES(name, operator)                                               \
  static bool name(int64_t a, int64_t b, int64_t *c) {                         \
    *c = a operator b;                                                         \
    return true;                                                               \
  }
COMPARES(less, <)
COMPARES(at_most, <=)
COMPARES(greater, >)
COMPARES(at_least, >=)
COMPARES(equal, ==)
COMPARES(unequal, !=)
COMPARES(both, &&)
COMPARES(either, ||)

static bool (*const of_two[])(int64_t, int64_t, int64_t *) = {
    [SQL_ADD] = add_checked,   [SQL_SUBTRACT] = subtract,
    [SQL_MULTIPLY] = multiply, [SQL_DIVIDE] = divide,
    [SQL_MODULO] = modulo,     [SQL_LESS] = less,
    [SQL_AT_MOST] = at_most,   [SQL_GREATER] = greater,
    [SQL_AT_LEAST] = at_least, [SQL_EQUAL] = equal,
    [SQL_UNEQUAL] = unequal,   [SQL_AND] = both,
    [SQL_OR] = either,
};

static bool draw_in_range(const struct sql_chance *chance, int64_t low,
                          int64_t high, int64_t *number) {
  int64_t range;
  if (low > high || __builtin_sub_overflow(high, low, &range) ||
      range == INT64_MAX)
    return false;
  *number = low + (int64_t)chance->draw(chance->context, (uint64_t)range + 1);
  return true;
}

// AND and OR with NULL: one operand may decide.
static bool is_decided(uint8_t op, struct sql_number a, struct sql_number b,
                       struct sql_number *c) {
  const bool decides = op == SQL_OR;
  if ((op != SQL_AND && op != SQL_OR) ||
      !((!a.none && !a.is == !decides) || (!b.none && !b.is == !decides)))
    return false;
  *c = (struct sql_number){.is = decides};
  return true;
}

static bool compute_two(uint8_t op, const struct sql_chance *chance,
                        struct sql_number a, struct sql_number b,
                        struct sql_number *c) {
  if (is_decided(op, a, b, c))
    return true;
  *c = (struct sql_number){.none = a.none || b.none};
  if (c->none)
    return true;
  return op == SQL_RANDOM ? draw_in_range(chance, a.is, b.is, &c->is)
                          : of_two[op](a.is, b.is, &c->is);
}

static bool compute_one(uint8_t op, struct sql_number *a) {
  if (a->none)
    return true;
  if (op == SQL_NOT)
    a->is = !a->is;
  return op == SQL_NOT || subtract(0, a->is, &a->is);
}

bool sql_compute(const struct sql_code *code,
                 const struct sql_number *variables,
                 const struct sql_chance *chance, struct sql_number *result) {
  struct sql_number stack[SQL_CODE_MOST];
  uint32_t n = 0;
  for (uint32_t i = 0; i < code->n; i++) {
    const uint8_t op = code->all[i].op;
    const int64_t number = code->all[i].number;
    bool fine = true;
    if (op == SQL_PUSH) {
      stack[n++] = (struct sql_number){.is = number};
    } else if (op == SQL_LOAD) {
      stack[n++] = variables[number];
    } else if (op == SQL_NEGATIVE || op == SQL_NOT) {
      assert(n);
      fine = compute_one(op, &stack[n - 1]);
    } else {
      assert(n > 1);
      n--;
      fine = compute_two(op, chance, stack[n - 1], stack[n], &stack[n - 1]);
    }
    if (!fine)
      return false;
  }
  assert(n == 1);
  *result = stack[0];
  return true;
}

static int64_t number_in_row(const struct row_list *rows, uint32_t row,
                             uint32_t column) {
  return column == TABLE_COLUMNS_MOST ? (int64_t)rows->rows[row].key
                                      : row_list_image(rows, row)[column];
}

bool sql_keep(const struct sql_kept *kept, const struct row_list *rows,
              struct sql_number *result) {
  *result = (struct sql_number){.none = kept->kind != SQL_OUTPUT_COUNT};
  for (uint32_t i = 0; i < rows->count; i++) {
    const int64_t number = kept->kind == SQL_OUTPUT_COUNT
                               ? 1
                               : number_in_row(rows, i, kept->column);
    const bool first = result->none;
    result->none = false;
    if (kept->kind == SQL_OUTPUT_MIN || kept->kind == SQL_OUTPUT_MAX) {
      const bool less = number < result->is;
      if (first || less == (kept->kind == SQL_OUTPUT_MIN))
        result->is = number;
    } else if (__builtin_add_overflow(result->is, number, &result->is)) {
      return false;
    }
  }
  return true;
}

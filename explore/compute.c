// SPDX-License-Identifier: GPL-3.0-or-later
// Operators and functions of values (explore/interpret.h).
#include "config.h"

#include "explore/interpret.h"

#include <string.h>

static bool in_range(datum v) { return v >= VALUE_LEAST && v <= VALUE_MOST; }

static enum failure_kind datum_number(const __int128 wide, datum *v) {
  *v = (datum)wide;
  return wide >= VALUE_LEAST && wide <= VALUE_MOST ? FAILURE_NONE
                                                   : FAULT_OVERFLOW;
}

static enum failure_kind arithmetic(enum opcode op, datum a, datum b,
                                    datum *v) {
  if (!value_is_integer(a) || !value_is_integer(b))
    return FAULT_NO_INTEGER;
  if ((op == DO_DIVIDE || op == DO_MODULO) && !b)
    return FAULT_ZERO;
  switch (op) {
  case DO_ADD:
    return datum_number((__int128)a + b, v);
  case DO_SUBTRACT:
    return datum_number((__int128)a - b, v);
  case DO_MULTIPLY:
    return datum_number((__int128)a * b, v);
  case DO_DIVIDE:
    return datum_number((__int128)a / b, v);
  default:
    return datum_number((__int128)a % b, v);
  }
}

// Both lists end to end; or the first without the elements of the second, each
// of which takes one away.
static enum failure_kind combine(struct pool *pool, bool add, datum a, datum b,
                                 datum *v) {
  datum all[ELEMENTS_MAX];
  uint32_t na, nb;
  const datum *as = list_elements(pool, a, &na);
  const datum *bs = list_elements(pool, b, &nb);
  if (na + nb > ELEMENTS_MAX)
    return FAULT_OVERFLOW;
  uint32_t n = na;
  for (uint32_t i = 0; i < na; i++)
    all[i] = as[i];
  for (uint32_t i = 0; i < nb; i++) {
    uint32_t at = 0;
    while (!add && at < n && all[at] != bs[i])
      at++;
    if (add)
      all[n++] = bs[i];
    else if (at < n)
      memmove(all + at, all + at + 1, (--n - at) * sizeof *all);
  }
  *v = pool_list(pool, all, n);
  return FAILURE_NONE;
}

static enum failure_kind compare_datums(enum opcode op, datum a, datum b,
                                        datum *v) {
  if (op == DO_EQUAL || op == DO_UNEQUAL) {
    *v = (a == b) == (op == DO_EQUAL);
    return FAILURE_NONE;
  }
  if (!value_is_integer(a) || !value_is_integer(b))
    return FAULT_NO_INTEGER;
  *v = op == DO_LESS         ? a < b
       : op == DO_LESS_EQUAL ? a <= b
       : op == DO_GREATER    ? a > b
                             : a >= b;
  return FAILURE_NONE;
}

static enum failure_kind element(const struct pool *pool, datum list, datum at,
                                 datum *v) {
  uint32_t n;
  if (!value_is_list(list))
    return FAULT_NO_LIST;
  const datum *elements = list_elements(pool, list, &n);
  if (!value_is_integer(at) || at < 1 || at > (datum)n)
    return FAULT_NO_ELEMENT;
  *v = elements[at - 1];
  return FAILURE_NONE;
}

enum failure_kind compute_binary(struct pool *pool, enum opcode op, datum a,
                                 datum b, datum *v) {
  *v = VALUE_NONE;
  if (op == DO_INDEX)
    return element(pool, a, b, v);
  if (op == DO_IN) {
    if (!value_is_list(b))
      return FAULT_NO_LIST;
    *v = list_has(pool, b, a);
    return FAILURE_NONE;
  }
  if ((op == DO_ADD || op == DO_SUBTRACT) && value_is_list(a))
    return value_is_list(b) ? combine(pool, op == DO_ADD, a, b, v)
                            : FAULT_NO_LIST;
  return op >= DO_EQUAL ? compare_datums(op, a, b, v) : arithmetic(op, a, b, v);
}

// Folds the elements of a list; none of an empty one.
static enum failure_kind fold(const struct pool *pool, enum opcode op,
                              datum list, datum *v) {
  uint32_t n;
  *v = VALUE_NONE;
  if (!value_is_list(list))
    return FAULT_NO_LIST;
  const datum *elements = list_elements(pool, list, &n);
  if (op == DO_LENGTH || op == DO_SUM)
    *v = op == DO_LENGTH ? (datum)n : 0;
  for (uint32_t i = 0; i < n && op != DO_LENGTH; i++) {
    const datum e = elements[i];
    if (!value_is_integer(e))
      return FAULT_NO_INTEGER;
    if (op == DO_SUM)
      *v += e;
    else if (!i || (op == DO_MIN ? e < *v : e > *v))
      *v = e;
    if (!in_range(*v))
      return FAULT_OVERFLOW;
  }
  return FAILURE_NONE;
}

// By insertion: lists are short, and mostly in order.
static enum failure_kind sort_datums(struct pool *pool, datum list, datum *v) {
  datum all[ELEMENTS_MAX];
  uint32_t n;
  if (!value_is_list(list))
    return FAULT_NO_LIST;
  const datum *elements = list_elements(pool, list, &n);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t at = i;
    for (; at && value_order(pool, all[at - 1], elements[i]) > 0; at--)
      all[at] = all[at - 1];
    all[at] = elements[i];
  }
  *v = pool_list(pool, all, n);
  return FAILURE_NONE;
}

enum failure_kind compute_unary(struct pool *pool, enum opcode op, datum a,
                                datum *v) {
  *v = VALUE_NONE;
  if (op == DO_SORT)
    return sort_datums(pool, a, v);
  if (op == DO_NOT) {
    *v = !value_is_true(a);
    return FAILURE_NONE;
  }
  if (op == DO_NEGATE)
    return arithmetic(DO_SUBTRACT, 0, a, v);
  return fold(pool, op, a, v);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// The verifiers' own evaluator of conditions (checker/verify/rows/condition.h).
#include "config.h"

#include "checker/verify/rows/condition.h"

#include <string.h>

static int64_t number_in_value(const struct predicate_value *v,
                               const int64_t *given) {
  return v->parameter ? given[v->number] : v->number;
}

static bool holds_comparison(const struct predicate *p,
                             const struct predicate_node *n, int64_t left,
                             const int64_t *given) {
  if (n->op == PREDICATE_IN) {
    for (unsigned i = n->first; i < n->end; i++)
      if (left == number_in_value(&p->values[i], given))
        return true;
    return false;
  }
  const int64_t right = number_in_value(&n->right, given);
  switch (n->op) {
  case PREDICATE_EQUAL:
    return left == right;
  case PREDICATE_UNEQUAL:
    return !(left == right);
  case PREDICATE_LESS:
    return left < right;
  case PREDICATE_AT_MOST:
    return !(left > right);
  case PREDICATE_GREATER:
    return left > right;
  case PREDICATE_AT_LEAST:
    return !(left < right);
  default:
    return left % n->modulus == right;
  }
}

static bool evaluate(const struct predicate *p, unsigned node, int64_t key,
                     const int64_t *row, const int64_t *given) {
  const struct predicate_node *n = &p->nodes[node];
  switch (n->op) {
  case PREDICATE_TRUE:
    return true;
  case PREDICATE_AND:
    return evaluate(p, n->first, key, row, given) &&
           evaluate(p, n->end, key, row, given);
  case PREDICATE_OR:
    return evaluate(p, n->first, key, row, given) ||
           evaluate(p, n->end, key, row, given);
  case PREDICATE_NOT:
    return !evaluate(p, n->first, key, row, given);
  default:
    return holds_comparison(
        p, n, n->column == PREDICATE_KEY ? key : row[n->column], given);
  }
}

const int64_t *condition_columns(const struct history *h, uint32_t version) {
  const struct rows *rows = h->rows;
  const uint32_t at = version < h->nops ? rows->image[version]
                                        : rows->key_image[version - h->nops];
  const bool dead = version < h->nops && h->kind[version] & OP_IS_DEAD;
  return dead || at == ROWS_NONE ? NULL : rows->numbers + at;
}

bool condition_holds(const struct rows *rows,
                     const struct recorded_statement *s, int64_t key,
                     const int64_t *columns) {
  const struct predicate *p = &rows->templates[s->condition].predicate;
  return evaluate(p, p->nnodes - 1, key, columns,
                  rows->parameters + s->parameters);
}

bool condition_finds(const struct history *h,
                     const struct recorded_statement *s, uint32_t key,
                     uint32_t version) {
  const struct rows *rows = h->rows;
  const int64_t *columns = condition_columns(h, version);
  if (s->condition == NO_CONDITION)
    return columns == NULL;
  if (s->sort == STATEMENT_INSERT_NEW ? columns != NULL : columns == NULL)
    return false;
  return condition_holds(rows, s, rows->key_id[key], columns);
}

bool condition_met(const struct history *h, const struct recorded_statement *s,
                   uint32_t op, uint32_t version) {
  const bool is_upsert = s->condition == NO_CONDITION && op_reads(h->kind[op]);
  return is_upsert ? condition_columns(h, version) != NULL
                   : condition_finds(h, s, h->key[op], version);
}

bool condition_names_value(const struct history *h,
                           const struct recorded_statement *s, uint32_t *column,
                           int64_t *number) {
  if (s->condition == NO_CONDITION)
    return false;
  const struct predicate *p = &h->rows->templates[s->condition].predicate;
  if (p->nnodes != 1 || p->nodes[0].op != PREDICATE_EQUAL ||
      p->nodes[0].column == PREDICATE_KEY)
    return false;
  *column = p->nodes[0].column;
  *number =
      number_in_value(&p->nodes[0].right, h->rows->parameters + s->parameters);
  return true;
}

// Has the column equal to one of the numbers of an IN.
static void bound_by_list(struct condition_bounds *b, const struct predicate *p,
                          const struct predicate_node *n,
                          const int64_t *given) {
  b->equal = n->column;
  b->nnumbers = 0;
  for (unsigned i = n->first; i < n->end; i++) {
    const int64_t number = number_in_value(&p->values[i], given);
    bool is_new = true;
    for (uint32_t k = 0; k < b->nnumbers; k++)
      is_new &= b->numbers[k] != number;
    if (is_new)
      b->numbers[b->nnumbers++] = number;
  }
}

// Adds the bounds by the part of the condition that starts at the node.
static void bound(struct condition_bounds *b, const struct predicate *p,
                  unsigned node, const int64_t *given) {
  const struct predicate_node *n = &p->nodes[node];
  if (n->op == PREDICATE_AND) {
    bound(b, p, n->first, given);
    bound(b, p, n->end, given);
    return;
  }
  const bool is_low = n->op == PREDICATE_GREATER || n->op == PREDICATE_AT_LEAST;
  const bool is_high = n->op == PREDICATE_LESS || n->op == PREDICATE_AT_MOST;
  if (n->op == PREDICATE_EQUAL && b->equal == CONDITION_NO_COLUMN) {
    b->equal = n->column;
    b->numbers[0] = number_in_value(&n->right, given);
  } else if (n->op == PREDICATE_IN && b->equal == CONDITION_NO_COLUMN) {
    bound_by_list(b, p, n, given);
  } else if ((is_low || is_high) &&
             (b->bounded == CONDITION_NO_COLUMN || b->bounded == n->column)) {
    const int64_t right = number_in_value(&n->right, given);
    b->bounded = n->column;
    if (is_low && right > b->low)
      b->low = right;
    if (is_high && right < b->high)
      b->high = right;
  }
}

struct condition_bounds condition_bounds(const struct history *h,
                                         const struct recorded_statement *s) {
  struct condition_bounds b;
  b.equal = b.bounded = CONDITION_NO_COLUMN;
  b.low = INT64_MIN;
  b.high = INT64_MAX;
  b.nnumbers = 1;
  b.numbers[0] = 0;
  if (s->condition != NO_CONDITION) {
    const struct predicate *p = &h->rows->templates[s->condition].predicate;
    bound(&b, p, p->nnodes - 1, h->rows->parameters + s->parameters);
  }
  return b;
}

bool condition_rows_came(const struct history *h,
                         const struct recorded_statement *s) {
  if (s->condition == NO_CONDITION)
    return false;
  const struct predicate *p = &h->rows->templates[s->condition].predicate;
  if (p->nnodes != 1 || p->nodes[0].column != PREDICATE_KEY ||
      (p->nodes[0].op != PREDICATE_EQUAL && p->nodes[0].op != PREDICATE_IN))
    return false;
  return s->end - s->first == condition_bounds(h, s).nnumbers;
}

bool condition_shows(const struct history *h, uint32_t op, uint32_t version) {
  const struct rows *rows = h->rows;
  const int64_t *is = condition_columns(h, version);
  if (h->kind[op] != OP_ROW || rows->image[op] == ROWS_NONE)
    return true;
  const struct row_table *table = &rows->tables[rows->key_table[h->key[op]]];
  return is && !memcmp(is, rows->numbers + rows->image[op],
                       table->ncolumns * sizeof *is);
}

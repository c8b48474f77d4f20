// SPDX-License-Identifier: GPL-3.0-or-later
// Evaluates predicates and writes them as SQL (sql/predicate.h); reading them
// is sql/predicate_read.c.
#include "config.h"

#include "sql/predicate.h"

#include <assert.h>
#include <inttypes.h>

static int64_t predicate_number_of(const struct predicate_value *value,
                                   const int64_t *parameters) {
  return value->parameter ? parameters[value->number] : value->number;
}

static bool is_value_among(const struct predicate *p,
                           const struct predicate_node *node, int64_t is,
                           const int64_t *parameters) {
  for (uint32_t i = node->first; i < node->end; i++)
    if (predicate_number_of(&p->values[i], parameters) == is)
      return true;
  return false;
}

// A node that compares one column.
static bool comparison_holds(const struct predicate *p,
                             const struct predicate_node *node, int64_t is,
                             const int64_t *parameters) {
  if (node->op == PREDICATE_IN)
    return is_value_among(p, node, is, parameters);
  const int64_t right = predicate_number_of(&node->right, parameters);
  switch (node->op) {
  case PREDICATE_EQUAL:
    return is == right;
  case PREDICATE_UNEQUAL:
    return is != right;
  case PREDICATE_LESS:
    return is < right;
  case PREDICATE_AT_MOST:
    return is <= right;
  case PREDICATE_GREATER:
    return is > right;
  case PREDICATE_AT_LEAST:
    return is >= right;
  default:
    assert(node->op == PREDICATE_REMAINDER && node->modulus > 0);
    return is % node->modulus == right;
  }
}

bool predicate_add(struct predicate *p, struct predicate_node node) {
  if (p->nnodes + p->nvalues >= PREDICATE_NODES)
    return false;
  p->nodes[p->nnodes++] = node;
  return true;
}

bool predicate_holds(const struct predicate *p, int64_t key, const int64_t *row,
                     const int64_t *parameters) {
  assert(p->nnodes > 0 && p->nnodes <= PREDICATE_NODES);
  bool holds[PREDICATE_NODES];
  for (uint32_t i = 0; i < p->nnodes; i++) {
    const struct predicate_node *node = &p->nodes[i];
    switch (node->op) {
    case PREDICATE_TRUE:
      holds[i] = true;
      break;
    case PREDICATE_AND:
      holds[i] = holds[node->first] && holds[node->end];
      break;
    case PREDICATE_OR:
      holds[i] = holds[node->first] || holds[node->end];
      break;
    case PREDICATE_NOT:
      holds[i] = !holds[node->first];
      break;
    default:
      holds[i] = comparison_holds(
          p, node, node->column == PREDICATE_KEY ? key : row[node->column],
          parameters);
    }
  }
  return holds[p->nnodes - 1];
}

// --- Shapes.

static bool is_same_value(const struct predicate_value *a,
                          const struct predicate_value *b) {
  return a->parameter == b->parameter && a->number == b->number;
}

static bool same_node(const struct predicate_node *a,
                      const struct predicate_node *b) {
  return a->op == b->op && a->column == b->column && a->first == b->first &&
         a->end == b->end && a->modulus == b->modulus &&
         is_same_value(&a->right, &b->right);
}

bool predicate_equals(const struct predicate *a, const struct predicate *b) {
  bool equal = a->nnodes == b->nnodes && a->nvalues == b->nvalues;
  for (uint32_t i = 0; equal && i < a->nnodes; i++)
    equal = same_node(&a->nodes[i], &b->nodes[i]);
  for (uint32_t i = 0; equal && i < a->nvalues; i++)
    equal = is_same_value(&a->values[i], &b->values[i]);
  return equal;
}

static uint8_t copy_tree(struct predicate *copy, const struct predicate *p,
                         uint32_t node, uint32_t without) {
  struct predicate_node n = p->nodes[node];
  assert(node < p->nnodes && copy->nnodes < PREDICATE_NODES);
  if (n.op == PREDICATE_AND && (n.first == without || n.end == without))
    return copy_tree(copy, p, n.first == without ? n.end : n.first, without);
  if (n.op == PREDICATE_IN) {
    const uint32_t first = copy->nvalues;
    for (uint32_t v = n.first; v < n.end; v++)
      copy->values[copy->nvalues++] = p->values[v];
    n.first = (uint8_t)first;
    n.end = (uint8_t)copy->nvalues;
  }
  if (n.op == PREDICATE_AND || n.op == PREDICATE_OR || n.op == PREDICATE_NOT)
    n.first = copy_tree(copy, p, n.first, without);
  if (n.op == PREDICATE_AND || n.op == PREDICATE_OR)
    n.end = copy_tree(copy, p, n.end, without);
  copy->nodes[copy->nnodes] = n;
  return (uint8_t)copy->nnodes++;
}

void predicate_without(struct predicate *copy, const struct predicate *p,
                       uint32_t node) {
  *copy = (struct predicate){.nparameters = p->nparameters};
  copy_tree(copy, p, p->nnodes - 1, node);
}

bool predicate_names_keys(const struct predicate *p) {
  bool names = true;
  for (uint32_t i = 0; i < p->nnodes; i++) {
    const struct predicate_node *node = &p->nodes[i];
    names &= node->op == PREDICATE_OR ||
             ((node->op == PREDICATE_EQUAL || node->op == PREDICATE_IN) &&
              node->column == PREDICATE_KEY);
  }
  return names;
}

uint32_t predicate_keys(const struct predicate *p, const int64_t *parameters,
                        int64_t keys[PREDICATE_NODES]) {
  uint32_t n = 0;
  assert(predicate_names_keys(p));
  for (uint32_t i = 0; i < p->nnodes; i++) {
    const struct predicate_node *node = &p->nodes[i];
    if (node->op == PREDICATE_EQUAL)
      keys[n++] = predicate_number_of(&node->right, parameters);
    for (uint32_t v = node->first; node->op == PREDICATE_IN && v < node->end;
         v++)
      keys[n++] = predicate_number_of(&p->values[v], parameters);
  }
  return n;
}

static void lift(struct predicate *p, struct predicate_value *value,
                 int64_t *parameters) {
  if (p->nparameters == PREDICATE_PARAMETERS)
    return;
  parameters[p->nparameters] = value->number;
  *value =
      (struct predicate_value){.parameter = true, .number = p->nparameters++};
}

void predicate_lift(struct predicate *p,
                    int64_t parameters[PREDICATE_PARAMETERS]) {
  assert(!p->nparameters);
  for (uint32_t i = 0; i < p->nnodes; i++) {
    struct predicate_node *node = &p->nodes[i];
    for (uint32_t v = node->first; node->op == PREDICATE_IN && v < node->end;
         v++)
      lift(p, &p->values[v], parameters);
    if (node->op != PREDICATE_TRUE && node->op < PREDICATE_IN)
      lift(p, &node->right, parameters);
  }
}

// --- Writing.

struct predicate_writing {
  FILE *out;
  const struct predicate *p;
  const struct predicate_columns *columns;
  enum predicate_style style;
  const int64_t *parameters;
};

static void write_predicate_value(const struct predicate_writing *w,
                                  const struct predicate_value *value) {
  if (!value->parameter)
    fprintf(w->out, "%" PRId64, value->number);
  else if (w->style == PREDICATE_DOLLAR)
    fprintf(w->out, "$%" PRId64, value->number + 1);
  else if (w->style == PREDICATE_QUESTION)
    fputc('?', w->out);
  else
    fprintf(w->out, "%" PRId64, w->parameters[value->number]);
}

static void write_predicate_comparison(const struct predicate_writing *w,
                                       const struct predicate_node *node) {
  static const char *const signs[] = {
      [PREDICATE_EQUAL] = "=",     [PREDICATE_UNEQUAL] = "<>",
      [PREDICATE_LESS] = "<",      [PREDICATE_AT_MOST] = "<=",
      [PREDICATE_GREATER] = ">",   [PREDICATE_AT_LEAST] = ">=",
      [PREDICATE_REMAINDER] = "=",
  };
  fputs(node->column == PREDICATE_KEY ? w->columns->key
                                      : w->columns->names[node->column],
        w->out);
  if (node->op == PREDICATE_IN) {
    for (uint32_t i = node->first; i < node->end; i++) {
      fputs(i == node->first ? " IN (" : ", ", w->out);
      write_predicate_value(w, &w->p->values[i]);
    }
    fputc(')', w->out);
    return;
  }
  if (node->op == PREDICATE_REMAINDER)
    fprintf(w->out, " %% %" PRId64, node->modulus);
  fprintf(w->out, " %s ", signs[node->op]);
  write_predicate_value(w, &node->right);
}

static void write_node(const struct predicate_writing *w, uint32_t i);

// In brackets unless it is a comparison, so that precedence is never in doubt,
// or goes on with what it is an operand of: a = 1 AND b = 2 AND c = 3, which is
// read from left to right.
static void write_operand(const struct predicate_writing *w, uint32_t i,
                          unsigned goes_on) {
  const unsigned op = w->p->nodes[i].op;
  const bool is_plain = op < PREDICATE_AND || op == goes_on;
  fputs(is_plain ? "" : "(", w->out);
  write_node(w, i);
  fputs(is_plain ? "" : ")", w->out);
}

static void write_node(const struct predicate_writing *w, uint32_t i) {
  const struct predicate_node *node = &w->p->nodes[i];
  switch (node->op) {
  case PREDICATE_TRUE:
    fputs("TRUE", w->out);
    break;
  case PREDICATE_AND:
  case PREDICATE_OR:
    write_operand(w, node->first, node->op);
    fputs(node->op == PREDICATE_AND ? " AND " : " OR ", w->out);
    write_operand(w, node->end, PREDICATE_TRUE);
    break;
  case PREDICATE_NOT:
    fputs("NOT ", w->out);
    write_operand(w, node->first, PREDICATE_TRUE);
    break;
  default:
    write_predicate_comparison(w, node);
  }
}

void predicate_write(FILE *out, const struct predicate *p,
                     const struct predicate_columns *columns,
                     enum predicate_style style, const int64_t *parameters) {
  const struct predicate_writing w = {out, p, columns, style, parameters};
  assert(style != PREDICATE_BOUND || parameters || !p->nparameters);
  write_node(&w, p->nnodes - 1);
}

static void note_parameter(const struct predicate *p, uint32_t i,
                           uint8_t *order, uint32_t *n) {
  const struct predicate_node *node = &p->nodes[i];
  if (node->op >= PREDICATE_AND) {
    note_parameter(p, node->first, order, n);
    if (node->op != PREDICATE_NOT)
      note_parameter(p, node->end, order, n);
  } else if (node->op == PREDICATE_IN) {
    for (uint32_t v = node->first; v < node->end; v++)
      if (p->values[v].parameter)
        order[(*n)++] = (uint8_t)p->values[v].number;
  } else if (node->op != PREDICATE_TRUE && node->right.parameter) {
    order[(*n)++] = (uint8_t)node->right.number;
  }
}

uint32_t predicate_order(const struct predicate *p,
                         uint8_t order[PREDICATE_NODES]) {
  uint32_t n = 0;
  note_parameter(p, p->nnodes - 1, order, &n);
  assert(n <= PREDICATE_NODES);
  return n;
}

// --- Ranges.

// Narrows the range by one comparison; false if that is no bound.
static bool narrow_range(const struct predicate_node *node,
                         const int64_t *parameters,
                         struct predicate_range *range) {
  const int64_t right = predicate_number_of(&node->right, parameters);
  int64_t low = INT64_MIN, high = INT64_MAX;
  bool none = false;
  switch (node->op) {
  case PREDICATE_EQUAL:
    low = high = right;
    break;
  case PREDICATE_LESS:
    none = right == INT64_MIN;
    high = none ? right : right - 1;
    break;
  case PREDICATE_AT_MOST:
    high = right;
    break;
  case PREDICATE_GREATER:
    none = right == INT64_MAX;
    low = none ? right : right + 1;
    break;
  case PREDICATE_AT_LEAST:
    low = right;
    break;
  default:
    return false;
  }
  if (none)
    low = INT64_MAX, high = INT64_MIN;
  range->low = low > range->low ? low : range->low;
  range->high = high < range->high ? high : range->high;
  return true;
}

bool predicate_is_range(const struct predicate *p, const int64_t *parameters,
                        struct predicate_range *range) {
  *range = (struct predicate_range){.low = INT64_MIN, .high = INT64_MAX};
  uint32_t ncompared = 0;
  for (uint32_t i = 0; i < p->nnodes; i++) {
    const struct predicate_node *node = &p->nodes[i];
    if (node->op == PREDICATE_AND)
      continue; // the nodes are a tree, so these are conjuncts if all others
                // are
    if (ncompared++ && node->column != range->column)
      return false;
    range->column = node->column;
    if (!narrow_range(node, parameters, range))
      return false;
  }
  return true;
}

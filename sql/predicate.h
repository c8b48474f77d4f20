// SPDX-License-Identifier: GPL-3.0-or-later
// The WHERE clause of a statement: a condition on one row, whose columns are
// 64-bit integers that are never NULL.  The language is small, so that
// PostgreSQL, MariaDB, SQLite and isostress itself give the same answer for
// every row: comparisons of a column with a constant or a parameter,
// remainders, IN, BETWEEN, AND, OR, NOT.  There is no arithmetic that can
// overflow.
//
//   predicate := and ("OR" and)*            and := not ("AND" not)*
//   not := "NOT" not | "(" predicate ")" | "TRUE" | comparison
//   comparison := column ("=" | "<>" | "<" | "<=" | ">" | ">=") value
//     | column "%" integer "=" value        the integer is positive
//     | column "IN" "(" value ("," value)* ")"
//     | column "BETWEEN" value "AND" value
//   value := integer | "$" number           a parameter, counted from 1
//
// Words are read in any case.  "&" is AND and "|" is OR, for tests.
#ifndef SQL_PREDICATE_H
#define SQL_PREDICATE_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
  PREDICATE_NODES = 64,      // at most, each value of an IN list included
  PREDICATE_PARAMETERS = 16, // at most
  PREDICATE_COLUMNS = 32,    // at most, the key not included
  PREDICATE_KEY = UINT8_MAX, // in place of a column: the row's key
};

// How the columns of a table are called.  The names belong to the caller.
struct predicate_columns {
  const char *key;
  const char *const *names;
  uint32_t count;
};

enum predicate_op {
  PREDICATE_TRUE,
  PREDICATE_EQUAL, // these six compare `column` with `right`
  PREDICATE_UNEQUAL,
  PREDICATE_LESS,
  PREDICATE_AT_MOST,
  PREDICATE_GREATER,
  PREDICATE_AT_LEAST,
  PREDICATE_REMAINDER, // column % modulus = right; truncated, as C and SQL do
  PREDICATE_IN,        // `column` is one of values[first] to values[end - 1]
  PREDICATE_AND,       // of the nodes `first` and `end`
  PREDICATE_OR,
  PREDICATE_NOT, // of the node `first`
};

struct predicate_value {
  bool parameter;
  int64_t number; // the constant, or which parameter, from 0
};

struct predicate_node {
  uint8_t op;     // enum predicate_op
  uint8_t column; // or PREDICATE_KEY
  uint8_t first, end;
  int64_t modulus;
  struct predicate_value right;
};

// Children stand before their parent; the last node is the whole predicate.
struct predicate {
  uint32_t nnodes, nvalues, nparameters;
  struct predicate_node nodes[PREDICATE_NODES];
  struct predicate_value values[PREDICATE_NODES];
};

// Reads a predicate.  Returns -1 with a sentence that names the place in the
// text and what was expected there.
int predicate_read(struct predicate *p, const char *text,
                   const struct predicate_columns *columns,
                   struct error *error);

// Adds a node behind those that are there; false: there are too many.
bool predicate_add(struct predicate *p, struct predicate_node node);

// Does the row satisfy the predicate?  `row` has the columns in their order;
// `parameters` has at least p->nparameters numbers.  Total: no row fails.
bool predicate_holds(const struct predicate *p, int64_t key, const int64_t *row,
                     const int64_t *parameters);

// Are they the same, node by node?
bool predicate_equals(const struct predicate *a, const struct predicate *b);

// Copies the predicate without one node, which an AND combines with another.
// The parameters keep their numbers.
void predicate_without(struct predicate *copy, const struct predicate *p,
                       uint32_t node);

// Does the condition only say which keys, by =, IN and OR?  Then these are
// they; returns how many.
bool predicate_names_keys(const struct predicate *p);
uint32_t predicate_keys(const struct predicate *p, const int64_t *parameters,
                        int64_t keys[PREDICATE_NODES]);

// Replaces constants by parameters, as far as there may be any, so that
// predicates of one shape become equal.  The predicate has no parameters yet;
// `parameters` gets their numbers.
void predicate_lift(struct predicate *p,
                    int64_t parameters[PREDICATE_PARAMETERS]);

// How parameters are written.
enum predicate_style {
  PREDICATE_DOLLAR,   // $1, as PostgreSQL and SQLite take them
  PREDICATE_QUESTION, // ?, in the order of predicate_order
  PREDICATE_BOUND,    // their numbers
};

// Writes the predicate as SQL, which predicate_read reads back as the same.
// `parameters` may be NULL unless the style is PREDICATE_BOUND.
void predicate_write(FILE *out, const struct predicate *p,
                     const struct predicate_columns *columns,
                     enum predicate_style style, const int64_t *parameters);

// The parameters, from 0, in the order in which PREDICATE_QUESTION writes them,
// once for each time; returns how many.
uint32_t predicate_order(const struct predicate *p,
                         uint8_t order[PREDICATE_NODES]);

// A predicate that holds for exactly the rows in which one column lies between
// two bounds.
struct predicate_range {
  uint8_t column;    // or PREDICATE_KEY
  int64_t low, high; // both included; low > high: no row
};

// Is the predicate such a range, with these parameters?  Fills it in if so.
// Which column it is of does not depend on the parameters.
bool predicate_is_range(const struct predicate *p, const int64_t *parameters,
                        struct predicate_range *range);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// The condition of a statement in the user's own SQL, as far as isostress reads
// it: comparisons of columns of one table with constants, joined by AND, OR,
// NOT and brackets.  What a comparison means the database says; isostress knows
// only what SQL's three values make of AND, OR and NOT.
#ifndef OWN_CONDITION_H
#define OWN_CONDITION_H

#include "sql/tokens.h"

#include <stdbool.h>
#include <stdint.h>

enum { CONDITION_NODES = 48 }; // at most

enum condition_kind {
  CONDITION_COMPARES, // a column with a constant; NULL satisfies it never
  CONDITION_IS_NULL,
  CONDITION_AND, // of the nodes `first` and `second`
  CONDITION_OR,
};

struct condition_node {
  uint8_t kind; // enum condition_kind
  // COMPARES: the comparison is false, not true.  IS_NULL: is not NULL.
  bool negated;
  uint8_t first, second;
  uint32_t column, comparison; // what the listener numbered them
};

// Children stand before their parent; the last node is the whole condition.
struct condition_tree {
  uint32_t n;
  struct condition_node all[CONDITION_NODES];
};

// Numbers what a condition names.  UINT32_MAX: there is no such column, or
// there are too many; the condition is not read then.
struct condition_listener {
  void *context;
  uint32_t (*column)(void *context, const struct sql_tokens *tokens,
                     uint32_t token);
  // `sign` is "=", "<>", "<", "<=", ">" or ">=" and stays; the constant is
  // `nbytes` long.
  uint32_t (*comparison)(void *context, uint32_t column, const char *sign,
                         const char *constant, uint32_t nbytes);
};

// Reads the tokens behind WHERE; none: every row satisfies the condition, which
// has no node.  False: it is of no kind that is known here.
bool condition_read(struct condition_tree *tree,
                    const struct sql_tokens *tokens,
                    const struct condition_listener *listener);

#endif

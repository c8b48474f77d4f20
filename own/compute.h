// SPDX-License-Identifier: GPL-3.0-or-later
// The expressions of pgbench's \set and \if, on variables that are texts.
#ifndef OWN_COMPUTE_H
#define OWN_COMPUTE_H

#include "base/error.h"

#include <gsl/gsl_rng.h>
#include <stdbool.h>
#include <stdint.h>

// A variable of a script.  `text` is owned; NULL: it is not set, or NULL.
struct raw_variable {
  char *name;
  char *text;
};

// Zero-initialised is empty.
struct raw_variables {
  struct raw_variable *all; // owned
  uint32_t n, room;
};

// The text of a variable; NULL: it is not set.
const char *raw_variable_get(const struct raw_variables *variables,
                             const char *name, size_t length);
// NULL unsets it.
void raw_variable_set(struct raw_variables *variables, const char *name,
                      const char *text);
void raw_variables_copy(struct raw_variables *to,
                        const struct raw_variables *from);
void raw_variables_free(struct raw_variables *variables);

// Computes an expression.  The result, which is NULL for NULL, is freed by the
// caller.  Without `draw` only the grammar is checked: variables count as 1.
// -1 with a sentence that begins with what is wrong.
int raw_compute(const char *expression, const struct raw_variables *variables,
                gsl_rng *draw, char **result, struct error *error);

// Is the result of a condition true?  As pgbench has it, a number is true
// unless it is 0.
bool raw_is_true(const char *result);

#endif

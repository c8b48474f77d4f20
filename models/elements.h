// SPDX-License-Identifier: GPL-3.0-or-later
// The elements of a set in a log: who added them, and which ones a read saw.
#ifndef MODELS_ELEMENTS_H
#define MODELS_ELEMENTS_H

#include "models/models.h"

#define NO_ADDITION UINT32_MAX

struct element {
  uint32_t addition; // the operation that added it; one that succeeded, if any
  uint64_t stamp;    // the last read that elements_mark marked it for, plus 1
  log_id value;
};

struct elements {
  const struct log *log;
  struct value_numbers numbers;
  struct element *list; // by number; those without a value are not in use
  uint32_t count;
};

// -1 with a sentence that names the line of a value that is not understood.
int elements_note_additions(struct elements *elements, struct error *error);

// Marks those that a read saw; ones that nobody tried to add, and ones that
// stand there twice, are broken promises.
int elements_mark(struct elements *elements, uint32_t read,
                  struct model_answer *answer, struct error *error);

// A broken promise: the sentence is `before`, the element and `after`.
struct breach {
  uint32_t element;
  const char *name, *before, *after;
  uint32_t shown[2]; // operations, or NO_ADDITION
};

void elements_break(const struct elements *elements,
                    const struct breach *breach, struct model_answer *answer);

void elements_free(struct elements *elements);

#endif

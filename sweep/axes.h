// SPDX-License-Identifier: GPL-3.0-or-later
// The axes of a sweep: settings with several values, and the cells of their
// product.
#ifndef SWEEP_AXES_H
#define SWEEP_AXES_H

#include "base/error.h"
#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>

enum { AXES_MAX = 16, AXIS_VALUES_MAX = 1000, CELLS_MAX = 100000 };

struct axis {
  const char *name; // of the setting
  const char **values;
  uint32_t nvalues;
};

// Zero-initialised is empty.
struct axes {
  struct arena arena; // of all texts
  struct axis axes[AXES_MAX];
  uint32_t naxes;
  bool zip; // the first values of all lists together, the second ones...;
            // but each with every target
};

// Is it a list or a range?  "a,b", "2..16", "2..16 +2", "10..10000 x10"; with
// `commas`, a comma is part of a single value, and "|" separates them.
bool axis_is_several(const char *text, bool commas);

// Adds a setting with all values of the text.  -1 with a sentence that goes
// after the setting's name.
int axes_add(struct axes *axes, const char *name, const char *text, bool commas,
             struct error *error);
// Adds one more value to an axis, making it if it is new.
int axes_add_value(struct axes *axes, const char *name, const char *value,
                   struct error *error);

// -1 with a sentence if there are too many cells, or if lists that are to be
// zipped are of different lengths.
int axes_check(const struct axes *axes, struct error *error);
uint32_t axes_ncells(const struct axes *axes);
// The value of an axis in a cell.
const char *axes_value(const struct axes *axes, uint32_t cell, uint32_t axis);

void axes_free(struct axes *axes);

#endif

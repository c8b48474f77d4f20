// SPDX-License-Identifier: GPL-3.0-or-later
// Lists, ranges and their product (sweep/axes.h).
#include "config.h"

#include "sweep/axes.h"

#include "base/units.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_range(const char *text) {
  return isdigit((unsigned char)text[0]) && strstr(text, "..");
}

bool axis_is_several(const char *text, bool commas) {
  return strchr(text, '|') || (!commas && strchr(text, ',')) || is_range(text);
}

int axes_add_value(struct axes *axes, const char *name, const char *value,
                   struct error *error) {
  uint32_t i = 0;
  while (i < axes->naxes && strcmp(axes->axes[i].name, name))
    i++;
  if (i == AXES_MAX)
    return error_set(error, "a sweep varies at most %d settings", AXES_MAX);
  struct axis *axis = &axes->axes[i];
  if (i == axes->naxes) {
    axes->naxes++;
    *axis = (struct axis){arena_strdup(&axes->arena, name), NULL, 0};
    axis->values =
        arena_take(&axes->arena, AXIS_VALUES_MAX * sizeof *axis->values);
  }
  if (axis->nvalues == AXIS_VALUES_MAX)
    return error_set(error, "has more than %d values", AXIS_VALUES_MAX);
  axis->values[axis->nvalues++] = arena_strdup(&axes->arena, value);
  return 0;
}

// "10..10000 x10" or "2..16 +2" or "2..5", which goes up by one.
static int add_range(struct axes *axes, const char *name, const char *text,
                     struct error *error) {
  char first[32], last[32], step[34] = "+1";
  double low, high, by;
  if (sscanf(text, "%31[^. ]..%31s %33s", first, last, step) < 2 ||
      !units_read_number(first, &low) || !units_read_number(last, &high) ||
      (step[0] != '+' && step[0] != 'x') || !units_read_number(step + 1, &by) ||
      by <= (step[0] == 'x' ? 1 : 0) || high < low || low <= 0)
    return error_set(error,
                     "\"%.64s\" is no range such as 2..16 +2 or "
                     "10..10000 x10",
                     text);
  for (double value = low; value <= high * (1 + 1e-9);
       value = step[0] == 'x' ? value * by : value + by) {
    char number[UNITS_TEXT];
    units_write_number(value, number);
    if (axes_add_value(axes, name, number, error))
      return -1;
  }
  return 0;
}

// The text without blanks around it, in place.
static char *trimmed(char *text) {
  while (isspace((unsigned char)*text))
    text++;
  size_t n = strlen(text);
  while (n && isspace((unsigned char)text[n - 1]))
    text[--n] = '\0';
  return text;
}

int axes_add(struct axes *axes, const char *name, const char *text, bool commas,
             struct error *error) {
  if (is_range(text))
    return add_range(axes, name, text, error);
  const bool bars = commas || strchr(text, '|');
  char *copy = xstrdup(text), *rest = copy, *value;
  int failed = 0;
  while (!failed && (value = strsep(&rest, bars ? "|" : ","))) {
    value = trimmed(value);
    failed = *value ? axes_add_value(axes, name, value, error)
                    : error_set(error, "has an empty value in its list");
  }
  free(copy);
  return failed;
}

// Is this axis of a zipped sweep zipped with the others?  Targets are not: each
// target gets all combinations.
static bool is_zipped(const struct axes *axes, uint32_t axis) {
  return axes->zip && axes->axes[axis].nvalues > 1 &&
         strcmp(axes->axes[axis].name, "target");
}

// The first axis that is zipped; naxes if none is.
static uint32_t first_zipped(const struct axes *axes) {
  uint32_t i = 0;
  while (i < axes->naxes && !is_zipped(axes, i))
    i++;
  return i;
}

int axes_check(const struct axes *axes, struct error *error) {
  const uint32_t zipped = first_zipped(axes);
  double ncells = 1;
  for (uint32_t i = 0; i < axes->naxes; i++) {
    const struct axis *axis = &axes->axes[i];
    if (!is_zipped(axes, i) || i == zipped)
      ncells *= axis->nvalues;
    else if (axis->nvalues != axes->axes[zipped].nvalues)
      return error_set(error,
                       "zip takes lists of one length, but %s has %u values "
                       "and %s %u",
                       axes->axes[zipped].name, axes->axes[zipped].nvalues,
                       axis->name, axis->nvalues);
  }
  return ncells > CELLS_MAX
             ? error_set(error, "%.0f combinations are more than %d", ncells,
                         CELLS_MAX)
             : 0;
}

// Zipped axes turn together, where the first of them stands.
static bool turns(const struct axes *axes, uint32_t axis) {
  return !is_zipped(axes, axis) || axis == first_zipped(axes);
}

uint32_t axes_ncells(const struct axes *axes) {
  uint32_t ncells = 1;
  for (uint32_t i = 0; i < axes->naxes; i++)
    ncells *= turns(axes, i) ? axes->axes[i].nvalues : 1;
  return ncells;
}

const char *axes_value(const struct axes *axes, uint32_t cell, uint32_t axis) {
  assert(cell < axes_ncells(axes) && axis < axes->naxes);
  const uint32_t turning = turns(axes, axis) ? axis : first_zipped(axes);
  for (uint32_t i = axes->naxes - 1; i > turning; i--)
    cell /= turns(axes, i) ? axes->axes[i].nvalues : 1;
  return axes->axes[axis].values[cell % axes->axes[turning].nvalues];
}

void axes_free(struct axes *axes) {
  arena_free(&axes->arena);
  *axes = (struct axes){0};
}

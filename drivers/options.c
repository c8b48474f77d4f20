// SPDX-License-Identifier: GPL-3.0-or-later
// Values of a target's options (drivers/options.h).
#include "config.h"

#include "drivers/options.h"

#include "base/nearest.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { PREFIX_MAX = 64 };

int option_choice(const char *name, const char *value, const char *const *words,
                  struct error *error) {
  char all[200] = "";
  for (int i = 0; words[i]; i++) {
    if (!strcasecmp(value, words[i]))
      return i;
    strncat(all, i ? ", " : "", sizeof all - strlen(all) - 1);
    strncat(all, words[i], sizeof all - strlen(all) - 1);
  }
  const char *near = nearest(value, words);
  if (near)
    return error_set_usage(error, "%s=%s is not possible; did you mean %s=%s?",
                           name, value, name, near);
  return error_set_usage(error, "%s=%s is not possible; it can be %s", name,
                         value, all);
}

int option_number(const char *name, const char *value, uint32_t least,
                  uint32_t most, uint32_t *number, struct error *error) {
  char *end = NULL;
  unsigned long got =
      isdigit((unsigned char)*value) ? strtoul(value, &end, 10) : 0;
  if (!end || *end || got < least || got > most)
    return error_set_usage(error, "%s=%s is not a number from %u to %u", name,
                           value, least, most);
  *number = (uint32_t)got;
  return 0;
}

int option_milliseconds(const char *name, const char *value, uint32_t *ms,
                        struct error *error) {
  static const struct {
    const char *unit;
    double ms;
  } units[] = {{"", 1e3}, {"s", 1e3}, {"ms", 1}, {"m", 60e3}};
  char *unit = NULL;
  double number = isdigit((unsigned char)*value) ? strtod(value, &unit) : NAN;
  for (size_t i = 0; unit && i < sizeof units / sizeof *units; i++)
    if (!strcmp(unit, units[i].unit) && number * units[i].ms <= 3600e3) {
      *ms = (uint32_t)(number * units[i].ms);
      return 0;
    }
  return error_set_usage(
      error, "%s=%s is not a time up to 1 h: write it as 5s, 100ms or 1m", name,
      value);
}

int option_timeout(const char *value, uint32_t *ms, struct error *error) {
  if (option_milliseconds("timeout", value, ms, error))
    return -1;
  return *ms ? 0
             : error_set_usage(
                   error,
                   "timeout=%s is not possible; it must be longer than 0",
                   value);
}

int option_prefix(const char *value, const char *marks, struct error *error) {
  char all[40] = "";
  const size_t length = strlen(value);
  bool valid = length && length <= PREFIX_MAX &&
               !isdigit((unsigned char)value[length - 1]);
  for (const char *c = value; *c; c++)
    valid &= isalnum((unsigned char)*c) || strchr(marks, *c);
  for (const char *m = marks; *m; m++)
    snprintf(all + strlen(all), sizeof all - strlen(all), " %c", *m);
  return valid ? 0
               : error_set_usage(error,
                                 "prefix=%s is not possible; it can be up to "
                                 "%d letters, digits and%s, without a digit at "
                                 "the end",
                                 value, PREFIX_MAX, all);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers with units (base/units.h).
#include "config.h"

#include "base/units.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct unit_of_size {
  const char *name;
  double factor;
};

// strtod takes more than people mean by a number: leading blanks, "inf", "nan"
// and hexadecimal digits.
static bool looks_like_a_number(const char *text) {
  text += *text == '-';
  if (*text == '.')
    text++;
  return isdigit((unsigned char)text[0]) &&
         tolower((unsigned char)text[1]) != 'x';
}

static bool read_with_units(const char *text, const struct unit_of_size *units,
                            double *number) {
  if (!looks_like_a_number(text))
    return false;
  char *rest;
  double value = strtod(text, &rest);
  while (units->name && strcmp(rest, units->name))
    units++;
  if (!units->name || !isfinite(value * units->factor))
    return false;
  *number = value * units->factor;
  return true;
}

bool units_read_number(const char *text, double *number) {
  static const struct unit_of_size units[] = {
      {"", 1}, {"k", 1e3}, {"K", 1e3}, {"M", 1e6}, {"G", 1e9}, {NULL, 0}};
  return read_with_units(text, units, number);
}

bool units_read_time(const char *text, double *ns) {
  static const struct unit_of_size units[] = {
      {"", 1e9},   {"s", 1e9},  {"ms", 1e6},   {"us", 1e3},
      {"ns", 1e0}, {"m", 6e10}, {"h", 3.6e12}, {NULL, 0}};
  if (!read_with_units(text, units, ns))
    return false;
  *ns = round(*ns);
  return true;
}

bool units_read_share(const char *text, double *share) {
  static const struct unit_of_size units[] = {{"", 1}, {"%", 0.01}, {NULL, 0}};
  return read_with_units(text, units, share);
}

void units_write_number(double number, char text[UNITS_TEXT]) {
  int digits = 1;
  do
    snprintf(text, UNITS_TEXT, "%.*g", digits, number);
  while (strtod(text, NULL) != number && digits++ < 17);
  if (fabs(number) < 1e15 && number == floor(number))
    snprintf(text, UNITS_TEXT, "%.0f", number); // 1000, not 1e+03
}

void units_write_time(uint64_t ns, char text[UNITS_TEXT]) {
  static const struct {
    uint64_t ns;
    const char *name;
  } units[] = {{1000000000, "s"}, {1000000, "ms"}, {1000, "us"}, {1, "ns"}};
  size_t u = 0;
  while (ns % units[u].ns)
    u++;
  snprintf(text, UNITS_TEXT, "%llu%s", (unsigned long long)(ns / units[u].ns),
           ns ? units[u].name : "");
}

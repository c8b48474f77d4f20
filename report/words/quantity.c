// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers as people read them (report/words/quantity.h).
#include "config.h"

#include "report/words/quantity.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct quantity quantity_duration(double ns) {
  static const struct {
    double ns;
    const char *unit;
  } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
  int u = 0; // 999.6 us are 1.00 ms
  while (u < 3 && ns < 0.9995 * units[u].ns)
    u++;
  const double number = ns / units[u].ns;
  const int digits = number < 9.995 ? 2 : number < 99.95 ? 1 : 0;
  struct quantity q = {.unit = units[u].unit};
  snprintf(q.number, sizeof q.number, "%.*f", digits, number);
  return q;
}

const char *quantity_grouped(uint64_t number, char text[QUANTITY_GROUPED]) {
  if (number < 1000) {
    snprintf(text, QUANTITY_GROUPED, "%" PRIu64, number);
    return text;
  }
  const size_t used = strlen(quantity_grouped(number / 1000, text));
  snprintf(text + used, QUANTITY_GROUPED - used, ",%03" PRIu64, number % 1000);
  return text;
}

double quantity_percent(uint64_t part, uint64_t whole) {
  return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

double quantity_per_second(uint64_t count, uint64_t ns) {
  return ns ? (double)count / quantity_seconds(ns) : 0.0;
}

uint64_t quantity_whole_rate(uint64_t count, uint64_t ns) {
  return (uint64_t)(quantity_per_second(count, ns) + 0.5);
}

void quantity_put_grouped(FILE *out, uint64_t number) {
  if (number >= 1000) {
    quantity_put_grouped(out, number / 1000);
    fprintf(out, ",%03" PRIu64, number % 1000);
  } else {
    fprintf(out, "%" PRIu64, number);
  }
}

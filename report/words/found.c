// SPDX-License-Identifier: GPL-3.0-or-later
// The units of counts of anomalies (report/words/found.h).
#include "config.h"

#include "report/words/found.h"

#include "report/words/quantity.h"

#include <string.h>

// Counted are the writes that lost the update of another transaction, of which
// one may lose several, and the reads that are wrong in themselves.  Of other
// anomalies each case counts.
static const struct {
  const char *anomaly, *unit;
} units[] = {
    {"LostUpdate", "write"},      {"ThinAirRead", "read"},
    {"AbortedRead", "read"},      {"FutureRead", "read"},
    {"NotMyLastWrite", "read"},   {"NotMyOwnWrite", "read"},
    {"IntermediateRead", "read"}, {"NonRepeatableReads", "read"},
};
enum { NUNITS = sizeof units / sizeof *units };

static const char *unit_of(const char *anomaly) {
  for (size_t i = 0; i < NUNITS; i++)
    if (!strcmp(units[i].anomaly, anomaly))
      return units[i].unit;
  return NULL;
}

static void put_unit(FILE *out, const char *unit, bool one) {
  fprintf(out, " %s%s", unit ? unit : "time", one ? "" : "s");
}

void found_put(FILE *out, const char *anomaly, uint64_t count, bool more) {
  const char *unit = unit_of(anomaly);
  fprintf(out, "%s%s", unit ? "in " : "", more ? "at least " : "");
  quantity_put_grouped(out, count);
  put_unit(out, unit, count == 1);
}

void found_put_rate(FILE *out, const char *anomaly, double rate) {
  const char *unit = unit_of(anomaly);
  fprintf(out, rate >= 100 ? "%s%.0f" : "%s%.3g", unit ? "in " : "", rate);
  put_unit(out, unit, false);
}

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

void found_put(FILE *out, const char *anomaly, uint64_t count, bool more) {
  const char *unit = NULL;
  for (size_t i = 0; i < NUNITS && !unit; i++)
    unit = strcmp(units[i].anomaly, anomaly) ? NULL : units[i].unit;
  fprintf(out, "%s%s", unit ? "in " : "", more ? "at least " : "");
  quantity_put_grouped(out, count);
  fprintf(out, " %s%s", unit ? unit : "time", count == 1 ? "" : "s");
}

// SPDX-License-Identifier: GPL-3.0-or-later
// The table of daily transactions (workload/daily.h).
#include "config.h"

#include "workload/daily.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

const struct daily dailies[DAILIES_MOST + 1] = {
    {"order", "takes stock, writes an order and its line"},
    {"queue", "does the oldest job, while others add jobs"},
    {"outbox", "writes events with invoices, and sends them later"},
    {"get-or-create", "finds a row by its name, or makes it"},
    {"transfer", "moves money if there is enough"},
    {"booking", "books a room if it is free"},
    {"hits", "counts a visit"},
    {"retire", "retires a member, but not the last one of a team"},
    {"report", "adds up two branches, while money moves"},
    {"upsert", "adds to the total of a day, which may be new"},
    {NULL, NULL},
};

const struct daily *daily_find(const char *name, bool *racy) {
  for (const struct daily *d = dailies; d->name; d++) {
    const size_t n = strlen(d->name);
    if (strncasecmp(name, d->name, n) != 0)
      continue;
    *racy = !strcasecmp(name + n, "-racy");
    if (*racy || !name[n])
      return d;
  }
  return NULL;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// The names of the daily transactions of configs/transactions, each a folder of
// scripts with their schema and their invariant: order has the scripts as they
// should be, order-racy those that are wrong at some level.
#ifndef WORKLOAD_DAILY_H
#define WORKLOAD_DAILY_H

#include <stdbool.h>

enum { DAILIES_MOST = 10 };

struct daily {
  const char *name;    // of the folder
  const char *summary; // one line for `isostress list`
};

extern const struct daily dailies[DAILIES_MOST + 1]; // ends with a NULL name

// By "order" or "order-racy", which sets `*racy`; NULL: there is none.
const struct daily *daily_find(const char *name, bool *racy);

#endif

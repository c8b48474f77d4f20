// SPDX-License-Identifier: GPL-3.0-or-later
// Random tiny histories with SQL statements, for comparing engine and referee.
#ifndef TESTS_KIT_ROW_HISTORIES_H
#define TESTS_KIT_ROW_HISTORIES_H

#include "base/random.h"
#include "recorder/history.h"

struct rows_odds {
  unsigned ntxns; // at most
  unsigned stray; // of 100 rows: so many are not seen as the snapshot has them
  unsigned unknown, aborted; // of 100 transactions
  bool reuse;                // keys of deleted rows are used again
  bool times;                // transactions begin and end
};

// Made up as a database might produce it, and then some.  To be freed.
struct history rows_random(gsl_rng *random, const struct rows_odds *odds);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Advice against an anomaly that a level allows: one table by database,
// settings in effect, level and anomaly.  tests/live/advice.sh takes the advice
// and performs the same steps and loads again.
#ifndef REPORT_WORDS_ADVICE_H
#define REPORT_WORDS_ADVICE_H

#include "report/words/promises.h"

#include <stdint.h>

struct advice {
  const char *database; // its name (report/words/words.h)
  const char *level;    // the database's own words; NULL: any
  const char *setting;  // in effect, as the server says it; NULL: any
  bool several;         // servers
  uint64_t anomalies;   // the set of 1 << anomaly
  const char *text;     // sentences (base/marks.h)
  // How the test takes it: as options of a run, an option of the target begins
  // with "?"; or by the name of a remedy in the program.  NULL: no test has
  // tried it.
  const char *attempt;
};

// How many there are: none for a database that isostress does not know.  Across
// several servers, and where the level of one server allows the anomaly, too,
// it takes both of two.
enum { ADVICE_MOST = 2 };
uint32_t advice_for(const struct promised_level *level, enum anomaly anomaly,
                    const struct advice *advice[ADVICE_MOST]);

// Does the anomaly come of several servers?  What they cannot cause is as
// forbidden as by one.
bool advice_blames_servers(const struct promised_level *level,
                           enum anomaly anomaly);

// NULL behind the last.
const struct advice *advice_at(uint32_t i);

#endif

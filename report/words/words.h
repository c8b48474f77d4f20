// SPDX-License-Identifier: GPL-3.0-or-later
// The words of pages for people who run databases: for each anomaly what
// happened, what it means in an application and what helps; for each level what
// it promises.  The words about databases are in drivers/words.h.
#ifndef REPORT_WORDS_WORDS_H
#define REPORT_WORDS_WORDS_H

#include "base/isolation.h"
#include "checker/verdict/verdict.h"
#include "drivers/words.h"

#include <stdbool.h>
#include <stdio.h>

// Constant sentences (base/marks.h), without the full stop where they are a
// clause.
struct anomaly_words {
  const char *headline, *happened, *means, *helps;
  const char *replicas; // what helps where there are several servers, beside
                        // `helps` or, if one server alone keeps the level,
                        // instead; NULL: nothing
  const char *clause;   // of the level, which the anomaly breaks
};
// All but `replicas` are there for every anomaly but ANOMALY_NONE.
const struct anomaly_words *words_of(enum anomaly anomaly);
// The promise of a level, as a clause; a constant string.
const char *words_level(enum isolation level);

// By any of its names (base/anomaly_names.h); ANOMALY_NONE if there is none.
enum anomaly words_anomaly(const char *name);

// Writes a sentence about rows, still with its marks; it is about keys if the
// database has keys.  The database may be NULL, here and below.
void words_put(FILE *out, const char *text,
               const struct driver_words *database);

// A level that has a name of isostress' own, as a clause (base/marks.h); NULL:
// it is the database's own, or isostress knows none.
const char *words_own_level(const struct driver_words *database,
                            const char *level);

// The anomaly's `replicas`, or NULL for a database that is alone.
const char *words_replicas(const struct anomaly_words *words,
                           const struct driver_words *database);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// The words of pages for people who run databases: for each anomaly what
// happened, what it means in an application and what helps; for each level of a
// database what it promises, and where that is written.
#ifndef REPORT_WORDS_H
#define REPORT_WORDS_H

#include "base/isolation.h"
#include "checker/verdict/verdict.h"

#include <stdbool.h>
#include <stdio.h>

// Constant strings in markup, without the full stop where they are no sentence.
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

struct database_words {
  const char *driver; // name or alias: what a target begins with
  const char *name;   // of the database
  const char *source; // address of the page of its manual; NULL: there is none
  bool has_keys;      // and no rows
  bool is_alone;      // never several servers
};
// NULL for a driver that isostress does not know the manual of.
const struct database_words *words_of_target(const char *target);
// The database of a server, which says of itself that it is MariaDB, though its
// target is one of MySQL.  The server may be NULL.
const struct database_words *words_of_server(const char *target,
                                             const char *server);

// Puts words about rows, which are about keys if the database has keys.  The
// database may be NULL, here and below.
void words_put(FILE *out, const char *text,
               const struct database_words *database);

// A level that has a name of isostress' own, as a clause in markup; NULL: it is
// the database's own, or isostress knows none.
const char *words_own_level(const struct database_words *database,
                            const char *level);

// The anomaly's `replicas`, or NULL for a database that is alone.
const char *words_replicas(const struct anomaly_words *words,
                           const struct database_words *database);

#endif

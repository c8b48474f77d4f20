// SPDX-License-Identifier: GPL-3.0-or-later
// The promises of databases, by level and anomaly: one table, which
// runs, scorecards, pages and terminal ask.  A driver says of a level which of
// ours it keeps (drivers/driver.h); the table says what the documentation rules
// out beyond that, and where.
#ifndef REPORT_WORDS_PROMISES_H
#define REPORT_WORDS_PROMISES_H

#include "base/isolation.h"
#include "checker/verdict/verdict.h"

#include <stdbool.h>

enum promise {
  PROMISE_UNKNOWN, // isostress knows no documentation
  PROMISE_ALLOWED, // the level lets it happen
  PROMISE_FORBIDDEN,
};

// A level of a database, with the settings that are in effect.
struct promised_level {
  const char *target;     // what it begins with is enough: "mysql:"
  const char *server;     // what the database says of itself, or ""
  const char *level;      // the database's own words
  enum isolation claimed; // by the driver, for these settings and this data
  bool several;           // servers
};

// By one server; several of them may promise less.  ANOMALY_NONE: unknown.
enum promise promise_of(const struct promised_level *level,
                        enum anomaly anomaly);

// Is the anomaly promised away here?
static inline bool promise_forbids(const struct promised_level *level,
                                   enum anomaly anomaly) {
  return promise_of(level, anomaly) == PROMISE_FORBIDDEN;
}

// Does the level promise all of the other one, which is one of ours: is each
// anomaly that breaks it promised away?
bool promise_has(const struct promised_level *level, enum isolation all);

// The promise to transactions whose reads are all plain: no SELECT ... FOR
// UPDATE, no read of what the transaction changed before.  MariaDB's REPEATABLE
// READ promises them a snapshot, and other reads none.
enum promise promise_to_plain_reads(const struct promised_level *level,
                                    enum anomaly anomaly);

// Where transactions have levels of their own, and the documentation promises
// serializability to those at SERIALIZABLE among each other only: the sentence
// that says so, without its full stop.  NULL: it is not so.
const char *promise_among_serializable(const struct promised_level *level);

// Where the documentation of a level says it; constant sentences without
// marks.
struct promise_words {
  const char *says;    // one sentence, or two
  const char *setting; // that decides, with its value; NULL: none
  const char *source;  // address; NULL: there is none
};
// NULL: isostress knows no documentation.
const struct promise_words *promise_words(const struct promised_level *level);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// A driver's command says in its answer to hello what it is and can do.
#ifndef DRIVERS_PIPE_HELLO_H
#define DRIVERS_PIPE_HELLO_H

#include "base/json_read.h"
#include "base/outcome.h"
#include "drivers/driver.h"
#include "drivers/sql_text/sql_rows.h"

enum {
  HELLO_LEVELS = 16,
  HELLO_NAME = 31, // bytes of a name, as of a scheme
};

// Verbs that not every driver has.
enum does {
  DOES_APPEND = 1, // with list
  DOES_CAS = 2,
  DOES_RESOLVE = 4,
  DOES_WAITS = 8,
};

// A code, or words that a message has, and what it means.
struct meaning {
  const char *words;
  enum cause cause;
};

// How the rows are known that a statement changes.
enum effects {
  EFFECTS_RETURNED, // by RETURNING
  EFFECTS_DELTA,    // by SELECT FROM FINAL TABLE
  EFFECTS_READ,     // by a SELECT of its own, in the same transaction
};

// The words of a database with SQL.
struct hello_sql {
  bool is;      // it has SQL
  bool inlined; // numbers stand in the text: it takes no parameters
  enum effects effects;
  bool weak; // some level claims less than SI
  struct sql_rows_dialect dialect;
};

struct hello {
  struct arena arena;          // holds all texts
  const char *name;            // the scheme of targets
  const char *version;         // a line about the database, for reports
  bool many;                   // one process serves all sessions
  bool survives;               // what was committed outlives that process
  unsigned does;               // a set of enum does
  struct meaning *meanings;    // ends with NULL words
  struct driver_level *levels; // ends with a NULL name
  struct hello_sql sql;
};

// -1 with a sentence of what the answer lacks.
int hello_read(struct hello *hello, const struct json_value *answer,
               struct error *error);
void hello_free(struct hello *hello);

#endif

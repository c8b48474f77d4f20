// SPDX-License-Identifier: GPL-3.0-or-later
// The sorts of SQL statements on rows, as a workload proposes them, a driver
// executes them and a history has them.
#ifndef SQL_STATEMENT_H
#define SQL_STATEMENT_H

#include <stdbool.h>
#include <stdint.h>

enum statement_sort {
  STATEMENT_SELECT,         // rows that satisfy the condition
  STATEMENT_LOCKING_SELECT, // likewise, FOR UPDATE
  STATEMENT_INSERT,         // new rows; has no condition
  STATEMENT_UPSERT,         // new rows, or new columns of those that are there
  STATEMENT_UPDATE,         // rows that satisfy the condition
  STATEMENT_DELETE,         // likewise
  STATEMENT_INSERT_NEW,     // ON CONFLICT DO NOTHING: its condition names keys,
                            // and is satisfied where there is no row
  STATEMENT_ADD, // an UPDATE that only adds to columns: SET n = n + 1.  Only
                 // histories have it; a driver executes an UPDATE
  STATEMENT_COUNT
};

// "sel", "selu", "ins", "ups", "upd", "del", "new", "add"; constant strings, as
// histories written by hand have them.
const char *statement_word(enum statement_sort sort);

// Has it a WHERE clause?
static inline bool statement_has_condition(enum statement_sort sort) {
  return sort != STATEMENT_INSERT && sort != STATEMENT_UPSERT;
}

// May a server that reads from snapshots have it read what was committed last
// instead, so that what it writes follows that?
static inline bool statement_may_read_latest(enum statement_sort sort) {
  return sort != STATEMENT_SELECT;
}

// Does it write the rows that it names or finds?
static inline bool statement_writes(enum statement_sort sort) {
  return sort != STATEMENT_SELECT && sort != STATEMENT_LOCKING_SELECT;
}

// When a statement was sent and answered, in ns.
struct statement_times {
  uint64_t begin, end;
};

#endif

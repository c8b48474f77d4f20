// SPDX-License-Identifier: GPL-3.0-or-later
// A session of the SQLite driver: its connections to the file, and how a
// statement is stepped on them.
#ifndef DRIVERS_SQLITE_SESSION_H
#define DRIVERS_SQLITE_SESSION_H

#include "drivers/driver.h"
#include "drivers/sql_text/sql_rows.h"

#include <sqlite3.h>
#include <stdatomic.h>

enum sqlite_level { SERIALIZABLE, READ_UNCOMMITTED, LEVELS };

enum sqlite_statement {
  BEGIN,
  COMMIT,
  ROLLBACK,
  FIRST_OF_KEYS, // those behind are on registers and lists
  GET = FIRST_OF_KEYS,
  PUT,
  APPEND,
  GET_LIST,
  REPLACE_VALUE,
  REPLACE_INITIAL,
  STATEMENTS
};

// One of SQLite's connections; db is NULL until it is opened.
struct sqlite_handle {
  sqlite3 *db;
  sqlite3_stmt *statements[STATEMENTS];
  struct sql_rows rows;
};

struct sqlite_own_session;

struct sqlite_session {
  struct connection base;
  struct sqlite_handle handles[LEVELS];
  struct sqlite_own_session *own; // of the user's own SQL; or NULL
  struct sqlite_handle *current;  // where the last transaction began; or NULL
  bool collided;                  // it was refused the write lock
  uint64_t asked;    // when it first asked for the lock it waits for
  atomic_bool waits; // for a lock; other threads may look (sqlite_waits)
};

static inline struct sqlite_session *
sqlite_session_of(struct connection *connection) {
  return (struct sqlite_session *)connection;
}

// Keeps why a call failed; returns OUTCOME_ABORTED.
enum outcome sqlite_refused(struct sqlite_session *session, int rc);

// sqlite3_step that waits for the locks of a shared cache.
int sqlite_first_step(struct sqlite_session *session, sqlite3_stmt *statement);

// Ends a statement whose last step returned `rc`, and says how it ended.
enum outcome sqlite_finish(struct sqlite_session *session,
                           sqlite3_stmt *statement, int rc);

// ---- rows.c, as in struct driver.
#define SQLITE_EXECUTES                                                        \
  (1u << STATEMENT_SELECT | 1u << STATEMENT_LOCKING_SELECT |                   \
   1u << STATEMENT_INSERT | 1u << STATEMENT_UPDATE | 1u << STATEMENT_DELETE |  \
   1u << STATEMENT_INSERT_NEW)
int sqlite_setup_tables(struct target *target, const struct keyspace *keys,
                        struct error *error);
enum outcome sqlite_execute(struct connection *connection,
                            const struct statement *statement, uint64_t stamp,
                            struct row_list *rows);
char *sqlite_question(struct target *target, const char *select);

#endif

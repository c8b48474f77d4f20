// SPDX-License-Identifier: GPL-3.0-or-later
// SQLite runs the user's own SQL (drivers/instrument.h).  SQLite calls back for
// every row that a statement changes, whatever made it: REPLACE, a cascade, a
// trigger.  A table beside the user's has the version of each row.  It is
// written in the same transaction and read in the same snapshot as the row.
#ifndef DRIVERS_SQLITE_INSTRUMENT_H
#define DRIVERS_SQLITE_INSTRUMENT_H

#include "drivers/instrument.h"
#include "drivers/sqlite/database.h"

#include <sqlite3.h>

struct sqlite_session;

// A value as SQL writes it.  quote() cuts a text off at a character of code 0.
#define SQLITE_LITERAL(value)                                                  \
  "CASE WHEN typeof(" value ") = 'text' AND instr(" value                      \
  ", char(0)) THEN 'CAST(' || quote(CAST(" value                               \
  " AS BLOB)) || ' AS TEXT)' ELSE quote(" value ") END"

struct sqlite_own_table {
  char *quoted;      // "t", as SQL takes it
  const char *rowid; // how SQL calls it; constant; NULL: WITHOUT ROWID
  uint32_t *keys;    // WITHOUT ROWID: columns of the primary key
  uint32_t nkeys;
  uint32_t key; // column of a primary key that is one number; UINT32_MAX: none
  // It has columns that are computed, so its rows are not kept as texts.
  bool computed;
};

struct sqlite_instrument {
  struct sqlite_own_table *all; // one of each of struct instrument_tables
  uint32_t n, room;
  const struct instrument_tables *tables; // the run's
  char *pragmas;                          // for each connection; or NULL
  sqlite3 *judge; // answers questions about statements; or NULL
};

extern const struct instrument sqlite_instrument;

// Was SQLite built with what tells changes, and origins of columns?
bool sqlite_can_tell_changes(void);
bool sqlite_can_tell_origins(void);

void sqlite_instrument_free(struct sqlite_instrument *instrument);

// ---- Setup, and what the tables hold

// Drops what an earlier run made, in the open transaction, and counts its
// tables.
int sqlite_own_drop(const struct sqlite_database *database, sqlite3 *db,
                    uint64_t *removed, struct error *error);
int sqlite_own_setup(struct target *target, const char *path,
                     const char *schema, struct instrument_tables *tables,
                     struct error *error);
int sqlite_read_versions(struct target *target,
                         const struct instrument_tables *tables,
                         struct instrument_tables *found, struct error *error);

// Writes how SQL calls the row of the table `alias` in the table of versions:
// by its rowid, or by its primary key as a text.
void sqlite_put_key(FILE *out, const struct sqlite_own_table *own,
                    const struct instrument_table *table, const char *alias,
                    int length);

// ---- Sessions

// A session's notes of what its statements change.
struct sqlite_own_session;

// Makes a connection tell of its changes; -1 with a sentence.
int sqlite_own_open(struct sqlite_session *session, sqlite3 *db,
                    struct error *error);
void sqlite_own_close(struct sqlite_own_session *own);

// Gives each row that a statement changed its new version, and adds the changes
// to the answer.  Returns a code of SQLite, which is SQLITE_OK if all went
// well.
int sqlite_own_note(struct sqlite_own_session *own, bool could_change,
                    struct instrument_answer *answer);
// How many rows the last statement that could change some did change.
int sqlite_own_changes(const struct sqlite_own_session *own);
// The statement failed: its changes are forgotten.
void sqlite_own_forget(struct sqlite_own_session *own);

// ---- Statements

void sqlite_choose_way(struct target *target, const char *text,
                       const struct sql_outline *outline,
                       const struct instrument_tables *tables,
                       struct instrument_way *way);
enum outcome sqlite_execute_own(struct connection *connection, const char *text,
                                const struct sql_outline *outline,
                                const struct instrument_way *way,
                                struct instrument_answer *answer);

int sqlite_rank(struct target *target, const struct instrument_tables *tables,
                uint32_t table, const char *column, const char *const *images,
                uint32_t n, int64_t *ranks,
                struct instrument_comparison *comparisons,
                uint32_t ncomparisons, struct error *error);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// MariaDB and MySQL run the user's own SQL (drivers/instrument.h).  Each table
// gets one more column, which no statement sees that does not name it: the
// number of the row's version.  Triggers give a new number to each row that is
// inserted or changed, and add what they see to a variable of the session,
// which comes with the answer of the statement.
#ifndef DRIVERS_MYSQL_INSTRUMENT_H
#define DRIVERS_MYSQL_INSTRUMENT_H

#include "drivers/instrument.h"
#include "drivers/mysql/session.h"

#include <stdatomic.h>

// Tables and columns of a run begin with this.
#define MYSQLDB_OWN "isostress_"

struct mysqldb_own_table {
  char *name;    // in backticks
  char *version; // the column, likewise
  char *select;  // all versions, keys and images
  bool *moves;   // of each column: it may change, and no trigger tells
};

struct mysqldb_instrument {
  struct mysqldb_own_table *tables; // as those of struct instrument_tables
  uint32_t ntables, room;
  bool functions; // a SELECT may change rows
  // A session was at SERIALIZABLE, where a SELECT locks what it reads.
  atomic_bool reads_lock;
};

extern const struct instrument mysqldb_instrument;

void mysqldb_instrument_free(struct mysqldb_instrument *instrument);

// Sets a session up for the statements of a run.
#define MYSQLDB_OWN_MODE "'STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION'"
int mysqldb_own_session(MYSQL *mysql);

// The rows of a query, to be freed with mysql_free_result; NULL with a
// sentence, which says `what` could not be done.
MYSQL_RES *mysqldb_query(const struct mysqldb_target *target, MYSQL *mysql,
                         const char *sql, const char *what,
                         struct error *error);

// Takes the account of triggers.  False: some of it is missing.
bool mysqldb_take_notes(const struct mysqldb_instrument *instrument,
                        const char *text, uint64_t length,
                        struct instrument_answer *answer);

// The end of the value of an image that begins at `at`: "12", "NULL", "'it\'s'"
// or "x'00'".
const char *mysqldb_image_value_end(const char *at);

// ---- The schema of the user's

struct mysqldb_own_making {
  struct mysqldb_target *target;
  MYSQL *mysql;
  const char *path; // of the schema, for sentences
  const char *mark; // the table that lists what the run has made
  uint32_t nversions;
  struct error *error;
};

// Executes a composed text, which is freed.
int mysqldb_own_do(struct mysqldb_own_making *making, char *sql);

// Executes the user's schema, and gives each table of it a column for versions
// and a trigger that fills it.
int mysqldb_own_schema(struct mysqldb_own_making *making, const char *schema);

// Creates a trigger of a composed text, which is freed.
int mysqldb_own_trigger(struct mysqldb_own_making *making, const char *table,
                        char *sql);

// Lists what the database has beside tables of other runs: kinds and names.
#define MYSQLDB_OWN_OBJECTS                                                    \
  "SELECT IF(TABLE_TYPE = 'VIEW', 'VIEW', IF(TABLE_TYPE = 'SEQUENCE', "        \
  "'SEQUENCE', 'TABLE')) AS kind, TABLE_NAME AS name FROM "                    \
  "information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND "             \
  "LOCATE('" SQL_COMMENT "', TABLE_COMMENT) <> 1 UNION ALL SELECT "            \
  "ROUTINE_TYPE, ROUTINE_NAME FROM information_schema.ROUTINES WHERE "         \
  "ROUTINE_SCHEMA = DATABASE() UNION ALL SELECT 'EVENT', EVENT_NAME FROM "     \
  "information_schema.EVENTS WHERE EVENT_SCHEMA = DATABASE()"

// Notes what is new in the list that the table `mark` holds.
int mysqldb_own_note(struct mysqldb_own_making *making);

// ---- What the instrument does

// Drops what an earlier run has made, whose number is added.
int mysqldb_own_drop(const struct mysqldb_target *target, MYSQL *mysql,
                     uint64_t *removed, struct error *error);

int mysqldb_own_setup(struct target *target, const char *path,
                      const char *schema, struct instrument_tables *tables,
                      struct error *error);
int mysqldb_read_versions(struct target *target,
                          const struct instrument_tables *tables,
                          struct instrument_tables *found, struct error *error);
int mysqldb_rank(struct target *target, const struct instrument_tables *tables,
                 uint32_t table, const char *column, const char *const *images,
                 uint32_t n, int64_t *ranks,
                 struct instrument_comparison *comparisons,
                 uint32_t ncomparisons, struct error *error);

#endif

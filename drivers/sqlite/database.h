// SPDX-License-Identifier: GPL-3.0-or-later
// The database file of the SQLite driver: its path, options and tables.  What
// sessions do with it is in sqlite.c.
#ifndef DRIVERS_SQLITE_DATABASE_H
#define DRIVERS_SQLITE_DATABASE_H

#include "drivers/driver.h"
#include "drivers/sql_text/sql_rows.h"

#include <sqlite3.h>

struct sqlite_instrument;

struct sqlite_database {
  struct target base;
  char *path;
  const char *begin, *journal, *synchronous; // as in options; constant strings
  uint32_t busy;                             // ms
  struct sql_rows_dialect dialect;           // of tables of rows
  const struct tables *tables;               // these; or NULL
  bool indexed;                              // they have an index
  char *claim; // path of the file whose lock keeps other runs away; or NULL
  int claimed; // its descriptor
  struct sqlite_instrument *own; // of the user's own SQL; or NULL
};

static inline const struct sqlite_database *
sqlite_database_of(const struct target *target) {
  return (const struct sqlite_database *)target;
}

// Those of `struct driver`.
extern const struct driver_option sqlite_options[];
int sqlite_target_open(const struct target_spec *spec, struct target **target,
                       struct error *error);
void sqlite_target_close(struct target *target);
int sqlite_setup(struct target *target, const struct keyspace *keys,
                 struct error *error);
int sqlite_follow(struct target *target, const struct keyspace *keys,
                  struct error *error);
int sqlite_clean(struct target *target, uint64_t *removed, struct error *error);
void sqlite_describe(struct target *target, char *text, size_t room);

// Sets the database up: claims the file and has `make` make its tables of
// the context, in one transaction.
int sqlite_make(struct sqlite_database *database, const void *context,
                int (*make)(const struct sqlite_database *database, sqlite3 *db,
                            const void *context, struct error *error),
                struct error *error);

// After sqlite_make: writes into the claim which run has it, for sqlite_follow.
int sqlite_note_run(const struct sqlite_database *database,
                    const struct keyspace *keys, struct error *error);

// Executes statements of one text; -1 with a sentence that says that the file
// cannot be prepared.
int sqlite_prepare_by(const struct sqlite_database *database, sqlite3 *db,
                      const char *sql, struct error *error);

// Opens the file for one thread at a time, with extended result codes and the
// busy timeout; `flags` are further SQLITE_OPEN_ flags.  -1 with a sentence.
// Without SQLITE_OPEN_CREATE the file must exist.
int sqlite_database_open(const struct sqlite_database *database, int flags,
                         sqlite3 **db, struct error *error);

// All statements must have been finalized.  NULL is closed already.
void sqlite_database_close(sqlite3 *db);

// The sentence for what `db` refused last, which was `doing`, such as "cannot
// be read"; returns -1.
int sqlite_say(struct error *error, const struct sqlite_database *database,
               sqlite3 *db, const char *doing);

#endif

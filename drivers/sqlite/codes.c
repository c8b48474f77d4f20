// SPDX-License-Identifier: GPL-3.0-or-later
// The table of SQLite's result codes (drivers/sqlite/codes.h), as described on
// sqlite.org/rescode.html.
#include "config.h"

#include "drivers/sqlite/codes.h"

#include <sqlite3.h>
#include <stdio.h>

// A transaction that waited for a lock in vain, or that SQLite does not let
// wait because it reads from a snapshot already and the wait could not end
// well, is a lock timeout.  BUSY_SNAPSHOT is different: the lock was free, but
// somebody has committed since the snapshot, so that writing from it would not
// be serializable.
#define ROW(code, cause)                                                       \
  { code, #code, cause }
static const struct code_row {
  int code;
  const char *name;
  enum cause cause;
} rows[] = {
    ROW(SQLITE_BUSY, CAUSE_LOCK_TIMEOUT),
    ROW(SQLITE_BUSY_SNAPSHOT, CAUSE_SERIALIZATION),
    ROW(SQLITE_BUSY_RECOVERY, CAUSE_LOCK_TIMEOUT),
    ROW(SQLITE_BUSY_TIMEOUT, CAUSE_LOCK_TIMEOUT),
    ROW(SQLITE_LOCKED, CAUSE_LOCK_TIMEOUT),
    ROW(SQLITE_LOCKED_SHAREDCACHE, CAUSE_LOCK_TIMEOUT),
    ROW(SQLITE_PROTOCOL, CAUSE_LOCK_TIMEOUT),
    ROW(SQLITE_INTERRUPT, CAUSE_STATEMENT_TIMEOUT),
    ROW(SQLITE_CONSTRAINT, CAUSE_CONSTRAINT),
    ROW(SQLITE_CONSTRAINT_CHECK, CAUSE_CONSTRAINT),
    ROW(SQLITE_CONSTRAINT_FOREIGNKEY, CAUSE_CONSTRAINT),
    ROW(SQLITE_CONSTRAINT_NOTNULL, CAUSE_CONSTRAINT),
    ROW(SQLITE_CONSTRAINT_PRIMARYKEY, CAUSE_CONSTRAINT),
    ROW(SQLITE_CONSTRAINT_TRIGGER, CAUSE_CONSTRAINT),
    ROW(SQLITE_CONSTRAINT_UNIQUE, CAUSE_CONSTRAINT),
    ROW(SQLITE_CANTOPEN, CAUSE_CONNECTION),
    ROW(SQLITE_READONLY_DBMOVED, CAUSE_CONNECTION),
    ROW(SQLITE_READONLY, CAUSE_OTHER),
    ROW(SQLITE_READONLY_DIRECTORY, CAUSE_OTHER),
    ROW(SQLITE_FULL, CAUSE_OTHER),
    ROW(SQLITE_IOERR, CAUSE_OTHER),
    ROW(SQLITE_IOERR_READ, CAUSE_OTHER),
    ROW(SQLITE_IOERR_SHORT_READ, CAUSE_OTHER),
    ROW(SQLITE_IOERR_WRITE, CAUSE_OTHER),
    ROW(SQLITE_IOERR_FSYNC, CAUSE_OTHER),
    ROW(SQLITE_IOERR_DIR_FSYNC, CAUSE_OTHER),
    ROW(SQLITE_IOERR_TRUNCATE, CAUSE_OTHER),
    ROW(SQLITE_IOERR_DELETE, CAUSE_OTHER),
    ROW(SQLITE_IOERR_LOCK, CAUSE_OTHER),
    ROW(SQLITE_IOERR_NOMEM, CAUSE_OTHER),
    ROW(SQLITE_IOERR_SHMOPEN, CAUSE_OTHER),
    ROW(SQLITE_IOERR_SHMMAP, CAUSE_OTHER),
    ROW(SQLITE_CORRUPT, CAUSE_OTHER),
    ROW(SQLITE_NOTADB, CAUSE_OTHER),
    ROW(SQLITE_NOMEM, CAUSE_OTHER),
    ROW(SQLITE_ABORT, CAUSE_OTHER),
    ROW(SQLITE_ABORT_ROLLBACK, CAUSE_OTHER),
    ROW(SQLITE_SCHEMA, CAUSE_OTHER),
    ROW(SQLITE_TOOBIG, CAUSE_OTHER),
    ROW(SQLITE_PERM, CAUSE_OTHER),
    ROW(SQLITE_AUTH, CAUSE_OTHER),
    ROW(SQLITE_NOLFS, CAUSE_OTHER),
    ROW(SQLITE_INTERNAL, CAUSE_OTHER),
    ROW(SQLITE_MISUSE, CAUSE_OTHER),
    ROW(SQLITE_ERROR, CAUSE_OTHER),
};

static const struct code_row *row_of_code(int code) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (rows[i].code == code)
      return &rows[i];
  return NULL;
}

enum cause sqlite_cause(int rc, char *name, size_t room) {
  const struct code_row *row = row_of_code(rc);
  if (row) {
    snprintf(name, room, "%s", row->name);
    return row->cause;
  }
  row = row_of_code(rc & 0xff);
  if (row)
    snprintf(name, room, "%s/%d", row->name, rc >> 8);
  else
    snprintf(name, room, "SQLITE_%d", rc);
  return row ? row->cause : CAUSE_OTHER;
}

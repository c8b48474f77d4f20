// SPDX-License-Identifier: GPL-3.0-or-later
// Opening, checking and filling a database file
// (drivers/sqlite/database.h).
#include "config.h"

#include "drivers/sqlite/database.h"

#include "base/memory.h"
#include "drivers/options.h"
#include "drivers/sqlite/codes.h"
#include "drivers/sqlite/instrument.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum option {
  BEGIN_MODE,
  BUSY,
  JOURNAL,
  SYNCHRONOUS,
  INDEX,
  DELETES,
  INSTRUMENT
};

const struct driver_option sqlite_options[] = {
    // SQLite's own default.  Immediate transactions never abort, but they also
    // run strictly one after the other, so there is no isolation to be tested.
    [BEGIN_MODE] =
        {"begin", "deferred",
         "deferred or immediate; a deferred transaction aborts if another one "
         "wrote between its first read and its first write"},
    [BUSY] = {"busy", "5s", "how long to wait for a lock, such as 100ms or 5s"},
    [JOURNAL] = {"journal", "wal",
                 "wal or delete; the database file remembers it"},
    [SYNCHRONOUS] = {"synchronous", "normal",
                     "off, normal or full: when commits reach the disk"},
    [INDEX] = {"index", "none",
               "of tables of rows: none or btree, on the column of most "
               "conditions"},
    [DELETES] = {"deletes", "real", SQL_ROWS_DELETES},
    [INSTRUMENT] = SQL_ROWS_INSTRUMENT,
    {0},
};

static const char schema[] =
    "DROP TABLE IF EXISTS isostress_kv;"
    "DROP TABLE IF EXISTS isostress_list;"
    "CREATE TABLE isostress_kv (k INTEGER PRIMARY KEY, v INTEGER NOT NULL);"
    "CREATE TABLE isostress_list (k INTEGER, position INTEGER,"
    " v INTEGER NOT NULL, PRIMARY KEY (k, position)) WITHOUT ROWID;";

static const char preload[] =
    "WITH RECURSIVE keys (k) AS"
    " (SELECT 0 UNION ALL SELECT k + 1 FROM keys WHERE k + 1 < %llu)"
    "INSERT INTO isostress_kv (k, v) SELECT k, 0 FROM keys;";

// Refuses a path that the file system can tell to be wrong.
static int check_path(const char *path, struct error *error) {
  if (!*path || *path == ':' || !strncasecmp(path, "file:", 5))
    return error_set(error,
                     "sqlite:%s names no file; write sqlite:PATH, such "
                     "as sqlite:/tmp/test.db",
                     path);
  struct stat status;
  if (!stat(path, &status)) {
    if (S_ISDIR(status.st_mode))
      return error_set(error, "%s is a directory; name a database file in it",
                       path);
    if (!S_ISREG(status.st_mode))
      return error_set(error, "%s is no regular file; name a database file",
                       path);
    return 0;
  }
  char *copy = xstrdup(path), *directory = dirname(copy);
  int result = 0;
  if (stat(directory, &status))
    result = error_set(error,
                       "%s cannot be opened: %s: %s; create the "
                       "directory first",
                       path, directory, strerror(errno));
  else if (faccessat(AT_FDCWD, directory, W_OK, AT_EACCESS))
    result = error_set(error, "%s cannot be created: %s: %s", path, directory,
                       strerror(errno));
  free(copy);
  return result;
}

int sqlite_say(struct error *error, const struct sqlite_database *database,
               sqlite3 *db, const char *doing) {
  char code[32];
  int rc = sqlite3_extended_errcode(db);
  sqlite_cause(rc, code, sizeof code);
  if ((rc & 0xff) == SQLITE_NOTADB)
    return error_set(error,
                     "%s is not an SQLite database; name another file "
                     "or a new one",
                     database->path);
  return error_set(error, "%s: %s: %s (%s)", database->path, doing,
                   sqlite3_errmsg(db), code);
}

void sqlite_database_close(sqlite3 *db) {
  int rc = sqlite3_close(db);
  assert(rc == SQLITE_OK);
  (void)rc;
}

int sqlite_database_open(const struct sqlite_database *database, int flags,
                         sqlite3 **db, struct error *error) {
  int rc = sqlite3_open_v2(database->path, db,
                           SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | flags,
                           NULL);
  if (!*db)
    out_of_memory(0);
  sqlite3_extended_result_codes(*db, 1);
  sqlite3_busy_timeout(*db, (int)database->busy);
  if (rc == SQLITE_OK)
    return 0;
  sqlite_say(error, database, *db, "cannot be opened");
  sqlite_database_close(*db);
  *db = NULL;
  return -1;
}

// Reads the header, which opening does not.
static int check_database(const struct sqlite_database *database,
                          struct error *error) {
  sqlite3 *db;
  if (sqlite_database_open(database, SQLITE_OPEN_CREATE, &db, error))
    return -1;
  int result = 0;
  if (sqlite3_exec(db, "PRAGMA schema_version", NULL, NULL, NULL))
    result = sqlite_say(error, database, db, "cannot be read");
  else if (sqlite3_db_readonly(db, "main"))
    result = error_set(error,
                       "%s cannot be written; change its permissions "
                       "or name another file",
                       database->path);
  sqlite_database_close(db);
  return result;
}

static int take_option_choice(const struct target_spec *spec,
                              enum option option, const char *const *words,
                              const char **word, struct error *error) {
  int i = option_choice(sqlite_options[option].name, spec->values[option],
                        words, error);
  *word = i < 0 ? NULL : words[i];
  return i < 0 ? -1 : 0;
}

static int take_sqlite_options(const struct target_spec *spec,
                               struct sqlite_database *database,
                               struct error *error) {
  static const char *const begins[] = {"deferred", "immediate", NULL};
  static const char *const journals[] = {"wal", "delete", NULL};
  static const char *const syncs[] = {"off", "normal", "full", NULL};
  static const char *const indexes[] = {"none", "btree", NULL};
  static const char *const deletes[] = {"real", "soft", NULL};
  const char *index, *deletion;
  if (take_option_choice(spec, BEGIN_MODE, begins, &database->begin, error) ||
      take_option_choice(spec, JOURNAL, journals, &database->journal, error) ||
      take_option_choice(spec, SYNCHRONOUS, syncs, &database->synchronous,
                         error) ||
      take_option_choice(spec, INDEX, indexes, &index, error) ||
      take_option_choice(spec, DELETES, deletes, &deletion, error))
    return -1;
  database->indexed = index == indexes[1];
  database->dialect = (struct sql_rows_dialect){.quote = '"',
                                                .integer = "INTEGER",
                                                .options = "",
                                                .soft = deletion == deletes[1],
                                                .lock = "",
                                                .nothing = {"OR IGNORE ", ""}};
  return sql_rows_read_instrument(spec->values[INSTRUMENT], &database->base,
                                  &database->dialect, error) ||
                 option_milliseconds(sqlite_options[BUSY].name,
                                     spec->values[BUSY], &database->busy, error)
             ? -1
             : 0;
}

// ---- The claim

// The file is removed under its lock, so nobody else has it then.
static void release_sqlite_tables(struct sqlite_database *database) {
  if (!database->claim)
    return;
  unlink(database->claim);
  close(database->claimed);
  free(database->claim);
  database->claim = NULL;
}

// Opens and locks the file of this path.  Returns its descriptor, -1 with
// errno: EWOULDBLOCK if another run has the lock.  Whoever had the lock before
// may have removed the file after it was opened here; then there is a new one.
static int lock_file(const char *path) {
  for (;;) {
    struct stat opened, named;
    const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0)
      return -1;
    if (flock(fd, LOCK_EX | LOCK_NB)) {
      const int cause = errno;
      close(fd);
      errno = cause;
      return -1;
    }
    if (!fstat(fd, &opened) && !stat(path, &named) &&
        opened.st_ino == named.st_ino && opened.st_dev == named.st_dev)
      return fd;
    close(fd);
  }
}

// To be freed.
static char *path_of_claim(const struct sqlite_database *database) {
  char *real = realpath(database->path, NULL);
  char *path = xasprintf("%s-isostress", real ? real : database->path);
  free(real);
  return path;
}

// The lock is on a file of its own: closing a descriptor of the database file
// would drop the locks that SQLite has on it.  The kernel drops this one when
// the process ends, however it ends.
static int claim_sqlite_tables(struct sqlite_database *database,
                               struct error *error) {
  char *path = path_of_claim(database);
  const int fd = lock_file(path);
  if (fd >= 0) {
    database->claim = path;
    database->claimed = fd;
    return 0;
  }
  if (errno == EWOULDBLOCK)
    error_set(error,
              "%s: another run uses this file; wait until it has ended, or "
              "name another file",
              database->path);
  else
    error_set(error, "%s cannot be locked: %m", path);
  free(path);
  return -1;
}

// ---- The target

void sqlite_target_close(struct target *target) {
  struct sqlite_database *database = (struct sqlite_database *)target;
  release_sqlite_tables(database);
  sqlite_instrument_free(database->own);
  free(database->path);
  free(database);
}

int sqlite_target_open(const struct target_spec *spec, struct target **target,
                       struct error *error) {
  struct sqlite_database *database = xcalloc(1, sizeof *database);
  database->path = xstrdup(spec->place);
  if (take_sqlite_options(spec, database, error) ||
      check_path(database->path, error) || check_database(database, error)) {
    sqlite_target_close(&database->base);
    return -1;
  }
  *target = &database->base;
  return 0;
}

// Switches the journal mode; SQLite answers with the mode it ended up in.
static int set_journal(const struct sqlite_database *database, sqlite3 *db,
                       struct error *error) {
  char text[64];
  sqlite3_stmt *statement;
  snprintf(text, sizeof text, "PRAGMA journal_mode = %s", database->journal);
  if (sqlite3_prepare_v2(db, text, -1, &statement, NULL))
    return sqlite_say(error, database, db, "cannot be prepared");
  int result = 0;
  if (sqlite3_step(statement) != SQLITE_ROW)
    result = sqlite_say(error, database, db, "cannot switch its journal mode");
  else if (strcasecmp((const char *)sqlite3_column_text(statement, 0),
                      database->journal))
    result = error_set(error,
                       "%s: the journal mode stays %s; the file system "
                       "may not support %s",
                       database->path, sqlite3_column_text(statement, 0),
                       database->journal);
  sqlite3_finalize(statement);
  return result;
}

int sqlite_prepare_by(const struct sqlite_database *database, sqlite3 *db,
                      const char *sql, struct error *error) {
  return sqlite3_exec(db, sql, NULL, NULL, NULL)
             ? sqlite_say(error, database, db, "cannot be prepared")
             : 0;
}

static int make_sqlite_keys(const struct sqlite_database *database, sqlite3 *db,
                            const void *context, struct error *error) {
  const struct keyspace *keys = context;
  char rows[sizeof preload + 20] = "";
  if (keys->preload && !keys->lists && keys->nkeys)
    snprintf(rows, sizeof rows, preload, (unsigned long long)keys->nkeys);
  return sqlite_prepare_by(database, db, schema, error) ||
                 sqlite_prepare_by(database, db, rows, error)
             ? -1
             : 0;
}

int sqlite_make(struct sqlite_database *database, const void *context,
                int (*make)(const struct sqlite_database *database, sqlite3 *db,
                            const void *context, struct error *error),
                struct error *error) {
  sqlite3 *db;
  release_sqlite_tables(database);
  if (claim_sqlite_tables(database, error) ||
      sqlite_database_open(database, SQLITE_OPEN_CREATE, &db, error))
    return -1;
  const int result =
      set_journal(database, db, error) ||
              sqlite_prepare_by(database, db, "BEGIN IMMEDIATE", error) ||
              make(database, db, context, error) ||
              sqlite_prepare_by(database, db, "COMMIT", error)
          ? -1
          : 0;
  // So that the run does not start with copying all of this into the file; in
  // the way of it stands at most another program that reads, which is no harm.
  if (!result)
    sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
  sqlite_database_close(db);
  return result;
}

int sqlite_note_run(const struct sqlite_database *database,
                    const struct keyspace *keys, struct error *error) {
  if (ftruncate(database->claimed, 0) ||
      dprintf(database->claimed, "%llu\n", (unsigned long long)keys->run) < 0)
    return error_cannot(error, database->claim, "written");
  return 0;
}

int sqlite_setup(struct target *target, const struct keyspace *keys,
                 struct error *error) {
  struct sqlite_database *database = (struct sqlite_database *)target;
  return sqlite_make(database, keys, make_sqlite_keys, error) ||
                 sqlite_note_run(database, keys, error)
             ? -1
             : 0;
}

int sqlite_follow(struct target *target, const struct keyspace *keys,
                  struct error *error) {
  struct sqlite_database *database = (struct sqlite_database *)target;
  char *path = path_of_claim(database);
  FILE *file = fopen(path, "re");
  unsigned long long run = 0;
  const bool noted = file && fscanf(file, "%llu", &run) == 1;
  if (file)
    fclose(file);
  else
    error_cannot(error, path, "opened");
  free(path);
  database->tables = keys->tables;
  return !file ? -1 : noted && run == keys->run;
}

// Our tables of rows are known by the columns that each of them has.
static const char ours[] =
    "SELECT name FROM sqlite_master WHERE type = 'table' AND (name IN"
    " ('isostress_kv', 'isostress_list') OR (name GLOB 'isostress_*' AND sql"
    " GLOB '* wid INTEGER NOT NULL, prev INTEGER NOT NULL*')) LIMIT 1";

// The name of one of our tables, to be freed; NULL if there is none, or with a
// sentence.
static char *find_table(const struct sqlite_database *database, sqlite3 *db,
                        struct error *error) {
  sqlite3_stmt *statement;
  char *name = NULL;
  error->text[0] = '\0';
  if (sqlite3_prepare_v2(db, ours, -1, &statement, NULL)) {
    sqlite_say(error, database, db, "cannot be searched for tables");
    return NULL;
  }
  if (sqlite3_step(statement) == SQLITE_ROW)
    name = sqlite3_mprintf("DROP TABLE \"%w\"",
                           (const char *)sqlite3_column_text(statement, 0));
  sqlite3_finalize(statement);
  return name;
}

int sqlite_clean(struct target *target, uint64_t *removed,
                 struct error *error) {
  struct sqlite_database *database = (struct sqlite_database *)target;
  sqlite3 *db;
  *removed = 0;
  release_sqlite_tables(database);
  if (claim_sqlite_tables(database, error) ||
      sqlite_database_open(database, 0, &db, error))
    return -1;
  int failed = sqlite_prepare_by(database, db, "BEGIN IMMEDIATE", error);
  for (char *drop; !failed && (drop = find_table(database, db, error));
       ++*removed) {
    failed = sqlite_prepare_by(database, db, drop, error);
    sqlite3_free(drop);
  }
  if (!failed)
    failed = error->text[0] || sqlite_own_drop(database, db, removed, error) ||
                     sqlite_prepare_by(database, db, "COMMIT", error)
                 ? -1
                 : 0;
  sqlite_database_close(db);
  return failed;
}

void sqlite_describe(struct target *target, char *text, size_t room) {
  const struct sqlite_database *database = sqlite_database_of(target);
  snprintf(text, room,
           "SQLite %s, journal_mode %s, synchronous %s, BEGIN %s, "
           "busy timeout %u ms",
           sqlite3_libversion(), database->journal, database->synchronous,
           database->begin, database->busy);
}

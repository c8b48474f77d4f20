// SPDX-License-Identifier: GPL-3.0-or-later
// Drops the tables that a run of the user's own SQL made
// (drivers/sqlite/instrument.h), and no others: their names are kept beside
// them.
#include "config.h"

#include "drivers/sqlite/instrument.h"

#include <string.h>

// Tables and views that an earlier run made; virtual ones first, which drop
// what they rest on.
static const char made_before[] =
    "SELECT type, name FROM main.sqlite_master WHERE type IN ('table', 'view') "
    "AND name NOT GLOB 'sqlite_*' AND (type, name) IN (SELECT type, name FROM "
    "main.isostress_made) ORDER BY type = 'table', rootpage > 0 LIMIT 1";

static int has_table(const struct sqlite_database *database, sqlite3 *db,
                     const char *name, bool *has, struct error *error) {
  sqlite3_stmt *query = NULL;
  if (sqlite3_prepare_v2(db, "SELECT 1 FROM main.sqlite_master WHERE name = ?1",
                         -1, &query, NULL))
    return sqlite_say(error, database, db, "cannot be read");
  sqlite3_bind_text(query, 1, name, -1, SQLITE_STATIC);
  *has = sqlite3_step(query) == SQLITE_ROW;
  sqlite3_finalize(query);
  return 0;
}

// Drops one of them; `*dropped`: 0: there is none, 1: a table, 2: a view.
static int drop_one(const struct sqlite_database *database, sqlite3 *db,
                    int *dropped, struct error *error) {
  sqlite3_stmt *query = NULL;
  char *drop = NULL;
  *dropped = 0;
  if (sqlite3_prepare_v2(db, made_before, -1, &query, NULL))
    return sqlite_say(error, database, db, "cannot be read");
  if (sqlite3_step(query) == SQLITE_ROW) {
    *dropped =
        strcmp((const char *)sqlite3_column_text(query, 0), "table") ? 2 : 1;
    drop = sqlite3_mprintf("DROP %s main.\"%w\"",
                           (const char *)sqlite3_column_text(query, 0),
                           (const char *)sqlite3_column_text(query, 1));
  }
  sqlite3_finalize(query);
  const int failed = drop ? sqlite_prepare_by(database, db, drop, error) : 0;
  sqlite3_free(drop);
  return failed;
}

int sqlite_own_drop(const struct sqlite_database *database, sqlite3 *db,
                    uint64_t *removed, struct error *error) {
  bool has = false;
  int dropped = 1;
  if (has_table(database, db, "isostress_made", &has, error))
    return -1;
  while (has && dropped) {
    if (drop_one(database, db, &dropped, error))
      return -1;
    *removed += dropped == 1;
  }
  return has ? sqlite_prepare_by(database, db,
                                 "DROP TABLE IF EXISTS isostress_version; "
                                 "DROP TABLE isostress_made",
                                 error)
             : 0;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// The words about SQLite (drivers/words.h), and what is typed into sqlite3.
#include "config.h"

#include "drivers/words.h"

#include <stddef.h>

static const struct shell_commands sqlite3_commands = {
    .comment = "--",
    .table = "CREATE TABLE t (k INTEGER PRIMARY KEY, v INTEGER);",
    .list_table = "CREATE TABLE t (k INTEGER PRIMARY KEY, v TEXT NOT NULL);",
    .preload = "INSERT INTO t VALUES (%k, 0);",
    .last = "SELECT k, v FROM t ORDER BY k;",
    .begin = "BEGIN;",
    .read = "SELECT v FROM t WHERE k = %k;",
    .read_list = "SELECT v FROM t WHERE k = %k;",
    .write = "UPDATE t SET v = %v WHERE k = %k;",
    .append = "INSERT INTO t VALUES (%k, ' %v') ON CONFLICT (k) DO UPDATE SET "
              "v = v || excluded.v;",
    .cas = "UPDATE t SET v = %v WHERE k = %k AND v = %e;",
    .commit = "COMMIT;",
    .rollback = "ROLLBACK;",
    .apart_level = "read uncommitted",
    .apart =
        "The sessions of the run shared a cache, which only connections of "
        "one process can do. Terminals cannot: one of them is told "
        "\fdatabase is locked\f instead.",
    .sql = {.options = "", .lock = "", .nothing = {"OR IGNORE ", ""}},
};

const struct driver_words sqlite_words = {
    .driver = "sqlite",
    .scheme = "sqlite",
    .name = "SQLite",
    .manual = SQLITE_MANUAL,
    .is_alone = true,
    .shell = "sqlite3 " SHELL_SCHEMA ".db",
    .commands = &sqlite3_commands,
};

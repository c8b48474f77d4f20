// SPDX-License-Identifier: GPL-3.0-or-later
// The words about PostgreSQL (drivers/words.h), and what is typed into psql.
#include "config.h"

#include "drivers/words.h"

#include <stddef.h>

static const struct shell_commands psql = {
    .comment = "--",
    .table =
        "CREATE TABLE " SHELL_SCHEMA ".t (k bigint PRIMARY KEY, v bigint);",
    .list_table = "CREATE TABLE " SHELL_SCHEMA
                  ".t (k bigint PRIMARY KEY, v bigint[] NOT NULL);",
    .preload = "INSERT INTO " SHELL_SCHEMA ".t VALUES (%k, 0);",
    .last = "SELECT k, v FROM " SHELL_SCHEMA ".t ORDER BY k;",
    .begin = "BEGIN ISOLATION LEVEL %l%m;",
    .modes =
        {[SHELL_READ_ONLY] = "READ ONLY", [SHELL_DEFERRABLE] = "DEFERRABLE"},
    .set_modes = "SET TRANSACTION%m",
    .read = "SELECT v FROM t WHERE k = %k;",
    .read_list = "SELECT v FROM t WHERE k = %k;",
    .write = "UPDATE t SET v = %v WHERE k = %k;",
    .append = "INSERT INTO t VALUES (%k, '{%v}') ON CONFLICT (k) DO UPDATE SET "
              "v = t.v || excluded.v;",
    .cas = "UPDATE t SET v = %v WHERE k = %k AND v = %e;",
    .commit = "COMMIT;",
    .rollback = "ROLLBACK;",
    .sql = {.create = "CREATE SCHEMA " SHELL_SCHEMA ";",
            .use = "SET search_path = " SHELL_SCHEMA ";",
            .drop = "DROP SCHEMA " SHELL_SCHEMA " CASCADE;",
            .options = "",
            .lock = " FOR UPDATE",
            .nothing = {"", " ON CONFLICT DO NOTHING"}},
};

const struct driver_words postgresql_words = {
    .driver = "postgresql",
    .scheme = "postgresql",
    .alias = "postgres",
    .name = "PostgreSQL",
    .manual = POSTGRESQL_MANUAL,
    .shell = "psql",
    .commands = &psql,
};

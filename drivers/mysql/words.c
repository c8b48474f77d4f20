// SPDX-License-Identifier: GPL-3.0-or-later
// The words about MySQL and MariaDB (drivers/words.h), and what is typed into
// their shells.
#include "config.h"

#include "drivers/words.h"

#include <stddef.h>

static const struct shell_commands innodb = {
    .comment = "--",
    .table = "CREATE TABLE " SHELL_SCHEMA
             ".t (k BIGINT PRIMARY KEY, v BIGINT) ENGINE=InnoDB;",
    .list_table = "CREATE TABLE " SHELL_SCHEMA
                  ".t (k BIGINT PRIMARY KEY, v TEXT NOT NULL) ENGINE=InnoDB;",
    .preload = "INSERT INTO " SHELL_SCHEMA ".t VALUES (%k, 0);",
    .last = "SELECT k, v FROM " SHELL_SCHEMA ".t ORDER BY k;",
    .begin = "SET SESSION TRANSACTION ISOLATION LEVEL %l;\n"
             "START TRANSACTION%m;",
    .modes = {[SHELL_READ_ONLY] = "READ ONLY",
              [SHELL_SNAPSHOT] = "WITH CONSISTENT SNAPSHOT"},
    .set_modes = "START TRANSACTION%m",
    .read = "SELECT v FROM t WHERE k = %k;",
    .read_list = "SELECT v FROM t WHERE k = %k;",
    .write = "UPDATE t SET v = %v WHERE k = %k;",
    .append = "INSERT INTO t VALUES (%k, ' %v') ON DUPLICATE KEY UPDATE v = "
              "concat(v, ' %v');",
    .cas = "UPDATE t SET v = %v WHERE k = %k AND v = %e;",
    .commit = "COMMIT;",
    .rollback = "ROLLBACK;",
    .sql = {.create = "CREATE DATABASE " SHELL_SCHEMA ";",
            .use = "USE " SHELL_SCHEMA ";",
            .drop = "DROP DATABASE " SHELL_SCHEMA ";",
            .options = " ENGINE=InnoDB",
            .lock = " FOR UPDATE",
            .nothing = {"IGNORE ", ""},
            .divides_exactly = true},
};

const struct driver_words mysql_words = {
    .driver = "mysql",
    .scheme = "mysql",
    .name = "MySQL",
    .manual = MYSQL_MANUAL,
    .shell = "mysql",
    .commands = &innodb,
};

const struct driver_words mariadb_words = {
    .driver = "mysql",
    .scheme = "mariadb",
    .name = "MariaDB",
    .manual = MARIADB_MANUAL,
    .shell = "mariadb",
    .commands = &innodb,
};

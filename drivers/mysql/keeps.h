// SPDX-License-Identifier: GPL-3.0-or-later
// The promises of MariaDB's and MySQL's settings about acknowledged commits,
// and whether a host takes writes.
#ifndef DRIVERS_MYSQL_KEEPS_H
#define DRIVERS_MYSQL_KEEPS_H

#include "drivers/driver.h"

// See drivers/driver.h.
enum keeps_commits mysqldb_keeps(struct target *target, char *text,
                                 size_t room);
bool mysqldb_takes_writes(struct connection *connection);

#endif

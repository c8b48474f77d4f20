// SPDX-License-Identifier: GPL-3.0-or-later
// The promises of PostgreSQL's settings about acknowledged commits, and whether
// a host takes writes.
#ifndef DRIVERS_POSTGRESQL_KEEPS_H
#define DRIVERS_POSTGRESQL_KEEPS_H

#include "drivers/driver.h"

// See drivers/driver.h.
enum keeps_commits postgresql_keeps(struct target *target, char *text,
                                    size_t room);
bool postgresql_takes_writes(struct connection *connection);

#endif

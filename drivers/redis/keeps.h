// SPDX-License-Identifier: GPL-3.0-or-later
// The promises of Redis's settings about acknowledged commits, and whether a
// host takes writes.
#ifndef DRIVERS_REDIS_KEEPS_H
#define DRIVERS_REDIS_KEEPS_H

#include "drivers/driver.h"

// See drivers/driver.h.
enum keeps_commits redis_keeps(struct target *target, char *text, size_t room);
bool redis_takes_writes(struct connection *connection);

#endif

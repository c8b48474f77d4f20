// SPDX-License-Identifier: GPL-3.0-or-later
// Drivers that need a client library of their database.  They are a shared
// object beside the program, since loading those libraries takes longer than
// most checks do (results/bars.txt).
#ifndef DRIVERS_NETWORK_H
#define DRIVERS_NETWORK_H

#include "drivers/driver.h"

// The table that the shared object exports; ends with NULL.  Programs that have
// the drivers linked in, such as tests, use their own.
extern const struct driver *const network_drivers[];

// The table, loaded if it has not been, to stay; NULL with a sentence that
// names the file.
const struct driver *const *network_load(struct error *error);

#endif

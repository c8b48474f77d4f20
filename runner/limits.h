// SPDX-License-Identifier: GPL-3.0-or-later
// How many sessions this machine can run at once.
#ifndef RUNNER_LIMITS_H
#define RUNNER_LIMITS_H

#include "drivers/driver.h"

// Can so many sessions run, shared among so many threads (0: one each)?  -1
// with a sentence that names the limit; nothing is started to find out.
int limits_check(const struct driver *driver, uint32_t nsessions,
                 uint32_t nthreads, struct error *error);

#endif

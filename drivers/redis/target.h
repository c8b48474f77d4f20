// SPDX-License-Identifier: GPL-3.0-or-later
// Opening, preparing and describing a Redis server.
#ifndef DRIVERS_REDIS_TARGET_H
#define DRIVERS_REDIS_TARGET_H

#include "drivers/driver.h"

extern const struct driver_option redis_options[];

int redis_open(const struct target_spec *spec, struct target **target,
               struct error *error);
void redis_close(struct target *target);
int redis_setup(struct target *target, const struct keyspace *keys,
                struct error *error);
int redis_follow(struct target *target, const struct keyspace *keys,
                 struct error *error);
int redis_clean(struct target *target, uint64_t *removed, struct error *error);
void redis_describe(struct target *target, char *text, size_t room);

#endif

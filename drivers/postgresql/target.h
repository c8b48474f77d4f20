// SPDX-License-Identifier: GPL-3.0-or-later
// Opening, preparing and describing a PostgreSQL server.
#ifndef DRIVERS_POSTGRESQL_TARGET_H
#define DRIVERS_POSTGRESQL_TARGET_H

#include "drivers/driver.h"

extern const struct driver_option postgresql_options[];

bool postgresql_knows_option(const char *name);
int postgresql_open(const struct target_spec *spec, struct target **target,
                    struct error *error);
void postgresql_close(struct target *target);
int postgresql_setup(struct target *target, const struct keyspace *keys,
                     struct error *error);
int postgresql_follow(struct target *target, const struct keyspace *keys,
                      struct error *error);
int postgresql_clean(struct target *target, uint64_t *removed,
                     struct error *error);
void postgresql_describe(struct target *target, char *text, size_t room);

#endif

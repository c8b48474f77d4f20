// SPDX-License-Identifier: GPL-3.0-or-later
// Opening, preparing and describing a MariaDB or MySQL server.
#ifndef DRIVERS_MYSQL_TARGET_H
#define DRIVERS_MYSQL_TARGET_H

#include "drivers/driver.h"

extern const struct driver_option mysqldb_options[];

int mysqldb_open(const struct target_spec *spec, struct target **target,
                 struct error *error);
void mysqldb_close(struct target *target);
int mysqldb_setup(struct target *target, const struct keyspace *keys,
                  struct error *error);
int mysqldb_follow(struct target *target, const struct keyspace *keys,
                   struct error *error);
int mysqldb_clean(struct target *target, uint64_t *removed,
                  struct error *error);
void mysqldb_describe(struct target *target, char *text, size_t room);

#endif

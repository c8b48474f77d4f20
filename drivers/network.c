// SPDX-License-Identifier: GPL-3.0-or-later
// The table of the drivers that need a client library (drivers/network.h).
#include "config.h"

#include "drivers/network.h"

#ifdef HAVE_LIBPQ
extern const struct driver postgresql_driver;
#endif
#ifdef HAVE_HIREDIS
extern const struct driver redis_driver;
extern const struct driver redis_lua_driver;
#endif
#ifdef HAVE_CURL
extern const struct driver etcd_driver;
#endif
#ifdef HAVE_MARIADB
extern const struct driver mysql_driver;
#endif

const struct driver *const network_drivers[] = {
#ifdef HAVE_LIBPQ
    &postgresql_driver,
#endif
#ifdef HAVE_HIREDIS
    &redis_driver,
    &redis_lua_driver,
#endif
#ifdef HAVE_CURL
    &etcd_driver,
#endif
#ifdef HAVE_MARIADB
    &mysql_driver,
#endif
    NULL,
};

// SPDX-License-Identifier: GPL-3.0-or-later
// How a connection to MariaDB or MySQL waits for answers.
#ifndef DRIVERS_MYSQL_WAIT_H
#define DRIVERS_MYSQL_WAIT_H

#include <mysql.h>

struct st_ma_pvio_methods; // the library's, of ma_pvio.h

// Lets the connection wait in one call of the kernel where it can.  What is
// returned is its until it is closed, and then the caller's to free; or NULL.
struct st_ma_pvio_methods *mysqldb_wait_in_one_call(MYSQL *mysql);

#endif

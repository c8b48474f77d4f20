// SPDX-License-Identifier: GPL-3.0-or-later
// The meaning of the error numbers of MariaDB, MySQL and their client library
// for a transaction.
#ifndef DRIVERS_MYSQL_CODES_H
#define DRIVERS_MYSQL_CODES_H

#include "base/outcome.h"

#include <stdbool.h>

struct mysqldb_code {
  unsigned number;
  enum cause cause;
  enum outcome from_commit; // what became of the transaction if this was the
                            // answer to COMMIT; after any other statement, it
                            // is rolled back
  bool lost;                // the connection is of no use any more
};

// The row for this number, or one for all others; never NULL.
const struct mysqldb_code *mysqldb_code(unsigned number);

// Is this what the client library itself finds (lost, malformed, out of order,
// silent), and leaves nothing to be read from the connection any more?
bool mysqldb_found_by_library(unsigned number);

#endif

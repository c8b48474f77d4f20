// SPDX-License-Identifier: GPL-3.0-or-later
// The meaning of PostgreSQL's SQLSTATEs for a transaction.
#ifndef DRIVERS_POSTGRESQL_CODES_H
#define DRIVERS_POSTGRESQL_CODES_H

#include "base/outcome.h"

struct postgresql_code {
  const char *sqlstate; // five characters; or two, for a class as a whole
  enum cause cause;
  enum outcome from_commit; // what became of the transaction if this was the
                            // answer to COMMIT; to any other statement, it
                            // means that the transaction was rolled back
};

// The row for this SQLSTATE, or for its class, or for all others; never NULL.
const struct postgresql_code *postgresql_code(const char *sqlstate);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// The meaning of the error replies of Redis for a transaction.
#ifndef DRIVERS_REDIS_CODES_H
#define DRIVERS_REDIS_CODES_H

#include "base/outcome.h"

#include <stdbool.h>

struct redis_code {
  const char *word; // the first one of the reply
  enum cause cause;
  enum outcome from_exec; // what became of the transaction if this was the
                          // answer to EXEC itself
  bool breaks;            // the connection is of no use for now
};

// The row for this reply, or for all others; never NULL.
const struct redis_code *redis_code(const char *reply);

// The reason that an EXECABORT names, or the reply itself.
const char *redis_reason(const char *reply);

#endif

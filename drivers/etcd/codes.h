// SPDX-License-Identifier: GPL-3.0-or-later
// The meaning of the error codes of etcd, which are those of gRPC, for a
// transaction.
#ifndef DRIVERS_ETCD_CODES_H
#define DRIVERS_ETCD_CODES_H

#include "base/outcome.h"

#include <stdbool.h>

struct etcd_code {
  int number;
  const char *name;
  enum cause cause;
  enum outcome from_write; // what became of the transaction if this was the
                           // answer to its last request, and that writes
  bool breaks;             // the connection is of no use for now
};

// The row for this number, or for all others; never NULL.
const struct etcd_code *etcd_code(int number);

#endif

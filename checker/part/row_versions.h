// SPDX-License-Identifier: GPL-3.0-or-later
// The versions of each row: who wrote them and, where each replaced the one
// before it, in which order.
#ifndef CHECKER_PART_ROW_VERSIONS_H
#define CHECKER_PART_ROW_VERSIONS_H

#include "checker/verdict/verdict.h"

// All that one transaction wrote of one row, of which others see the last.
struct row_version {
  uint32_t txn, first, last; // operations
};

struct row_versions {
  // By key, in their order if the key is a chain: versions[first[key]] to
  // versions[first[key + 1]].
  uint32_t *first;
  struct row_version *versions;
  uint32_t nversions;
  uint8_t *is_chain; // per key: each replaced the one before it
};

// Those that transactions that count wrote.  No key is a chain where a
// transaction does not commit after the writers of what it replaced, whatever
// the order: if it is at level none, or if only plain SELECTs are reads.
struct row_versions row_versions_of(const struct history *history,
                                    const uint8_t *counted,
                                    const struct check_options *options);
void row_versions_free(struct row_versions *versions);

#endif

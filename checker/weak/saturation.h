// SPDX-License-Identifier: GPL-3.0-or-later
// The inside of saturate, for saturate.c and, of causal consistency,
// saturate_causally.c.
#ifndef CHECKER_WEAK_SATURATION_H
#define CHECKER_WEAK_SATURATION_H

#include "base/buckets.h"
#include "base/ids.h"
#include "checker/model/append_index.h"
#include "checker/weak/saturate.h"

enum { CLOCK_COLUMNS = 32 }; // kept at once of CC's clocks, one per session

struct saturation {
  const struct model *m;
  enum isolation level;
  struct demands *demands;

  // External reads of the reader at hand, by key.  An entry of
  // first_of_key counts only if it is one of the reader's.
  uint32_t *first_of_key; // per key: an external read of it...
  uint32_t *next_of_key;  // ...and per operation the next one of the same key
  uint32_t *written;      // per key: last own write
  struct ids reads;       // external reads in their order

  struct append_index append_index;

  // Final writes by key; and by transaction, there by key.  NULL if no
  // transaction is long.
  struct buckets by_key, by_txn;
};

// Makes the transaction the reader at hand.
void saturation_note_reads(struct saturation *s, uint32_t t);

// The version that a read saw, also where it is not the first of its key.
uint32_t saturation_seen(const struct model *m, uint32_t read);

// Demands that the writer of `write`, which the reader has observed, comes
// before that of what `read` saw of the same key; nothing if it was seen.
void saturation_demand(struct saturation *s, uint32_t write, uint32_t read);

// All demands of CC.
void saturate_causally(struct saturation *s, const uint32_t *order,
                       uint32_t norder);

#endif

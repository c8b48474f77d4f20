// SPDX-License-Identifier: GPL-3.0-or-later
// The operations as the file told them.
#ifndef RECORDER_TOLD_H
#define RECORDER_TOLD_H

#include "recorder/history.h"

// The keys of a history, a set being one.  All zero where there are no sets.
struct told_keys {
  uint32_t *key;      // per key: itself, or one that stands for its set
  uint32_t *elements; // per key that does: how many the set has
  uint32_t nsets;
};

// Free with told_keys_free.
struct told_keys history_told_keys(const struct history *history);
void told_keys_free(struct told_keys *told);

// How many keys there are, a set being one.
uint32_t history_count_keys(const struct history *history);

// The end of what was told as one operation, of which `op` is the first: a read
// of a set is one for each of its elements.
uint32_t told_end(const struct history *history, const struct told_keys *told,
                  uint32_t op);

#endif

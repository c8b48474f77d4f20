// SPDX-License-Identifier: GPL-3.0-or-later
// A transaction key by key: what it read of others, and what it left.
#ifndef CHECKER_STREAM_EFFECTS_H
#define CHECKER_STREAM_EFFECTS_H

#include "checker/stream/value_map.h"
#include "recorder/native/flow.h"

#include <stdbool.h>

struct effect {
  uint64_t key;
  uint64_t saw;   // if it `reads`: before it wrote the key
  uint64_t wrote; // if it `writes`: last
  bool reads, writes;
  bool odd; // it read two values of others, or not what it had written itself
};

// Zero-initialised is ready to use.
struct key_effects {
  struct effect *effect; // in the order in which the keys came
  uint32_t count, room;
  struct value_map place; // of a long transaction: by key
};

// All operations are on registers.
void effects_of(struct key_effects *effects, const struct flow_txn *txn);
void effects_free(struct key_effects *effects);

#endif

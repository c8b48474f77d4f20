// SPDX-License-Identifier: GPL-3.0-or-later
// One value a key: what the guessed order has left in each, up to a position.
#ifndef CHECKER_STREAM_STORE_H
#define CHECKER_STREAM_STORE_H

#include <stdint.h>

// Zero-initialised, every key holds VALUE_INITIAL.
struct value_store {
  struct stored_value {
    uint64_t key, value;
  } * slots;            // hashed
  uint64_t count, room; // room: a power of two, or 0
};

// Where the value of the key is, until the next call.
uint64_t *store_at(struct value_store *store, uint64_t key);
void store_free(struct value_store *store);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// A hash table with linear probing (checker/stream/store.h).
#include "config.h"

#include "checker/stream/store.h"

#include "base/memory.h"
#include "base/operation.h"
#include "recorder/builder/number_map.h"

#include <stdlib.h>
#include <string.h>

#define FREE_SLOT UINT64_MAX // no value of a slot that is used

static struct stored_value *slot_of_key(const struct value_store *s,
                                        uint64_t key) {
  const uint64_t mask = s->room - 1;
  uint64_t i = number_mix(key) & mask;
  while (s->slots[i].value != FREE_SLOT && s->slots[i].key != key)
    i = (i + 1) & mask;
  return &s->slots[i];
}

static void widen_store(struct value_store *s) {
  const struct value_store old = *s;
  s->room = old.room ? old.room * 2 : 1 << 10;
  s->slots = xmalloc(s->room * sizeof *s->slots);
  memset(s->slots, 0xff, s->room * sizeof *s->slots);
  for (uint64_t i = 0; i < old.room; i++)
    if (old.slots[i].value != FREE_SLOT)
      *slot_of_key(s, old.slots[i].key) = old.slots[i];
  free(old.slots);
}

uint64_t *store_at(struct value_store *s, uint64_t key) {
  if (4 * (s->count + 1) > 3 * s->room)
    widen_store(s);
  struct stored_value *slot = slot_of_key(s, key);
  if (slot->value == FREE_SLOT) {
    *slot = (struct stored_value){key, VALUE_INITIAL};
    s->count++;
  }
  return &slot->value;
}

void store_free(struct value_store *s) {
  free(s->slots);
  *s = (struct value_store){0};
}

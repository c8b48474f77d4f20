// SPDX-License-Identifier: GPL-3.0-or-later
// Arrays of ids: one that grows, copies, and such as are sorted.
#ifndef BASE_IDS_H
#define BASE_IDS_H

#include "base/memory.h"

#include <stddef.h>
#include <stdint.h>

// All zero is empty.  Free `items`.
struct ids {
  uint32_t *items;
  uint32_t count, room;
};

static inline void ids_add(struct ids *ids, uint32_t id) {
  ARRAY_RESERVE(ids->items, ids->count, ids->room);
  ids->items[ids->count++] = id;
}

// So many times UINT32_MAX, which is no id; and a copy.  To be freed.
uint32_t *ids_none(size_t n);
uint32_t *ids_copy(const uint32_t *items, size_t n);

// Puts them into ascending order.
void ids_sort(uint32_t *items, size_t n);

// Puts them into ascending order, each but once; returns how many are left.
uint32_t ids_sort_once(uint32_t *items, uint32_t n);

// The number of items below the id; the items are ascending.
uint32_t ids_below(const uint32_t *items, uint32_t n, uint32_t id);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// The lists that a builder is told.  Those of a key are mostly the beginning of
// the longest one before, or go on from it, and then share its elements.
#include "config.h"

#include "recorder/builder/building.h"

#include "base/memory.h"

#include <assert.h>
#include <string.h>

// The longest list of a key so far, with room behind it.
struct longest_list {
  uint32_t first, count, room;
};

static void put_list_values(struct builder *b, uint32_t at,
                            const uint64_t *values, uint32_t count) {
  assert(at + count <= b->element_room);
  if (count)
    memcpy(b->h.element_value + at, values, count * sizeof *values);
}

// Puts a list behind all others, and leaves some elements for what may come.
static uint32_t put_list_behind(struct builder *b, const uint64_t *values,
                                uint32_t count, uint32_t more) {
  const uint32_t first = b->h.nelements, end = first + count + more;
  assert(end - first <= builder_elements_left(b));
  if (end > b->element_room) {
    b->element_room = end < HISTORY_MAX / 2 ? 2 * end : HISTORY_MAX;
    b->h.element_value =
        xrealloc(b->h.element_value, b->element_room, sizeof(uint64_t));
  }
  put_list_values(b, first, values, count);
  if (more)
    memset(b->h.element_value + first + count, 0,
           more * sizeof *b->h.element_value);
  b->h.nelements = end;
  return first;
}

uint32_t builder_put_list(struct builder *b, uint32_t key,
                          const uint64_t *values, uint32_t count) {
  assert(count <= builder_elements_left(b));
  if (b->options.allow_duplicates)
    return put_list_behind(b, values, count, 0);
  assert(key < b->keys.count);
  ARRAY_COVER(b->longest, key, b->longest_room);
  struct longest_list *longest = &b->longest[key];
  const uint32_t known = longest->count;
  const uint32_t least = known < count ? known : count;
  const bool extends = !least || !memcmp(b->h.element_value + longest->first,
                                         values, least * sizeof *values);
  if (extends && count <= known)
    return longest->first;
  if (extends && count <= longest->room) {
    put_list_values(b, longest->first + known, values + known, count - known);
    longest->count = count;
    return longest->first;
  }
  // One that grew may go on.
  const uint32_t more = known && count > known ? count / 2 + 1 : 0;
  const uint32_t left = builder_elements_left(b) - count;
  const uint32_t spare = more < left ? more : left;
  const uint32_t first = put_list_behind(b, values, count, spare);
  if (count > known)
    *longest = (struct longest_list){first, count, count + spare};
  return first;
}

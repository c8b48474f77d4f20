// SPDX-License-Identifier: GPL-3.0-or-later
// Where the longest lists of keys are kept (native_kept.h).
#include "config.h"

#include "recorder/formats/native_kept.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static bool are_alike(const struct layout *a, const struct layout *b) {
  return a->session_base == b->session_base &&
         a->sequence_base == b->sequence_base &&
         a->session_width == b->session_width &&
         a->sequence_width == b->sequence_width;
}

static void free_all(struct list_bytes *b) {
  b->used = 0;
  memset(b->freed, 0xff, sizeof b->freed);
}

// Most of the bytes are never used, and take no memory.
struct list_bytes *native_kept_open(const struct loading *l) {
  enum { PER_ELEMENT = 2 }; // which takes twice as much if it is not shared
  struct list_bytes *b = xcalloc(1, sizeof *b);
  b->most = PER_ELEMENT * (uint64_t)l->nelements + KEPT_LINE;
  b->most = b->most < UINT32_MAX ? b->most : UINT32_MAX;
  b->memory = xmalloc_large(b->most + KEPT_LINE, 1);
  b->bytes =
      b->memory + (KEPT_LINE - (uintptr_t)b->memory % KEPT_LINE) % KEPT_LINE;
  b->oldest = 1;
  free_all(b);
  *kept_at(b, 0) = (struct kept){0};
  return b;
}

void native_list_bytes_free(struct list_bytes *b) {
  if (b) {
    for (uint32_t i = 0; i < b->nblocks; i++)
      free(b->whereabouts[i]);
    free(b->whereabouts);
    free(b->memory);
    free(b);
  }
}

// The number of a layout.  Where another one is new, and much of the bytes is
// used, nothing that was kept is of use any more.
static uint32_t number_layout(struct list_bytes *b, struct layout layout) {
  for (uint32_t i = b->nlayouts; i >= b->oldest; i--)
    if (are_alike(&b->layouts[i % KEPT_LAYOUTS], &layout))
      return i;
  b->layouts[++b->nlayouts % KEPT_LAYOUTS] = layout;
  if (b->used > b->most / 2) {
    b->oldest = b->nlayouts;
    free_all(b);
  } else if (b->nlayouts - b->oldest == KEPT_LAYOUTS)
    b->oldest++;
  return b->nlayouts;
}

// Lists that grow as long as they are read are in the end about twice as long
// as they are on average; not all are alike.
static void guess_length(struct list_bytes *b, uint32_t nlists,
                         uint32_t nelements) {
  enum { STEP = 4 };
  b->nlists += nlists;
  b->nelements += nelements;
  const uint64_t guess = b->nlists ? b->nelements * 5 / (b->nlists * 2) : 0;
  b->likely = guess < b->longest ? (uint32_t)guess : b->longest;
  b->likely = b->likely / STEP * STEP + STEP;
}

void native_kept_begin(struct list_bytes *b, const struct seen *seen,
                       uint32_t nlists, uint32_t nkeys) {
  guess_length(b, nlists, seen->session->count);
  b->now = number_layout(
      b, (struct layout){.session_base = seen->session->base,
                         .sequence_base = seen->sequence->base,
                         .session_width = seen->session->width,
                         .sequence_width = seen->sequence->width});
  while (b->nblocks * (uint64_t)KEPT_KEYS < nkeys) {
    b->whereabouts = xrealloc(b->whereabouts, (size_t)b->nblocks + 1,
                              sizeof *b->whereabouts);
    b->whereabouts[b->nblocks++] = xcalloc(KEPT_KEYS, sizeof **b->whereabouts);
  }
}

static size_t block_bytes(const struct list_bytes *b) {
  const struct layout *const layout = kept_layout(b);
  return KEPT_BLOCK * (layout->session_width + (size_t)layout->sequence_width);
}

// How much of the bytes it takes to keep so many elements.
static uint64_t lines_of(const struct list_bytes *b, uint32_t room) {
  const uint64_t nblocks = ((uint64_t)room + KEPT_BLOCK - 1) / KEPT_BLOCK;
  const uint64_t bytes = sizeof(struct kept) + nblocks * block_bytes(b);
  return (bytes + KEPT_LINE - 1) / KEPT_LINE;
}

// What was kept of the key, if anything, is not needed any more.
static void free_kept(struct list_bytes *b, struct whereabouts place) {
  struct kept *const kept = kept_at(b, place.at);
  if (place.layout != b->now)
    return;
  const uint64_t lines = lines_of(b, kept->room);
  if (lines > KEPT_SIZES)
    return;
  kept->first = b->freed[lines];
  b->freed[lines] = place.at;
}

struct kept *native_kept_take(struct list_bytes *b, struct whereabouts *place,
                              uint32_t room) {
  const uint64_t lines = lines_of(b, room), bytes = lines * KEPT_LINE;
  const bool again = lines <= KEPT_SIZES && b->freed[lines] != UINT32_MAX;
  const uint32_t at = again ? b->freed[lines] : (uint32_t)b->used;
  struct kept *const kept = kept_at(b, at);
  if (!again && bytes > b->most - b->used)
    return NULL;
  if (again)
    b->freed[lines] = kept->first;
  else
    b->used += bytes;
  free_kept(b, *place);
  *place = (struct whereabouts){at, b->now};
  return kept;
}

// Of the numbers of a block, so many bytes each, the first that differs; or
// KEPT_BLOCK.
static uint32_t first_difference(const unsigned char *a, const unsigned char *b,
                                 uint32_t width) {
  const uint32_t all = 0xffff;
  for (uint32_t i = 0; i < width * KEPT_BLOCK; i += KEPT_BLOCK) {
    const uint32_t same = bytes_in_common(a + i, b + i);
    if (same != all)
      return (i + (uint32_t)__builtin_ctz(~same)) / width;
  }
  return KEPT_BLOCK;
}

uint32_t native_kept_compare(const struct list_bytes *b,
                             const struct kept *kept, const struct seen *seen,
                             size_t from, uint32_t common, uint32_t most) {
  const uint8_t sw = kept_layout(b)->session_width;
  const uint8_t qw = kept_layout(b)->sequence_width;
  const size_t bytes = block_bytes(b);
  const unsigned char *block =
      (const unsigned char *)(kept + 1) + common / KEPT_BLOCK * bytes;
  uint32_t n = KEPT_BLOCK;
  for (; n == KEPT_BLOCK && common < most; common += n, block += bytes) {
    const size_t at = from + common;
    const uint32_t s =
        first_difference(block, seen->session->data + sw * at, sw);
    const uint32_t q = first_difference(block + KEPT_BLOCK * sw,
                                        seen->sequence->data + qw * at, qw);
    n = s < q ? s : q;
  }
  return common < most ? common : most;
}

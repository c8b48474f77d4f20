// SPDX-License-Identifier: GPL-3.0-or-later
// The keys of the operations of a chunk of our own format: numbers outside,
// dense ids in the order in which they first appear inside.
#include "config.h"

#include "recorder/native/native.h"

#include <assert.h>
#include <inttypes.h>

enum {
  NARROW_WORTH = 1 << 14, // operations that the table may be made larger for
  BLOCK = 256,            // keys that are unpacked at once
};
#define KEYS_MAX (UINT32_C(1) << 31) // for write_tag

// Are all keys that such a column could have in the table of small numbers, or
// put there?  Not for a short history.
static bool may_be_narrow(struct loading *l,
                          const struct packed_column *column) {
  const uint8_t width = column->width;
  if (width < 1 || width > 2 || l->history->nops < NARROW_WORTH)
    return false;
  const uint64_t most = column->base + (UINT32_MAX >> (32 - 8 * width));
  return most >= column->base && number_map_cover(&l->decoder.keys, most);
}

// Finds the ids of n keys in the table.
static void identify_narrow(struct loading *l,
                            const struct packed_column *column, uint32_t from,
                            uint32_t n, uint32_t *ids) {
  const uint32_t *const small = l->decoder.keys.small; // id + 1
  uint32_t keys[BLOCK], unknown = 0;
  column_unpack32(column, from, n, keys);
#pragma GCC unroll 4
  for (uint32_t i = 0; i < n; i++)
    unknown |= ids[i] = small[keys[i]] - 1;
  for (uint32_t i = 0; unknown >= KEYS_MAX && i < n; i++)
    if (ids[i] >= KEYS_MAX)
      ids[i] = number_map_id(&l->decoder.keys, keys[i]);
}

static void identify(struct loading *l, const struct packed_column *column,
                     uint32_t from, uint32_t n, uint32_t *ids) {
  uint64_t keys[BLOCK];
  column_unpack(column, from, n, keys);
  for (uint32_t i = 0; i < n; i++)
    ids[i] = number_map_id(&l->decoder.keys, keys[i]);
}

int native_decode_keys(const struct decoding *d) {
  struct loading *l = d->l;
  const struct packed_column *column;
  const uint32_t nops = d->place->header.nops;
  uint32_t *ids = l->history->key + d->place->op;
  if (native_column(d, COLUMN_KEY, nops, &column))
    return -1;
  const bool are_narrow = may_be_narrow(l, column);
  for (uint32_t at = 0, n; at < nops; at += n) {
    n = nops - at < BLOCK ? nops - at : BLOCK;
    (are_narrow ? identify_narrow : identify)(l, column, at, n, ids + at);
  }
  l->history->nkeys = l->decoder.keys.count;
  assert(l->history->nkeys <= l->history->nops);
  return l->history->nkeys <= KEYS_MAX
             ? 0
             : error_set(l->error,
                         "%s: holds too many keys: at most %" PRIu32
                         " can be loaded",
                         l->file.path, KEYS_MAX);
}

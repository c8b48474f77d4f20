// SPDX-License-Identifier: GPL-3.0-or-later
// The keys of the operations of a chunk of our own format: numbers outside,
// dense ids in the order in which they first appear inside.
#include "config.h"

#include "recorder/native/native.h"

#include "base/bytes.h"
#include "base/memory.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum {
  SMALL_KEYS_MAX = 1 << 22, // keys below go through a table, not a hash
  NARROW_WORTH = 1 << 14,   // operations that the table may be made larger for
  BLOCK = 256,              // keys that are unpacked at once, and...
};
#define KEYS_MAX (UINT32_C(1) << 31) // for write_tag

// Grows the table of small keys to hold `key`; its size is a power of two.
static void cover_key(struct loading *l, uint64_t key) {
  uint64_t room = l->decoder.small_keys ? l->decoder.small_keys : 1 << 12;
  while (room <= key)
    room *= 2;
  l->decoder.small_key_id =
      xrealloc(l->decoder.small_key_id, room, sizeof *l->decoder.small_key_id);
  memset(l->decoder.small_key_id + l->decoder.small_keys, 0xff,
         (room - l->decoder.small_keys) * sizeof *l->decoder.small_key_id);
  l->decoder.small_keys = room;
}

static uint32_t add_key(struct loading *l, uint64_t key) {
  struct history *h = l->history;
  ARRAY_RESERVE(h->key_number, h->nkeys, l->decoder.key_room);
  h->key_number[h->nkeys] = key;
  return h->nkeys++;
}

static uint32_t id_of_large_key(struct loading *l, uint64_t key) {
  uint32_t known = l->decoder.large_keys.count;
  uint32_t i = number_map_id(&l->decoder.large_keys, key);
  if (i == known) {
    ARRAY_RESERVE(l->decoder.large_key_id, known, l->decoder.large_key_room);
    l->decoder.large_key_id[i] = add_key(l, key);
  }
  return l->decoder.large_key_id[i];
}

uint32_t native_key_id(struct loading *l, uint64_t key) {
  if (key >= SMALL_KEYS_MAX)
    return id_of_large_key(l, key);
  if (key >= l->decoder.small_keys)
    cover_key(l, key);
  if (l->decoder.small_key_id[key] >= KEYS_MAX)
    l->decoder.small_key_id[key] = add_key(l, key);
  return l->decoder.small_key_id[key];
}

// Are all keys that such a column could have in the table, or put there?  Not
// for a short history.
static bool may_be_narrow(struct loading *l, const struct column *column) {
  const uint8_t width = column->width;
  if (width < 1 || width > 2 || l->history->nops < NARROW_WORTH)
    return false;
  const uint64_t most = column->base + (UINT32_MAX >> (32 - 8 * width));
  if (most >= SMALL_KEYS_MAX || most < column->base)
    return false;
  if (most >= l->decoder.small_keys)
    cover_key(l, most);
  return true;
}

// Finds the ids of n keys in the table.
static void identify_narrow(struct loading *l, const struct column *column,
                            uint32_t from, uint32_t n, uint32_t *ids) {
  uint32_t keys[BLOCK], unknown = 0;
  column_unpack32(column, from, n, keys);
#pragma GCC unroll 4
  for (uint32_t i = 0; i < n; i++)
    unknown |= ids[i] = l->decoder.small_key_id[keys[i]];
  for (uint32_t i = 0; unknown >= KEYS_MAX && i < n; i++)
    if (ids[i] >= KEYS_MAX)
      ids[i] = native_key_id(l, keys[i]);
}

static void identify(struct loading *l, const struct column *column,
                     uint32_t from, uint32_t n, uint32_t *ids) {
  uint64_t keys[BLOCK];
  column_unpack(column, from, n, keys);
  for (uint32_t i = 0; i < n; i++)
    ids[i] = native_key_id(l, keys[i]);
}

int native_mind_keys(const struct loading *l) {
  assert(l->history->nkeys <= l->history->nops);
  return l->history->nkeys <= KEYS_MAX
             ? 0
             : error_set(l->error,
                         "%s: holds too many keys: at most %" PRIu32
                         " can be loaded",
                         l->file.path, KEYS_MAX);
}

int native_decode_keys(const struct decoding *d) {
  struct loading *l = d->l;
  const struct column *column;
  const uint32_t nops = d->place->header.nops;
  uint32_t *ids = l->history->key + d->place->op;
  if (native_column(l, d->columns, COLUMN_KEY, nops, d->place->offset, &column))
    return -1;
  const bool are_narrow = may_be_narrow(l, column);
  for (uint32_t at = 0, n; at < nops; at += n) {
    n = nops - at < BLOCK ? nops - at : BLOCK;
    (are_narrow ? identify_narrow : identify)(l, column, at, n, ids + at);
  }
  return native_mind_keys(l);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Splits strings of a store into pieces (recorder/formats/kv_pieces.h).  What a
// text begins with is the piece before the place where the text belongs in the
// order of bytes, or what that piece begins with: "a", "ab", "abd" and "b" are
// in order, "abc" belongs behind "ab" and begins with "ab" and with "a".
#include "config.h"

#include "recorder/formats/kv_pieces.h"

#include "base/bytes.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { EFFORT_BYTES = 256 }; // that are compared as one step

size_t kv_keep(struct kv_pieces *k, const char *text, uint32_t length) {
  const size_t at = k->used;
  if (k->room - at < length) {
    k->room = 2 * k->room + length;
    k->bytes = xrealloc(k->bytes, k->room, 1);
  }
  if (length)
    memcpy(k->bytes + at, text, length);
  k->used += length;
  return at;
}

void kv_add(struct kv_pieces *k, uint32_t key, size_t at, uint32_t length,
            bool put) {
  ARRAY_RESERVE(k->pieces, k->npieces, k->pieces_room);
  k->pieces[k->npieces] = (struct kv_piece){.key = key,
                                            .length = length,
                                            .at = at,
                                            .before = NO_PIECE,
                                            .shorter = NO_PIECE,
                                            .nth = k->npieces,
                                            .put = put};
  k->npieces++;
}

// --- The order of pieces.

static int by_piece_text(const void *one, const void *other, void *bytes) {
  const struct kv_piece *a = one, *b = other;
  const char *text = bytes;
  if (a->key != b->key)
    return a->key > b->key ? 1 : -1;
  const int order =
      compare_bytes(text + a->at, a->length, text + b->at, b->length);
  return order ? order : (a->nth > b->nth) - (a->nth < b->nth);
}

static void add_effort(struct kv_pieces *k, uint32_t length) {
  k->effort += 1 + length / EFFORT_BYTES;
}

// From a piece that is not above the text on: the longest that it begins with.
static uint32_t longest_from(struct kv_pieces *k, uint32_t i, const char *text,
                             uint32_t length) {
  for (; i != NO_PIECE; i = k->pieces[i].shorter) {
    const struct kv_piece *p = &k->pieces[i];
    add_effort(k, p->length);
    if (p->length <= length && !memcmp(k->bytes + p->at, text, p->length))
      break;
  }
  return i;
}

// Returns the piece that was added twice, of several the first to be.
static uint32_t link_pieces(struct kv_pieces *k) {
  uint32_t twice = NO_PIECE;
  for (uint32_t i = 1; i < k->npieces; i++) {
    struct kv_piece *p = &k->pieces[i];
    if (p->key != k->pieces[i - 1].key)
      continue;
    p->shorter = longest_from(k, i - 1, k->bytes + p->at, p->length);
    if (p->shorter != NO_PIECE && k->pieces[p->shorter].length == p->length &&
        (twice == NO_PIECE || p->nth < k->pieces[twice].nth))
      twice = i;
  }
  return twice;
}

uint32_t kv_sort(struct kv_pieces *k, uint32_t nkeys) {
  if (k->npieces)
    qsort_r(k->pieces, k->npieces, sizeof *k->pieces, by_piece_text, k->bytes);
  k->first = xcalloc(nkeys + 1u, sizeof *k->first);
  for (uint32_t i = 0; i < k->npieces; i++)
    k->first[k->pieces[i].key + 1]++;
  for (uint32_t key = 0; key < nkeys; key++)
    k->first[key + 1] += k->first[key];
  assert(k->first[nkeys] == k->npieces);
  return link_pieces(k);
}

// The longest piece that a text begins with.
static uint32_t longest(struct kv_pieces *k, uint32_t key, const char *text,
                        uint32_t length) {
  uint32_t low = k->first[key], high = k->first[key + 1];
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    const struct kv_piece *p = &k->pieces[middle];
    add_effort(k, p->length < length ? p->length : length);
    if (compare_bytes(k->bytes + p->at, p->length, text, length) <= 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low == k->first[key] ? NO_PIECE
                              : longest_from(k, low - 1, text, length);
}

uint32_t kv_find(struct kv_pieces *k, uint32_t key, const char *text,
                 uint32_t length) {
  const uint32_t i = longest(k, key, text, length);
  return i != NO_PIECE && k->pieces[i].length == length ? i : NO_PIECE;
}

// --- What gets return.

static void make_places(struct kv_pieces *k, uint32_t length) {
  if (length >= k->places) {
    k->places = 2 * length + 1;
    k->ways = xrealloc(k->ways, k->places, 1);
    k->last = xrealloc(k->last, k->places, sizeof *k->last);
  }
  memset(k->ways, 0, length + 1u);
  k->ways[0] = 1;
}

// Finds in how many ways a text can be split up to each place, and how.
static void count_splits(struct kv_pieces *k, uint32_t key, const char *text,
                         uint32_t length) {
  make_places(k, length);
  for (uint32_t at = 0; at < length && k->effort <= k->most_effort; at++) {
    if (!k->ways[at])
      continue;
    uint32_t i = longest(k, key, text + at, length - at);
    for (; i != NO_PIECE; i = k->pieces[i].shorter) {
      const uint32_t end = at + k->pieces[i].length;
      assert(end <= length);
      const unsigned ways = k->ways[end] + k->ways[at];
      k->ways[end] = ways > 2 ? 2 : (uint8_t)ways;
      k->last[end] = i;
      k->effort++;
    }
  }
}

// Do the pieces up to the place agree with what gets showed before, and with
// each other?  What each was appended to is noted if all do: a piece that is
// there twice was appended to two.
static bool agree(struct kv_pieces *k, uint32_t end) {
  bool agree = true;
  uint32_t n = 0;
  while (agree && end) {
    const uint32_t i = k->last[end];
    struct kv_piece *p = &k->pieces[i];
    end -= p->length;
    const uint32_t before = end ? k->last[end] : NOTHING_BEFORE;
    agree = p->put ? before == NOTHING_BEFORE
                   : p->before == NO_PIECE || p->before == before;
    if (agree && p->before == NO_PIECE) {
      ARRAY_RESERVE(k->noted, n, k->noted_room);
      k->noted[n++] = i;
      p->before = before;
    }
  }
  while (!agree && n)
    k->pieces[k->noted[--n]].before = NO_PIECE;
  return agree;
}

enum kv_split kv_split(struct kv_pieces *k, uint32_t key, size_t at,
                       uint32_t length, uint32_t *last) {
  count_splits(k, key, k->bytes + at, length);
  if (k->effort > k->most_effort)
    return KV_HARD;
  if (k->ways[length] > 1)
    return KV_AMBIGUOUS;
  if (!k->ways[length] || !agree(k, length))
    return KV_NOBODYS;
  *last = k->last[length];
  return KV_SPLIT;
}

void kv_free(struct kv_pieces *k) {
  FREE_EACH(k->bytes, k->pieces, k->first, k->ways, k->last, k->noted);
}

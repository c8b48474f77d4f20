// SPDX-License-Identifier: GPL-3.0-or-later
// The pieces that were given to a key, by their bytes: what a text begins with
// is found by halving, whatever their number and lengths.
#ifndef RECORDER_FORMATS_KV_SORTED_H
#define RECORDER_FORMATS_KV_SORTED_H

#include "recorder/formats/kv_texts.h"

enum { KV_HEAD = 16 }; // bytes that are compared as numbers

#define NO_PLACE UINT32_MAX

struct sorted_piece {
  uint64_t head[KV_HEAD / 8]; // big-endian, with zero bytes at the end
  size_t at;
  uint32_t piece, length;
  uint32_t shorter; // the place of the longest that it begins with
};

// Zero-initialised is empty.
struct kv_sorted {
  struct sorted_piece *pieces;
  uint32_t count, room;
  uint64_t effort; // how much was compared to find something: texts, and
                   // again 256 bytes of them
};

// Makes it that of a key of which these are the pieces.  A string that is not
// given gets to know the same one that is.  Returns the piece by which a string
// was given a second time, or NO_PIECE: the shortest, of several the first.
uint32_t kv_sort(struct kv_sorted *sorted, struct kv_texts *texts,
                 const uint32_t *pieces, uint32_t count);

// The place of the longest piece that the text begins with, behind which there
// are KV_HEAD zero bytes.  The others are the `shorter` ones.
uint32_t kv_longest(struct kv_sorted *sorted, const struct kv_texts *texts,
                    const char *text, uint32_t length);

#endif

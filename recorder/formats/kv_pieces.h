// SPDX-License-Identifier: GPL-3.0-or-later
// The strings that were put or appended to the keys of a store, each once to a
// key, and how what a get returned is made of them.
#ifndef RECORDER_FORMATS_KV_PIECES_H
#define RECORDER_FORMATS_KV_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NO_PIECE UINT32_MAX
#define NOTHING_BEFORE (UINT32_MAX - 1)

struct kv_piece {
  uint32_t key, length;
  size_t at;        // where its bytes are
  uint32_t before;  // the piece that an append was seen behind, NOTHING_BEFORE,
                    // or NO_PIECE: no get showed it
  uint32_t shorter; // the longest piece of the key that it begins with
  uint32_t nth;     // of those that were added
  bool put;         // replaces what the key held
};

// Zero-initialised is empty.
struct kv_pieces {
  char *bytes; // of all strings
  size_t used, room;
  struct kv_piece *pieces; // of each key in the order of their bytes
  uint32_t npieces, pieces_room;
  uint32_t *first; // by key, and behind the last one
  // For each place of the string: in how many ways the string can be split up
  // to it (0, 1, or 2: more), and the piece that ends there.
  uint8_t *ways;
  uint32_t *last;
  uint32_t places;
  uint32_t *noted, noted_room;
  uint64_t effort, most_effort; // comparisons so far, and at most
};

// Keeps a string; returns where its bytes are.
size_t kv_keep(struct kv_pieces *pieces, const char *text, uint32_t length);
// Adds a string that was kept and is not empty.
void kv_add(struct kv_pieces *pieces, uint32_t key, size_t at, uint32_t length,
            bool put);
// Once all are added.  Returns a piece that was added twice, or NO_PIECE.
uint32_t kv_sort(struct kv_pieces *pieces, uint32_t nkeys);
// The piece that a string is, or NO_PIECE.
uint32_t kv_find(struct kv_pieces *pieces, uint32_t key, const char *text,
                 uint32_t length);

enum kv_split {
  KV_SPLIT,
  KV_NOBODYS,   // it is not made of pieces, or against what others showed
  KV_AMBIGUOUS, // there are several ways
  KV_HARD       // most_effort was not enough
};
// Splits what a get returned into pieces.  KV_SPLIT: *last is the last piece,
// and what each one was appended to is noted.  The first get to show a piece
// says what it was appended to.
enum kv_split kv_split(struct kv_pieces *pieces, uint32_t key, size_t at,
                       uint32_t length, uint32_t *last);

void kv_free(struct kv_pieces *pieces);

#endif

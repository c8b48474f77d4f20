// SPDX-License-Identifier: GPL-3.0-or-later
// The strings of a key-value store (recorder/formats/porcupine_kv.c): pieces,
// which are put or appended, and what gets return, which is made of them.
#ifndef RECORDER_FORMATS_KV_TEXTS_H
#define RECORDER_FORMATS_KV_TEXTS_H

#include "recorder/formats/tokens.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KV_TEXT_MOST = TOKEN_MAX + 64 }; // bytes, of what was not given

#define NO_PIECE UINT32_MAX
#define NOTHING_BEFORE (UINT32_MAX - 1)

struct piece {
  union {
    size_t at;      // where its bytes are; later...
    uint64_t value; // ...the caller's
  };
  uint32_t key;
  uint32_t before; // the piece that an append was seen behind, NOTHING_BEFORE,
                   // or NO_PIECE: not seen
  uint16_t length;
  bool given; // to its key
  bool put;
};

// Zero-initialised is empty.
struct kv_texts {
  struct piece *pieces;
  uint32_t npieces, pieces_room;
  char *bytes; // of the pieces
  size_t used, room;
  uint64_t *slots; // pieces + 1 by hash, of which one half is above; 0 is free
  uint32_t nslots; // a power of two
  struct kv_key *keys;
  uint32_t nkeys;
  struct shown *shown; // what gets returned, but for what another begins with
  uint32_t nshown, shown_room;
  struct piece_end *ends; // in what gets returned
  size_t nends, ends_room;
  uint8_t *ways;  // to take apart what is up to there: 0, 1 or more
  uint32_t *last; // the piece that ends there
  uint32_t *noted, noted_room;
};

// The piece that is this string of the key, which is not empty.
uint32_t kv_piece(struct kv_texts *texts, uint32_t key, const char *text,
                  uint32_t length);
bool kv_is_piece(const struct kv_texts *texts, uint32_t piece, uint32_t key,
                 const char *text, uint32_t length);
// A piece is given to its key, to replace what it held or to go behind it.
void kv_give(struct kv_texts *texts, uint32_t piece, bool put);

// What a get returned, which is not empty: the beginning of this.
uint32_t kv_shown(struct kv_texts *texts, uint32_t key, const char *text,
                  uint32_t length);

// Once all pieces are known: what a get that returned this is a read of: its
// last piece, or if it shows what nobody wrote all of it, as a piece that is
// not given.  NO_PIECE: it can be taken apart in several ways.  The gets have
// to come in their order: the first one to show a piece says what it was
// appended to.
uint32_t kv_read(struct kv_texts *texts, uint32_t shown, uint32_t length);

const char *kv_text_of(const struct kv_texts *texts, uint32_t shown);

// Frees all but the pieces and their bytes, which may be freed before the
// pieces; and them, too.
void kv_texts_close(struct kv_texts *texts);
void kv_texts_free(struct kv_texts *texts);

#endif

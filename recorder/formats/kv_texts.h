// SPDX-License-Identifier: GPL-3.0-or-later
// The strings of a key-value store (recorder/formats/porcupine_kv.c): pieces,
// which are put or appended, and what gets return, which is made of them.  They
// are collected here in the order of the log, and once all are known taken
// apart, key by key (kv_apart.c).
#ifndef RECORDER_FORMATS_KV_TEXTS_H
#define RECORDER_FORMATS_KV_TEXTS_H

#include "recorder/formats/tokens.h"
#include "recorder/text_map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KV_TEXT_MOST = TOKEN_MAX + 64 }; // bytes, of what was not given

#define NO_PIECE UINT32_MAX
#define NOTHING_BEFORE (UINT32_MAX - 1)

struct piece {
  uint32_t key;
  uint32_t before; // the piece that an append was seen behind, NOTHING_BEFORE,
                   // or NO_PIECE: not seen; of one that is not given the same
                   // string that is, or NO_PIECE
  union {
    size_t at;     // where its bytes are, between quotes; later...
    uint32_t text; // ...its text in quotes, as other formats have it
  };
  uint16_t length;
  bool given; // to its key
  bool put;
};

// Of a key: what it showed, or that it held nothing.
struct kv_get {
  uint32_t key;
  uint32_t shown; // later the piece that it is a read of, and its text
  uint16_t length;
};

// Zero-initialised is empty.
struct kv_texts {
  struct piece *pieces;
  uint32_t npieces, pieces_room;
  char *bytes; // of the pieces
  size_t used, room;
  struct kv_get *gets;
  uint32_t ngets, gets_room;
  struct shown *shown; // what gets returned, but for what another begins with
  uint32_t nshown, shown_room;
  uint32_t *newest; // of `shown`, by key
  uint32_t nnewest;
};

// Adds a string of the key, which is not empty; `given` to it by an operation,
// to replace what it held or to go behind it.
uint32_t kv_add_piece(struct kv_texts *texts, uint32_t key, const char *text,
                      uint32_t length, bool given, bool put);
bool kv_is_piece(const struct kv_texts *texts, uint32_t piece, uint32_t key,
                 const char *text, uint32_t length);

// Adds what a get returned.
void kv_add_get(struct kv_texts *texts, uint32_t key, const char *text,
                uint32_t length);
// Such a get will come; it will come soon, and was expected before.
void kv_expect_get(const struct kv_texts *texts, uint32_t key);
void kv_expect_get_soon(const struct kv_texts *texts, uint32_t key);

// Finds what each get is a read of: the last piece that it shows, or if it
// shows what nobody wrote all of it, as a piece that is not given.  The first
// get to show a piece says what it was appended to.  -1 with a sentence about
// what can not be told.  `effort` bounds how much is compared.
int kv_take_apart(struct kv_texts *texts, uint32_t nkeys, uint64_t effort,
                  const char *path, struct error *error);

// Gives the pieces their texts, after which none is looked for in the map; what
// gets show, and what appends were seen behind, are texts from then on.
void kv_name_pieces(struct kv_texts *texts, struct text_map *map);

// -1 with a sentence about a string.
int kv_refuse(const char *path, const char *text, uint32_t length,
              const char *what, struct error *error);

// Frees what gets returned, once taken apart; the bytes of the pieces; and all.
void kv_free_shown(struct kv_texts *texts);
void kv_free_bytes(struct kv_texts *texts);
void kv_texts_free(struct kv_texts *texts);

// --- Within.

#define NO_TEXT UINT32_MAX
#define NOT_TAKEN_APART UINT32_MAX

struct shown {
  char *text;
  uint32_t key;
  uint32_t older;     // one of the same key
  uint32_t first_end; // of its pieces, or NOT_TAKEN_APART
  uint16_t nends, length, room;
};

#endif

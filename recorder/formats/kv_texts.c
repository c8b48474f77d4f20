// SPDX-License-Identifier: GPL-3.0-or-later
// Pieces, and what gets show of them (recorder/formats/kv_texts.h).  A get
// mostly returns what one before it of its key did, or that with more behind
// it, or the beginning of it: the longest of them is kept, and taken apart once
// for all of them, for the ways to take a text apart up to some place depend on
// what is before that place only.
#include "config.h"

#include "recorder/formats/kv_texts.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { LENGTH_MOST = TOKEN_MAX, SHOWN_TRIED = 4, SLOTS_FIRST = 64 };

_Static_assert(KV_TEXT_MOST <= UINT16_MAX, "lengths are kept in 16 bits");

#define NOT_TAKEN_APART SIZE_MAX
#define NO_TEXT UINT32_MAX

// Pieces of a key that are so long.
struct piece_length {
  uint16_t length;
  uint16_t last_bytes; // a bit for each, by its lowest bits: most texts that
                       // are no pieces are told by it
};

struct kv_key {
  struct piece_length *lengths; // ascending
  uint32_t nlengths, lengths_room;
  uint32_t newest; // text that was shown
};

struct shown {
  char *text;
  uint32_t key;
  uint32_t older;   // one of the same key
  size_t first_end; // in `ends`, or NOT_TAKEN_APART
  uint16_t nends, length, room;
};

// What a text shows up to the end of a piece.
enum agreement { NOT_COMPARED, AGREES, DIFFERS, IS_AMBIGUOUS };

struct piece_end {
  uint32_t piece;
  uint16_t end;
  uint8_t agreement;
};

static struct kv_key *key_of(struct kv_texts *x, uint32_t key) {
  if (key >= x->nkeys) {
    const uint32_t n = key + key / 2 + 16;
    x->keys = xrealloc(x->keys, n, sizeof *x->keys);
    for (; x->nkeys < n; x->nkeys++)
      x->keys[x->nkeys] = (struct kv_key){.newest = NO_TEXT};
  }
  return &x->keys[key];
}

// --- The pieces.

bool kv_is_piece(const struct kv_texts *x, uint32_t i, uint32_t key,
                 const char *text, uint32_t length) {
  const struct piece *piece = &x->pieces[i];
  return piece->key == key && piece->length == length &&
         memcmp(x->bytes + piece->at, text, length) == 0;
}

static uint32_t hash_of(uint32_t key, const char *text, uint32_t length) {
  return (uint32_t)(XXH3_64bits_withSeed(text, length, key) >> 32);
}

// The slot of a string of the key, or the free one where it belongs.
static uint64_t *slot_of(const struct kv_texts *x, uint32_t hash, uint32_t key,
                         const char *text, uint32_t length) {
  for (uint32_t i = hash;; i++) {
    uint64_t *const slot = &x->slots[i & (x->nslots - 1)];
    if (!*slot || (*slot >> 32 == hash &&
                   kv_is_piece(x, (uint32_t)*slot - 1, key, text, length)))
      return slot;
  }
}

static void grow_slots(struct kv_texts *x) {
  uint64_t *const old = x->slots;
  const uint32_t nold = x->nslots;
  x->nslots = nold ? 2 * nold : SLOTS_FIRST;
  x->slots = xcalloc(x->nslots, sizeof *x->slots);
  for (uint32_t i = 0; i < nold; i++) {
    if (!old[i])
      continue;
    uint32_t at = (uint32_t)(old[i] >> 32) & (x->nslots - 1);
    while (x->slots[at])
      at = (at + 1) & (x->nslots - 1);
    x->slots[at] = old[i];
  }
  free(old);
}

static uint32_t add_piece(struct kv_texts *x, uint32_t key, const char *text,
                          uint32_t length) {
  if (x->room - x->used < length) {
    x->room = x->room + x->room / 2 + LENGTH_MOST;
    x->bytes = xrealloc(x->bytes, x->room, 1);
  }
  memcpy(x->bytes + x->used, text, length);
  ARRAY_RESERVE(x->pieces, x->npieces, x->pieces_room);
  x->pieces[x->npieces] = (struct piece){.at = x->used,
                                         .key = key,
                                         .before = NO_PIECE,
                                         .length = (uint16_t)length};
  x->used += length;
  return x->npieces++;
}

uint32_t kv_piece(struct kv_texts *x, uint32_t key, const char *text,
                  uint32_t length) {
  if (x->npieces >= x->nslots / 2)
    grow_slots(x);
  const uint32_t hash = hash_of(key, text, length);
  uint64_t *const slot = slot_of(x, hash, key, text, length);
  if (!*slot)
    *slot = (uint64_t)hash << 32 | (add_piece(x, key, text, length) + 1);
  return (uint32_t)*slot - 1;
}

// The first of the key's lengths that is not below this one.
static uint32_t place_of_length(const struct kv_key *key, uint32_t length) {
  uint32_t low = 0, high = key->nlengths;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (key->lengths[middle].length < length)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static uint16_t last_byte(const char *text, uint32_t length) {
  return (uint16_t)(1u << (text[length - 1] & 15));
}

void kv_give(struct kv_texts *x, uint32_t i, bool put) {
  struct piece *piece = &x->pieces[i];
  struct kv_key *key = key_of(x, piece->key);
  const uint32_t at = place_of_length(key, piece->length);
  piece->given = true;
  piece->put = put;
  if (at == key->nlengths || key->lengths[at].length != piece->length) {
    ARRAY_RESERVE(key->lengths, key->nlengths, key->lengths_room);
    memmove(key->lengths + at + 1, key->lengths + at,
            (key->nlengths++ - at) * sizeof *key->lengths);
    key->lengths[at] = (struct piece_length){.length = piece->length};
  }
  key->lengths[at].last_bytes |= last_byte(x->bytes + piece->at, piece->length);
}

// --- What gets show.

static void put_text(struct shown *s, const char *text, uint32_t length) {
  if (length > s->room) {
    const uint32_t room = length + length / 2;
    s->room = (uint16_t)(room < LENGTH_MOST ? room : LENGTH_MOST);
    s->text = xrealloc(s->text, s->room, 1);
  }
  memcpy(s->text + s->length, text + s->length, length - s->length);
  s->length = (uint16_t)length;
}

static bool begin_alike(const struct shown *s, const char *text,
                        uint32_t length) {
  return memcmp(s->text, text, length < s->length ? length : s->length) == 0;
}

// Gets that overlap may show what was put before and after by turns, so that
// more than the newest text is tried.
uint32_t kv_shown(struct kv_texts *x, uint32_t key, const char *text,
                  uint32_t length) {
  struct kv_key *k = key_of(x, key);
  uint32_t i = k->newest;
  for (unsigned tried = 0; i != NO_TEXT && tried < SHOWN_TRIED; tried++) {
    if (begin_alike(&x->shown[i], text, length)) {
      if (length > x->shown[i].length)
        put_text(&x->shown[i], text, length);
      return i;
    }
    i = x->shown[i].older;
  }
  ARRAY_RESERVE(x->shown, x->nshown, x->shown_room);
  x->shown[x->nshown] = (struct shown){
      .key = key, .older = k->newest, .first_end = NOT_TAKEN_APART};
  put_text(&x->shown[x->nshown], text, length);
  return k->newest = x->nshown++;
}

const char *kv_text_of(const struct kv_texts *x, uint32_t shown) {
  return x->shown[shown].text;
}

// The piece of the key that this is, or NO_PIECE.
static uint32_t given_piece(const struct kv_texts *x, uint32_t key,
                            const char *text, uint32_t length) {
  const uint64_t slot =
      *slot_of(x, hash_of(key, text, length), key, text, length);
  return slot && x->pieces[(uint32_t)slot - 1].given ? (uint32_t)slot - 1
                                                     : NO_PIECE;
}

// Adds the ways that go over a place.
static void go_on(struct kv_texts *x, const struct shown *s, uint32_t at) {
  const struct kv_key *key = &x->keys[s->key];
  const char *text = s->text + at;
  for (uint32_t i = 0;
       i < key->nlengths && key->lengths[i].length <= s->length - at; i++) {
    const uint32_t n = key->lengths[i].length;
    if (!(key->lengths[i].last_bytes & last_byte(text, n)))
      continue;
    const uint32_t piece = given_piece(x, s->key, text, n);
    const unsigned ways = x->ways[at + n] + x->ways[at];
    if (piece == NO_PIECE)
      continue;
    x->ways[at + n] = ways > 2 ? 2 : (uint8_t)ways;
    x->last[at + n] = piece;
  }
}

// Finds in how many ways a text can be taken apart up to each place, and how.
static void count_ways(struct kv_texts *x, const struct shown *s) {
  memset(x->ways, 0, s->length + 1u);
  x->ways[0] = 1;
  for (uint32_t at = 0; at < s->length; at++)
    if (x->ways[at])
      go_on(x, s, at);
}

static void take_apart(struct kv_texts *x, struct shown *s) {
  if (!x->ways) {
    x->ways = xmalloc(LENGTH_MOST + 1);
    x->last = xmalloc((LENGTH_MOST + 1) * sizeof *x->last);
  }
  count_ways(x, s);
  s->first_end = x->nends;
  for (uint32_t at = 1; at <= s->length; at++) {
    if (!x->ways[at])
      continue;
    ARRAY_RESERVE(x->ends, x->nends, x->ends_room);
    x->ends[x->nends++] = (struct piece_end){
        .piece = x->last[at],
        .end = (uint16_t)at,
        .agreement = x->ways[at] > 1 ? IS_AMBIGUOUS : NOT_COMPARED};
    s->nends++;
  }
}

// NULL: no piece ends there.
static struct piece_end *end_at(const struct kv_texts *x, const struct shown *s,
                                uint32_t at) {
  uint32_t low = 0, high = s->nends;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    struct piece_end *end = &x->ends[s->first_end + middle];
    if (end->end == at)
      return end;
    if (end->end < at)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

static struct piece_end *end_before(const struct kv_texts *x,
                                    const struct shown *s,
                                    const struct piece_end *end) {
  return end_at(x, s, (uint32_t)end->end - x->pieces[end->piece].length);
}

// Do the pieces agree with those of the gets before, and with each other?  What
// each was appended to is noted if all do: a piece that is there twice was
// appended to two.  What was compared once stays so.
static bool agree(struct kv_texts *x, const struct shown *s,
                  struct piece_end *last) {
  bool agree = true;
  uint32_t n = 0;
  struct piece_end *end = last, *next;
  for (; agree && end && end->agreement == NOT_COMPARED; end = next) {
    struct piece *piece = &x->pieces[end->piece];
    next = end_before(x, s, end);
    const uint32_t before = next ? next->piece : NOTHING_BEFORE;
    agree = piece->put ? before == NOTHING_BEFORE
                       : piece->before == NO_PIECE || piece->before == before;
    if (agree && piece->before == NO_PIECE) {
      ARRAY_RESERVE(x->noted, n, x->noted_room);
      x->noted[n++] = end->piece;
      piece->before = before;
    }
  }
  agree = agree && (!end || end->agreement == AGREES);
  while (!agree && n)
    x->pieces[x->noted[--n]].before = NO_PIECE;
  for (end = last; agree && end && end->agreement == NOT_COMPARED;
       end = end_before(x, s, end))
    end->agreement = AGREES;
  if (!agree)
    last->agreement = DIFFERS;
  return agree;
}

// All of what a get returned, as what nobody wrote: also where it is a piece,
// that others show behind another one.
static uint32_t unwritten(struct kv_texts *x, const struct shown *s,
                          uint32_t length) {
  static const char alone[] = " with nothing before it";
  char text[KV_TEXT_MOST];
  memcpy(text, s->text, length);
  uint32_t piece = kv_piece(x, s->key, text, length);
  while (x->pieces[piece].given && length <= KV_TEXT_MOST - sizeof alone) {
    memcpy(text + length, alone, sizeof alone - 1);
    length += sizeof alone - 1;
    piece = kv_piece(x, s->key, text, length);
  }
  return piece;
}

uint32_t kv_read(struct kv_texts *x, uint32_t shown, uint32_t length) {
  struct shown *s = &x->shown[shown];
  if (s->first_end == NOT_TAKEN_APART)
    take_apart(x, s);
  struct piece_end *end = end_at(x, s, length);
  if (end && end->agreement == IS_AMBIGUOUS)
    return NO_PIECE;
  return end && agree(x, s, end) ? end->piece : unwritten(x, s, length);
}

void kv_texts_close(struct kv_texts *x) {
  for (uint32_t i = 0; i < x->nshown; i++)
    free(x->shown[i].text);
  for (uint32_t i = 0; i < x->nkeys; i++)
    free(x->keys[i].lengths);
  void *const owned[] = {x->slots, x->keys, x->shown, x->ends,
                         x->ways,  x->last, x->noted};
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
    free(owned[i]);
  *x = (struct kv_texts){
      .pieces = x->pieces, .npieces = x->npieces, .bytes = x->bytes};
}

void kv_texts_free(struct kv_texts *x) {
  kv_texts_close(x);
  free(x->pieces);
  free(x->bytes);
  *x = (struct kv_texts){0};
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Collects what a log of a key-value store says (recorder/formats/kv_texts.h).
// A get mostly returns what one before it of its key did, or that with more
// behind it, or the beginning of it: the longest of them is kept.
#include "config.h"

#include "recorder/formats/kv_texts.h"

#include "base/memory.h"
#include "recorder/formats/kv_sorted.h"

#include <stdlib.h>
#include <string.h>

enum { LENGTH_MOST = TOKEN_MAX, SHOWN_TRIED = 4 };
enum { NAMES_AHEAD = 16 }; // that are looked for

_Static_assert(KV_TEXT_MOST <= UINT16_MAX, "lengths are kept in 16 bits");

uint32_t kv_add_piece(struct kv_texts *x, uint32_t key, const char *text,
                      uint32_t length, bool given, bool put) {
  if (x->room - x->used < length + 2 + KV_HEAD) {
    x->room = x->room + x->room / 2 + KV_TEXT_MOST + 2 + KV_HEAD;
    x->bytes = xrealloc(x->bytes, x->room, 1);
  }
  ARRAY_RESERVE(x->pieces, x->npieces, x->pieces_room);
  x->bytes[x->used++] = '"';
  memcpy(x->bytes + x->used, text, length);
  x->pieces[x->npieces] = (struct piece){.key = key,
                                         .before = NO_PIECE,
                                         .at = x->used,
                                         .length = (uint16_t)length,
                                         .given = given,
                                         .put = put};
  x->used += length;
  x->bytes[x->used++] = '"';
  return x->npieces++;
}

bool kv_is_piece(const struct kv_texts *x, uint32_t i, uint32_t key,
                 const char *text, uint32_t length) {
  const struct piece *piece = &x->pieces[i];
  return piece->key == key && piece->length == length &&
         memcmp(x->bytes + piece->at, text, length) == 0;
}

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

static uint32_t *newest_of(struct kv_texts *x, uint32_t key) {
  if (key >= x->nnewest) {
    const uint32_t n = key + key / 2 + 16;
    x->newest = xrealloc(x->newest, n, sizeof *x->newest);
    for (; x->nnewest < n; x->nnewest++)
      x->newest[x->nnewest] = NO_TEXT;
  }
  return &x->newest[key];
}

// Gets that overlap may show what was put before and after by turns, so that
// more than the newest text is tried.
static uint32_t find_shown(struct kv_texts *x, uint32_t key, const char *text,
                           uint32_t length) {
  uint32_t *newest = newest_of(x, key), i = *newest;
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
      .key = key, .older = *newest, .first_end = NOT_TAKEN_APART};
  put_text(&x->shown[x->nshown], text, length);
  return *newest = x->nshown++;
}

void kv_add_get(struct kv_texts *x, uint32_t key, const char *text,
                uint32_t length) {
  ARRAY_RESERVE(x->gets, x->ngets, x->gets_room);
  x->gets[x->ngets++] = (struct kv_get){
      .key = key,
      .shown = length ? find_shown(x, key, text, length) : NO_TEXT,
      .length = (uint16_t)length};
}

static bool was_shown(const struct kv_texts *x, uint32_t key) {
  return key < x->nnewest && x->newest[key] != NO_TEXT;
}

void kv_expect_get(const struct kv_texts *x, uint32_t key) {
  if (was_shown(x, key))
    __builtin_prefetch(&x->shown[x->newest[key]]);
}

void kv_expect_get_soon(const struct kv_texts *x, uint32_t key) {
  if (was_shown(x, key))
    __builtin_prefetch(x->shown[x->newest[key]].text);
}

// A piece as other formats have it, in quotes.
static const char *name_of(const struct kv_texts *x, uint32_t i) {
  return x->bytes + x->pieces[i].at - 1;
}

static size_t name_length(const struct kv_texts *x, uint32_t i) {
  return x->pieces[i].length + 2u;
}

static void find_names(struct kv_texts *x, struct text_map *map) {
  text_map_reserve(map, x->npieces, x->used);
  for (uint32_t i = 0; i < x->npieces; i++) {
    const uint32_t soon = i + NAMES_AHEAD;
    if (soon < x->npieces)
      text_map_expect(map, name_of(x, soon), name_length(x, soon));
    x->pieces[i].text = text_map_id(map, name_of(x, i), name_length(x, i));
  }
  text_map_close(map); // there are no others
}

// From here on what gets show and appends go behind are texts.
static void replace_by_names(struct kv_texts *x) {
  for (uint32_t i = 0; i < x->npieces; i++)
    if (x->pieces[i].given && x->pieces[i].before < NOTHING_BEFORE)
      x->pieces[i].before = x->pieces[x->pieces[i].before].text;
  for (uint32_t i = 0; i < x->ngets; i++)
    if (x->gets[i].length)
      x->gets[i].shown = x->pieces[x->gets[i].shown].text;
}

void kv_name_pieces(struct kv_texts *x, struct text_map *map) {
  find_names(x, map);
  replace_by_names(x);
}

void kv_free_shown(struct kv_texts *x) {
  for (uint32_t i = 0; i < x->nshown; i++)
    free(x->shown[i].text);
  free(x->shown);
  free(x->newest);
  x->shown = NULL;
  x->newest = NULL;
  x->nshown = x->nnewest = 0;
}

void kv_free_bytes(struct kv_texts *x) {
  free(x->bytes);
  x->bytes = NULL;
}

void kv_texts_free(struct kv_texts *x) {
  kv_free_shown(x);
  kv_free_bytes(x);
  free(x->pieces);
  free(x->gets);
}

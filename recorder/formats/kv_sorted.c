// SPDX-License-Identifier: GPL-3.0-or-later
// The pieces of a key in order (recorder/formats/kv_sorted.h).  What a text
// begins with are the one before the place where it belongs, or what that one
// begins with: "a", "ab", "abd" and "b" are in order, "abc" belongs behind "ab"
// and begins with that and with "a".
#include "config.h"

#include "recorder/formats/kv_sorted.h"

#include "base/memory.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

enum { EFFORT_BYTES = 256 };

static uint64_t load_big(const char *p) {
  uint64_t x;
  memcpy(&x, p, sizeof x);
  return be64toh(x);
}

// Of a number of 8 bytes.
static uint64_t first_bytes(uint64_t head, uint32_t bytes) {
  return bytes >= 8 ? head : bytes ? head >> (64 - 8 * bytes) : 0;
}

static uint64_t cut(uint64_t head, uint32_t bytes) {
  return bytes >= 8 ? head : bytes ? head & ~(UINT64_MAX >> 8 * bytes) : 0;
}

static int compare_numbers(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

// Where the heads are the same.
static int compare_rests(const char *a, uint32_t na, const char *b,
                         uint32_t nb) {
  const uint32_t n = na < nb ? na : nb;
  const int order =
      n > KV_HEAD ? memcmp(a + KV_HEAD, b + KV_HEAD, n - KV_HEAD) : 0;
  return order ? order : compare_numbers(na, nb);
}

static int compare_texts(const struct kv_texts *x, const struct sorted_piece *a,
                         const struct sorted_piece *b) {
  for (int i = 0; i < 2; i++)
    if (a->head[i] != b->head[i])
      return a->head[i] < b->head[i] ? -1 : 1;
  return compare_rests(x->bytes + a->at, a->length, x->bytes + b->at,
                       b->length);
}

static int compare(const void *one, const void *other, void *texts) {
  const struct kv_texts *x = texts;
  const struct sorted_piece *a = one, *b = other;
  const int order = compare_texts(x, a, b);
  if (order)
    return order;
  const bool given = x->pieces[a->piece].given;
  if (given != x->pieces[b->piece].given)
    return given ? -1 : 1;
  return compare_numbers(a->piece, b->piece);
}

static struct sorted_piece entry(const struct kv_texts *x, uint32_t i) {
  const struct piece *piece = &x->pieces[i];
  const char *text = x->bytes + piece->at;
  const uint32_t n = piece->length;
  return (struct sorted_piece){
      .head = {cut(load_big(text), n),
               cut(load_big(text + 8), n < 8 ? 0 : n - 8)},
      .at = piece->at,
      .piece = i,
      .length = n};
}

static bool begins_with(const char *text, const uint64_t *head, uint32_t length,
                        const struct sorted_piece *with, const char *bytes) {
  const uint32_t n = with->length;
  if (n > length || first_bytes(head[0] ^ with->head[0], n) ||
      (n > 8 && first_bytes(head[1] ^ with->head[1], n - 8)))
    return false;
  return n <= KV_HEAD ||
         !memcmp(text + KV_HEAD, bytes + with->at + KV_HEAD, n - KV_HEAD);
}

static uint32_t effort_of(uint32_t length) { return 1 + length / EFFORT_BYTES; }

// From one that is not above the text on.
static uint32_t longest_from(struct kv_sorted *s, uint32_t i, const char *bytes,
                             const char *text, const uint64_t *head,
                             uint32_t length) {
  while (i != NO_PLACE &&
         !begins_with(text, head, length, &s->pieces[i], bytes)) {
    s->effort += effort_of(s->pieces[i].length);
    i = s->pieces[i].shorter;
  }
  return i;
}

// What is not given is left out.
static uint32_t keep_given(struct kv_sorted *s, struct kv_texts *x) {
  uint32_t twice = NO_PIECE, kept = 0;
  for (uint32_t i = 0; i < s->count; i++) {
    struct sorted_piece *last = kept ? &s->pieces[kept - 1] : NULL;
    const uint32_t piece = s->pieces[i].piece;
    const bool again = last && !compare_texts(x, last, &s->pieces[i]);
    if (again && !x->pieces[piece].given)
      x->pieces[piece].before = last->piece;
    else if (again && (twice == NO_PIECE ||
                       x->pieces[piece].length < x->pieces[twice].length ||
                       (x->pieces[piece].length == x->pieces[twice].length &&
                        piece < twice)))
      twice = piece;
    else if (!again && x->pieces[piece].given)
      s->pieces[kept++] = s->pieces[i];
  }
  s->count = kept;
  return twice;
}

uint32_t kv_sort(struct kv_sorted *s, struct kv_texts *x,
                 const uint32_t *pieces, uint32_t count) {
  if (count > s->room) {
    s->room = count + count / 2;
    s->pieces = xrealloc(s->pieces, s->room, sizeof *s->pieces);
  }
  for (uint32_t i = 0; i < count; i++)
    s->pieces[i] = entry(x, pieces[i]);
  if (count)
    qsort_r(s->pieces, count, sizeof *s->pieces, compare, x);
  s->count = count;
  const uint32_t twice = keep_given(s, x);
  for (uint32_t i = 0; i < s->count; i++) {
    struct sorted_piece *p = &s->pieces[i];
    p->shorter =
        longest_from(s, i - 1, x->bytes, x->bytes + p->at, p->head, p->length);
  }
  return twice;
}

// The first place above the text.
static uint32_t place_above(struct kv_sorted *s, const char *bytes,
                            const char *text, const uint64_t *head,
                            uint32_t length) {
  uint32_t low = 0, high = s->count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    const struct sorted_piece *p = &s->pieces[middle];
    bool above = p->head[0] > head[0];
    if (p->head[0] == head[0]) {
      above = p->head[1] > head[1];
      if (p->head[1] == head[1]) {
        above = compare_rests(bytes + p->at, p->length, text, length) > 0;
        s->effort += effort_of(p->length);
      }
    }
    s->effort++;
    if (above)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

uint32_t kv_longest(struct kv_sorted *s, const struct kv_texts *x,
                    const char *text, uint32_t length) {
  const uint64_t head[] = {load_big(text), load_big(text + 8)};
  return longest_from(s, place_above(s, x->bytes, text, head, length) - 1,
                      x->bytes, text, head, length);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// The elements of the lists in a chunk of our own format.  Lists of a key are
// mostly the beginning of the longest one that was read of it before, or go on
// from it.  Of that one the bytes are kept, from which it is seen what a list
// has in common with it; only the rest is decoded, and takes memory.
#include "config.h"

#include "recorder/formats/native.h"

#include "base/memory.h"
#include "recorder/bytes.h"

#include <stdlib.h>
#include <string.h>

enum {
  AHEAD = 8, // operations, for which the memory is asked
  ROOM_FIRST = 1 << 12,
};

// The longest list of a key so far, as far as its bytes are kept.
struct longest {
  size_t at;             // of its bytes: room for the sessions, then sequences
  uint32_t first, count; // its elements
  uint32_t spare;        // behind these, for others
  uint32_t room;         // for the bytes of so many
  uint32_t layout;       // of the columns that its bytes are from
};

// Lists can be compared byte by byte if all columns they are from are alike.
struct layout {
  uint64_t session_base, sequence_base;
  uint8_t session_width, sequence_width;
};

struct list_bytes {
  struct longest *longest; // by key
  uint32_t nlongest;
  unsigned char *bytes;
  size_t used, room, most;
  struct layout layout;
  uint32_t nlayouts; // that there were; the number of this one
};

static bool are_alike(const struct layout *a, const struct layout *b) {
  return a->session_base == b->session_base &&
         a->sequence_base == b->sequence_base &&
         a->session_width == b->session_width &&
         a->sequence_width == b->sequence_width;
}

static struct list_bytes *open_list_bytes(const struct loading *l) {
  struct list_bytes *b = xcalloc(1, sizeof *b);
  b->most = l->nelements; // which take four times as much
  b->room = ROOM_FIRST;
  b->bytes = xmalloc(b->room);
  return b;
}

void native_list_bytes_free(struct list_bytes *b) {
  if (b) {
    free(b->longest);
    free(b->bytes);
    free(b);
  }
}

// Of another layout nothing that was kept is of use.
static void begin_chunk(struct list_bytes *b, const struct seen *seen,
                        uint32_t nkeys) {
  const struct layout layout = {.session_base = seen->session->base,
                                .sequence_base = seen->sequence->base,
                                .session_width = seen->session->width,
                                .sequence_width = seen->sequence->width};
  if (!b->nlayouts || !are_alike(&layout, &b->layout)) {
    b->layout = layout;
    b->nlayouts++;
    b->used = 0;
  }
  if (nkeys > b->nlongest) {
    const uint32_t n = nkeys + nkeys / 2;
    b->longest = xrealloc(b->longest, n, sizeof *b->longest);
    memset(b->longest + b->nlongest, 0, (n - b->nlongest) * sizeof *b->longest);
    b->nlongest = n;
  }
}

// As memcmp, which takes longer for the few bytes of most lists.
static inline bool are_equal(const unsigned char *a, const unsigned char *b,
                             size_t n) {
  enum { STEP = 8 };
  if (n < STEP || n > 16 * STEP)
    return memcmp(a, b, n) == 0;
  uint64_t differ = load64(a + n - STEP) ^ load64(b + n - STEP);
  for (size_t i = 0; i + STEP <= n; i += STEP)
    differ |= load64(a + i) ^ load64(b + i);
  return !differ;
}

// How many elements a list of `most` or more, from element `from` of the
// columns on, has in common with the kept one.
static uint32_t common_length(const struct list_bytes *b,
                              const struct longest *kept,
                              const struct seen *seen, uint32_t from,
                              uint32_t most) {
  const size_t sw = b->layout.session_width, qw = b->layout.sequence_width;
  const unsigned char *s = b->bytes + kept->at, *q = s + sw * kept->room;
  const unsigned char *session = seen->session->data + sw * from;
  const unsigned char *sequence = seen->sequence->data + qw * from;
  if (are_equal(s, session, sw * most) && are_equal(q, sequence, qw * most))
    return most;
  uint32_t i = 0;
  while (!memcmp(s + sw * i, session + sw * i, sw) &&
         !memcmp(q + qw * i, sequence + qw * i, qw))
    i++;
  return i;
}

// Keeps the bytes of a list, of which the first `common` are there.  False:
// there is no room for them.
static bool keep_bytes(struct list_bytes *b, struct longest *kept,
                       const struct seen *seen, uint32_t from, uint32_t count,
                       uint32_t common) {
  const size_t sw = b->layout.session_width, qw = b->layout.sequence_width;
  if (kept->layout != b->nlayouts || count > kept->room) {
    const uint64_t room = (uint64_t)count + count / 2 + 4;
    const size_t bytes = room * (sw + qw);
    if (bytes > b->most - b->used || room > UINT32_MAX)
      return false;
    if (bytes > b->room - b->used) {
      b->room = 2 * b->room > b->used + bytes ? 2 * b->room : b->used + bytes;
      b->bytes = xrealloc(b->bytes, b->room, 1);
    }
    kept->at = b->used;
    kept->room = (uint32_t)room;
    kept->layout = b->nlayouts;
    b->used += bytes;
    common = 0;
  }
  unsigned char *s = b->bytes + kept->at, *q = s + sw * kept->room;
  memcpy(s + sw * common, seen->session->data + sw * (from + common),
         sw * (count - common));
  memcpy(q + qw * common, seen->sequence->data + qw * (from + common),
         qw * (count - common));
  return true;
}

// Takes elements for a list, and some more if it may go on.  There are as many
// as all lists so far have if they share nothing.
static uint32_t take_elements(struct loading *l, uint32_t count, uint32_t more,
                              uint32_t *spare) {
  const uint32_t first = l->elements;
  const uint32_t left = l->most_elements - first - count;
  *spare = more < left ? more : left;
  l->elements += count + *spare;
  return first;
}

// Says where a list is that starts with the first `common` of the `known`
// elements of the kept one and goes on otherwise: behind that one, if it has
// all of it and the rest fits there.
static void place_list(struct loading *l, struct longest *kept, uint32_t known,
                       uint32_t common, struct seen_list *list,
                       struct piece *piece, uint32_t *spare) {
  uint32_t *const element = l->history->element;
  const uint32_t more = list->count - known;
  if (common && common == known && more <= kept->spare) {
    *piece = (struct piece){.first = kept->first + known, .count = more};
    *spare = kept->spare - more;
    kept->spare = 0;
    list->first = kept->first;
    return;
  }
  const bool grows = known && list->count > known;
  list->first =
      take_elements(l, list->count, grows ? list->count / 2 + 4 : 0, spare);
  *piece = (struct piece){.first = list->first, .count = list->count};
  if (common)
    memcpy(element + list->first, element + kept->first,
           common * sizeof *element);
}

// What is no write as far as is known has no index that says all of it, so that
// such a list is not kept.
static void decode_list(struct loading *l, struct longest *kept,
                        const struct seen *seen, uint32_t from, uint32_t op,
                        struct seen_list *list) {
  struct list_bytes *b = l->list_bytes;
  const uint32_t count = list->count, nstrays = l->nstrays;
  const uint32_t known =
      l->shares && kept->layout == b->nlayouts ? kept->count : 0;
  const uint32_t most = known < count ? known : count;
  const uint32_t common = most ? common_length(b, kept, seen, from, most) : 0;
  struct piece piece;
  uint32_t spare;
  l->most_elements += count;
  if (common == count) {
    list->first = count ? kept->first : l->elements;
    return;
  }
  place_list(l, kept, known, common, list, &piece, &spare);
  native_index(l, seen, from + common, count - common,
               l->history->element + list->first + common);
  piece.op = op;
  ARRAY_RESERVE(l->pieces, l->npieces, l->piece_room);
  l->pieces[l->npieces++] = piece;
  if (l->shares && count > known && l->nstrays == nstrays &&
      keep_bytes(b, kept, seen, from, count, common)) {
    kept->first = list->first;
    kept->count = count;
    kept->spare = spare;
  }
}

static inline __attribute__((always_inline)) void
fetch(const struct loading *l, const uint32_t *key, uint32_t left) {
  const struct list_bytes *b = l->list_bytes;
  if (left > 2 * AHEAD)
    __builtin_prefetch(&b->longest[key[2 * AHEAD]]);
  if (left > AHEAD) {
    const struct longest *kept = &b->longest[key[AHEAD]];
    __builtin_prefetch(b->bytes + kept->at);
    __builtin_prefetch(
        b->bytes + kept->at +
        kept->count * (b->layout.session_width + b->layout.sequence_width));
  }
}

void native_decode_elements(const struct decoding *d, const struct seen *seen) {
  struct loading *l = d->l;
  const struct history *h = l->history;
  const struct place *p = d->place;
  const uint32_t end = p->op + p->header.nops;
  struct seen_list *list = h->list + p->list;
  if (!l->list_bytes)
    l->list_bytes = open_list_bytes(l);
  begin_chunk(l->list_bytes, seen, h->nkeys);
  for (uint32_t op = p->op, from = 0; op < end; op++) {
    fetch(l, h->key + op, end - op);
    if (h->kind[op] != OP_READ_LIST)
      continue;
    decode_list(l, &l->list_bytes->longest[h->key[op]], seen, from, op, list);
    from += list++->count;
  }
}

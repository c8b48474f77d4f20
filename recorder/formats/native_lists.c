// SPDX-License-Identifier: GPL-3.0-or-later
// The elements of the lists in a chunk of our own format.  Lists of a key are
// mostly the beginning of the longest one that was read of it before, or go on
// from it.  That one is kept (native_kept.h), and what a list has in common
// with it is seen from their bytes; only the rest is decoded, and takes memory.
#include "config.h"

#include "recorder/formats/native.h"
#include "recorder/formats/native_kept.h"
#include "recorder/formats/native_sets.h"

#include "base/memory.h"
#include "recorder/bytes.h"

#include <stdlib.h>
#include <string.h>

// Some of a chunk's operations that read lists.
struct readers {
  uint32_t count, op[OP_SET_MOST];
  struct whereabouts *place[OP_SET_MOST]; // of their keys
};

// The lists of a chunk.
struct decoding_lists {
  struct loading *l;
  struct list_bytes *bytes;
  const struct seen *seen;
  struct seen_list *list; // the next one, and...
  uint32_t from;          // ...its first element, of the columns
  uint32_t most_elements; // of those before the chunk
};

// Takes elements for a list, and some more if it may go on.  There are as many
// as all lists so far have if they share nothing.  Returns how many.
static uint32_t take_elements(const struct decoding_lists *d, bool may_go_on) {
  struct loading *const l = d->l;
  struct seen_list *const list = d->list;
  const uint32_t left = l->most_elements - l->elements;
  const uint64_t more = (uint64_t)list->count + list->count / 2 + 1;
  const uint64_t whole =
      list->count < d->bytes->likely ? d->bytes->likely : more;
  const uint64_t wanted = may_go_on ? whole : list->count;
  const uint32_t room = wanted < left ? (uint32_t)wanted : left;
  const uint32_t spare = room - list->count;
  list->first = l->elements;
  l->elements += room;
  memset(l->history->element + l->elements - spare, 0,
         spare * sizeof *l->history->element);
  return room;
}

// The indexes of n elements, if all were written as far as is known: of
// sequences of `width` bytes, which are narrow.
static inline __attribute__((always_inline)) bool
index_narrow(const struct decoding_lists *d, size_t from, size_t n,
             uint32_t *index, uint32_t width) {
  const uint32_t mask = UINT32_MAX >> (32 - 8 * width);
  const struct range *const ranges = d->l->ranges + d->seen->session->base;
  const unsigned char *const session = d->seen->session->data + from;
  const unsigned char *const sequence = d->seen->sequence->data + width * from;
  const uint32_t before = (uint32_t)d->seen->sequence->base - 1;
  uint32_t unknown = 0;
  for (size_t i = 0; i < n; i++) {
    const struct range range = ranges[session[i]];
    const uint32_t number = before + (load32(sequence + width * i) & mask);
    unknown |= number >= range.count;
    index[i] = range.first + number;
  }
  return !unknown;
}

// The indexes of n elements.  Returns whether there are such of all.
static inline __attribute__((always_inline)) bool
index_elements(const struct decoding_lists *d, uint32_t from, uint32_t n,
               uint32_t *index, uint32_t width) {
  const uint32_t nstrays = d->l->nstrays;
  if (width && index_narrow(d, from, n, index, width))
    return true;
  native_index(d->l, d->seen, from, n, index);
  return d->l->nstrays == nstrays;
}

static uint32_t add_piece(struct loading *l, struct piece piece) {
  ARRAY_RESERVE(l->pieces, l->npieces, l->piece_room);
  l->pieces[l->npieces] = piece;
  return l->npieces++;
}

// Decodes a list that goes on from all of the kept one, behind its elements.
// What is no write as far as is known has no index that says all of it, so that
// such a list is not kept.
static inline __attribute__((always_inline)) void
go_on(const struct decoding_lists *d, uint32_t op, struct kept *kept,
      uint32_t width) {
  const uint32_t common = kept->count, first = kept->first + common;
  const uint32_t end = kept->first + d->list->count;
  d->list->first = kept->first;
  if (index_elements(d, d->from + common, end - first,
                     d->l->history->element + first, width)) {
    d->l->pieces[kept->piece].end = end;
    kept->count = d->list->count;
    kept_store(d->bytes, kept, d->seen, d->from, common, width);
  } else {
    add_piece(d->l, (struct piece){.op = op, .first = first, .end = end});
    kept->count = 0;
  }
}

// Decodes a list whose first elements are as those of the kept one, elsewhere,
// and keeps it if it is longer.
static inline __attribute__((always_inline)) void
begin_anew(const struct decoding_lists *d, uint32_t op,
           struct whereabouts *place, uint32_t common, bool is_longer,
           uint32_t width) {
  struct loading *l = d->l;
  const bool may_be_kept = l->shares && is_longer;
  const uint32_t room = take_elements(d, may_be_kept);
  const uint32_t first = d->list->first, count = d->list->count;
  uint32_t *const element = l->history->element;
  if (common)
    memcpy(element + first, element + kept_at(d->bytes, place->at)->first,
           common * sizeof *element);
  const bool are_known = index_elements(d, d->from + common, count - common,
                                        element + first + common, width);
  const struct piece piece = {.op = op, .first = first, .end = first + count};
  const uint32_t number = add_piece(l, piece);
  struct kept *const kept =
      may_be_kept && are_known ? native_kept_take(d->bytes, place, room) : NULL;
  if (kept) {
    *kept = (struct kept){first, count, room, number};
    kept_store(d->bytes, kept, d->seen, d->from, 0, width);
  }
}

static inline __attribute__((always_inline)) void
decode_list_of(struct decoding_lists *d, uint32_t op, struct whereabouts *place,
               uint32_t alike, uint32_t width) {
  struct kept *const kept = kept_at(d->bytes, place->at);
  const uint32_t count = d->list->count;
  const uint32_t known = place->layout == d->bytes->now ? kept->count : 0;
  const uint32_t most = known < count ? known : count;
  uint32_t common = alike < most ? alike : most;
  if (alike % KEPT_BLOCK == 0 && common < most)
    common =
        native_kept_compare(d->bytes, kept, d->seen, d->from, common, most);
  d->l->most_elements = d->most_elements + d->from + count;
  d->bytes->longest = d->bytes->longest > count ? d->bytes->longest : count;
  if (common == count)
    d->list->first = kept->first;
  else if (known && common == known && count <= kept->room)
    go_on(d, op, kept, width);
  else
    begin_anew(d, op, place, common, count > known, width);
}

// Decodes a list that is no beginning of the kept one, or a long one.  At least
// so many elements are as in the kept one; others, too, if these are blocks.
static __attribute__((noinline)) void
decode_list(struct decoding_lists *d, uint32_t op, struct whereabouts *place,
            uint32_t alike, uint32_t width) {
  switch (width) {
  case 1:
    decode_list_of(d, op, place, alike, 1);
    break;
  case 2:
    decode_list_of(d, op, place, alike, 2);
    break;
  case 3:
    decode_list_of(d, op, place, alike, 3);
    break;
  default:
    decode_list_of(d, op, place, alike, 0);
  }
}

// Finds those of the set from `at` on, and asks for the memory that their lists
// are going to be compared with.
static inline void find_readers(const struct decoding_lists *d, uint32_t at,
                                uint32_t end, struct readers *readers) {
  const struct list_bytes *const b = d->bytes;
  const struct history *h = d->l->history;
  const uint32_t left = end - at;
  const struct op_set set =
      op_set_of(h->kind + at, left < OP_SET_MOST ? left : OP_SET_MOST);
  uint32_t n = 0;
  for (uint64_t reads = set.reads & set.lists; reads; n++) {
    const uint32_t op = at + op_set_take(&reads);
    struct whereabouts *const place = kept_where(b, h->key[op]);
    const unsigned char *const kept = b->bytes + place->at;
    __builtin_prefetch(kept);
    __builtin_prefetch(kept + KEPT_LINE);
    readers->op[n] = op;
    readers->place[n] = place;
  }
  readers->count = n;
}

// Decodes their lists, whose sequences have so many bytes if they are narrow;
// 0: they are not.
static inline __attribute__((always_inline)) void
decode_lists(struct decoding_lists *d, const struct readers *readers,
             const uint32_t *length, uint32_t width) {
  const uint32_t layout = d->bytes->now, n = readers->count;
  const unsigned char *const sessions = d->seen->session->data;
  const unsigned char *const sequences = d->seen->sequence->data;
  struct seen_list *const list = d->list;
  size_t from = d->from;
  for (size_t i = 0; i < n; from += length[i++]) {
    const struct whereabouts place = *readers->place[i];
    const struct kept *const kept = kept_at(d->bytes, place.at);
    const uint32_t count = length[i];
    uint32_t alike = 0;
    if (place.layout == layout && kept->count) {
      if (width)
        alike = kept_beginning(kept, count, sessions + from,
                               sequences + width * from, width);
      list[i] = (struct seen_list){kept->first, count};
      if (count <= alike && count <= kept->count)
        continue;
    } else
      list[i] = (struct seen_list){d->l->elements, count};
    if (!count)
      continue;
    d->list = list + i;
    d->from = (uint32_t)from;
    decode_list(d, readers->op[i], readers->place[i], alike, width);
  }
  d->list = list + n;
  d->from = (uint32_t)from;
}

static void decode_any_lists(struct decoding_lists *d,
                             const struct readers *readers,
                             const uint32_t *length) {
  switch (d->seen->are_narrow ? d->seen->sequence->width : 0) {
  case 1:
    decode_lists(d, readers, length, 1);
    break;
  case 2:
    decode_lists(d, readers, length, 2);
    break;
  case 3:
    decode_lists(d, readers, length, 3);
    break;
  default:
    decode_lists(d, readers, length, 0);
  }
}

void native_decode_elements(const struct decoding *decoding,
                            const struct column *lengths,
                            const struct seen *seen) {
  struct loading *l = decoding->l;
  const struct place *p = decoding->place;
  const uint32_t end = p->op + p->header.nops;
  struct readers both[2];
  uint32_t length[OP_SET_MOST], done = 0, now = 0;
  if (!l->list_bytes)
    l->list_bytes = native_kept_open(l);
  native_kept_begin(l->list_bytes, seen, p->header.nlists, l->history->nkeys);
  struct decoding_lists d = {.l = l,
                             .bytes = l->list_bytes,
                             .seen = seen,
                             .list = l->history->list + p->list,
                             .most_elements = l->most_elements};
  find_readers(&d, p->op, end, &both[now]);
  for (uint32_t at = p->op; at < end; at += OP_SET_MOST, now = !now) {
    if (end - at > OP_SET_MOST)
      find_readers(&d, at + OP_SET_MOST, end, &both[!now]);
    column_unpack32(lengths, done, both[now].count, length);
    decode_any_lists(&d, &both[now], length);
    done += both[now].count;
  }
  l->most_elements = d.most_elements + d.from;
}

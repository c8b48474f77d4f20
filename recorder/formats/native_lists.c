// SPDX-License-Identifier: GPL-3.0-or-later
// The elements of the lists in a chunk of our own format.  Lists of a key are
// mostly the beginning of the longest one that was read of it before, or go on
// from it.  Of that one the bytes are kept, from which it is seen what a list
// has in common with it; only the rest is decoded, and takes memory.
#include "config.h"

#include "recorder/formats/native.h"
#include "recorder/formats/native_sets.h"

#include "base/memory.h"
#include "recorder/bytes.h"

#include <stdlib.h>
#include <string.h>

enum {
  BLOCK = LIST_BLOCK, // elements that are compared, and kept, at once
  KEYS = 1 << 12,     // whose longest lists are said together
  LAYOUTS = 8,        // that lists are kept of
  LINE = 64,          // bytes that the processor gets at once
  SIZES = 4,          // in lines, of what is used again
};

// Where the longest list of a key is kept.
struct whereabouts {
  uint32_t at;     // among the bytes
  uint32_t layout; // of the columns that it is from
};

// The longest list of a key so far, as far as it is kept.  Behind it are blocks
// of its bytes: the sessions of so many elements, then their sequences.
struct kept {
  uint32_t first, count; // its elements
  uint32_t room;         // for so many
  uint32_t piece;        // the one that they are
};

// Lists can be compared byte by byte if all columns they are from are alike.
struct layout {
  uint64_t session_base, sequence_base;
  uint8_t session_width, sequence_width;
};

struct list_bytes {
  struct whereabouts **whereabouts; // by key: of so many each
  uint32_t nblocks;
  unsigned char *memory, *bytes; // `bytes`: its first line
  uint64_t used, most;
  uint32_t freed[SIZES + 1]; // by size in lines: the last one, UINT32_MAX: none
  struct layout layouts[LAYOUTS]; // the newest ones, by number % LAYOUTS
  uint32_t oldest, nlayouts;      // the first one of which lists are kept...
                                  // ...and the last one that there was
  uint32_t now;                   // the number, from 1 on, of the one at hand
};

static bool are_alike(const struct layout *a, const struct layout *b) {
  return a->session_base == b->session_base &&
         a->sequence_base == b->sequence_base &&
         a->session_width == b->session_width &&
         a->sequence_width == b->sequence_width;
}

static inline struct whereabouts *whereabouts_of(const struct list_bytes *b,
                                                 uint32_t key) {
  return &b->whereabouts[key / KEYS][key % KEYS];
}

// Of a key of which none is kept, any other one.
static inline struct kept *kept_at(const struct list_bytes *b, uint32_t at) {
  return (void *)(b->bytes + at);
}

// Most of the bytes are never used, and take no memory.
static struct list_bytes *open_list_bytes(const struct loading *l) {
  enum { PER_ELEMENT = 2 }; // which takes twice as much if it is not shared
  struct list_bytes *b = xcalloc(1, sizeof *b);
  b->most = PER_ELEMENT * (uint64_t)l->nelements + LINE;
  b->most = b->most < UINT32_MAX ? b->most : UINT32_MAX;
  b->memory = xmalloc_large(b->most + LINE, 1);
  b->bytes = b->memory + (LINE - (uintptr_t)b->memory % LINE) % LINE;
  b->oldest = 1;
  memset(b->freed, 0xff, sizeof b->freed);
  *kept_at(b, 0) = (struct kept){0};
  return b;
}

void native_list_bytes_free(struct list_bytes *b) {
  if (b) {
    for (uint32_t i = 0; i < b->nblocks; i++)
      free(b->whereabouts[i]);
    free(b->whereabouts);
    free(b->memory);
    free(b);
  }
}

static const struct layout *layout_of(const struct list_bytes *b) {
  return &b->layouts[b->now % LAYOUTS];
}

// The number of a layout.  Where another one is new, and much of the bytes is
// used, nothing that was kept is of use any more.
static uint32_t number_layout(struct list_bytes *b, struct layout layout) {
  for (uint32_t i = b->nlayouts; i >= b->oldest; i--)
    if (are_alike(&b->layouts[i % LAYOUTS], &layout))
      return i;
  b->layouts[++b->nlayouts % LAYOUTS] = layout;
  if (b->used > b->most / 2) {
    b->oldest = b->nlayouts;
    b->used = 0;
    memset(b->freed, 0xff, sizeof b->freed);
  } else if (b->nlayouts - b->oldest == LAYOUTS)
    b->oldest++;
  return b->nlayouts;
}

static void begin_chunk(struct list_bytes *b, const struct seen *seen,
                        uint32_t nkeys) {
  b->now = number_layout(
      b, (struct layout){.session_base = seen->session->base,
                         .sequence_base = seen->sequence->base,
                         .session_width = seen->session->width,
                         .sequence_width = seen->sequence->width});
  while (b->nblocks * (uint64_t)KEYS < nkeys) {
    b->whereabouts = xrealloc(b->whereabouts, (size_t)b->nblocks + 1,
                              sizeof *b->whereabouts);
    b->whereabouts[b->nblocks++] = xcalloc(KEYS, sizeof **b->whereabouts);
  }
}

// Bytes of a block.
static inline size_t block_bytes(const struct list_bytes *b) {
  const struct layout *const layout = layout_of(b);
  return BLOCK * (layout->session_width + (size_t)layout->sequence_width);
}

static inline unsigned char *blocks_of(struct kept *kept) {
  return (unsigned char *)(kept + 1);
}

// Of the numbers of a block, so many bytes each, the first that differs; or
// BLOCK.
static uint32_t first_difference(const unsigned char *a, const unsigned char *b,
                                 uint32_t width) {
  const uint32_t all = 0xffff;
  for (uint32_t i = 0; i < width * BLOCK; i += BLOCK) {
    const uint32_t same = bytes_in_common(a + i, b + i);
    if (same != all)
      return (i + (uint32_t)__builtin_ctz(~same)) / width;
  }
  return BLOCK;
}

// The first element of a block that differs, of sessions of one byte and
// sequences of one to three; or BLOCK.
static inline __attribute__((always_inline)) uint32_t
narrow_difference(const unsigned char *block, const unsigned char *session,
                  const unsigned char *sequence, uint32_t width) {
  const uint32_t sessions = bytes_in_common(block, session);
  uint64_t sequences = 0;
  for (uint32_t i = 0; i < width; i++)
    sequences |=
        (uint64_t)bytes_in_common(block + BLOCK * (i + 1), sequence + BLOCK * i)
        << BLOCK * i;
  const uint32_t s = (uint32_t)__builtin_ctz(~sessions);
  const uint32_t q = (uint32_t)__builtin_ctzll(~sequences) / width;
  return s < q ? s : q;
}

// How many elements a list of `most` or more, from element `from` of the
// columns on, has in common with the kept one, beginning with `common`, whole
// blocks, of which that is known.
static uint32_t common_length(const struct list_bytes *b, struct kept *kept,
                              const struct seen *seen, size_t from,
                              uint32_t common, uint32_t most) {
  const uint8_t sw = layout_of(b)->session_width;
  const uint8_t qw = layout_of(b)->sequence_width;
  const unsigned char *block =
      blocks_of(kept) + common / BLOCK * block_bytes(b);
  uint32_t n = BLOCK;
  for (; n == BLOCK && common < most; common += n, block += block_bytes(b)) {
    const size_t at = from + common;
    const uint32_t s =
        first_difference(block, seen->session->data + sw * at, sw);
    const uint32_t q = first_difference(block + BLOCK * sw,
                                        seen->sequence->data + qw * at, qw);
    n = s < q ? s : q;
  }
  return common < most ? common : most;
}

// How much of the bytes it takes to keep so many elements.
static uint64_t lines_of(const struct list_bytes *b, uint32_t room) {
  const uint64_t nblocks = ((uint64_t)room + BLOCK - 1) / BLOCK;
  const uint64_t bytes = sizeof(struct kept) + nblocks * block_bytes(b);
  return (bytes + LINE - 1) / LINE;
}

// What was kept of the key, if anything, is not needed any more.
static void free_kept(struct list_bytes *b, struct whereabouts place) {
  struct kept *const kept = kept_at(b, place.at);
  if (place.layout != b->now)
    return;
  const uint64_t lines = lines_of(b, kept->room);
  if (lines > SIZES)
    return;
  kept->first = b->freed[lines];
  b->freed[lines] = place.at;
}

// Room for a list of which so many elements are going to be kept; NULL: there
// is none.
static struct kept *take_room(struct list_bytes *b, struct whereabouts *place,
                              uint32_t room) {
  const uint64_t lines = lines_of(b, room), bytes = lines * LINE;
  const bool again = lines <= SIZES && b->freed[lines] != UINT32_MAX;
  const uint32_t at = again ? b->freed[lines] : (uint32_t)b->used;
  struct kept *const kept = kept_at(b, at);
  if (!again && bytes > b->most - b->used)
    return NULL;
  if (again)
    b->freed[lines] = kept->first;
  else
    b->used += bytes;
  free_kept(b, *place);
  *place = (struct whereabouts){at, b->now};
  return kept;
}

// Sixteen bytes at once, as blocks have that many numbers.
static inline void copy_bytes(unsigned char *to, const unsigned char *from,
                              size_t sixteens) {
  for (size_t i = 0; i < sixteens; i++)
    memcpy(to + BLOCK * i, from + BLOCK * i, BLOCK);
}

// Keeps the bytes of a list, of which the first `common` are there.
static void keep_bytes(const struct list_bytes *b, struct kept *kept,
                       const struct seen *seen, size_t from, uint32_t common) {
  const size_t sw = layout_of(b)->session_width;
  const size_t qw = layout_of(b)->sequence_width;
  uint32_t i = common / BLOCK;
  unsigned char *block = blocks_of(kept) + i * block_bytes(b);
  for (; i * BLOCK < kept->count; i++, block += block_bytes(b)) {
    const size_t at = from + i * BLOCK;
    copy_bytes(block, seen->session->data + sw * at, sw);
    copy_bytes(block + BLOCK * sw, seen->sequence->data + qw * at, qw);
  }
}

// Takes elements for a list, and some more if it may go on.  There are as many
// as all lists so far have if they share nothing.  Returns how many.
static uint32_t take_elements(struct loading *l, struct seen_list *list,
                              bool may_go_on) {
  const uint32_t left = l->most_elements - l->elements;
  const uint64_t more = list->count > BLOCK ? list->count / 2 : 0;
  const uint64_t whole = (list->count + more + BLOCK - 1) / BLOCK * BLOCK;
  const uint64_t wanted = may_go_on ? whole : list->count;
  const uint32_t room = wanted < left ? (uint32_t)wanted : left;
  const uint32_t spare = room - list->count;
  list->first = l->elements;
  l->elements += room;
  memset(l->history->element + l->elements - spare, 0,
         spare * sizeof *l->history->element);
  return room;
}

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

// The indexes of n elements, which are narrow, if all were written as far as is
// known.
static bool index_narrow(const struct loading *l, const struct seen *seen,
                         size_t from, size_t n, uint32_t *index) {
  const uint8_t width = seen->sequence->width;
  const uint32_t mask = UINT32_MAX >> (32 - 8 * width);
  const struct range *const ranges = l->ranges + seen->session->base;
  const unsigned char *const session = seen->session->data + from;
  const unsigned char *p = seen->sequence->data + width * from;
  const uint32_t before = (uint32_t)seen->sequence->base - 1;
  uint32_t unknown = 0;
  for (size_t i = 0; i < n; i++, p += width) {
    const struct range range = ranges[session[i]];
    const uint32_t number = before + (load32(p) & mask);
    unknown |= number >= range.count;
    index[i] = range.first + number;
  }
  return !unknown;
}

// The indexes of n elements.  Returns whether there are such of all.
static bool index_elements(const struct decoding_lists *d, uint32_t from,
                           uint32_t n, uint32_t *index) {
  const uint32_t nstrays = d->l->nstrays;
  if (d->seen->are_narrow && index_narrow(d->l, d->seen, from, n, index))
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
static void go_on(const struct decoding_lists *d, uint32_t op,
                  struct kept *kept) {
  const uint32_t common = kept->count, first = kept->first + common;
  const uint32_t end = kept->first + d->list->count;
  d->list->first = kept->first;
  if (index_elements(d, d->from + common, end - first,
                     d->l->history->element + first)) {
    d->l->pieces[kept->piece].end = end;
    kept->count = d->list->count;
    keep_bytes(d->bytes, kept, d->seen, d->from, common);
  } else {
    add_piece(d->l, (struct piece){op, first, end});
    kept->count = 0;
  }
}

// Decodes a list whose first elements are as those of the kept one, elsewhere,
// and keeps it if it is longer.
static void begin_anew(const struct decoding_lists *d, uint32_t op,
                       struct whereabouts *place, uint32_t common,
                       bool is_longer) {
  struct loading *l = d->l;
  uint32_t *const element = l->history->element;
  const bool may_be_kept = l->shares && is_longer;
  const uint32_t room = take_elements(l, d->list, may_be_kept);
  const uint32_t first = d->list->first, count = d->list->count;
  if (common)
    memcpy(element + first, element + kept_at(d->bytes, place->at)->first,
           common * sizeof *element);
  const bool are_known = index_elements(d, d->from + common, count - common,
                                        element + first + common);
  const uint32_t piece = add_piece(l, (struct piece){op, first, first + count});
  struct kept *const kept =
      may_be_kept && are_known ? take_room(d->bytes, place, room) : NULL;
  if (kept) {
    *kept = (struct kept){first, count, room, piece};
    keep_bytes(d->bytes, kept, d->seen, d->from, 0);
  }
}

// Decodes a list that is no beginning of the kept one, or a long one.  At least
// so many elements are as in the kept one; others, too, if these are blocks.
static __attribute__((noinline)) void decode_list(struct decoding_lists *d,
                                                  uint32_t op,
                                                  struct whereabouts *place,
                                                  uint32_t alike) {
  struct kept *const kept = kept_at(d->bytes, place->at);
  const uint32_t count = d->list->count;
  const uint32_t known = place->layout == d->bytes->now ? kept->count : 0;
  const uint32_t most = known < count ? known : count;
  uint32_t common = alike < most ? alike : most;
  if (alike % BLOCK == 0 && common < most)
    common = common_length(d->bytes, kept, d->seen, d->from, common, most);
  d->l->most_elements = d->most_elements + d->from + count;
  if (common == count)
    d->list->first = kept->first;
  else if (known && common == known && count <= kept->room)
    go_on(d, op, kept);
  else
    begin_anew(d, op, place, common, count > known);
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
    struct whereabouts *const place = whereabouts_of(b, h->key[op]);
    const unsigned char *const kept = b->bytes + place->at;
    __builtin_prefetch(kept);
    __builtin_prefetch(kept + LINE);
    readers->op[n] = op;
    readers->place[n] = place;
  }
  readers->count = n;
}

// How many elements of a list, up to two blocks, are as in the kept one, which
// has `known`: of sequences of so many bytes.  What is behind the end of either
// list is compared, too.
static inline __attribute__((always_inline)) uint32_t
narrow_beginning(const struct kept *kept, uint32_t known, uint32_t count,
                 const unsigned char *session, const unsigned char *sequence,
                 uint32_t width) {
  const unsigned char *const block = (const unsigned char *)(kept + 1);
  const uint32_t alike = narrow_difference(block, session, sequence, width);
  if (alike < BLOCK || known <= BLOCK || count <= BLOCK)
    return alike;
  return BLOCK + narrow_difference(block + (1 + width) * BLOCK, session + BLOCK,
                                   sequence + width * BLOCK, width);
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
  for (size_t i = 0; i < n; i++) {
    const struct whereabouts place = *readers->place[i];
    const struct kept *const kept = kept_at(d->bytes, place.at);
    const uint32_t known = place.layout == layout ? kept->count : 0;
    const uint32_t count = length[i];
    const uint32_t alike =
        width && known ? narrow_beginning(kept, known, count, sessions + from,
                                          sequences + width * from, width)
                       : 0;
    list[i] = (struct seen_list){known ? kept->first : d->l->elements, count};
    if (count > known || count > alike) {
      d->list = list + i;
      d->from = (uint32_t)from;
      decode_list(d, readers->op[i], readers->place[i], alike);
    }
    from += count;
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
    l->list_bytes = open_list_bytes(l);
  begin_chunk(l->list_bytes, seen, l->history->nkeys);
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

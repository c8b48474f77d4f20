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
  ROOM_FIRST = 1 << 12,
  KEYS = 1 << 12, // whose longest lists are together
};

// The longest list of a key so far, as far as its bytes are kept.
struct longest {
  uint32_t first, count; // its elements
  uint32_t room;         // for so many, also of bytes...
  uint32_t at;           // ...which are here: the sessions, then the sequences
  uint32_t layout;       // of the columns that its bytes are from
};

// Lists can be compared byte by byte if all columns they are from are alike.
struct layout {
  uint64_t session_base, sequence_base;
  uint8_t session_width, sequence_width;
};

struct list_bytes {
  struct longest **longest; // by key: of so many each
  uint32_t nblocks;
  unsigned char *bytes;
  uint32_t used, room, most;
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
  b->bytes = xmalloc(b->room + COLUMN_SLACK);
  return b;
}

void native_list_bytes_free(struct list_bytes *b) {
  if (b) {
    for (uint32_t i = 0; i < b->nblocks; i++)
      free(b->longest[i]);
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
  while (b->nblocks * (uint64_t)KEYS < nkeys) {
    b->longest =
        xrealloc(b->longest, (size_t)b->nblocks + 1, sizeof *b->longest);
    b->longest[b->nblocks++] = xcalloc(KEYS, sizeof **b->longest);
  }
}

static inline struct longest *longest_of(const struct list_bytes *b,
                                         uint32_t key) {
  return &b->longest[key / KEYS][key % KEYS];
}

// As memcmp, which takes longer for the few bytes of most lists.  Behind both
// there are COLUMN_SLACK more.
static inline bool are_equal(const unsigned char *a, const unsigned char *b,
                             size_t n) {
  enum { HALF = 8, STEP = 16 };
  if (n <= HALF)
    return !n || !((load64(a) ^ load64(b)) << 8 * (HALF - n));
  if (n < STEP)
    return !((load64(a) ^ load64(b)) |
             (load64(a + n - HALF) ^ load64(b + n - HALF)));
  bytes16 differ = load_bytes16(a + n - STEP) ^ load_bytes16(b + n - STEP);
  for (size_t i = 0; i + STEP <= n; i += STEP)
    differ |= load_bytes16(a + i) ^ load_bytes16(b + i);
  return !(differ[0] | differ[1]);
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

// Room for the bytes of so many elements; false: there is none.
static bool take_bytes(struct list_bytes *b, uint32_t room, uint32_t *at) {
  const uint64_t bytes =
      (uint64_t)room * (b->layout.session_width + b->layout.sequence_width);
  if (bytes > b->most - b->used)
    return false;
  if (bytes > b->room - b->used) {
    const uint64_t more = b->room + b->room / 2, least = b->used + bytes;
    const uint64_t wanted = more > least ? more : least;
    b->room = wanted < b->most ? (uint32_t)wanted : b->most;
    b->bytes = xrealloc(b->bytes, (size_t)b->room + COLUMN_SLACK, 1);
  }
  *at = b->used;
  b->used += (uint32_t)bytes;
  return true;
}

// Keeps the bytes of a list, of which the first `common` are there.
static void keep_bytes(struct list_bytes *b, const struct longest *kept,
                       const struct seen *seen, uint32_t from,
                       uint32_t common) {
  const size_t sw = b->layout.session_width, qw = b->layout.sequence_width;
  const uint32_t n = kept->count - common;
  unsigned char *s = b->bytes + kept->at, *q = s + sw * kept->room;
  memcpy(s + sw * common, seen->session->data + sw * (from + common), sw * n);
  memcpy(q + qw * common, seen->sequence->data + qw * (from + common), qw * n);
}

// Takes elements for a list, and some more if it may go on.  There are as many
// as all lists so far have if they share nothing.  Returns how many.
static uint32_t take_elements(struct loading *l, struct seen_list *list,
                              bool goes_on) {
  const uint32_t left = l->most_elements - l->elements;
  const uint32_t wanted = list->count + (goes_on ? list->count / 2 + 1 : 0);
  const uint32_t room = wanted < left ? wanted : left;
  const uint32_t spare = room - list->count;
  list->first = l->elements;
  l->elements += room;
  memset(l->history->element + l->elements - spare, 0,
         spare * sizeof *l->history->element);
  return room;
}

// Decodes a list from element `common` on, which it has in common with the kept
// one, behind the elements of that one or elsewhere.  What is no write as far
// as is known has no index that says all of it, so that such a list is not
// kept.  Returns the first element that is not shared.
static uint32_t decode_rest(struct loading *l, struct longest *kept,
                            const struct seen *seen, uint32_t from,
                            uint32_t common, uint32_t known,
                            struct seen_list *list) {
  struct list_bytes *b = l->list_bytes;
  uint32_t *const element = l->history->element;
  const uint32_t nstrays = l->nstrays, rest = list->count - common;
  const bool grows = known && list->count > known;
  struct longest longest = {.count = list->count, .layout = b->nlayouts};
  if (grows && common == known && list->count <= kept->room) {
    list->first = kept->first;
    native_index(l, seen, from + common, rest, element + list->first + common);
    kept->count = l->nstrays == nstrays ? list->count : 0;
    if (kept->count)
      keep_bytes(b, kept, seen, from, common);
    return list->first + common;
  }
  longest.room = take_elements(l, list, grows);
  longest.first = list->first;
  if (common)
    memcpy(element + list->first, element + kept->first,
           common * sizeof *element);
  native_index(l, seen, from + common, rest, element + list->first + common);
  if (l->shares && list->count > known && l->nstrays == nstrays &&
      take_bytes(b, longest.room, &longest.at)) {
    *kept = longest;
    keep_bytes(b, kept, seen, from, 0);
  }
  return list->first;
}

static void decode_list(struct loading *l, uint32_t op, const struct seen *seen,
                        uint32_t from, struct seen_list *list) {
  const struct list_bytes *b = l->list_bytes;
  struct longest *kept = longest_of(b, l->history->key[op]);
  const uint32_t known =
      l->shares && kept->layout == b->nlayouts ? kept->count : 0;
  const uint32_t most = known < list->count ? known : list->count;
  const uint32_t common = most ? common_length(b, kept, seen, from, most) : 0;
  l->most_elements += list->count;
  if (common == list->count) {
    list->first = common ? kept->first : l->elements;
    return;
  }
  ARRAY_RESERVE(l->pieces, l->npieces, l->piece_room);
  l->pieces[l->npieces++] = (struct piece){
      .op = op,
      .list = (uint32_t)(list - l->history->list),
      .first = decode_rest(l, kept, seen, from, common, known, list)};
}

// Asks for the memory that the key's list is going to be compared with.
static inline void fetch(const struct list_bytes *b, uint32_t key) {
  const struct longest *kept = longest_of(b, key);
  __builtin_prefetch(b->bytes + kept->at);
  __builtin_prefetch(b->bytes + kept->at +
                     kept->count *
                         (b->layout.session_width + b->layout.sequence_width));
}

// The operations of a set that read lists.
struct readers {
  uint32_t count, op[OP_SET_MOST];
};

// Those of the set from `at` on.
static inline void find_readers(const struct loading *l, uint32_t at,
                                uint32_t end, struct readers *readers) {
  const struct history *h = l->history;
  const uint32_t left = end - at;
  const struct op_set set =
      op_set_of(h->kind + at, left < OP_SET_MOST ? left : OP_SET_MOST);
  readers->count = 0;
  for (uint64_t reads = set.reads & set.lists; reads;)
    readers->op[readers->count++] = at + op_set_take(&reads);
  for (uint32_t i = 0; i < readers->count; i++)
    fetch(l->list_bytes, h->key[readers->op[i]]);
}

void native_decode_elements(const struct decoding *d, const struct seen *seen) {
  struct loading *l = d->l;
  const struct place *p = d->place;
  const uint32_t end = p->op + p->header.nops;
  struct seen_list *list = l->history->list + p->list;
  struct readers now, next;
  uint32_t from = 0;
  if (!l->list_bytes)
    l->list_bytes = open_list_bytes(l);
  begin_chunk(l->list_bytes, seen, l->history->nkeys);
  find_readers(l, p->op, end, &next);
  for (uint32_t at = p->op; at < end; at += OP_SET_MOST) {
    now = next;
    if (end - at > OP_SET_MOST)
      find_readers(l, at + OP_SET_MOST, end, &next);
    for (uint32_t i = 0; i < now.count; i++) {
      decode_list(l, now.op[i], seen, from, list);
      from += list++->count;
    }
  }
}

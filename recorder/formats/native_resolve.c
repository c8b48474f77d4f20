// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the writer of everything that was read in a history of our own format:
// by its value, which says its session and which of the session's writes it is,
// or, where decoding made that an index of the table of writes, by that.
#include "config.h"

#include "recorder/formats/native.h"
#include "recorder/formats/native_sets.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

// What the memory is asked for: so many reads, operations on lists ahead.
enum { AHEAD = 128, AHEAD_LISTS = 8 };

// What stands for no write at all.
static const struct write thin_air = {.op = SAW_THIN_AIR};
static const struct write lost = {.op = SAW_LOST};

// The write among those behind a gap in the session's chunks.
static const struct write *find_behind_gap(const struct loading *l,
                                           const struct session *s,
                                           uint64_t sequence) {
  for (uint32_t i = 0; i < s->nplaces; i++) {
    const struct place *p = l->ordered[s->first_place + i];
    uint64_t first = p->header.first_write;
    if (sequence >= first && sequence - first < p->header.nwrites)
      return &l->writes[p->write + (sequence - first)];
  }
  bool was_written = !l->closed || sequence < s->total_writes;
  return l->history->complete || !was_written ? &thin_air : &lost;
}

static const struct write *find_write(const struct loading *l, uint64_t value) {
  uint64_t sequence = value_sequence(value);
  uint64_t session = value >> VALUE_SEQUENCE_BITS;
  if (session >= l->history->nsessions || sequence == UINT64_MAX)
    return &thin_air;
  const struct session *s = &l->sessions[session];
  if (sequence < s->nwrites)
    return &l->writes[s->first_write + sequence];
  return find_behind_gap(l, s, sequence);
}

// `kind`: OP_READ or OP_READ_LIST.
static uint32_t find(const struct loading *l, uint64_t value, uint32_t key,
                     unsigned kind) {
  if (value == VALUE_INITIAL && kind == OP_READ)
    return SAW_INITIAL;
  const struct write *w = find_write(l, value);
  return w->op >= l->history->nops || w->tag == write_tag(key, kind)
             ? w->op
             : SAW_THIN_AIR;
}

// Asks the memory for the write of a value, which is needed soon.  GCC leaves
// out functions that only ask, unless it inlines them before it notices.
static inline __attribute__((always_inline)) void fetch(const struct loading *l,
                                                        uint64_t value) {
  const uint64_t session = value >> VALUE_SEQUENCE_BITS;
  const uint64_t sequence = value_sequence(value);
  if (session < l->history->nsessions &&
      sequence < l->sessions[session].nwrites)
    __builtin_prefetch(&l->writes[l->sessions[session].first_write + sequence]);
}

// How many elements the lists start with in common.
static uint32_t common_length(const struct history *h, struct range list,
                              struct range other) {
  const uint64_t *a = h->element_value + list.first;
  const uint64_t *b = h->element_value + other.first;
  const uint32_t most = list.count < other.count ? list.count : other.count;
  if (memcmp(a, b, most * sizeof *a) == 0)
    return most;
  uint32_t common = 0;
  while (a[common] == b[common])
    common++;
  return common;
}

// Lists of a key mostly start as the one that was read before, `*last`, which
// may be an empty one.
static void find_list(const struct loading *l, uint32_t op,
                      struct range *last) {
  const struct history *h = l->history;
  const uint32_t first = h->list_first[h->saw[op]];
  const struct range list = {first, h->list_first[h->saw[op] + 1] - first};
  const uint32_t common = common_length(h, list, *last);
  const uint64_t *value = h->element_value + first;
  uint32_t *element = h->element + first;
  memcpy(element, h->element + last->first, common * sizeof *element);
  for (uint32_t i = common; i < list.count; i++)
    fetch(l, value[i]);
  for (uint32_t i = common; i < list.count; i++)
    element[i] = find(l, value[i], h->key[op], OP_READ_LIST);
  *last = list;
}

static void fetch_list(const struct history *h, struct range list) {
  for (uint32_t i = 0; i < list.count && i < 32; i += 8)
    __builtin_prefetch(h->element_value + list.first + i);
  __builtin_prefetch(h->element + list.first);
}

// `last`: by key, its last list that was found.
static void find_chunk(const struct loading *l, const struct place *p,
                       struct range *last) {
  struct history *h = l->history;
  uint32_t cas = p->cas;
  const uint32_t end = p->op + p->header.nops;
  for (uint32_t op = p->op; op < end; op++) {
    if (p->header.nlists)
      fetch_list(h,
                 last[h->key[end - op > AHEAD_LISTS ? op + AHEAD_LISTS : op]]);
    switch (h->kind[op]) {
    case OP_READ:
      h->saw[op] = find(l, h->value[op], h->key[op], OP_READ);
      break;
    case OP_CAS:
      h->saw[op] = find(l, l->expected[cas++], h->key[op], OP_READ);
      break;
    case OP_READ_LIST:
      find_list(l, op, &last[h->key[op]]);
      break;
    default:
      h->saw[op] = 0;
    }
  }
}

// The operation that a read with this tag saw.
static inline uint32_t look_up(const struct write *writes, uint32_t index,
                               uint32_t tag) {
  const struct write w = writes[index];
  const uint32_t is_right = (w.tag == tag) | (index < INDEX_WRITES);
  return SAW_THIN_AIR ^ ((w.op ^ SAW_THIN_AIR) & -is_right);
}

// In a chunk of nothing but plain reads and writes.  The indexes of what the
// reads saw are the last entries of their chunk's part of h->saw, and so never
// before the place where they belong.
static void look_up_chunk(const struct loading *l, const struct place *p) {
  const struct history *h = l->history;
  const struct write *const writes = l->writes;
  const uint32_t end = p->op + p->header.nops;
  const uint32_t *index = h->saw + (end - p->nreads), *ahead = index;
  struct op_set set;
  for (uint32_t at = p->op; at < end; at += set.size) {
    const uint32_t *const key = h->key + at;
    uint32_t *const saw = h->saw + at;
    set = op_set_of(h->kind + at, end - at);
    for (; ahead < h->saw + end && ahead < index + AHEAD; ahead++)
      __builtin_prefetch(&writes[*ahead]);
    while (set.reads) {
      const uint32_t op = op_set_take(&set.reads);
      saw[op] = look_up(writes, *index++, key[op]);
    }
    while (set.writes)
      saw[op_set_take(&set.writes)] = 0;
  }
}

static int by_time(const void *a, const void *b) {
  const struct place *x = *(const struct place *const *)a;
  const struct place *y = *(const struct place *const *)b;
  const uint64_t begin = x->header.origin, other = y->header.origin;
  return begin != other ? (begin > other) - (begin < other) : (x > y) - (x < y);
}

// In the order of time, in which what is read was written shortly before, and
// is still near.
void native_resolve(struct loading *l) {
  const struct place **places = xmalloc(l->nplaces * sizeof *places);
  struct range *last =
      xcalloc(l->history->lists ? l->history->nkeys : 0, sizeof *last);
  for (uint32_t i = 0; i < l->nplaces; i++)
    places[i] = &l->places[i];
  if (l->nplaces)
    qsort(places, l->nplaces, sizeof *places, by_time);
  for (uint32_t i = 0; i < l->nplaces; i++)
    if (places[i]->indexed)
      look_up_chunk(l, places[i]);
    else
      find_chunk(l, places[i], last);
  free(last);
  free(places);
}

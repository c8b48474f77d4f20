// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the writer of everything that was read in a history of our own format:
// by the index of the table of writes that decoding made of its value, which
// says its session and which of the session's writes it is; or by the value
// itself, where there was no such index.
#include "config.h"

#include "recorder/formats/native.h"
#include "recorder/formats/native_sets.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { AHEAD = 128 }; // reads, for which the memory is asked

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

// The value of the write with this index, which is one before its session's
// first gap.
static uint64_t value_of_index(const struct loading *l, uint32_t index) {
  uint32_t low = 0, high = l->history->nsessions;
  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;
    if (l->sessions[middle].first_write <= index)
      low = middle;
    else
      high = middle;
  }
  return value_of_write(low, index - l->sessions[low].first_write);
}

static void note_odd(struct loading *l, struct odd odd) {
  ARRAY_RESERVE(l->odd, l->nodd, l->odd_room);
  l->odd[l->nodd++] = odd;
}

// What has no index.
static uint32_t find(const struct loading *l, uint64_t value, uint32_t tag) {
  const struct write *w = find_write(l, value);
  return w->op >= l->history->nops || w->tag == tag ? w->op : SAW_THIN_AIR;
}

// The operation that is seen by one that reads with this tag, given the index
// and, where that is INDEX_SOMEWHERE, the next one of the strays.  `odd` says
// who reads.
static uint32_t see(struct loading *l, uint32_t index, uint32_t tag,
                    uint32_t *stray, struct odd odd) {
  uint32_t saw = l->writes[index].op;
  odd.value = index == INDEX_SOMEWHERE ? l->strays[(*stray)++] : 0;
  if (index == INDEX_SOMEWHERE)
    saw = find(l, odd.value, tag);
  else if (index >= INDEX_WRITES && l->writes[index].tag != tag) {
    saw = SAW_THIN_AIR;
    odd.value = value_of_index(l, index);
    l->unshareable |= (tag & WRITE_TAG_LIST) != 0;
  }
  if (saw == SAW_THIN_AIR || saw == SAW_LOST)
    note_odd(l, odd);
  return saw;
}

// Finds who appended the elements of a list, from `first` to `end`, `*stray`
// being the first of its strays.
static void find_elements(struct loading *l, uint32_t op, uint32_t first,
                          uint32_t end, uint32_t *stray) {
  const struct history *h = l->history;
  const uint32_t tag = write_tag(h->key[op], OP_READ_LIST);
  for (uint32_t i = first; i < end; i++) {
    const uint32_t index = h->element[i];
    const struct write w = l->writes[index];
    h->element[i] =
        w.tag == tag && w.op < SAW_LOST
            ? w.op
            : see(l, index, tag, stray, (struct odd){.op = op, .element = i});
  }
}

// In a chunk of any operations.
static void find_chunk(struct loading *l, const struct place *p) {
  const struct history *h = l->history;
  const uint32_t end = p->op + p->header.nops;
  const uint32_t *index = h->saw + (end - p->nreads);
  uint32_t stray = p->strays, list_stray = p->list_strays, list = p->list;
  uint32_t piece = p->piece;
  for (uint32_t op = p->op; op < end; op++) {
    if (h->kind[op] == OP_READ_LIST) {
      if (piece < l->npieces && l->pieces[piece].list == list)
        find_elements(l, op, l->pieces[piece++].first,
                      history_list_end(h, list), &list_stray);
      h->saw[op] = list++;
    } else if (op_reads(h->kind[op]))
      h->saw[op] = see(l, *index++, h->key[op], &stray, (struct odd){.op = op});
    else
      h->saw[op] = 0;
  }
}

// The operation that a read with this tag saw.
static inline uint32_t look_up(const struct write *writes, uint32_t index,
                               uint32_t tag) {
  const struct write w = writes[index];
  const uint32_t is_right = (w.tag == tag) | (index < INDEX_WRITES);
  return SAW_THIN_AIR ^ ((w.op ^ SAW_THIN_AIR) & -is_right);
}

// In a chunk of nothing but plain reads and writes without strays.  The indexes
// of what the reads saw are never before the place where they belong.
static void look_up_chunk(struct loading *l, const struct place *p) {
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
      const uint32_t op = op_set_take(&set.reads), seen = *index++;
      saw[op] = look_up(writes, seen, key[op]);
      if (__builtin_expect(saw[op] == SAW_THIN_AIR, 0))
        note_odd(l, (struct odd){value_of_index(l, seen), at + op, 0});
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

// Of all that was written and read, where that does not follow from who wrote.
static void spell_values(struct loading *l) {
  struct history *h = l->history;
  h->value = xmalloc_large(h->nops, sizeof *h->value);
  for (uint32_t i = 0; i < l->nplaces; i++) {
    const struct place *p = &l->places[i];
    uint64_t next = value_of_write(p->header.session, p->header.first_write);
    for (uint32_t op = p->op; op < p->op + p->header.nops; op++)
      h->value[op] = op_writes(h->kind[op]) ? next++ : 0;
  }
  history_spell_reads(h);
  for (uint32_t i = 0; i < l->nodd; i++) {
    const struct odd *odd = &l->odd[i];
    if (h->kind[odd->op] == OP_READ_LIST)
      h->element_value[odd->element] = odd->value;
    else if (h->kind[odd->op] == OP_READ)
      h->value[odd->op] = odd->value;
  }
}

// What is read was written shortly before, and in the order of time is still
// near.
int native_resolve(struct loading *l) {
  const struct place **places = xmalloc(l->nplaces * sizeof *places);
  for (uint32_t i = 0; i < l->nplaces; i++)
    places[i] = &l->places[i];
  if (l->nplaces)
    qsort(places, l->nplaces, sizeof *places, by_time);
  for (uint32_t i = 0; i < l->nplaces; i++)
    if (places[i]->plain && places[i]->strays == places[i]->list_strays)
      look_up_chunk(l, places[i]);
    else
      find_chunk(l, places[i]);
  free(places);
  if (l->shares && l->unshareable)
    return -1;
  if (l->nodd || l->gaps)
    spell_values(l);
  else
    history_imply_values(l->history);
  return 0;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// The values that the operations of a chunk of our own format wrote and saw.  A
// value that was read says its session and which of the session's writes it is.
// It becomes an index of the table of writes at once, which native_resolve has
// only to look up when the table is full, and is not kept.
#include "config.h"

#include "recorder/native/native.h"
#include "recorder/native/op_sets.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

enum {
  BLOCK = 256, // values that are unpacked at once, and...
};

static uint32_t index_of(struct loading *l, uint64_t value, uint32_t initial) {
  const uint64_t session = value >> VALUE_SEQUENCE_BITS;
  const uint64_t sequence = value_sequence(value);
  if (session < l->history->nsessions &&
      sequence < l->decoder.ranges[session].count)
    return l->decoder.ranges[session].first + (uint32_t)sequence;
  if (value == VALUE_INITIAL && initial != INDEX_SOMEWHERE)
    return initial;
  ARRAY_RESERVE(l->decoder.strays, l->decoder.nstrays, l->decoder.stray_room);
  l->decoder.strays[l->decoder.nstrays++] = value;
  return INDEX_SOMEWHERE;
}

static void index_block(struct loading *l, const struct seen *seen,
                        uint32_t from, uint32_t n, uint32_t *index) {
  assert(n <= BLOCK);
  uint64_t session[BLOCK], sequence[BLOCK];
  column_unpack(seen->session, from, n, session);
  column_unpack(seen->sequence, from, n, sequence);
  for (uint32_t i = 0; i < n; i++)
    index[i] = index_of(l, (session[i] << VALUE_SEQUENCE_BITS) + sequence[i],
                        seen->initial);
}

static inline uint32_t load_narrow(const unsigned char *p, unsigned width) {
  return width == 1 ? *p : width == 2 ? load16(p) : load32(p) & 0xffffff;
}

// Writes the indexes of n values whose sequences have so many bytes.  The only
// decision for single values is about values that nobody is known to have
// written.
static inline __attribute__((always_inline)) void
write_indexes_narrow(struct loading *l, const struct seen *seen, uint32_t from,
                     uint32_t n, uint32_t *index, unsigned width) {
  const struct write_range *const ranges =
      l->decoder.ranges + seen->session->base;
  const unsigned char *const session = seen->session->data + from;
  const unsigned char *const p = seen->sequence->data + width * (size_t)from;
  const uint32_t before = (uint32_t)seen->sequence->base - 1;
  uint32_t unknown = 0;
#pragma GCC unroll 4
  for (size_t i = 0; i < n; i++) {
    const struct write_range range = ranges[session[i]];
    const uint32_t number = before + load_narrow(p + width * i, width);
    unknown |= number >= range.count;
    index[i] = range.first + number;
  }
  for (size_t i = 0; unknown && i < n; i++) {
    const uint32_t number = before + load_narrow(p + width * i, width);
    const uint64_t writer = seen->session->base + session[i];
    if (number >= ranges[session[i]].count)
      index[i] =
          index_of(l, (writer << VALUE_SEQUENCE_BITS) + (uint32_t)(number + 1),
                   seen->initial);
  }
}

static void index_narrow_block(struct loading *l, const struct seen *seen,
                               uint32_t from, uint32_t n, uint32_t *index) {
  assert(seen->are_narrow && n <= BLOCK);
  switch (seen->sequence->width) {
  case 1:
    return write_indexes_narrow(l, seen, from, n, index, 1);
  case 2:
    return write_indexes_narrow(l, seen, from, n, index, 2);
  default:
    return write_indexes_narrow(l, seen, from, n, index, 3);
  }
}

void native_index(struct loading *l, const struct seen *seen, uint32_t from,
                  uint32_t count, uint32_t *index) {
  assert(from + count <= seen->sequence->count);
  for (uint32_t done = 0, n; done < count; done += n) {
    n = count - done < BLOCK ? count - done : BLOCK;
    (seen->are_narrow ? index_narrow_block : index_block)(l, seen, from + done,
                                                          n, index + done);
  }
}

static int get_seen(const struct decoding *d, enum column_id session,
                    enum column_id sequence, uint32_t n, struct seen *seen) {
  if (native_column(d, session, n, &seen->session) ||
      native_column(d, sequence, n, &seen->sequence))
    return -1;
  seen->are_narrow = column_is_below(seen->sequence, UINT32_MAX) &&
                     seen->session->width == 1 &&
                     column_is_below(seen->session, d->l->decoder.nranges) &&
                     seen->sequence->width >= 1 && seen->sequence->width <= 3;
  return 0;
}

static int decode_reads(const struct decoding *d) {
  assert(d->place->nreads <= d->place->header.nops);
  const struct chunk_place *p = d->place;
  const uint32_t n = p->nreads;
  struct seen seen = {.initial = INDEX_INITIAL};
  if (!n)
    return 0;
  if (get_seen(d, COLUMN_SEEN_SESSION, COLUMN_SEEN_SEQUENCE, n, &seen))
    return -1;
  native_index(d->l, &seen, 0, n,
               d->l->history->saw + p->op + (p->header.nops - n));
  return 0;
}

// Notes the writes of a set whose first operation is `at`.  Returns the entry
// behind them.
static inline __attribute__((always_inline)) struct file_write *
note_set(const struct history *h, uint32_t at, struct op_set set,
         struct file_write *write) {
  const uint32_t *const key = h->key + at;
  const bool lists = set.lists;
  while (set.writes) {
    const uint64_t op = op_set_take(&set.writes);
    const uint64_t is_list = lists ? set.lists >> op & 1 : 0;
    const uint64_t tag = key[op] | (is_list ? WRITE_TAG_LIST : 0);
    *write++ = (struct file_write){at + (uint32_t)op, (uint32_t)tag};
  }
  return write;
}

// Gives every write its entry among the writes.
static void note_file_writes(const struct decoding *d) {
  const struct history *h = d->l->history;
  const struct chunk_place *p = d->place;
  const uint32_t end = p->op + p->header.nops;
  struct file_write *write = d->l->decoder.writes + p->write;
  assert(p->write + p->header.nwrites <= d->l->scan.nwrites);
  uint32_t at = p->op;
  for (; end - at >= OP_SET_MOST; at += OP_SET_MOST)
    write = note_set(h, at, op_set_of(h->kind + at, OP_SET_MOST), write);
  if (at < end)
    note_set(h, at, op_set_of(h->kind + at, end - at), write);
}

static int decode_lists(const struct decoding *d) {
  const struct chunk_place *p = d->place;
  const struct packed_column *lengths;
  const uint32_t nlists = p->header.nlists, nelements = p->header.nelements;
  uint64_t sum = 0;
  struct seen seen = {.initial = INDEX_SOMEWHERE};
  if (nlists == 0)
    return nelements ? native_refuse_chunk(d, "has elements of no list") : 0;
  if (native_column(d, COLUMN_LIST_LENGTH, nlists, &lengths) ||
      get_seen(d, COLUMN_ELEMENT_SESSION, COLUMN_ELEMENT_SEQUENCE, nelements,
               &seen))
    return -1;
  uint32_t *length = xmalloc(nlists * sizeof *length);
  column_unpack32(lengths, 0, nlists, length);
  for (uint32_t i = 0; i < nlists; i++)
    sum += length[i];
  if (sum == nelements)
    native_decode_elements(d, length, &seen);
  free(length);
  return sum == nelements ? 0
                          : native_refuse_chunk(d, "has elements of no list");
}

int native_decode_values(const struct decoding *d) {
  struct loading *l = d->l;
  struct chunk_place *p = d->place;
  p->strays = l->decoder.nstrays;
  if (decode_reads(d))
    return -1;
  p->list_strays = l->decoder.nstrays;
  p->piece = l->decoder.npieces;
  if (decode_lists(d))
    return -1;
  note_file_writes(d);
  return 0;
}

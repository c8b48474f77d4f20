// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the writer of everything that was read in a history of our own format:
// by the index of the table of writes that decoding made of its value, which
// says its session and which of the session's writes it is; or by the value
// itself, where there was no such index.
#include "config.h"

#include "recorder/native/native.h"
#include "recorder/native/op_sets.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// Reads for which the memory is asked.
enum { AHEAD = RESOLVE_SLACK - OP_SET_MOST };

// Stand-ins for no write at all.
static const struct file_write thin_air = {.op = SAW_THIN_AIR};
static const struct file_write lost = {.op = SAW_LOST};

// The write among those behind a gap in the session's chunks.
static const struct file_write *find_behind_gap(const struct loading *l,
                                                const struct file_session *s,
                                                uint64_t sequence) {
  for (uint32_t i = 0; i < s->nplaces; i++) {
    const struct chunk_place *p = l->scan.ordered[s->first_place + i];
    uint64_t first = p->header.first_write;
    if (sequence >= first && sequence - first < p->header.nwrites)
      return &l->decoder.writes[p->write + (sequence - first)];
  }
  bool was_written = !l->scan.closed || sequence < s->total_writes;
  return l->history->complete || !was_written ? &thin_air : &lost;
}

static const struct file_write *find_file_write(const struct loading *l,
                                                uint64_t value) {
  uint64_t sequence = value_sequence(value);
  uint64_t session = value >> VALUE_SEQUENCE_BITS;
  if (session >= l->history->nsessions || sequence == UINT64_MAX)
    return &thin_air;
  const struct file_session *s = &l->scan.sessions[session];
  if (sequence < s->nwrites)
    return &l->decoder.writes[s->first_write + sequence];
  return find_behind_gap(l, s, sequence);
}

// The value of the write with this index, which is one before its session's
// first gap.
static uint64_t value_of_index(const struct loading *l, uint32_t index) {
  assert(index >= INDEX_WRITES && index < l->scan.nwrites);
  const struct history *h = l->history;
  const uint32_t session =
      history_session(h, history_txn(h, l->decoder.writes[index].op));
  return value_of_write(session, index - l->scan.sessions[session].first_write);
}

static void note_odd(struct loading *l, struct odd odd) {
  assert(odd.op < l->history->nops);
  ARRAY_RESERVE(l->odd, l->nodd, l->odd_room);
  l->odd[l->nodd++] = odd;
}

// Finds the write of a value that has no index.
static uint32_t find_stray_write(const struct loading *l, uint64_t value,
                                 uint32_t tag) {
  const struct file_write *w = find_file_write(l, value);
  return w->op >= l->history->nops || w->tag == tag ? w->op : SAW_THIN_AIR;
}

// Returns the write that a read saw: `index` is its place in `writes`, `tag`
// the tag of the read.  If the index is INDEX_SOMEWHERE, the write is looked
// for by the next value of the strays, and `*stray` is moved on.  A read that
// saw no write of the file is noted as `odd`, which the caller fills but for
// the value.
static uint32_t resolve_seen(struct loading *l, uint32_t index, uint32_t tag,
                             uint32_t *stray, struct odd odd) {
  assert(index < l->scan.nwrites);
  uint32_t saw = l->decoder.writes[index].op;
  odd.value = index == INDEX_SOMEWHERE ? l->decoder.strays[(*stray)++] : 0;
  if (index == INDEX_SOMEWHERE)
    saw = find_stray_write(l, odd.value, tag);
  else if (index >= INDEX_WRITES && l->decoder.writes[index].tag != tag) {
    saw = SAW_THIN_AIR;
    odd.value = value_of_index(l, index);
  }
  if (saw == SAW_THIN_AIR || saw == SAW_LOST)
    note_odd(l, odd);
  return saw;
}

// Finds who appended the elements of a piece, `*stray` being the first of its
// strays.
static void resolve_elements(struct loading *l, const struct list_piece *piece,
                             uint32_t *stray) {
  assert(l->history->kind[piece->op] == OP_READ_LIST);
  assert(piece->first <= piece->end);
  const struct file_write *const writes = l->decoder.writes;
  uint32_t *const element = l->history->element;
  const uint32_t tag = write_tag(l->history->key[piece->op], OP_READ_LIST);
  for (size_t i = piece->first; i < piece->end; i++) {
    const struct file_write *const w = &writes[element[i]];
    if (w->tag == tag && w->op < SAW_LOST)
      element[i] = w->op;
    else {
      const struct odd odd = {.op = piece->op, .element = (uint32_t)i};
      element[i] = resolve_seen(l, element[i], tag, stray, odd);
    }
  }
}

// Finds the lists of the pieces that begin in a chunk.
static void find_lists(struct loading *l, const struct chunk_place *p) {
  uint32_t stray = p->list_strays;
  for (uint32_t i = p->piece; i < l->decoder.npieces &&
                              l->decoder.pieces[i].op - p->op < p->header.nops;
       i++)
    resolve_elements(l, &l->decoder.pieces[i], &stray);
}

// Resolves a set of reads of which some saw another key's value, or nobody's.
static void resolve_carefully(struct loading *l, uint32_t at,
                              const uint32_t *index, uint64_t reads,
                              uint32_t *stray) {
  const struct history *h = l->history;
  while (reads) {
    const uint32_t op = at + op_set_take(&reads);
    h->saw[op] =
        resolve_seen(l, *index++, h->key[op], stray, (struct odd){.op = op});
  }
}

// Where a chunk is.
struct read_cursor {
  uint32_t list, stray;
  const uint32_t *index; // of what the next read saw; there are AHEAD more
};

// Resolves reads of registers and returns their number; sets *differences to
// other than 0 if one saw a write to another key.  A function of its own, so
// that all it needs is in registers of the processor.
static __attribute__((noinline)) size_t
resolve_register_reads(const struct file_write *writes, const uint32_t *index,
                       const uint32_t *ahead, uint64_t reads,
                       const uint32_t *key, uint32_t *saw,
                       uint32_t *differences) {
  uint32_t differ = 0;
  size_t n = 0;
  for (; reads; n++) {
    const uint64_t op = op_set_take(&reads);
    const struct file_write *w = &writes[index[n]];
    __builtin_prefetch(&writes[ahead[n]]);
    differ |= w->tag ^ key[op];
    saw[op] = w->op;
  }
  *differences = differ;
  return n;
}

// Resolves a set whose first operation is `at`.
static inline __attribute__((always_inline)) void
resolve_set(struct loading *l, uint32_t at, struct op_set set,
            struct read_cursor *c) {
  static const uint32_t nothing[OP_SET_MOST];
  const uint64_t reads = set.reads & ~set.lists;
  uint32_t *const saw = l->history->saw + at;
  uint32_t index[OP_SET_MOST], differences;
  memcpy(index, c->index, sizeof index);
  memcpy(saw, nothing, set.size * sizeof *saw); // gcc's memset is slow here
  for (uint64_t lists = set.reads & set.lists; lists;)
    saw[op_set_take(&lists)] = c->list++;
  c->index +=
      resolve_register_reads(l->decoder.writes, index, c->index + AHEAD, reads,
                             l->history->key + at, saw, &differences);
  if (differences)
    resolve_carefully(l, at, index, reads, &c->stray);
}

// The parked indexes (struct chunk_place) are never before the places where
// what they stand for goes.
static void resolve_chunk(struct loading *l, const struct chunk_place *p) {
  assert(p->nreads <= p->header.nops);
  const struct history *h = l->history;
  const uint32_t end = p->op + p->header.nops;
  struct read_cursor c = {p->list, p->strays, h->saw + (end - p->nreads)};
  uint32_t at = p->op;
  for (; end - at >= OP_SET_MOST; at += OP_SET_MOST)
    resolve_set(l, at, op_set_of(h->kind + at, OP_SET_MOST), &c);
  if (at < end)
    resolve_set(l, at, op_set_of(h->kind + at, end - at), &c);
}

static int by_time_of_chunk(const void *a, const void *b) {
  const struct chunk_place *x = *(const struct chunk_place *const *)a;
  const struct chunk_place *y = *(const struct chunk_place *const *)b;
  const uint64_t begin = x->header.origin, other = y->header.origin;
  return begin != other ? (begin > other) - (begin < other) : (x > y) - (x < y);
}

static int by_op_of_cas(const void *a, const void *b) {
  const struct cas_expected *x = a, *y = b;
  return (x->op > y->op) - (x->op < y->op);
}

static void sort_cas_expected(struct history *h) {
  if (h->ncas_expected)
    qsort(h->cas_expected, h->ncas_expected, sizeof *h->cas_expected,
          by_op_of_cas);
}

// Writes out all values, where they do not follow from their writers.
static void spell_values(struct loading *l) {
  struct history *h = l->history;
  h->value = xmalloc_large(h->nops, sizeof *h->value);
  for (uint32_t i = 0; i < l->scan.nplaces; i++) {
    const struct chunk_place *p = &l->scan.places[i];
    uint64_t next = value_of_write(p->header.session, p->header.first_write);
    for (uint32_t op = p->op; op < p->op + p->header.nops; op++)
      h->value[op] = op_writes(h->kind[op]) ? next++ : 0;
  }
  history_spell_reads(h);
  for (uint32_t i = 0, room = 0; i < l->nodd; i++) {
    const struct odd *odd = &l->odd[i];
    if (h->kind[odd->op] == OP_READ_LIST)
      h->element_value[odd->element] = odd->value;
    else if (h->kind[odd->op] == OP_READ)
      h->value[odd->op] = odd->value;
    else {
      ARRAY_RESERVE(h->cas_expected, h->ncas_expected, room);
      h->cas_expected[h->ncas_expected++] =
          (struct cas_expected){odd->op, odd->value};
    }
  }
  sort_cas_expected(h);
}

// Most reads saw a write of shortly before, which is near in the order of time.
// Elements come last, in the order in which they are in memory, which is nearly
// that of time, too.
int native_resolve(struct loading *l) {
  assert(!l->history->value);
  const struct chunk_place **places = xmalloc(l->scan.nplaces * sizeof *places);
  for (uint32_t i = 0; i < l->scan.nplaces; i++)
    places[i] = &l->scan.places[i];
  if (l->scan.nplaces)
    qsort(places, l->scan.nplaces, sizeof *places, by_time_of_chunk);
  bool stopped = false;
  for (uint32_t i = 0; i < l->scan.nplaces && !stopped; i++) {
    resolve_chunk(l, places[i]);
    stopped = native_is_stopped(l);
  }
  free(places);
  for (uint32_t i = 0; i < l->scan.nplaces && !stopped; i++) {
    find_lists(l, &l->scan.places[i]);
    stopped = native_is_stopped(l);
  }
  if (stopped)
    return -1;
  if (l->nodd || l->scan.gaps)
    spell_values(l);
  else
    history_imply_values(l->history);
  return 0;
}

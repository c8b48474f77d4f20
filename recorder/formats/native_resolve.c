// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the writer of everything that was read in a history of our own format:
// a value says its session and which of the session's writes it is.
#include "config.h"

#include "recorder/formats/native.h"

enum { AHEAD = 24 }; // operations

// What stands for no write at all.
static const struct write thin_air = {.op = SAW_THIN_AIR};
static const struct write lost = {.op = SAW_LOST};

// The write among those behind a gap in the session's chunks.
static __attribute__((noinline)) const struct write *
find_behind_gap(const struct loading *l, const struct session *s,
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

static inline const struct write *find_write(const struct loading *l,
                                             uint64_t value) {
  uint64_t sequence = value_sequence(value);
  uint64_t session = value >> VALUE_SEQUENCE_BITS;
  if (session >= l->history->nsessions || sequence == UINT64_MAX)
    return &thin_air;
  const struct session *s = &l->sessions[session];
  if (sequence < s->nwrites)
    return &l->writes[s->first_write + sequence];
  return find_behind_gap(l, s, sequence);
}

// `list`: OP_IS_LIST if an element of a list was read, else 0.
static inline uint32_t resolve(const struct loading *l, uint64_t value,
                               uint32_t key, unsigned list) {
  const struct history *h = l->history;
  if (value == VALUE_INITIAL && !list)
    return SAW_INITIAL;
  const struct write *w = find_write(l, value);
  if (w->op >= h->nops)
    return w->op;
  bool fits =
      w->key == key && (!h->lists || (h->kind[w->op] & OP_IS_LIST) == list);
  return fits ? w->op : SAW_THIN_AIR;
}

static void resolve_list(const struct loading *l, uint32_t op) {
  struct history *h = l->history;
  for (uint32_t i = h->list_first[h->saw[op]];
       i < h->list_first[h->saw[op] + 1]; i++)
    h->element[i] = resolve(l, h->element_value[i], h->key[op], OP_IS_LIST);
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

// Where there are but plain reads and writes.
static void resolve_plain(const struct loading *l, const struct place *p) {
  struct history *h = l->history;
  const uint32_t end = p->op + p->header.nops;
  for (uint32_t op = p->op; op < end; op++) {
    fetch(l, h->value[op + AHEAD < end ? op + AHEAD : op]);
    h->saw[op] =
        h->kind[op] == OP_READ ? resolve(l, h->value[op], h->key[op], 0) : 0;
  }
}

static void resolve_chunk(const struct loading *l, const struct place *p) {
  struct history *h = l->history;
  uint32_t cas = p->cas;
  for (uint32_t op = p->op; op < p->op + p->header.nops; op++)
    switch (h->kind[op]) {
    case OP_READ:
      h->saw[op] = resolve(l, h->value[op], h->key[op], 0);
      break;
    case OP_CAS:
      h->saw[op] = resolve(l, l->expected[cas++], h->key[op], 0);
      break;
    case OP_READ_LIST:
      resolve_list(l, op);
      break;
    default:
      h->saw[op] = 0;
    }
}

void native_resolve(struct loading *l) {
  for (uint32_t i = 0; i < l->nplaces; i++)
    if (l->places[i].plain)
      resolve_plain(l, &l->places[i]);
    else
      resolve_chunk(l, &l->places[i]);
}

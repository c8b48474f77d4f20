// SPDX-License-Identifier: GPL-3.0-or-later
// The demands of the weak levels (checker/weak/saturate.h).
//
// RC and RA: for each transaction t2 that a reader read from, the keys written
// by t2 are matched with those read by the reader, going through the smaller of
// the two sets, which bounds the whole by O(n^1.5); of a list only what may
// have been missed (checker/model/append_index.h).  CC: checker/weak/causal.c.
#include "config.h"

#include "checker/weak/saturate.h"

#include "base/ids.h"
#include "base/memory.h"
#include "checker/verdict/level_rules.h"
#include "checker/weak/saturation.h"

#include <assert.h>
#include <stdlib.h>

enum { LONG_TXN = 64 }; // operations above which writes are looked up

uint32_t saturation_seen(const struct model *m, uint32_t op) {
  assert(op_reads(m->h->kind[op]));
  const struct shown shown = shown_by(m, op);
  return shown.count ? shown.write[shown.count - 1]
                     : m->h->nops + m->h->key[op];
}

// Does the order of a list say anyhow that the version is not before `write`?
static bool is_in_order(const struct saturation *s, uint32_t write,
                        uint32_t version) {
  const uint32_t *number = s->append_index.number;
  return number && number[write] && number[write] <= number[version];
}

void saturation_demand(struct saturation *s, uint32_t write, uint32_t read) {
  assert(s->m->h->key[write] == s->m->h->key[read]);
  const struct model *m = s->m;
  const uint32_t version = saturation_seen(m, read);
  const uint32_t reader = m->txn_of[read], writer = m->txn_of[write];
  const bool initial = is_initial(m, version);
  const uint32_t before = initial ? reader : writer;
  const uint32_t after = initial ? writer : writer_of(m, version);
  if (before == after || writer == reader ||
      (!initial && is_in_order(s, write, version)))
    return;
  struct demands *d = s->demands;
  if (d->count && d->items[d->count - 1].before == before &&
      d->items[d->count - 1].after == after)
    return;
  ARRAY_RESERVE(d->items, d->count, d->room);
  d->items[d->count++] = (struct demand){before, after, write, read};
}

// --- The reader at hand.

static bool is_own_write(const struct history *h, uint32_t t, uint32_t op) {
  return op >= h->txn_first[t] && op < h->txn_first[t + 1];
}

void saturation_note_reads(struct saturation *s, uint32_t t) {
  const struct model *m = s->m;
  const struct history *h = m->h;
  const uint32_t first = h->txn_first[t];
  s->reads.count = 0;
  for (uint32_t op = first; op < h->txn_first[t + 1]; op++) {
    const uint32_t key = h->key[op];
    const bool own = is_own_write(h, t, s->written[key]);
    if (op_reads(h->kind[op]) && (!own || op_is_list(h->kind[op]))) {
      const uint32_t before = s->first_of_key[key];
      s->next_of_key[op] = is_own_write(h, t, before) ? before : NO_ID;
      s->first_of_key[key] = op;
      ids_add(&s->reads, op);
    }
    if (op_writes(h->kind[op]))
      s->written[key] = op;
  }
}

// Is the read made after the other one, and not at once with it?
static bool is_read_later(const struct saturation *s, uint32_t read,
                          uint32_t other) {
  return history_event(s->m->h, read) > other;
}

// The writer observed by read `observing` wrote `write`: what it demands of the
// reads of the same key, at RC only of those that come later.
static void match_write(struct saturation *s, uint32_t t, uint32_t observing,
                        uint32_t write) {
  uint32_t read = s->first_of_key[s->m->h->key[write]];
  if (!is_own_write(s->m->h, t, read))
    return;
  for (; read != NO_ID; read = s->next_of_key[read])
    if (level_counts_session(s->level) || is_read_later(s, read, observing))
      saturation_demand(s, write, read);
}

// The final write of a long transaction to the key, or NO_ID.
static uint32_t find_final_write(const struct saturation *s, uint32_t t,
                                 uint32_t key) {
  assert(s->by_txn.first);
  const uint32_t *keys = s->m->h->key;
  uint32_t low = s->by_txn.first[t], high = s->by_txn.first[t + 1];
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (keys[s->by_txn.items[middle]] < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low < s->by_txn.first[t + 1] && keys[s->by_txn.items[low]] == key
             ? s->by_txn.items[low]
             : NO_ID;
}

// Demands of all that `writer` wrote what read `observing` demands of it.
static void match_writer(struct saturation *s, uint32_t t, uint32_t observing,
                         uint32_t writer) {
  assert(writer < s->m->h->ntxns && t < s->m->h->ntxns);
  const struct history *h = s->m->h;
  const uint32_t first = h->txn_first[writer], end = h->txn_first[writer + 1];
  if (end - first > LONG_TXN && end - first > s->reads.count) {
    for (uint32_t i = 0; i < s->reads.count; i++) {
      const uint32_t write =
          find_final_write(s, writer, h->key[s->reads.items[i]]);
      if (write != NO_ID && (level_counts_session(s->level) ||
                             is_read_later(s, s->reads.items[i], observing)))
        saturation_demand(s, write, s->reads.items[i]);
    }
    return;
  }
  for (uint32_t op = first; op < end; op++)
    if (is_final(s->m, op))
      match_write(s, t, observing, op);
}

// --- RC and RA.

// Whoever did something that a read missed has this place or a later one.
static uint32_t earliest_missed(const struct saturation *s) {
  const uint32_t *missed = s->append_index.missed;
  uint32_t earliest = missed ? UINT32_MAX : 0;
  for (uint32_t i = 0; i < s->reads.count && earliest; i++) {
    const uint32_t first = missed[saturation_seen(s->m, s->reads.items[i])];
    earliest = first < earliest ? first : earliest;
  }
  return earliest;
}

static void observe_read_writers(struct saturation *s, uint32_t t) {
  const struct model *m = s->m;
  const uint32_t *latest = s->append_index.latest;
  const uint32_t earliest = earliest_missed(s);
  uint32_t last = NO_ID;
  for (uint32_t i = 0; i < s->reads.count; i++) {
    const struct shown shown = shown_by(m, s->reads.items[i]);
    for (uint32_t k = shown.count; k-- > 0;) {
      if (earliest && latest[shown.write[k]] < earliest)
        break;
      if (writer_of(m, shown.write[k]) == last)
        continue;
      last = writer_of(m, shown.write[k]);
      match_writer(s, t, s->reads.items[i], last);
    }
  }
}

// RA: the last write of each key in the session's past.
static void observe_session(struct saturation *s, const uint32_t *last_write,
                            uint32_t first_op) {
  for (uint32_t i = 0; i < s->reads.count; i++) {
    const uint32_t write = last_write[s->m->h->key[s->reads.items[i]]];
    if (write != NO_ID && write >= first_op)
      saturation_demand(s, write, s->reads.items[i]);
  }
}

static void remember_writes(const struct model *m, uint32_t t,
                            uint32_t *last_write) {
  for (uint32_t op = m->h->txn_first[t]; op < m->h->txn_first[t + 1]; op++)
    if (is_final(m, op))
      last_write[m->h->key[op]] = op;
}

static void saturate_directly(struct saturation *s) {
  const struct model *m = s->m;
  const struct history *h = m->h;
  const bool sessions = level_counts_session(s->level) && m->session_order;
  uint32_t *last_write = ids_none(h->nkeys);
  for (uint32_t session = 0; session < h->nsessions; session++) {
    const uint32_t first_op = h->txn_first[h->session_first[session]];
    for (uint32_t t = h->session_first[session];
         t < h->session_first[session + 1] && !model_is_stopped(m); t++) {
      if (!m->counted[t])
        continue;
      const bool bound = is_bound_at(m, t, s->level);
      if (bound) {
        saturation_note_reads(s, t);
        observe_read_writers(s, t);
      }
      if (sessions) {
        if (bound)
          observe_session(s, last_write, first_op);
        if (leads_session(m, t))
          remember_writes(m, t, last_write);
      }
    }
  }
  free(last_write);
}

static uint32_t key_of_saturated_write(const void *context, uint32_t op) {
  const struct model *m = context;
  return is_final(m, op) ? m->h->key[op] : NO_BUCKET;
}

static uint32_t txn_of_sorted(const void *context, uint32_t i) {
  const struct saturation *s = context;
  return s->m->txn_of[s->by_key.items[i]];
}

// Key by key, so that every transaction's list comes out sorted.
static void sort_long_writes(struct saturation *s) {
  const struct history *h = s->m->h;
  uint32_t longest = 0;
  for (uint32_t t = 0; t < h->ntxns; t++)
    if (h->txn_first[t + 1] - h->txn_first[t] > longest)
      longest = h->txn_first[t + 1] - h->txn_first[t];
  if (longest <= LONG_TXN)
    return;
  s->by_key = buckets_make(h->nkeys, h->nops, key_of_saturated_write, s->m);
  s->by_txn =
      buckets_make(h->ntxns, s->by_key.first[h->nkeys], txn_of_sorted, s);
  for (uint32_t i = 0; i < s->by_key.first[h->nkeys]; i++)
    s->by_txn.items[i] = s->by_key.items[s->by_txn.items[i]];
}

void saturate(const struct model *m, enum isolation level,
              const uint32_t *order, uint32_t norder, struct demands *demands) {
  assert(level_binds_reads(level) && level_saturates(level));
  struct saturation s = {.m = m,
                         .level = level,
                         .demands = demands,
                         .first_of_key = ids_none(m->h->nkeys),
                         .next_of_key = ids_none(m->h->nops),
                         .written = ids_none(m->h->nkeys)};
  append_index_open(&s.append_index, m);
  sort_long_writes(&s);
  if (!level_is_causal(level))
    saturate_directly(&s);
  else
    saturate_causally(&s, order, norder);
  append_index_close(&s.append_index);
  buckets_free(&s.by_key);
  buckets_free(&s.by_txn);
  FREE_EACH(s.first_of_key, s.next_of_key, s.written, s.reads.items);
}

void demands_free(struct demands *demands) {
  free(demands->items);
  *demands = (struct demands){0};
}

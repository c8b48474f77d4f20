// SPDX-License-Identifier: GPL-3.0-or-later
// Remembers cycles, and which reads make one by themselves
// (checker/explain/subsumed_cycles.h).
#include "config.h"

#include "checker/explain/subsumed_cycles.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

struct pair_slot {
  uint32_t one, other; // of reads: operations, the first not after the other
  uint8_t level;       // the weakest that a cycle of the reads breaks
};

// --- The table.

static bool is_slot_free(const struct pair_slot *slot) {
  return slot->level == ISOLATION_NONE;
}

static struct pair_slot *find_pair_slot(const struct pair_table *table,
                                        const struct pair_slot *pair) {
  const uint64_t hash = (((uint64_t)pair->one << 32) + pair->other) *
                        UINT64_C(0x9e3779b97f4a7c15);
  uint32_t i = (uint32_t)(hash >> 32) & table->mask;
  while (!is_slot_free(&table->slots[i]) &&
         (table->slots[i].one != pair->one ||
          table->slots[i].other != pair->other))
    i = (i + 1) & table->mask;
  return &table->slots[i];
}

static void grow_pair_table(struct pair_table *table) {
  const struct pair_table was = *table;
  const uint32_t nwas = was.slots ? was.mask + 1 : 0;
  table->mask = nwas ? 2 * nwas - 1 : 1023;
  table->slots = xcalloc((size_t)table->mask + 1, sizeof *table->slots);
  for (uint32_t i = 0; i < nwas; i++)
    if (!is_slot_free(&was.slots[i]))
      *find_pair_slot(table, &was.slots[i]) = was.slots[i];
  free(was.slots);
}

// At the weakest level that is told of it.  False if the pair was there.
static bool remember_pair(struct pair_table *table,
                          const struct pair_slot *pair) {
  if (!table->slots || table->count > table->mask / 2)
    grow_pair_table(table);
  struct pair_slot *slot = find_pair_slot(table, pair);
  const bool is_new = is_slot_free(slot);
  table->count += is_new;
  if (is_new || pair->level < slot->level)
    *slot = *pair;
  return is_new;
}

// --- Cycles that were met.

static uint64_t mix_hash(uint64_t hash, uint64_t number) {
  hash = (hash ^ number) * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ hash >> 29;
}

// A hash that does not depend on the edge that the cycle starts with.
static uint64_t hash_cycle(const struct cycle *cycle) {
  assert(cycle->nedges > 0);
  uint32_t start = 0;
  for (uint32_t i = 1; i < cycle->nedges; i++)
    if (cycle->edges[i].from < cycle->edges[start].from)
      start = i;
  uint64_t hash = 0;
  for (uint32_t i = 0; i < cycle->nedges; i++) {
    const struct edge *e = &cycle->edges[(start + i) % cycle->nedges];
    hash =
        mix_hash(mix_hash(hash, (uint64_t)e->kind << 32 | e->from), e->to_op);
  }
  return hash;
}

bool subsumed_first(struct subsumed *subsumed, const struct cycle *cycle) {
  const uint64_t hash = hash_cycle(cycle);
  const struct pair_slot pair = {(uint32_t)(hash >> 32), (uint32_t)hash,
                                 ISOLATION_RC};
  return remember_pair(&subsumed->cycles, &pair);
}

// --- Reads that make a cycle by themselves.

// RW edges of a cycle that are looked at.
enum { MAX_READS = 64 };

static uint32_t missing_reads_of(const struct cycle *cycle, uint32_t *reads) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < cycle->nedges && n < MAX_READS; i++)
    if (cycle->edges[i].kind == EDGE_RW)
      reads[n++] = cycle->edges[i].from_op;
  return n;
}

static struct pair_slot pair_of(uint32_t a, uint32_t b, uint8_t level) {
  return (struct pair_slot){a < b ? a : b, a < b ? b : a, level};
}

static bool is_weaker(const struct pair_table *table, uint32_t a, uint32_t b,
                      enum isolation level) {
  const struct pair_slot reads = pair_of(a, b, ISOLATION_NONE);
  const struct pair_slot *slot = find_pair_slot(table, &reads);
  return !is_slot_free(slot) && slot->level < level;
}

static int by_read(const void *a, const void *b) {
  const struct edge *x = a, *y = b;
  return (x->from_op > y->from_op) - (x->from_op < y->from_op);
}

void subsumed_free(struct subsumed *subsumed) {
  free(subsumed->reads.slots);
  free(subsumed->cycles.slots);
}

void subsumed_note(struct subsumed *subsumed, const struct cycle *cycle) {
  uint32_t reads[MAX_READS];
  const uint32_t n = missing_reads_of(cycle, reads);
  if (n != 1 && n != 2)
    return;
  const struct pair_slot made =
      pair_of(reads[0], reads[n - 1], (uint8_t)anomaly_weakest(cycle->anomaly));
  remember_pair(&subsumed->reads, &made);
}

bool subsumed_has(const struct subsumed *subsumed, const struct cycle *cycle) {
  uint32_t reads[MAX_READS];
  const uint32_t n = missing_reads_of(cycle, reads);
  const enum isolation level = anomaly_weakest(cycle->anomaly);
  if (cycle->nedges <= 2 || !subsumed->reads.slots)
    return false;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = i; j < n; j++)
      if (is_weaker(&subsumed->reads, reads[i], reads[j], level))
        return true;
  return false;
}

uint32_t subsumed_reads(const struct cycle *cycles, uint32_t n,
                        struct edge **missed) {
  struct edge *all = NULL;
  uint32_t count = 0, room = 0, ndistinct = 0;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < cycles[i].nedges && cycles[i].nedges > 2; k++) {
      if (cycles[i].edges[k].kind != EDGE_RW)
        continue;
      ARRAY_RESERVE(all, count, room);
      all[count++] = cycles[i].edges[k];
    }
  if (count)
    qsort(all, count, sizeof *all, by_read);
  for (uint32_t i = 0; i < count; i++)
    if (!i || all[i].from_op != all[i - 1].from_op)
      all[ndistinct++] = all[i];
  *missed = all;
  return ndistinct;
}

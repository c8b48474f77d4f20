// SPDX-License-Identifier: GPL-3.0-or-later
// Remembers which reads make a cycle by themselves
// (checker/explain/subsumed_cycles.h).
#include "config.h"

#include "checker/explain/subsumed_cycles.h"

#include "base/memory.h"

#include <stdlib.h>

struct missing_reads {
  uint32_t one, other; // operations, the first one not after the other
  uint8_t level;       // the weakest that such a cycle breaks
};

// RW edges of a cycle that are looked at.
enum { MAX_READS = 64 };

static uint32_t missing_reads_of(const struct cycle *cycle, uint32_t *reads) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < cycle->nedges && n < MAX_READS; i++)
    if (cycle->edges[i].kind == EDGE_RW)
      reads[n++] = cycle->edges[i].from_op;
  return n;
}

static struct missing_reads pair_of(uint32_t a, uint32_t b, uint8_t level) {
  return (struct missing_reads){a < b ? a : b, a < b ? b : a, level};
}

static bool is_free(const struct missing_reads *slot) {
  return slot->level == ISOLATION_NONE;
}

static struct missing_reads *slot_of(const struct explained *e,
                                     const struct missing_reads *reads) {
  const uint64_t hash = (((uint64_t)reads->one << 32) + reads->other) *
                        UINT64_C(0x9e3779b97f4a7c15);
  uint32_t i = (uint32_t)(hash >> 32) & e->mask;
  while (!is_free(&e->slots[i]) &&
         (e->slots[i].one != reads->one || e->slots[i].other != reads->other))
    i = (i + 1) & e->mask;
  return &e->slots[i];
}

static void remember(struct explained *e, const struct missing_reads *reads) {
  struct missing_reads *slot = slot_of(e, reads);
  if (is_free(slot))
    e->count++;
  if (is_free(slot) || reads->level < slot->level)
    *slot = *reads;
}

static void grow(struct explained *e) {
  const struct explained was = *e;
  const uint32_t nwas = was.slots ? was.mask + 1 : 0;
  *e = (struct explained){.mask = nwas ? 2 * nwas - 1 : 1023};
  e->slots = xcalloc((size_t)e->mask + 1, sizeof *e->slots);
  for (uint32_t i = 0; i < nwas; i++)
    if (!is_free(&was.slots[i]))
      remember(e, &was.slots[i]);
  free(was.slots);
}

static bool is_weaker(const struct explained *e, uint32_t a, uint32_t b,
                      enum isolation level) {
  const struct missing_reads reads = pair_of(a, b, ISOLATION_NONE);
  const struct missing_reads *slot = slot_of(e, &reads);
  return !is_free(slot) && slot->level < level;
}

static int by_read(const void *a, const void *b) {
  const struct edge *x = a, *y = b;
  return (x->from_op > y->from_op) - (x->from_op < y->from_op);
}

void explained_free(struct explained *explained) { free(explained->slots); }

void explained_note(struct explained *explained, const struct cycle *cycle) {
  uint32_t reads[MAX_READS];
  const uint32_t n = missing_reads_of(cycle, reads);
  if (n != 1 && n != 2)
    return;
  if (!explained->slots || explained->count > explained->mask / 2)
    grow(explained);
  const struct missing_reads made = pair_of(
      reads[0], reads[n - 1], (uint8_t)anomaly_info(cycle->anomaly)->weakest);
  remember(explained, &made);
}

bool explained_has(const struct explained *explained,
                   const struct cycle *cycle) {
  uint32_t reads[MAX_READS];
  const uint32_t n = missing_reads_of(cycle, reads);
  const enum isolation level = anomaly_info(cycle->anomaly)->weakest;
  if (cycle->nedges <= 2 || !explained->slots)
    return false;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = i; j < n; j++)
      if (is_weaker(explained, reads[i], reads[j], level))
        return true;
  return false;
}

uint32_t explained_reads(const struct cycle *cycles, uint32_t n,
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

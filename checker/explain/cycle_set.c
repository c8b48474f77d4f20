// SPDX-License-Identifier: GPL-3.0-or-later
// A set of hashes of cycles (checker/explain/cycle_set.h).
#include "config.h"

#include "checker/explain/cycle_set.h"

#include "base/memory.h"

#include <stdlib.h>

static uint64_t mix(uint64_t hash, uint64_t number) {
  hash = (hash ^ number) * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ hash >> 29;
}

// A hash that does not depend on the edge that the cycle starts with.
static uint64_t hash_of(const struct cycle *cycle) {
  uint32_t start = 0;
  for (uint32_t i = 1; i < cycle->nedges; i++)
    if (cycle->edges[i].from < cycle->edges[start].from)
      start = i;
  uint64_t hash = 0;
  for (uint32_t i = 0; i < cycle->nedges; i++) {
    const struct edge *e = &cycle->edges[(start + i) % cycle->nedges];
    hash = mix(mix(hash, (uint64_t)e->kind << 32 | e->from), e->to_op);
  }
  return hash ? hash : 1;
}

static uint64_t *place_of(const struct seen *s, uint64_t hash) {
  uint64_t i = hash & s->mask;
  while (s->hashes[i] && s->hashes[i] != hash)
    i = (i + 1) & s->mask;
  return &s->hashes[i];
}

static void grow(struct seen *s) {
  uint64_t *old = s->hashes;
  const uint64_t nold = old ? (uint64_t)s->mask + 1 : 0;
  s->mask = old ? 2 * s->mask + 1 : 1023;
  s->hashes = xcalloc((size_t)s->mask + 1, sizeof *s->hashes);
  for (uint64_t i = 0; i < nold; i++)
    if (old[i])
      *place_of(s, old[i]) = old[i];
  free(old);
}

bool seen_first(struct seen *s, const struct cycle *cycle) {
  if (!s->hashes || s->count > s->mask / 2)
    grow(s);
  const uint64_t hash = hash_of(cycle);
  uint64_t *place = place_of(s, hash);
  if (*place)
    return false;
  *place = hash;
  s->count++;
  return true;
}

void seen_free(struct seen *seen) { free(seen->hashes); }

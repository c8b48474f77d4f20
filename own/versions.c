// SPDX-License-Identifier: GPL-3.0-or-later
// Finds versions and their rows (own/versions.h).
#include "config.h"

#include "own/versions.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

static uint32_t slot_of(const struct known_versions *v,
                        const struct seen_version *version) {
  uint64_t hash = version->place * UINT64_C(0x9e3779b97f4a7c15);
  hash = (hash ^ hash >> 29 ^ version->writer) * UINT64_C(0xbf58476d1ce4e5b9);
  hash = (hash ^ hash >> 32 ^ version->table) * UINT64_C(0x94d049bb133111eb);
  return (uint32_t)(hash >> 32) & (v->nslots - 1);
}

static bool are_one_version(const struct seen_version *a,
                            const struct seen_version *b) {
  return a->table == b->table && a->writer == b->writer && a->place == b->place;
}

// The slot that has the version, or the free one where it belongs.
static uint32_t find_slot(const struct known_versions *v,
                          const struct seen_version *version) {
  uint32_t slot = slot_of(v, version);
  while (v->slots[slot] != NO_VERSION &&
         !are_one_version(&v->all[v->slots[slot]].is, version))
    slot = (slot + 1) & (v->nslots - 1);
  return slot;
}

static void grow_slots(struct known_versions *v) {
  v->nslots = v->nslots ? v->nslots * 2 : 1024;
  v->slots = xrealloc(v->slots, v->nslots, sizeof *v->slots);
  for (uint32_t i = 0; i < v->nslots; i++)
    v->slots[i] = NO_VERSION;
  for (uint32_t i = 0; i < v->n; i++)
    v->slots[find_slot(v, &v->all[i].is)] = i;
}

uint32_t versions_note(struct known_versions *v,
                       const struct seen_version *version) {
  if (v->n >= v->nslots / 2)
    grow_slots(v);
  const uint32_t slot = find_slot(v, version);
  if (v->slots[slot] != NO_VERSION)
    return v->slots[slot];
  ARRAY_RESERVE(v->all, v->n, v->room);
  v->all[v->n] = (struct known_version){
      .is = *version, .before = NO_VERSION, .row = NO_VERSION, .key = -1};
  v->slots[slot] = v->n;
  return v->n++;
}

struct known_version *versions_at(struct known_versions *v,
                                  const struct seen_version *version) {
  const uint32_t number = versions_note(v, version);
  return &v->all[number];
}

// Back to the first version of the row, then forward again.
static void number_one(struct known_versions *v, uint32_t version,
                       uint32_t *path) {
  uint32_t n = 0;
  while (v->all[version].row == NO_VERSION &&
         v->all[version].before != NO_VERSION && n < v->n) {
    path[n++] = version;
    version = v->all[version].before;
  }
  if (v->all[version].row == NO_VERSION) {
    v->all[version].row = version;
    v->all[version].depth = 0;
  }
  while (n) {
    const uint32_t next = path[--n];
    v->all[next].row = v->all[version].row;
    v->all[next].depth = v->all[version].depth + 1;
    version = next;
  }
}

void versions_number(struct known_versions *v) {
  uint32_t *path = xcalloc((size_t)v->n + 1, sizeof *path);
  for (uint32_t i = 0; i < v->n; i++)
    number_one(v, i, path);
  free(path);
}

void versions_free(struct known_versions *v) {
  FREE_EACH(v->all, v->slots);
  *v = (struct known_versions){0};
}

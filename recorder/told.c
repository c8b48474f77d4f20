// SPDX-License-Identifier: GPL-3.0-or-later
// The operations as the file told them: those that are the elements of a set
// together are one.
#include "config.h"

#include "recorder/told.h"

#include "base/memory.h"

#include <stdlib.h>

static int by_set(const void *a, const void *b, void *numbers) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  const uint64_t one = ((const uint64_t *)numbers)[x];
  const uint64_t other = ((const uint64_t *)numbers)[y];
  return one != other ? (one > other) - (one < other) : (x > y) - (x < y);
}

struct told_keys history_told_keys(const struct history *h) {
  struct told_keys told = {0};
  if (!h->member)
    return told;
  uint32_t *members = xcalloc(h->nkeys, sizeof *members), n = 0;
  told.key = xcalloc(h->nkeys, sizeof *told.key);
  told.elements = xcalloc(h->nkeys, sizeof *told.elements);
  for (uint32_t key = 0; key < h->nkeys; key++) {
    told.key[key] = key;
    if (h->member[key] != NOT_A_MEMBER)
      members[n++] = key;
  }
  qsort_r(members, n, sizeof *members, by_set, h->key_number);
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t key = members[i], before = i ? members[i - 1] : key;
    const bool same = i && h->key_number[before] == h->key_number[key];
    told.key[key] = same ? told.key[before] : key;
    told.elements[told.key[key]]++;
    told.nsets += !same;
  }
  free(members);
  return told;
}

uint32_t history_count_keys(const struct history *h) {
  struct told_keys told = history_told_keys(h);
  uint32_t n = told.key ? 0 : h->nkeys;
  for (uint32_t key = 0; told.key && key < h->nkeys; key++)
    n += told.key[key] == key;
  told_keys_free(&told);
  return n;
}

void told_keys_free(struct told_keys *told) {
  FREE_EACH(told->key, told->elements);
  *told = (struct told_keys){0};
}

uint32_t told_end(const struct history *h, const struct told_keys *told,
                  uint32_t op) {
  return op_reads(h->kind[op]) && history_is_of_set(h, op)
             ? op + told->elements[told->key[h->key[op]]]
             : op + 1;
}

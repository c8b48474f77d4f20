// SPDX-License-Identifier: GPL-3.0-or-later
// Operations to look up (checker/part/op_set.h).  Where they are many a bit
// each tells it at once.
#include "config.h"

#include "checker/part/op_set.h"

#include "base/ids.h"
#include "base/memory.h"

#include <stdlib.h>

enum { WORD = 64 };

struct places places_open(const struct history *whole,
                          const struct operations *ops) {
  struct places places = {.ops = ops};
  const size_t nwords = whole->nops / WORD + 1;
  if (ops->count < nwords)
    return places;
  places.bits = xcalloc(nwords, sizeof *places.bits);
  places.rank = xmalloc(nwords * sizeof *places.rank);
  for (uint32_t i = 0; i < ops->count; i++)
    places.bits[ops->op[i] / WORD] |= UINT64_C(1) << ops->op[i] % WORD;
  uint32_t rank = 0;
  for (size_t w = 0; w < nwords; w++) {
    places.rank[w] = rank;
    rank += (uint32_t)__builtin_popcountll(places.bits[w]);
  }
  return places;
}

void places_close(struct places *places) {
  free(places->bits);
  free(places->rank);
}

uint32_t places_find(const struct places *places, uint32_t op) {
  const struct operations *ops = places->ops;
  if (places->bits) {
    const uint64_t word = places->bits[op / WORD];
    const uint64_t bit = UINT64_C(1) << op % WORD;
    return word & bit ? places->rank[op / WORD] +
                            (uint32_t)__builtin_popcountll(word & (bit - 1))
                      : UINT32_MAX;
  }
  const uint32_t place = ids_below(ops->op, ops->count, op);
  return place < ops->count && ops->op[place] == op ? place : UINT32_MAX;
}

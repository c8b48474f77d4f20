// SPDX-License-Identifier: GPL-3.0-or-later
// Operations to look up (checker/part/op_set.h).  Where they are many a bit
// each tells it at once.
#include "config.h"

#include "checker/part/op_set.h"

#include "base/ids.h"
#include "base/memory.h"

#include <stdlib.h>

enum { WORD = 64 };

struct op_set op_set_open(const struct history *whole,
                          const struct operations *ops) {
  struct op_set set = {.ops = ops};
  const size_t nwords = whole->nops / WORD + 1;
  if (ops->count < nwords)
    return set;
  set.bits = xcalloc(nwords, sizeof *set.bits);
  set.rank = xmalloc(nwords * sizeof *set.rank);
  for (uint32_t i = 0; i < ops->count; i++)
    set.bits[ops->op[i] / WORD] |= UINT64_C(1) << ops->op[i] % WORD;
  uint32_t rank = 0;
  for (size_t w = 0; w < nwords; w++) {
    set.rank[w] = rank;
    rank += (uint32_t)__builtin_popcountll(set.bits[w]);
  }
  return set;
}

void op_set_close(struct op_set *set) {
  free(set->bits);
  free(set->rank);
}

uint32_t op_set_find(const struct op_set *set, uint32_t op) {
  const struct operations *ops = set->ops;
  if (set->bits) {
    const uint64_t word = set->bits[op / WORD];
    const uint64_t bit = UINT64_C(1) << op % WORD;
    return word & bit ? set->rank[op / WORD] +
                            (uint32_t)__builtin_popcountll(word & (bit - 1))
                      : UINT32_MAX;
  }
  const uint32_t place = ids_below(ops->op, ops->count, op);
  return place < ops->count && ops->op[place] == op ? place : UINT32_MAX;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Versions that are visible (checker/rows/sight.h).
#include "config.h"

#include "checker/rows/sight.h"

#include "base/memory.h"

#include <stdlib.h>

void sight_open(struct row_sight *s, const struct history *h,
                const struct model *m, const uint32_t *rank) {
  *s = (struct row_sight){
      .h = h, .m = m, .rank = rank, .version = ids_none(h->nkeys)};
}

void sight_close(struct row_sight *s) {
  FREE_EACH(s->version, s->touched.items);
}

void sight_add(struct row_sight *s, uint32_t t) {
  const struct history *h = s->h;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
    const uint32_t key = h->key[op];
    if (!is_final(s->m, op))
      continue;
    if (s->version[key] == NO_ID)
      ids_add(&s->touched, key);
    else if (sight_rank(s, s->version[key]) > s->rank[t])
      continue;
    s->version[key] = op;
  }
}

void sight_forget(struct row_sight *s) {
  while (s->touched.count)
    s->version[s->touched.items[--s->touched.count]] = NO_ID;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers the versions of a model (checker/rows/version_numbers.h).
#include "config.h"

#include "checker/rows/version_numbers.h"

#include "base/memory.h"

#include <stdlib.h>

void version_numbers_open(struct version_numbers *n, const struct model *m) {
  const uint32_t nops = m->h->nops, nblocks = nops / 64 + 1;
  *n = (struct version_numbers){.m = m,
                                .is_final =
                                    xcalloc(nblocks, sizeof *n->is_final),
                                .before = xmalloc(nblocks * sizeof *n->before)};
  for (uint32_t op = 0; op < nops; op++)
    if (is_final(m, op))
      n->is_final[op / 64] |= UINT64_C(1) << op % 64;
  for (uint32_t block = 0; block < nblocks; block++) {
    n->before[block] = n->nfinals;
    n->nfinals += (uint32_t)__builtin_popcountll(n->is_final[block]);
  }
}

void version_numbers_close(struct version_numbers *n) {
  FREE_EACH(n->is_final, n->before);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers the versions of a model, final ones and initial ones, from 0 without
// gaps.  Half of the operations of a history with rows make no such version, so
// that an array by these numbers takes half the memory of one by versions.
#ifndef CHECKER_ROWS_VERSION_NUMBERS_H
#define CHECKER_ROWS_VERSION_NUMBERS_H

#include "checker/model/model.h"

struct version_numbers {
  const struct model *m;
  uint64_t *is_final; // a bit per operation
  uint32_t *before;   // per 64 operations: the final ones before these
  uint32_t nfinals;   // initial versions have the numbers behind them
};

// Refers to the model, of which the roles are known.
void version_numbers_open(struct version_numbers *numbers,
                          const struct model *model);
void version_numbers_close(struct version_numbers *numbers);

// The number of a version; NO_ID: an operation that makes none.
static inline uint32_t version_number(const struct version_numbers *n,
                                      uint32_t version) {
  const uint32_t nops = n->m->h->nops;
  if (version >= nops)
    return n->nfinals + (version - nops);
  const uint64_t bits = n->is_final[version / 64];
  const uint64_t bit = UINT64_C(1) << version % 64;
  return bits & bit ? n->before[version / 64] +
                          (uint32_t)__builtin_popcountll(bits & (bit - 1))
                    : NO_ID;
}

#endif

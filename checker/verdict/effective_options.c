// SPDX-License-Identifier: GPL-3.0-or-later
// Settles a question on a history (checker/verdict/effective_options.h).
#include "config.h"

#include "checker/verdict/effective_options.h"

#include "base/memory.h"

#include <string.h>

static bool all_were_aborted(const struct history *h) {
  uint32_t t = 0;
  while (t < h->ntxns && h->outcome[t] == OUTCOME_ABORTED)
    t++;
  return t == h->ntxns;
}

struct check_options settled_options(const struct history *h,
                                     const struct check_options *options) {
  struct check_options settled = *options;
  enum isolation weakest = ISOLATION_SSER, strongest = ISOLATION_NONE;
  if (!h->rows)
    question_forget_rows(&settled.question);
  if (!options->question.recorded)
    return settled;
  const bool all_aborted = all_were_aborted(h);
  for (uint32_t t = 0; t < h->ntxns; t++) {
    const enum isolation level = (enum isolation)h->level[t];
    if (h->outcome[t] == OUTCOME_ABORTED && !all_aborted)
      continue;
    strongest = level > strongest ? level : strongest;
    weakest = level < weakest ? level : weakest;
  }
  settled.question.level = strongest;
  settled.question.recorded = weakest < strongest && !all_aborted;
  return settled;
}

uint8_t *settled_kinds(const struct history *h,
                       const struct check_options *options) {
  uint8_t *kind = NULL;
  for (uint32_t t = 0; t < h->ntxns && options->question.recorded; t++) {
    if (h->level[t] != ISOLATION_NONE)
      continue;
    if (!kind)
      kind = memcpy(xmalloc(h->nops), h->kind, h->nops);
    for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
      kind[op] &= (uint8_t)~OP_IS_READ;
  }
  return kind;
}

uint8_t *settled_count(const struct history *h, struct verdict_counts *counts) {
  uint32_t by_outcome[OUTCOME_COUNT] = {0};
  *counts = (struct verdict_counts){0};
  uint8_t *counted = history_counted(h, &counts->lost);
  for (uint32_t t = 0; t < h->ntxns; t++) {
    by_outcome[h->outcome[t]]++;
    if (!counted[t])
      continue;
    counts->unknown_seen += h->outcome[t] == OUTCOME_UNKNOWN;
    counts->operations += h->txn_first[t + 1] - h->txn_first[t];
  }
  counts->committed = by_outcome[OUTCOME_OK];
  counts->aborted = by_outcome[OUTCOME_ABORTED];
  counts->unknown = by_outcome[OUTCOME_UNKNOWN];
  return counted;
}

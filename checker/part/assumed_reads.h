// SPDX-License-Identifier: GPL-3.0-or-later
// A history as one of those that it may be, where its reads may have seen any
// of several writes of a value.  For the verifiers and for whoever shows a
// verdict.
#ifndef CHECKER_PART_ASSUMED_READS_H
#define CHECKER_PART_ASSUMED_READS_H

#include "checker/verdict/verdict.h"

struct assumed_reads {
  struct history *h;
  uint32_t *first; // per version (history->again) the first of the same value
  uint32_t *read;  // per element of a list: the read that it is in
};

// The history's `saw` and `element` will be written to.
void assumed_reads_open(struct assumed_reads *s, struct history *history);
void assumed_reads_close(struct assumed_reads *s);

// Makes reads have seen what is said.  0; or -1 with a sentence if one of them
// is no read, or may not have seen that, with some of the others done.
int assumed_reads_take(struct assumed_reads *s,
                       const struct assumed_read *assumed_reads, uint32_t count,
                       struct error *error);

#endif

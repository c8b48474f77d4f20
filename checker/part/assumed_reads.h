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

// Prepares assumed_reads_take, which changes the history's `saw` and `element`.
// The history stays the caller's, and has to outlive *s.
void assumed_reads_open(struct assumed_reads *s, struct history *history);
void assumed_reads_close(struct assumed_reads *s);

// Gives each assumed read the write that it is taken to have seen.  Returns 0,
// or -1 with a sentence if a place is no read, or the write has another value
// than the read saw; then some of the others may be changed already.
int assumed_reads_take(struct assumed_reads *s,
                       const struct assumed_read *assumed_reads, uint32_t count,
                       struct error *error);

#endif

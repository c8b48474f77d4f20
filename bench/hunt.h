// SPDX-License-Identifier: GPL-3.0-or-later
// The smallest part of a history that breaks a level, by trying all ways:
// whichever part was found, another one lacks one of its transactions, so the
// history is searched without each of them in turn.  For histories with few
// anomalies, or as far as a budget goes.
#ifndef BENCH_HUNT_H
#define BENCH_HUNT_H

#include "checker/part/subhistory.h"
#include "checker/verdict/verdict.h"

struct hunt {
  const struct history *h;
  const struct check_options *options; // its level is the one to be broken
  uint64_t budget; // operations of histories that may still be checked
  uint32_t nchecks;
  uint32_t nreads;        // left out: those that break weaker levels
  uint32_t ntxns;         // of the smallest part so far; UINT32_MAX: none
  struct operations part; // that one; owned

  uint8_t *without_txn, *without_read; // scratch
};

// Looks for a part of fewer transactions than hunt->ntxns that breaks the level
// and has none of the reads that break a weaker one.  h, options, budget and
// ntxns are set; all else is zero.  False if the
// budget ended, or the check was stopped, before all ways were tried.
bool hunt_smaller(struct hunt *hunt);

#endif

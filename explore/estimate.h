// SPDX-License-Identifier: GPL-3.0-or-later
// How many histories a program has at a level, before they are explored.
//
// Knuth ("Estimating the efficiency of backtrack programs", 1975) walks from
// the beginning with a random choice at each branch, and multiplies the numbers
// of choices.  Here many walkers go side by side: all go on along every choice,
// and of those that come of it some are drawn, each of which then counts for
// the others as well.  They are drawn from kinds that may have about as much
// below them (Chen, "Heuristic sampling: a method for predicting the
// performance of tree searching programs", 1992), so that rare large subtrees
// are not missed. The mean is right, as with Knuth.
#ifndef EXPLORE_ESTIMATE_H
#define EXPLORE_ESTIMATE_H

#include "explore/explore.h"

struct estimate {
  double histories; // the mean of several estimates
  double low, high; // its interval: about 95 % of such intervals hold the
                    // number (tests/explore/test_estimate.c)
  bool exact;       // nobody was left out: they are counted
  bool stopped;     // by options.stop: nothing is known
};

// -1 with a sentence if a transaction does too much.
int estimate_histories(const struct program *program,
                       const struct explore_options *options, uint64_t seed,
                       struct estimate *estimate, struct error *error);

#endif

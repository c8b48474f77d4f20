// SPDX-License-Identifier: GPL-3.0-or-later
// A second opinion on histories with SQL statements: algorithms 1 to 4 of "On
// the Complexity of Checking Mixed Isolation Levels for SQL Transactions"
// (Bouajjani, Enea, Roman-Calvo), and the baseline that the paper compares them
// with.  For its figures, and to be compared with the checker; it proves
// nothing.
#ifndef CHECKER_ROWS_SOBOUND_H
#define CHECKER_ROWS_SOBOUND_H

#include "checker/verify/rows/referee_rows.h"

enum {
  SOBOUND_TXNS = 128, // committed or in doubt, at most
  SOBOUND_DOUBT = 10  // in doubt, at most
};

struct sobound {
  bool naive;           // all extensions and all commit orders of each
  uint64_t work;        // that may be done; what is left
  uint64_t nextensions; // of the history that were looked at
};

// Do the algorithms decide such a history?  If not, `why` has a sentence: it is
// larger than above, has lists, lacks a lost part, or is asked about a level
// that the paper has no theorem for, which are CC and SSER.
bool sobound_covers(const struct history *history,
                    const struct referee_rows_options *options,
                    struct error *why);

// Too large: not covered, or the work was not enough, or stopped.
enum referee_answer sobound_decide(const struct history *history,
                                   const struct referee_rows_options *options,
                                   struct sobound *sobound);

#endif

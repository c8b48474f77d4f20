// SPDX-License-Identifier: GPL-3.0-or-later
// Decides a history with SQL statements that is too large for the referee, some
// hundred transactions, by cases: what must come before what is derived from
// the axioms, and where nothing follows any more, each possibility is tried and
// refuted.  Shares nothing with the engine; the referee has to agree.
#ifndef CHECKER_ROWS_ROWS_CASES_H
#define CHECKER_ROWS_ROWS_CASES_H

#include "checker/verify/rows/execute_rows.h"
#include "checker/verify/rows/referee_rows.h"

enum {
  ROWS_CASES_TXNS = 512,    // committed or in doubt, at most
  ROWS_CASES_DOUBT = 10,    // transactions in doubt, at most
  ROWS_CASES_WORK = 1 << 28 // some tenths of a second
};

struct rows_cases {
  uint64_t work;           // that may be done; what is left
  uint32_t ncases;         // how many were refuted
  bool wants_proof;        // of what is kept: what follows, to be freed
  uint32_t *order, norder; // the transactions that count, in commit order
  uint32_t *snapshot;      // as in struct rows_proof
  struct found_unseen *found;
  uint32_t nfound, found_room;
};

// As referee_rows_decide.  Too large: as there, with the bounds above, or the
// work was not enough, or it was stopped.
enum referee_answer
rows_cases_decide(const struct history *history,
                  const struct referee_rows_options *options,
                  struct rows_cases *cases);

void rows_cases_free(struct rows_cases *cases);

// By the referee where the history is small enough for it (then no cases are
// counted), else by cases; without a proof.
enum referee_answer
rows_small_decide(const struct history *history,
                  const struct referee_rows_options *options,
                  struct rows_cases *cases);

// Do the referee and the cases, which share nothing but how a condition is
// read, both say that the level is broken?  False of a history that is too
// large for one of the two.
bool rows_both_refute(const struct history *history,
                      const struct referee_rows_options *options);

#endif

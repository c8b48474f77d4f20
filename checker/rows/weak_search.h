// SPDX-License-Identifier: GPL-3.0-or-later
// Decides a history with rows at RC and RA, as far as the nearest choices of
// the versions that statements may have found of rows that they did not return
// tell.
#ifndef CHECKER_ROWS_WEAK_SEARCH_H
#define CHECKER_ROWS_WEAK_SEARCH_H

#include "base/ids.h"
#include "checker/verify/rows/execute_rows.h"

// Open: other choices may keep the level.
enum weak_answer { WEAK_KEPT, WEAK_BROKEN, WEAK_OPEN };

struct weak_rows {
  enum weak_answer answer;
  // Kept: the commit order, and what statements are taken to have found.
  uint32_t *order, norder;
  struct found_unseen *found;
  uint32_t nfound, found_room;
  // Where levels are mixed there is no order, but what it has to keep: the
  // first one of each pair of transactions comes before the second one.
  struct ids from, to;
  // Broken: this transaction shows it, or UINT32_MAX; and this row, which its
  // statement did not return, if it was one.
  uint32_t txn, statement, key;
};

// All transactions are held to the level of the options, RC or RA; where levels
// are mixed, those at RC and RA to theirs.  Real time does not count.
void weak_rows_decide(struct weak_rows *decision, const struct history *history,
                      const uint8_t *counted,
                      const struct check_options *options);
void weak_rows_free(struct weak_rows *decision);

#endif

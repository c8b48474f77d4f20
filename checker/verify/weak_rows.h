// SPDX-License-Identifier: GPL-3.0-or-later
// Checks the proof that a history with rows keeps RC or RA: a commit order, and
// the versions that statements are taken to have found of some rows that they
// did not return.
#ifndef CHECKER_VERIFY_WEAK_ROWS_H
#define CHECKER_VERIFY_WEAK_ROWS_H

#include "checker/verify/verify.h"

// The statement is taken to have found this version of the row, which it did
// not return.  Of other rows that it did not return it is taken to have found
// the last one, by the commit order, that is visible to it.
struct found_unseen {
  uint32_t statement, key, version;
};

// VERIFIED if the history keeps the level of the options, RC or RA, without
// real time, by this order of the transactions that count.  `found` is in the
// order of statements and keys.
enum verified verify_weak_rows(const struct history *history,
                               const uint8_t *counted,
                               const struct check_options *options,
                               const uint32_t *order, uint32_t norder,
                               const struct found_unseen *found,
                               uint32_t nfound, struct error *error);

#endif

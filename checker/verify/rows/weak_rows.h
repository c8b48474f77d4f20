// SPDX-License-Identifier: GPL-3.0-or-later
// Checks the proof that a history with rows keeps RC, RA or CC, or that what is
// at these levels of it does: a commit order, and the versions that statements
// are taken to have found of some rows that they did not return.
#ifndef CHECKER_VERIFY_ROWS_WEAK_ROWS_H
#define CHECKER_VERIFY_ROWS_WEAK_ROWS_H

#include "checker/verify/verify.h"

// The proof.  `found` is in the order of statements and keys.  `snapshot`, per
// place in the order: how many had committed when the transaction took its
// snapshot; below PC and at SER the place itself.  NULL: none is at PC or
// above.
struct weak_rows_proof {
  const uint32_t *order, *snapshot;
  uint32_t norder, nfound;
  const struct found_unseen *found;
};

// VERIFIED if the transactions at RC, RA and CC keep their level, without real
// time, by this order of the transactions that count.
enum verified verify_weak_rows(const struct history *history,
                               const uint8_t *counted,
                               const struct check_options *options,
                               const struct weak_rows_proof *proof,
                               struct error *error);

// VERIFIED if the history keeps the levels that its transactions were run at,
// by the order, the snapshots and what was found.
enum verified verify_rows_by_level(const struct history *history,
                                   const struct history *registers,
                                   const uint8_t *counted,
                                   const struct check_options *options,
                                   const struct weak_rows_proof *proof,
                                   struct error *error);

#endif

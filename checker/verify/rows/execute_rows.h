// SPDX-License-Identifier: GPL-3.0-or-later
// Executes the proof of a PASS, statement by statement, at the places of one
// commit order that the proof names: each must find exactly the rows that the
// history says it found.
#ifndef CHECKER_VERIFY_ROWS_EXECUTE_ROWS_H
#define CHECKER_VERIFY_ROWS_EXECUTE_ROWS_H

#include "checker/verify/verify.h"

// A place is a number of transactions of the order: a statement at place p
// finds the rows as the first p of them left these.
//
// At SER and above a transaction stands at its own place, at PC and SI at its
// snapshot, and each row is the one that is current there.  At RC each
// statement has a place, at RA a transaction has one, which is its snapshot; a
// row that came back may also be a later version, and so may a row that is
// among `found`.  All that such a statement must see then either is within the
// place or stands in no later version than the one that was found: so a proof
// whose places are all 0 says by `found` alone what the statements found.
struct rows_proof {
  const uint32_t *order;    // the transactions that count
  const uint32_t *snapshot; // per place in the order; NULL: at RA all are 0,
                            // and none is at PC or SI
  const uint32_t *place;    // per statement, of those at RC; NULL: all are 0
  uint32_t norder, nfound;
  // In the order of statements and keys: versions that statements at RC, RA and
  // CC found of rows that they did not return.
  const struct found_unseen *found;
};

// The proof of a PASS.
static inline struct rows_proof rows_proof_of(const struct verdict *v) {
  return (struct rows_proof){.order = v->order,
                             .snapshot = v->snapshot,
                             .place = v->place,
                             .norder = v->norder,
                             .nfound = v->nfound,
                             .found = v->found_unseen};
}

// `registers`: the history with its rows as registers, of which verify_pass is
// asked as well.  VERIFIED if the proof shows that the history keeps the level
// of the options, or those of its transactions; below PC without real time.
enum verified verify_rows(const struct history *history,
                          const struct history *registers,
                          const uint8_t *counted,
                          const struct check_options *options,
                          const struct rows_proof *proof, struct error *error);

#endif

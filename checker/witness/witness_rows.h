// SPDX-License-Identifier: GPL-3.0-or-later
// Holds the proof of a witness about a history with rows against the history.
#ifndef CHECKER_WITNESS_WITNESS_ROWS_H
#define CHECKER_WITNESS_WITNESS_ROWS_H

#include "base/ids.h"
#include "checker/verify/verify.h"

// The sorts of proofs that a history with rows breaks a level, as files number
// them.
enum rows_refutation {
  ROWS_ALL,       // the referee tries everything
  ROWS_PART,      // it does so with a part
  ROWS_REGISTERS, // the rows that came back do, as registers
  ROWS_ARGUED,    // a part, with an argument about its ids
  ROWS_REFUTATIONS
};

// The rest of a file, besides the verdict.  Of a part: its rows, and those of
// its statements that write none of them, in any order.
struct rows_claim {
  enum rows_refutation by;
  struct ids keys, statements;
};

// `verdict` has what the file says: of a PASS the order, the snapshots and what
// statements are taken to have found; of a violation by registers all of it.
// Where a part of the history shows the violation, this function fills in the
// part.  All ids are those of the history.
enum verified verify_witness_of_rows(const struct history *history,
                                     const struct check_options *options,
                                     const struct rows_claim *claim,
                                     struct verdict *verdict,
                                     struct error *error);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// The proof in a witness, behind the header: one description of its bytes
// (checker/witness/WITNESS.md), by which they are written and read.
#ifndef CHECKER_WITNESS_WITNESS_PROOF_H
#define CHECKER_WITNESS_WITNESS_PROOF_H

#include "checker/witness/witness.h"
#include "checker/witness/witness_rows.h"

// Bytes that are appended to `out`, if it is there, or taken from `at` on.
struct witness_passing {
  const struct history *history;
  bool has_places; // a PASS has places of statements
  struct witness_bytes *out;
  const unsigned char *at, *end;
  bool bad; // something was wrong: all that is read from then on is 0
};

void witness_put(struct witness_bytes *out, const void *bytes, size_t n);

// Writes the proof of the verdict and the claim; or reads it into them, which
// have nothing but the verdict's kind.  No number is believed that is read, and
// every id is one of the history, or means none.
void witness_pass_proof(struct witness_passing *passing,
                        struct verdict *verdict, struct rows_claim *claim);

#endif

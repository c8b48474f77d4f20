// SPDX-License-Identifier: GPL-3.0-or-later
// A witness: a verdict's proof as the bytes of a file, with the question that
// it answers and a hash of the history that it is about
// (checker/witness/WITNESS.md).
#ifndef CHECKER_WITNESS_WITNESS_H
#define CHECKER_WITNESS_WITNESS_H

#include "checker/verdict/verdict.h"

#include <stddef.h>

// How the history was read, which its file does not say: numbers that the
// checker keeps for its caller.
struct witness_reading {
  uint8_t initial, model;
};

// Places in the header, which ends with the hash of the history and starts with
// some letters; the proof and a checksum follow.
enum {
  WITNESS_AT_VERSION = 8,
  WITNESS_AT_KIND,
  WITNESS_AT_LEVEL,
  WITNESS_AT_FLAGS,
  WITNESS_AT_INITIAL,
  WITNESS_AT_MODEL,
  WITNESS_AT_ROWS, // how rows are read
  WITNESS_AT_HASH = 16,
  WITNESS_HEADER_BYTES = 24,
  WITNESS_CHECKSUM_BYTES = 8
};

// The bytes of a file; free with free().
struct witness_bytes {
  unsigned char *bytes;
  size_t count, room;
};

// Everything that the file says, as it says it: nothing is proved yet, but all
// ids are those of a transaction or operation of the history, or of none.
struct witness {
  struct witness_reading reading;
  struct question question;
  uint64_t history_hash;
  enum verdict_kind kind;
  bool duplicates;              // some values were written more than once
  bool of_rows;                 // the history has SQL statements
  bool has_places;              // which have places in the commit order
  const unsigned char *payload; // the proof; in the caller's bytes
  size_t payload_bytes;
};

// The content of a history as the verifiers see it: sessions, outcomes, levels,
// times, keys, values, and what each read saw.
uint64_t witness_hash(const struct history *history);

// Appends the witness of a PASS or VIOLATION to `out`.
void witness_write(const struct history *history,
                   const struct witness_reading *reading,
                   const struct verdict *verdict, struct witness_bytes *out);

// Reads what comes before the proof.  -1 with a sentence if this is no witness,
// or a damaged one.
int witness_open(struct witness *witness, const unsigned char *bytes,
                 size_t count, struct error *error);

// Reads the proof and holds it against the history, by the verifiers alone
// (checker/verify/verify.h).  0: it proves the verdict, which is the caller's
// to free; of a violation neither the anomaly's name nor that the part is
// minimal.  -1 with a sentence: it is about another history, or no proof.
int witness_verify(const struct witness *witness, const struct history *history,
                   struct verdict *verdict, struct error *error);

#endif

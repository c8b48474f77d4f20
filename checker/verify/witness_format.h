// SPDX-License-Identifier: GPL-3.0-or-later
// What the writer and the reader of witnesses have in common
// (checker/verify/WITNESS.md).
#ifndef CHECKER_VERIFY_WITNESS_FORMAT_H
#define CHECKER_VERIFY_WITNESS_FORMAT_H

#include <stdint.h>

#define WITNESS_MAGIC "isoproof"

enum {
  WITNESS_MAGIC_BYTES = 8,
  WITNESS_VERSION = 1,
  WITNESS_VERSION_OF_ROWS = 2,       // of histories with SQL statements
  WITNESS_VERSION_OF_DUPLICATES = 3, // whose values were written twice
  // Places in the header, which ends with the hash of the history.
  WITNESS_AT_VERSION = 8,
  WITNESS_AT_KIND = 9,
  WITNESS_AT_LEVEL = 10,
  WITNESS_AT_FLAGS = 11,
  WITNESS_AT_INITIAL = 12,
  WITNESS_AT_MODEL = 13,
  WITNESS_AT_ROWS = 14, // how rows are read
  WITNESS_AT_HASH = 16,
  WITNESS_HEADER_BYTES = 24,
  WITNESS_CHECKSUM_BYTES = 8
};

enum {
  WITNESS_RECORDED = 1,
  WITNESS_SESSION_ORDER = 2,
  WITNESS_REAL_TIME = 4,
  WITNESS_DUPLICATES = 8 // what reads are taken to have seen is told
};

enum {
  WITNESS_RC_SEES_SESSION = 1,
  WITNESS_BY_ITEMS = 2,
  WITNESS_PLAIN_READS = 4
};

// In the hash, for what may have been any of several writes of a value.
#define WITNESS_ANY_OF_EQUALS (UINT32_MAX - 3)

// Added to ids, so that those that mean none (SAW_INITIAL...) are small.
enum { WITNESS_ID_SHIFT = 16 };

#endif

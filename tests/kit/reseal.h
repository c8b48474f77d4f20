// SPDX-License-Identifier: GPL-3.0-or-later
// Makes the checksums of a changed file good again: whoever changes a history
// or a proof on purpose does so, and so may a program with a bug.
#ifndef TESTS_KIT_RESEAL_H
#define TESTS_KIT_RESEAL_H

#include "base/bytes.h"
#include "recorder/native/chunk.h"

#include <string.h>
#include <xxhash.h>

static inline void reseal_chunk(unsigned char *chunk, size_t left) {
  const size_t stored = load32(chunk + 8);
  store16(chunk + 6, CHUNK_HEADER_BYTES);
  if (stored <= left - CHUNK_HEADER_BYTES)
    store64(chunk + 72, XXH3_64bits(chunk + CHUNK_HEADER_BYTES, stored));
  store64(chunk + 80, XXH3_64bits(chunk, 80));
}

// A file of our own format: its header, and every chunk that begins as one.
static inline void reseal_history(unsigned char *data, size_t bytes) {
  if (bytes < FILE_HEADER_BYTES)
    return;
  store64(data + 24, XXH3_64bits(data, 24));
  for (size_t at = FILE_HEADER_BYTES; at + CHUNK_HEADER_BYTES <= bytes; at++)
    if (!memcmp(data + at, CHUNK_MAGIC, CHUNK_MAGIC_BYTES))
      reseal_chunk(data + at, bytes - at);
}

// A proof (checker/witness/WITNESS.md).
static inline void reseal_proof(unsigned char *data, size_t bytes) {
  if (bytes >= 8)
    store64(data + bytes - 8, XXH3_64bits(data, bytes - 8));
}

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Headers of files and chunks (recorder/native/chunk.h).
#include "config.h"

#include "recorder/native/chunk.h"

#include "base/bytes.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <xxhash.h>

// A fuzzer could never guess a checksum, so it is let through.
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#define ANY_CHECKSUM 1
#else
#define ANY_CHECKSUM 0
#endif

// The 32-bit fields from `session` on, in the order of the file.
enum { NCOUNTS = 7 };
static uint32_t *count_field(struct chunk_header *h, int i) {
  assert(0 <= i && i < NCOUNTS);
  uint32_t *const fields[NCOUNTS] = {&h->session,  &h->number,  &h->ntxns,
                                     &h->nops,     &h->nwrites, &h->nlists,
                                     &h->nelements};
  return fields[i];
}

void chunk_reserve(unsigned char **bytes, size_t *room, size_t wanted) {
  if (wanted >= *room) {
    free(*bytes);
    *room = wanted + 1;
    *bytes = xmalloc(*room);
  }
}

bool checksum_matches(const unsigned char *p, size_t bytes) {
  return ANY_CHECKSUM || load64(p + bytes) == XXH3_64bits(p, bytes);
}

void file_header_store(unsigned char out[FILE_HEADER_BYTES], uint32_t version,
                       uint32_t nsessions) {
  memcpy(out, FILE_MAGIC, FILE_MAGIC_BYTES);
  store32(out + 8, version);
  store32(out + 12, FILE_HEADER_BYTES);
  store32(out + 16, nsessions);
  store32(out + 20, 0);
  store64(out + 24, XXH3_64bits(out, 24));
}

void chunk_header_store(unsigned char out[CHUNK_HEADER_BYTES],
                        struct chunk_header *header,
                        const unsigned char *payload) {
  header->header_bytes = CHUNK_HEADER_BYTES;
  header->payload_checksum = XXH3_64bits(payload, header->stored_bytes);
  memcpy(out, CHUNK_MAGIC, CHUNK_MAGIC_BYTES);
  out[4] = header->kind;
  out[5] = header->compression;
  store16(out + 6, header->header_bytes);
  store32(out + 8, header->stored_bytes);
  store32(out + 12, header->raw_bytes);
  for (int i = 0; i < NCOUNTS; i++)
    store32(out + 16 + 4 * i, *count_field(header, i));
  store32(out + 44, 0);
  store64(out + 48, header->first_txn);
  store64(out + 56, header->first_write);
  store64(out + 64, header->origin);
  store64(out + 72, header->payload_checksum);
  store64(out + 80, XXH3_64bits(out, 80));
}

bool chunk_header_load(const unsigned char *p, size_t bytes,
                       struct chunk_header *header) {
  if (bytes < CHUNK_HEADER_BYTES || memcmp(p, CHUNK_MAGIC, CHUNK_MAGIC_BYTES))
    return false;
  *header = (struct chunk_header){.kind = p[4],
                                  .compression = p[5],
                                  .header_bytes = load16(p + 6),
                                  .stored_bytes = load32(p + 8),
                                  .raw_bytes = load32(p + 12),
                                  .first_txn = load64(p + 48),
                                  .first_write = load64(p + 56),
                                  .origin = load64(p + 64),
                                  .payload_checksum = load64(p + 72)};
  for (int i = 0; i < NCOUNTS; i++)
    *count_field(header, i) = load32(p + 16 + 4 * i);
  size_t n = header->header_bytes;
  return n >= CHUNK_HEADER_BYTES && n <= CHUNK_HEADER_MAX && n <= bytes &&
         checksum_matches(p, n - 8);
}

bool chunk_payload_is_whole(const struct chunk_header *header,
                            const unsigned char *payload) {
  return ANY_CHECKSUM ||
         header->payload_checksum == XXH3_64bits(payload, header->stored_bytes);
}

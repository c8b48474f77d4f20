// SPDX-License-Identifier: GPL-3.0-or-later
// Makes chunks of a file (recorder/FORMAT.md) from pieces of tape.
#include "config.h"

#include "recorder/tape.h"

#include "base/memory.h"
#include "base/operation.h"
#include "recorder/bytes.h"
#include "recorder/chunk.h"
#include "recorder/column.h"

#include <stdlib.h>
#include <zstd.h>

enum {
  // The cheapest for the run: level 1 makes files 13 % smaller, and costs 8 ns
  // more per operation (bench/recording).
  COMPRESSION_LEVEL = -3,
  SMALL_BYTES = 1024, // not worth compressing
  NCOLUMNS_MAX = 17,
  SKIPPABLE_MAGIC = 0x184D2A50, // of a zstd frame that means nothing
  SKIPPABLE_HEADER_BYTES = 8,
};

// A column of differences in the making.
static uint64_t *reserve_scratch(struct encoder *e, size_t count) {
  if (count > e->scratch_room) {
    free(e->scratch);
    e->scratch = xmalloc(count * sizeof *e->scratch);
    e->scratch_room = count;
  }
  return e->scratch;
}

static void reserve_raw(struct encoder *e, size_t bytes) {
  if (bytes >= e->raw_room) {
    free(e->raw);
    e->raw_room = bytes + 1;
    e->raw = xmalloc(e->raw_room);
  }
}

static void reserve_out(struct encoder *e, size_t bytes) {
  if (bytes > e->out_room) {
    free(e->out);
    e->out = xmalloc(bytes);
    e->out_room = bytes;
  }
}

static unsigned char *store_times(struct encoder *e, unsigned char *out,
                                  const struct piece *piece) {
  uint64_t *scratch = reserve_scratch(e, piece->ntxns),
           before = piece->begin[0];
  for (uint32_t t = 0; t < piece->ntxns; t++) {
    scratch[t] = piece->begin[t] - before;
    before = piece->end[t];
  }
  out = column_store(out, COLUMN_GAP, scratch, piece->ntxns);
  for (uint32_t t = 0; t < piece->ntxns; t++)
    scratch[t] = piece->end[t] - piece->begin[t];
  return column_store(out, COLUMN_DURATION, scratch, piece->ntxns);
}

static unsigned char *store_op_times(struct encoder *e, unsigned char *out,
                                     const struct piece *piece) {
  uint64_t *scratch = reserve_scratch(e, piece->nops);
  uint32_t op = 0;
  for (uint32_t t = 0; t < piece->ntxns; t++) {
    uint64_t before = piece->begin[t];
    for (uint64_t i = 0; i < piece->txn_nops[t]; i++, op++) {
      scratch[op] = piece->op_begin[op] - before;
      before = piece->op_end[op];
    }
  }
  out = column_store(out, COLUMN_OP_GAP, scratch, piece->nops);
  for (op = 0; op < piece->nops; op++)
    scratch[op] = piece->op_end[op] - piece->op_begin[op];
  return column_store(out, COLUMN_OP_DURATION, scratch, piece->nops);
}

// Values as two columns, the writer's session and its sequence.
static unsigned char *store_values(struct encoder *e, unsigned char *out,
                                   uint8_t session_id, uint8_t sequence_id,
                                   const uint64_t *values, uint32_t count) {
  uint64_t *scratch = reserve_scratch(e, count);
  for (uint32_t i = 0; i < count; i++)
    scratch[i] = values[i] >> VALUE_SEQUENCE_BITS;
  out = column_store(out, session_id, scratch, count);
  for (uint32_t i = 0; i < count; i++)
    scratch[i] = values[i] & ((UINT64_C(1) << VALUE_SEQUENCE_BITS) - 1);
  return column_store(out, sequence_id, scratch, count);
}

static size_t raw_bound(const struct piece *p) {
  size_t entries = 5 * (size_t)p->ntxns + 3 * (size_t)p->nops +
                   2 * (size_t)p->nreads + p->nlists + 2 * (size_t)p->nelements;
  return column_bound(entries) + 2 * p->ntxns + NCOLUMNS_MAX * column_bound(0);
}

static size_t fill_raw(struct encoder *e, const struct piece *p) {
  reserve_raw(e, raw_bound(p));
  unsigned char *out = e->raw;
  out = column_store_bytes(out, COLUMN_OUTCOME, p->outcome, p->ntxns);
  out = column_store_bytes(out, COLUMN_CAUSE, p->cause, p->ntxns);
  out = column_store_bytes(out, COLUMN_LEVEL, p->level, p->ntxns);
  if (p->endpoint)
    out = column_store_bytes(out, COLUMN_ENDPOINT, p->endpoint, p->ntxns);
  out = store_times(e, out, p);
  out = column_store(out, COLUMN_NOPS, p->txn_nops, p->ntxns);
  out = column_store_bytes(out, COLUMN_KIND, p->kind, p->nops);
  out = column_store(out, COLUMN_KEY, p->key, p->nops);
  if (p->op_begin)
    out = store_op_times(e, out, p);
  if (p->nreads)
    out = store_values(e, out, COLUMN_SEEN_SESSION, COLUMN_SEEN_SEQUENCE,
                       p->seen, p->nreads);
  if (p->nlists) {
    out = column_store(out, COLUMN_LIST_LENGTH, p->list_length, p->nlists);
    out = store_values(e, out, COLUMN_ELEMENT_SESSION, COLUMN_ELEMENT_SEQUENCE,
                       p->element, p->nelements);
  }
  return (size_t)(out - e->raw);
}

// The fewest bytes that may stand for a chunk of this content.
static size_t stored_at_least(const struct chunk_header *h) {
  size_t counts = (size_t)h->ntxns + h->nops + h->nlists + h->nelements;
  size_t for_counts = counts / CHUNK_COUNTS_PER_BYTE + 1;
  size_t for_raw = h->raw_bytes / CHUNK_RAW_PER_BYTE + 1;
  return for_counts > for_raw ? for_counts : for_raw;
}

// Makes a payload longer by a zstd frame that decompresses to nothing.
static size_t pad(unsigned char *payload, size_t bytes, size_t wanted) {
  if (bytes >= wanted)
    return bytes;
  size_t padding = wanted - bytes;
  store32(payload + bytes, SKIPPABLE_MAGIC);
  store32(payload + bytes + 4, (uint32_t)padding);
  memset(payload + bytes + SKIPPABLE_HEADER_BYTES, 0, padding);
  return wanted + SKIPPABLE_HEADER_BYTES;
}

static size_t compress_raw(struct encoder *e, size_t raw, size_t at_least) {
  if (!e->zstd && !(e->zstd = ZSTD_createCCtx()))
    out_of_memory(0);
  size_t room = ZSTD_compressBound(raw);
  reserve_out(e, CHUNK_HEADER_BYTES + SKIPPABLE_HEADER_BYTES +
                     (room > at_least ? room : at_least));
  size_t bytes = ZSTD_compressCCtx(e->zstd, e->out + CHUNK_HEADER_BYTES, room,
                                   e->raw, raw, COMPRESSION_LEVEL);
  if (ZSTD_isError(bytes)) // the output has room enough: no memory
    out_of_memory(0);
  return pad(e->out + CHUNK_HEADER_BYTES, bytes, at_least);
}

// Turns the first `raw` bytes of e->raw into the chunk with this header, stored
// in so many bytes at least.
static size_t finish_chunk(struct encoder *e, size_t raw,
                           struct chunk_header *h, size_t at_least) {
  if (raw > CHUNK_RAW_MAX)
    return 0;
  h->raw_bytes = (uint32_t)raw;
  if (at_least < stored_at_least(h))
    at_least = stored_at_least(h);
  if (raw < SMALL_BYTES && raw >= at_least) {
    reserve_out(e, CHUNK_HEADER_BYTES + raw);
    memcpy(e->out + CHUNK_HEADER_BYTES, e->raw, raw);
    h->compression = CHUNK_PLAIN;
    h->stored_bytes = (uint32_t)raw;
  } else {
    h->compression = CHUNK_ZSTD;
    h->stored_bytes = (uint32_t)compress_raw(e, raw, at_least);
  }
  chunk_header_store(e->out, h, e->out + CHUNK_HEADER_BYTES);
  return CHUNK_HEADER_BYTES + (size_t)h->stored_bytes;
}

size_t encode_piece(struct encoder *e, const struct piece *piece) {
  struct chunk_header header = {.kind = CHUNK_TRANSACTIONS,
                                .session = piece->session,
                                .number = piece->number,
                                .ntxns = piece->ntxns,
                                .nops = piece->nops,
                                .nwrites = piece->nwrites,
                                .nlists = piece->nlists,
                                .nelements = piece->nelements,
                                .first_txn = piece->first_txn,
                                .first_write = piece->first_write,
                                .origin = piece->begin[0]};
  return finish_chunk(e, fill_raw(e, piece), &header, 0);
}

size_t encode_about(struct encoder *e, const char *about, uint32_t nsessions) {
  struct chunk_header header = {.kind = CHUNK_ABOUT};
  size_t bytes = strlen(about);
  reserve_raw(e, bytes);
  memcpy(e->raw, about, bytes);
  return finish_chunk(e, bytes, &header, nsessions / FILE_SESSIONS_PER_BYTE);
}

size_t encode_closing(struct encoder *e, uint32_t nsessions,
                      const uint64_t *ntxns, const uint64_t *nwrites) {
  struct chunk_header header = {.kind = CHUNK_CLOSING};
  reserve_raw(e, 2 * column_bound(nsessions));
  unsigned char *out = e->raw;
  out = column_store(out, COLUMN_TOTAL_TXNS, ntxns, nsessions);
  out = column_store(out, COLUMN_TOTAL_WRITES, nwrites, nsessions);
  return finish_chunk(e, (size_t)(out - e->raw), &header, 0);
}

void encoder_free(struct encoder *e) {
  ZSTD_freeCCtx(e->zstd);
  free(e->raw);
  free(e->out);
  free(e->scratch);
}

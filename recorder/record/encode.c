// SPDX-License-Identifier: GPL-3.0-or-later
// Makes chunks of a file (recorder/native/FORMAT.md) from pieces of session
// logs.
#include "config.h"

#include "recorder/record/session_log.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "base/operation.h"
#include "recorder/native/chunk.h"
#include "recorder/native/column.h"

#include <assert.h>
#include <stdlib.h>
#define ZSTD_STATIC_LINKING_ONLY // for ZSTD_c_literalCompressionMode
#include <zstd.h>

enum {
  LIST_LEVEL = -3,    // of lists, most of which were read before
  SMALL_BYTES = 1024, // not worth compressing
  NCOLUMNS_MAX = 24,
  SKIPPABLE_MAGIC = 0x184D2A50, // of a zstd frame that means nothing
  SKIPPABLE_HEADER_BYTES = 8,
};

// Groups of columns by how well they compress: those of a chunk are put in this
// order, and each group that is not empty becomes a frame of its own.  Looking
// for repetitions costs three times what the codes cost, and leaves more bytes
// of columns of few different numbers.
enum group {
  GROUP_VARIED, // times, keys and values: next to nothing
  GROUP_FEW,    // few different numbers: a code for each
  GROUP_LISTS,  // long repetitions
  NGROUPS
};

// Where each group ends in encoder->raw.
struct groups {
  size_t end[NGROUPS];
};

// Values as two columns, the writer's session and its sequence.
static unsigned char *store_values(unsigned char *out, uint8_t session_id,
                                   uint8_t sequence_id, const uint64_t *values,
                                   uint32_t count) {
  out = column_store_bits(out, session_id, values, count, VALUE_SEQUENCE_BITS,
                          64 - VALUE_SEQUENCE_BITS);
  return column_store_bits(out, sequence_id, values, count, 0,
                           VALUE_SEQUENCE_BITS);
}

static size_t raw_bound(const struct log_piece *p) {
  size_t entries = 3 * (size_t)p->ntxns + 3 * (size_t)p->nops +
                   2 * (size_t)p->nreads + p->nlists + 2 * (size_t)p->nelements;
  for (int i = 0; i < STATEMENT_COLUMNS; i++)
    entries += p->statements.column[i].count;
  return column_bound(entries) + 4 * p->ntxns + p->nops +
         NCOLUMNS_MAX * column_bound(0);
}

static unsigned char *store_list(unsigned char *out, uint8_t id,
                                 const struct log_piece *p,
                                 enum statement_column column) {
  const struct value_list *list = &p->statements.column[column];
  return list->count ? column_store(out, id, list->values, list->count) : out;
}

static unsigned char *fill_varied(unsigned char *out,
                                  const struct log_piece *p) {
  out = column_store(out, COLUMN_GAP, p->gap, p->ntxns);
  out = column_store(out, COLUMN_DURATION, p->duration, p->ntxns);
  out = column_store(out, COLUMN_KEY, p->key, p->nops);
  if (p->op_gap) {
    out = column_store(out, COLUMN_OP_GAP, p->op_gap, p->nops);
    out = column_store(out, COLUMN_OP_DURATION, p->op_duration, p->nops);
  }
  if (p->nreads)
    out = store_values(out, COLUMN_SEEN_SESSION, COLUMN_SEEN_SEQUENCE, p->seen,
                       p->nreads);
  out = store_list(out, COLUMN_PARAMETER, p, STATEMENT_PARAMETERS);
  out = store_list(out, COLUMN_STATEMENT_GAP, p, STATEMENT_GAPS);
  out = store_list(out, COLUMN_STATEMENT_DURATION, p, STATEMENT_DURATIONS);
  return store_list(out, COLUMN_NUMBER, p, STATEMENT_NUMBERS);
}

static unsigned char *fill_few(unsigned char *out, const struct log_piece *p) {
  out = column_store_bytes(out, COLUMN_OUTCOME, p->outcome, p->ntxns);
  out = column_store_bytes(out, COLUMN_CAUSE, p->cause, p->ntxns);
  out = column_store_bytes(out, COLUMN_LEVEL, p->level, p->ntxns);
  if (p->endpoint)
    out = column_store_bytes(out, COLUMN_ENDPOINT, p->endpoint, p->ntxns);
  out = column_store(out, COLUMN_NOPS, p->txn_nops, p->ntxns);
  out = column_store_bytes(out, COLUMN_KIND, p->kind, p->nops);
  out = store_list(out, COLUMN_NSTATEMENTS, p, STATEMENT_TRANSACTION);
  out = store_list(out, COLUMN_STATEMENT_SORT, p, STATEMENT_SORTS);
  out = store_list(out, COLUMN_STATEMENT_TABLE, p, STATEMENT_TABLES);
  out = store_list(out, COLUMN_STATEMENT_TEMPLATE, p, STATEMENT_CONDITIONS);
  return store_list(out, COLUMN_STATEMENT_NOPS, p, STATEMENT_ROWS);
}

static unsigned char *fill_lists(unsigned char *out,
                                 const struct log_piece *p) {
  if (!p->nlists)
    return out;
  out = column_store(out, COLUMN_LIST_LENGTH, p->list_length, p->nlists);
  return store_values(out, COLUMN_ELEMENT_SESSION, COLUMN_ELEMENT_SEQUENCE,
                      p->element, p->nelements);
}

static struct groups fill_raw(struct encoder *e, const struct log_piece *p) {
  static unsigned char *(*const fill[])(unsigned char *,
                                        const struct log_piece *) = {
      [GROUP_VARIED] = fill_varied,
      [GROUP_FEW] = fill_few,
      [GROUP_LISTS] = fill_lists,
  };
  struct groups groups;
  chunk_reserve(&e->raw, &e->raw_room, raw_bound(p));
  unsigned char *out = e->raw;
  for (int group = 0; group < NGROUPS; group++) {
    out = fill[group](out, p);
    groups.end[group] = (size_t)(out - e->raw);
  }
  return groups;
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

static void set_compression(ZSTD_CCtx *zstd, enum group group) {
  static const ZSTD_paramSwitch_e codes[] = {
      [GROUP_VARIED] = ZSTD_ps_disable,
      [GROUP_FEW] = ZSTD_ps_enable,
      [GROUP_LISTS] = ZSTD_ps_auto,
  };
  ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel,
                         group == GROUP_LISTS ? LIST_LEVEL : ZSTD_minCLevel());
  ZSTD_CCtx_setParameter(zstd, ZSTD_c_literalCompressionMode,
                         (int)codes[group]);
}

// A frame per group; returns the bytes of all.
static size_t compress_raw(struct encoder *e, const struct groups *groups,
                           size_t at_least) {
  if (!e->zstd && !(e->zstd = ZSTD_createCCtx()))
    out_of_memory(0);
  size_t first = 0, out = CHUNK_HEADER_BYTES;
  chunk_reserve(&e->out, &e->out_room,
                CHUNK_HEADER_BYTES + SKIPPABLE_HEADER_BYTES + at_least +
                    NGROUPS * ZSTD_compressBound(groups->end[NGROUPS - 1]));
  for (int group = 0; group < NGROUPS; first = groups->end[group++]) {
    if (groups->end[group] == first)
      continue;
    set_compression(e->zstd, (enum group)group);
    const size_t bytes =
        ZSTD_compress2(e->zstd, e->out + out, e->out_room - out, e->raw + first,
                       groups->end[group] - first);
    if (ZSTD_isError(bytes)) // the output has room enough: no memory
      out_of_memory(0);
    out += bytes;
  }
  return pad(e->out + CHUNK_HEADER_BYTES, out - CHUNK_HEADER_BYTES, at_least);
}

// Turns what is in e->raw into the chunk with this header, stored in so many
// bytes at least.
static size_t finish_chunk(struct encoder *e, const struct groups *groups,
                           struct chunk_header *h, size_t at_least) {
  const size_t raw = groups->end[NGROUPS - 1];
  if (raw > CHUNK_RAW_MAX)
    return 0;
  h->raw_bytes = (uint32_t)raw;
  if (at_least < stored_at_least(h))
    at_least = stored_at_least(h);
  if (raw < SMALL_BYTES && raw >= at_least) {
    chunk_reserve(&e->out, &e->out_room, CHUNK_HEADER_BYTES + raw);
    memcpy(e->out + CHUNK_HEADER_BYTES, e->raw, raw);
    h->compression = CHUNK_PLAIN;
    h->stored_bytes = (uint32_t)raw;
  } else {
    h->compression = CHUNK_ZSTD;
    h->stored_bytes = (uint32_t)compress_raw(e, groups, at_least);
  }
  chunk_header_store(e->out, h, e->out + CHUNK_HEADER_BYTES);
  return CHUNK_HEADER_BYTES + (size_t)h->stored_bytes;
}

size_t encode_piece(struct encoder *e, const struct log_piece *piece) {
  assert(piece->ntxns);
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
                                .origin = piece->origin};
  const struct groups groups = fill_raw(e, piece);
  const struct value_list *column = piece->statements.column;
  const uint64_t counts = (uint64_t)column[STATEMENT_SORTS].count +
                          column[STATEMENT_PARAMETERS].count +
                          column[STATEMENT_NUMBERS].count;
  return finish_chunk(e, &groups, &header,
                      counts ? stored_at_least(&header) +
                                   counts / CHUNK_COUNTS_PER_BYTE + 1
                             : 0);
}

size_t encode_text(struct encoder *e, enum chunk_kind kind, const char *text,
                   uint32_t nsessions) {
  struct chunk_header header = {.kind = (uint8_t)kind};
  const size_t bytes = strlen(text);
  chunk_reserve(&e->raw, &e->raw_room, bytes);
  memcpy(e->raw, text, bytes);
  const struct groups groups = {.end = {[GROUP_LISTS] = bytes}};
  return finish_chunk(e, &groups, &header, nsessions / FILE_SESSIONS_PER_BYTE);
}

size_t encode_closing(struct encoder *e, uint32_t nsessions,
                      const uint64_t *ntxns, const uint64_t *nwrites) {
  assert(nsessions == 0 || (ntxns && nwrites));
  struct chunk_header header = {.kind = CHUNK_CLOSING};
  chunk_reserve(&e->raw, &e->raw_room, 2 * column_bound(nsessions));
  unsigned char *out = e->raw;
  out = column_store(out, COLUMN_TOTAL_TXNS, ntxns, nsessions);
  out = column_store(out, COLUMN_TOTAL_WRITES, nwrites, nsessions);
  const struct groups groups = {
      .end = {[GROUP_LISTS] = (size_t)(out - e->raw)}};
  return finish_chunk(e, &groups, &header, 0);
}

void encoder_free(struct encoder *e) {
  ZSTD_freeCCtx(e->zstd);
  free(e->raw);
  free(e->out);
}

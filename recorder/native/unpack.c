// SPDX-License-Identifier: GPL-3.0-or-later
// The payload of a chunk of our own format: found in memory or in the file,
// decompressed, and taken apart into columns (recorder/native/FORMAT.md).
#include "config.h"

#include "recorder/native/native.h"

#include "base/io.h"
#include "base/memory.h"

#include <assert.h>
#include <string.h>
#include <zstd.h>

int native_refuse(const struct loading *l, size_t offset, const char *what) {
  return error_set(l->error, "%s: the chunk at byte %zu %s", l->file.path,
                   offset, what);
}

// Reads a part of the file into l->file.stored, which has room for it; how much
// of it there was.
static size_t read_part(const struct loading *l, size_t offset, size_t bytes) {
  assert(bytes <= l->file.stored_room);
  const ssize_t n =
      pread_fully(l->file.fd, l->file.stored, bytes, (off_t)offset);
  return n < 0 ? 0 : (size_t)n;
}

const unsigned char *native_head(struct loading *l, size_t offset,
                                 size_t *bytes) {
  assert(offset <= l->file.bytes);
  *bytes = l->file.bytes - offset;
  if (l->file.data)
    return l->file.data + offset;
  chunk_reserve(&l->file.stored, &l->file.stored_room, CHUNK_HEADER_MAX);
  if (*bytes > CHUNK_HEADER_MAX)
    *bytes = CHUNK_HEADER_MAX;
  *bytes = read_part(l, offset, *bytes);
  return l->file.stored;
}

// As it is stored; NULL if it is not whole.
static const unsigned char *
payload_of(struct loading *l, const struct chunk_header *h, size_t offset) {
  if (l->file.data)
    return l->file.data + offset + h->header_bytes;
  chunk_reserve(&l->file.stored, &l->file.stored_room,
                (size_t)h->stored_bytes + 1);
  const bool whole = read_part(l, offset + h->header_bytes, h->stored_bytes) ==
                         h->stored_bytes &&
                     chunk_payload_is_whole(h, l->file.stored);
  return whole ? l->file.stored : NULL;
}

int native_unpack(struct loading *l, const struct chunk_header *h,
                  size_t offset) {
  if (h->raw_bytes > CHUNK_RAW_MAX ||
      h->raw_bytes / CHUNK_RAW_PER_BYTE > h->stored_bytes)
    return native_refuse(l, offset, "claims to be larger than it can be");
  chunk_reserve(&l->file.raw, &l->file.raw_room,
                (size_t)h->raw_bytes + RAW_SLACK);
  const unsigned char *payload = payload_of(l, h, offset);
  if (!payload)
    return native_refuse(l, offset, "is not whole");
  memset(l->file.raw + h->raw_bytes, 0, RAW_SLACK);
  if (h->compression == CHUNK_PLAIN && h->raw_bytes == h->stored_bytes) {
    memcpy(l->file.raw, payload, h->raw_bytes);
    return 0;
  }
  if (h->compression != CHUNK_ZSTD)
    return native_refuse(l, offset, "is compressed in an unknown way");
  if (!l->file.zstd && !(l->file.zstd = ZSTD_createDCtx()))
    out_of_memory(0);
  size_t bytes = ZSTD_decompressDCtx(l->file.zstd, l->file.raw, h->raw_bytes,
                                     payload, h->stored_bytes);
  if (ZSTD_isError(bytes) || bytes != h->raw_bytes)
    return native_refuse(l, offset, "cannot be decompressed");
  return 0;
}

int native_refuse_chunk(const struct decoding *d, const char *what) {
  return native_refuse(d->l, d->place->offset, what);
}

static bool is_known_column(uint8_t id, bool has_rows) {
  static const struct {
    uint8_t first, last;
    bool of_rows; // only version 2 has them
  } known[] = {{COLUMN_OUTCOME, COLUMN_NOPS, false},
               {COLUMN_NSTATEMENTS, COLUMN_NSTATEMENTS, true},
               {COLUMN_KIND, COLUMN_OP_DURATION, false},
               {COLUMN_SEEN_SESSION, COLUMN_ELEMENT_SEQUENCE, false},
               {COLUMN_STATEMENT_SORT, COLUMN_NUMBER, true},
               {COLUMN_TOTAL_TXNS, COLUMN_TOTAL_WRITES, false},
               {COLUMN_ENDPOINT, COLUMN_ENDPOINT, false},
               {COLUMN_STATEMENT_GAP, COLUMN_STATEMENT_DURATION, true}};
  bool known_id = false;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    known_id |= id >= known[i].first && id <= known[i].last &&
                (has_rows || !known[i].of_rows);
  return known_id;
}

int native_columns(struct decoding *d) {
  const struct chunk_header *h = &d->place->header;
  if (native_unpack(d->l, h, d->place->offset))
    return -1;
  const unsigned char *p = d->l->file.raw, *end = p + h->raw_bytes;
  while (p < end) {
    struct packed_column column;
    p = column_load(p, (size_t)(end - p), &column);
    if (!p)
      return native_refuse_chunk(d, "has a column that does not fit");
    const bool known = is_known_column(column.id, d->l->scan.has_rows);
    if (!known && column.id >= COLUMN_MAY_SKIP)
      continue;
    if (!known)
      return native_refuse_chunk(d, "has a column of an unknown kind: a newer "
                                    "isostress wrote it");
    if (d->there[column.id])
      return native_refuse_chunk(d, "has a column twice");
    d->there[column.id] = true;
    d->column[column.id] = column;
  }
  return 0;
}

int native_column(const struct decoding *d, enum column_id id, uint32_t count,
                  const struct packed_column **column) {
  assert(id < COLUMN_IDS);
  *column = &d->column[id];
  if (!d->there[id])
    return native_refuse_chunk(d, "lacks a column");
  if ((*column)->count != count)
    return native_refuse_chunk(d, "has a column of a wrong length");
  return 0;
}

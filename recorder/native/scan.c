// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the whole chunks of a file in our own format and places them in the
// history.  Whatever makes no sense is passed over up to the next header whose
// checksum is right, if the file is in memory.  If it is not, only the headers
// are read, nothing may be passed over, and whether the payloads are whole is
// seen when they are decoded.
#include "config.h"

#include "recorder/native/native.h"

#include "base/bytes.h"
#include "base/memory.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int read_file_header(struct loading *l, size_t *offset) {
  size_t there;
  const unsigned char *p = native_head(l, 0, &there);
  if (there < FILE_HEADER_BYTES)
    return error_set(l->error,
                     "%s: is cut off within its first %d bytes, the header: "
                     "nothing of it is usable",
                     l->file.path, FILE_HEADER_BYTES);
  uint32_t version = load32(p + 8), bytes = load32(p + 12);
  uint32_t nsessions = load32(p + 16);
  bool sane = memcmp(p, FILE_MAGIC, FILE_MAGIC_BYTES) == 0 &&
              bytes >= FILE_HEADER_BYTES && bytes <= there &&
              checksum_matches(p, bytes - 8);
  if (!sane || nsessions > VALUE_MAX_SESSIONS)
    return error_set(l->error,
                     "%s: its header, bytes 0 to %d, is damaged: nothing of it "
                     "is usable",
                     l->file.path, FILE_HEADER_BYTES - 1);
  if (version != FILE_VERSION && version != FILE_VERSION_ROWS)
    return error_set(
        l->error,
        "%s: is a history of version %" PRIu32
        ", and this isostress reads version %d: use a newer isostress",
        l->file.path, version, FILE_VERSION_ROWS);
  if (nsessions / FILE_SESSIONS_PER_BYTE > l->file.bytes)
    return error_set(l->error,
                     "%s: is cut off before its first transaction: nothing of "
                     "it is usable",
                     l->file.path);
  *offset = bytes;
  l->scan.has_rows = version == FILE_VERSION_ROWS;
  l->history->nsessions = nsessions;
  l->scan.sessions = xcalloc(nsessions, sizeof *l->scan.sessions);
  return 0;
}

static bool chunk_fits(const struct loading *l, size_t offset,
                       const struct chunk_header *h) {
  assert(offset + h->header_bytes <= l->file.bytes);
  return h->stored_bytes <= l->file.bytes - offset - h->header_bytes;
}

// The next header that is right and whose payload is all there; l->file.bytes
// if there is none.
static size_t find_chunk(const struct loading *l, size_t offset) {
  assert(offset <= l->file.bytes);
  struct chunk_header header;
  while (offset < l->file.bytes) {
    const unsigned char *p =
        memchr(l->file.data + offset, CHUNK_MAGIC[0], l->file.bytes - offset);
    if (!p)
      break;
    offset = (size_t)(p - l->file.data);
    if (chunk_header_load(p, l->file.bytes - offset, &header) &&
        chunk_fits(l, offset, &header))
      return offset;
    offset++;
  }
  return l->file.bytes;
}

static void note_damage(struct loading *l, size_t offset) {
  if (l->scan.damages++ == 0)
    l->scan.first_damage = offset;
}

// The chunk was there, whether it can be read or not.
static void note_existence(struct loading *l, const struct chunk_header *h) {
  if (h->kind != CHUNK_TRANSACTIONS || h->session >= l->history->nsessions)
    return;
  struct file_session *s = &l->scan.sessions[h->session];
  uint64_t txns = h->first_txn + h->ntxns;
  if (txns > s->total_txns)
    s->total_txns = txns;
}

// A statement writes though it finds no row.
static bool is_sane(const struct loading *l, const struct chunk_header *h) {
  assert(h->session < l->history->nsessions);
  const struct file_session *s = &l->scan.sessions[h->session];
  uint64_t counts = (uint64_t)h->ntxns + h->nops + h->nlists + h->nelements +
                    (l->scan.has_rows ? h->nwrites : 0);
  bool follows =
      h->number == s->next_number
          ? h->first_txn == s->next_txn && h->first_write == s->next_write
          : h->number > s->next_number && h->first_txn >= s->next_txn &&
                h->first_write >= s->next_write;
  return follows && h->first_txn < UINT64_MAX / 2 &&
         h->first_write < UINT64_MAX / 2 &&
         (h->nwrites <= h->nops || l->scan.has_rows) && h->nlists <= h->nops &&
         counts / CHUNK_COUNTS_PER_BYTE <= h->stored_bytes;
}

static int add_transactions(struct loading *l, const struct chunk_header *h,
                            size_t offset) {
  assert(h->kind == CHUNK_TRANSACTIONS);
  if (h->session >= l->history->nsessions || !is_sane(l, h))
    return native_refuse(l, offset, "contradicts those before it");
  ARRAY_RESERVE(l->scan.places, l->scan.nplaces, l->scan.place_room);
  l->scan.places[l->scan.nplaces++] =
      (struct chunk_place){.header = *h, .offset = offset};
  struct file_session *s = &l->scan.sessions[h->session];
  s->next_number = h->number + 1;
  s->next_txn = h->first_txn + h->ntxns;
  s->next_write = h->first_write + h->nwrites;
  s->ntxns += h->ntxns;
  s->nplaces++;
  return 0;
}

static int add_text(struct loading *l, const struct chunk_header *h,
                    size_t offset, char **text) {
  if (native_unpack(l, h, offset))
    return -1;
  free(*text);
  *text = xmalloc((size_t)h->raw_bytes + 1);
  memcpy(*text, l->file.raw, h->raw_bytes);
  (*text)[h->raw_bytes] = 0;
  return 0;
}

static int add_closing(struct loading *l, const struct chunk_header *h,
                       size_t offset) {
  struct chunk_place place = {.header = *h, .offset = offset};
  struct decoding d = {.l = l, .place = &place};
  const struct packed_column *txns, *writes;
  uint32_t n = l->history->nsessions;
  if (native_columns(&d) || native_column(&d, COLUMN_TOTAL_TXNS, n, &txns) ||
      native_column(&d, COLUMN_TOTAL_WRITES, n, &writes))
    return -1;
  for (uint32_t i = 0; i < n; i++) {
    struct file_session *s = &l->scan.sessions[i];
    column_unpack(txns, i, 1, &s->total_txns);
    column_unpack(writes, i, 1, &s->total_writes);
    if (s->total_txns < s->ntxns || s->total_writes < s->next_write)
      return native_refuse(l, offset, "contradicts those before it");
  }
  l->scan.closed = true;
  return 0;
}

// The other sessions are not in it: what they wrote would be out of thin air.
static int refuse_part(const struct loading *l) {
  return error_set(l->error,
                   "%s: is what one of several ranks recorded, a part of a "
                   "history: give the list history.set beside it",
                   l->file.path);
}

// An event stands there when it begins and again when it ends.
static int add_event(struct loading *l, const struct chunk_header *h,
                     size_t offset) {
  char *text = NULL;
  if (add_text(l, h, offset, &text))
    return -1;
  event_read(text, &l->history->events, &l->history->nevents);
  free(text);
  return 0;
}

static int add_chunk_place(struct loading *l, const struct chunk_header *h,
                           size_t offset) {
  switch (h->kind) {
  case CHUNK_ABOUT:
    return add_text(l, h, offset, &l->history->about);
  case CHUNK_TABLES:
    if (l->scan.has_rows)
      return add_text(l, h, offset, &l->scan.tables);
    break;
  case CHUNK_TRANSACTIONS:
    return add_transactions(l, h, offset);
  case CHUNK_CLOSING:
    return add_closing(l, h, offset);
  case CHUNK_CLOCK:
    return l->is_tail ? 0 : refuse_part(l);
  case CHUNK_EVENTS:
    return add_event(l, h, offset);
  default:
    break;
  }
  return h->kind >= CHUNK_MAY_SKIP
             ? 0
             : native_refuse(l, offset,
                             "is of an unknown kind: a newer "
                             "isostress wrote it");
}

// Passes over what is no chunk.
static size_t pass_over(struct loading *l, size_t offset) {
  struct chunk_header header;
  if (chunk_header_load(l->file.data + offset, l->file.bytes - offset, &header))
    note_existence(l, &header);
  size_t next = find_chunk(l, offset + 1);
  if (next == l->file.bytes)
    l->scan.torn = l->file.bytes - offset;
  else
    note_damage(l, offset);
  return next;
}

static int scan_chunks(struct loading *l, size_t offset) {
  struct chunk_header h;
  size_t there;
  while (offset < l->file.bytes && !l->scan.closed) {
    if (native_is_stopped(l))
      return -1;
    const unsigned char *head = native_head(l, offset, &there);
    const bool fit =
        chunk_header_load(head, there, &h) && chunk_fits(l, offset, &h);
    if (!l->file.data && (!fit || (h.kind >= CHUNK_MAY_SKIP && !l->file.skips)))
      return native_refuse(l, offset,
                           "is cut off or damaged, and only a whole file is "
                           "read piece by piece");
    if (!fit) {
      offset = pass_over(l, offset);
      continue;
    }
    note_existence(l, &h);
    if (l->file.data && !chunk_payload_is_whole(&h, head + h.header_bytes))
      note_damage(l, offset);
    else if (add_chunk_place(l, &h, offset))
      return -1;
    offset += h.header_bytes + (size_t)h.stored_bytes;
  }
  l->scan.behind = l->file.bytes - offset;
  return 0;
}

static void order_by_session(struct loading *l) {
  uint32_t n = l->history->nsessions, sum = 0;
  l->scan.ordered = xmalloc(l->scan.nplaces * sizeof *l->scan.ordered);
  for (uint32_t s = 0; s < n; s++) {
    l->scan.sessions[s].first_place = sum;
    sum += l->scan.sessions[s].nplaces;
    l->scan.sessions[s].nplaces = 0;
  }
  for (uint32_t i = 0; i < l->scan.nplaces; i++) {
    struct file_session *s =
        &l->scan.sessions[l->scan.places[i].header.session];
    l->scan.ordered[s->first_place + s->nplaces++] = &l->scan.places[i];
  }
}

// Gives the session's chunks their ids, behind those of the sessions before.
static int place_session(struct loading *l, struct file_session *s) {
  assert(s->first_place + s->nplaces <= l->scan.nplaces);
  struct history *h = l->history;
  s->first_write = l->scan.nwrites;
  for (uint32_t i = 0; i < s->nplaces; i++) {
    struct chunk_place *p = l->scan.ordered[s->first_place + i];
    const struct chunk_header *c = &p->header;
    p->txn = h->ntxns;
    p->op = h->nops;
    p->list = h->nlists;
    p->write = l->scan.nwrites;
    uint64_t refs =
        (uint64_t)h->nops + c->nops + l->scan.nelements + c->nelements;
    if (c->ntxns > HISTORY_MAX - h->ntxns || refs > HISTORY_MAX ||
        c->nwrites > HISTORY_MAX - l->scan.nwrites)
      return error_set(l->error,
                       "%s: holds too many transactions, operations or list "
                       "elements: at most %" PRIu32 " of each can be loaded",
                       l->file.path, (uint32_t)HISTORY_MAX);
    if (c->first_write == s->nwrites)
      s->nwrites += c->nwrites;
    else
      l->scan.gaps = true;
    h->ntxns += c->ntxns;
    h->nops += c->nops;
    h->nlists += c->nlists;
    l->scan.nelements += c->nelements;
    l->scan.nwrites += c->nwrites;
  }
  return 0;
}

int native_find_chunks(struct loading *l) {
  size_t offset = 0;
  if (read_file_header(l, &offset) || scan_chunks(l, offset))
    return -1;
  order_by_session(l);
  return 0;
}

int native_scan(struct loading *l) {
  struct history *h = l->history;
  if (native_find_chunks(l))
    return -1;
  l->scan.nwrites = INDEX_WRITES;
  h->session_first = xcalloc((size_t)h->nsessions + 1, sizeof(uint32_t));
  for (uint32_t s = 0; s < h->nsessions; s++) {
    if (place_session(l, &l->scan.sessions[s]))
      return -1;
    h->session_first[s + 1] = h->ntxns;
    h->lost_txns += l->scan.sessions[s].total_txns - l->scan.sessions[s].ntxns;
  }
  h->complete = l->scan.closed && h->lost_txns == 0 && l->scan.damages == 0;
  return 0;
}

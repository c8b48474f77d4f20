// SPDX-License-Identifier: GPL-3.0-or-later
// Tells a builder what a file in our own format says, a part of some chunks at
// a time, each of which is scanned and decoded as if it were all.
#include "config.h"

#include "recorder/formats/native.h"

#include "base/memory.h"
#include "recorder/building.h"
#include "recorder/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  PART_BYTES = 1 << 20, // at least, so that chunks fit
  BLOCK = 256,          // values that are unpacked at once
};

// Writes of a session, from one up to another, that are not there.
struct gap {
  uint32_t session;
  uint64_t first, end;
};

struct telling {
  struct loading l;
  struct history part;
  struct builder *builder;
  int fd;
  size_t size; // of the file
  unsigned char *data;
  size_t bytes, room;
  uint64_t ntxns, nops; // so far
  bool op_times;
  struct gap *gaps;
  uint32_t ngaps, gap_room;
  uint64_t *seen; // of a chunk: in registers, and then in lists
  size_t seen_room;
};

// --- To the builder.

// Joins two columns of values that were read.
static int join_columns(const struct telling *t, const struct place *p,
                        const struct columns *columns, enum column_id high,
                        enum column_id low, uint32_t count, uint64_t *values) {
  const struct column *session, *sequence;
  uint64_t sessions[BLOCK];
  if (!count)
    return 0;
  if (native_column(&t->l, columns, high, count, p->offset, &session) ||
      native_column(&t->l, columns, low, count, p->offset, &sequence))
    return -1;
  for (uint32_t at = 0, n; at < count; at += n) {
    n = count - at < BLOCK ? count - at : BLOCK;
    column_unpack(session, at, n, sessions);
    column_unpack(sequence, at, n, values + at);
    for (uint32_t i = 0; i < n; i++)
      values[at + i] += sessions[i] << VALUE_SEQUENCE_BITS;
  }
  return 0;
}

// Decoding does not keep what was read, but resolves it, for which it would
// need the whole file: it is unpacked once more.
static int unpack_seen(struct telling *t, const struct place *p) {
  struct columns columns;
  const size_t n = (size_t)p->nreads + p->header.nelements;
  if (n >= t->seen_room) {
    free(t->seen);
    t->seen_room = n + 1; // never none
    t->seen = xmalloc(t->seen_room * sizeof *t->seen);
  }
  return native_unpack(&t->l, &p->header, p->offset) ||
                 native_columns(&t->l, &p->header, p->offset, &columns) ||
                 join_columns(t, p, &columns, COLUMN_SEEN_SESSION,
                              COLUMN_SEEN_SEQUENCE, p->nreads, t->seen) ||
                 join_columns(t, p, &columns, COLUMN_ELEMENT_SESSION,
                              COLUMN_ELEMENT_SEQUENCE, p->header.nelements,
                              t->seen + p->nreads)
             ? -1
             : 0;
}

// What comes next of a chunk.
struct coming {
  const uint64_t *seen, *element;
  uint64_t written;
  uint32_t list;
};

// A larger one stands for what nobody wrote.
static uint64_t expected(uint64_t value) {
  return value < VALUE_NAMED ? value : VALUE_NOBODYS;
}

static void tell_op(const struct telling *t, uint32_t op, struct coming *next) {
  const struct history *h = &t->part;
  const uint64_t key = h->key_number[h->key[op]];
  const enum op_kind kind = (enum op_kind)h->kind[op];
  if (kind == OP_CAS)
    builder_cas(t->builder, key, expected(*next->seen++), next->written++);
  else if (kind == OP_READ)
    builder_op(t->builder, kind, key, *next->seen++);
  else if (kind != OP_READ_LIST)
    builder_op(t->builder, kind, key, next->written++);
  else {
    const uint32_t count = h->list[next->list++].count;
    builder_list(t->builder, key, next->element, count);
    next->element += count;
  }
}

// Times of operations, for which a builder has no place, are lent to it, from
// the first transaction on that it has.
static void lend_times(const struct telling *t, uint32_t txn) {
  const struct history *h = &t->part;
  struct builder *b = t->builder;
  if (b->ntxns > 1)
    return;
  b->op_begin = h->op_begin ? h->op_begin + h->txn_first[txn] : NULL;
  b->op_end = h->op_end ? h->op_end + h->txn_first[txn] : NULL;
}

// The run's record of itself.
static void hand_over_about(struct telling *t) {
  if (!t->part.about)
    return;
  free(t->builder->about);
  t->builder->about = t->part.about;
  t->part.about = NULL;
}

static void note_gap(struct telling *t, uint32_t session, uint64_t end) {
  const uint64_t first = t->l.sessions[session].told_writes;
  if (first >= end)
    return;
  ARRAY_RESERVE(t->gaps, t->ngaps, t->gap_room);
  t->gaps[t->ngaps++] = (struct gap){session, first, end};
}

static int tell_chunk(struct telling *t, const struct place *p) {
  const struct history *h = &t->part;
  if (unpack_seen(t, p))
    return -1;
  note_gap(t, p->header.session, p->header.first_write);
  t->l.sessions[p->header.session].told_writes =
      p->header.first_write + p->header.nwrites;
  struct coming next = {
      .seen = t->seen,
      .element = t->seen + p->nreads,
      .written = value_of_write(p->header.session, p->header.first_write),
      .list = p->list};
  for (uint32_t i = p->txn; i < p->txn + p->header.ntxns; i++) {
    builder_txn(t->builder, p->header.session, (enum outcome)h->outcome[i],
                (enum isolation)h->level[i], h->begin[i], h->end[i]);
    lend_times(t, i);
    builder_cause(t->builder, (enum cause)h->cause[i]);
    if (h->endpoint && h->endpoint[i] != HISTORY_NO_ENDPOINT)
      builder_endpoint(t->builder, h->endpoint[i]);
    for (uint32_t op = h->txn_first[i]; op < h->txn_first[i + 1]; op++)
      tell_op(t, op, &next);
  }
  builder_flush(t->builder);
  return 0;
}

static int tell_chunks(struct telling *t) {
  const struct history *h = &t->part;
  for (uint32_t i = 0; i < t->l.nplaces; i++)
    if (tell_chunk(t, &t->l.places[i]))
      return -1;
  t->ntxns += h->ntxns;
  t->nops += h->nops;
  t->op_times |= h->op_begin != NULL;
  return 0;
}

// --- From the file.

static int read_on(struct telling *t) {
  while (t->bytes < t->room) {
    const ssize_t n = read(t->fd, t->data + t->bytes, t->room - t->bytes);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return error_set(t->l.error, "%s: can not be read: %s", t->l.path,
                       strerror(errno));
    if (n == 0)
      t->size = t->l.base + t->bytes; // it may have shrunk
    if (n == 0)
      break;
    t->bytes += (size_t)n;
  }
  return 0;
}

// Forgets the part, but not what is known of the sessions and the file, and
// goes to what is behind it: to the torn end of it, which may be all of it.
static void pass_on(struct telling *t) {
  struct loading *l = &t->l;
  const size_t whole = l->bytes - l->torn;
  struct loading lasting = {.path = l->path,
                            .base = l->base + whole,
                            .history = l->history,
                            .error = l->error,
                            .sessions = l->sessions,
                            .damages = l->damages,
                            .first_damage = l->first_damage};
  l->sessions = NULL;
  native_loading_fini(l);
  *l = lasting;
  const uint32_t nsessions = t->part.nsessions;
  history_free(&t->part);
  t->part.nsessions = nsessions;
  memmove(t->data, t->data + whole, t->bytes - whole);
  t->bytes -= whole;
  if (t->bytes == t->room) {
    t->room *= 2;
    t->data = xrealloc(t->data, t->room, 1);
  }
  for (uint32_t s = 0; s < nsessions; s++)
    l->sessions[s].nplaces = l->sessions[s].nwrites = 0;
}

static int tell_part(struct telling *t) {
  struct loading *l = &t->l;
  if (read_on(t))
    return -1;
  l->data = t->data;
  l->bytes = t->bytes;
  const size_t read = l->base + t->bytes;
  l->more = t->size > read ? t->size - read : 0;
  if (native_scan_part(l))
    return -1;
  hand_over_about(t);
  for (uint32_t s = 0; !l->base && s < t->part.nsessions; s++)
    builder_expect_session(t->builder, s);
  return native_decode(l) ? -1 : tell_chunks(t);
}

// What a session wrote from the n-th write on, which may be more than it can.
static uint64_t value_from(uint32_t session, uint64_t n) {
  const uint64_t most = (UINT64_C(1) << VALUE_SEQUENCE_BITS) - 1;
  return ((uint64_t)session << VALUE_SEQUENCE_BITS) + 1 + (n < most ? n : most);
}

// Of sessions that were not closed anything may be lost behind the last write.
static void tell_gaps(struct telling *t) {
  for (uint32_t s = 0; s < t->part.nsessions; s++)
    note_gap(t, s, t->l.closed ? t->l.sessions[s].total_writes : UINT64_MAX);
  for (uint32_t i = 0; i < t->ngaps; i++)
    builder_lose(t->builder, value_from(t->gaps[i].session, t->gaps[i].first),
                 value_from(t->gaps[i].session, t->gaps[i].end));
}

// What is left to say of the file when all parts have been told.
static void tell_end(struct telling *t) {
  struct history *h = &t->part;
  h->ntxns = t->ntxns < HISTORY_MAX ? (uint32_t)t->ntxns : HISTORY_MAX;
  for (uint32_t s = 0; s < h->nsessions; s++)
    h->lost_txns += t->l.sessions[s].total_txns - t->l.sessions[s].ntxns;
  native_state_loss(&t->l);
  if (!t->l.closed || h->lost_txns || t->l.damages)
    tell_gaps(t);
  builder_leave_out(t->builder, t->op_times ? t->nops : 0);
}

static int tell_parts(struct telling *t) {
  int status = tell_part(t);
  while (status == 0 && !t->l.closed && t->l.more) {
    pass_on(t);
    status = tell_part(t);
  }
  if (status == 0)
    tell_end(t);
  return status;
}

int native_tell(const char *path, struct builder *builder,
                struct error *error) {
  struct stat st = {0};
  struct telling t = {.builder = builder, .room = PART_BYTES};
  t.fd = file_open(path, &st, error);
  if (t.fd < 0)
    return -1;
  t.size = (size_t)st.st_size;
  t.l = (struct loading){.path = path, .history = &t.part, .error = error};
  t.data = xmalloc(t.room);
  const int status = tell_parts(&t);
  close(t.fd);
  free(t.data);
  free(t.seen);
  free(t.gaps);
  native_loading_fini(&t.l);
  history_free(&t.part);
  return status;
}

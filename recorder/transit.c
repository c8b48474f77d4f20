// SPDX-License-Identifier: GPL-3.0-or-later
// Puts the transactions that a builder gets on a spool (recorder/transit.h).
#include "config.h"

#include "recorder/transiting.h"

#include "base/memory.h"
#include "recorder/building.h"
#include "recorder/bytes.h"

#include <stdlib.h>
#include <string.h>

// --- Onto the spool.

static void cover_key(struct transit *transit, uint32_t key) {
  if (key < transit->nuse)
    return;
  const uint32_t n = key < 512               ? 1024
                     : key < HISTORY_MAX / 2 ? 2 * key
                                             : HISTORY_MAX;
  transit->use = xrealloc(transit->use, n, sizeof *transit->use);
  memset(transit->use + transit->nuse, 0,
         (n - transit->nuse) * sizeof *transit->use);
  transit->nuse = n;
}

static void note_use(struct transit *transit, const struct builder *b,
                     uint32_t t, uint32_t op) {
  const unsigned kind = b->kind[op];
  cover_key(transit, b->key[op]);
  struct key_use *use = &transit->use[b->key[op]];
  if (kind == OP_NOTHING) {
    use->nothing++;
    transit->content.uncommitted_reads += b->outcome[t] != OUTCOME_OK;
    transit->content.unknown_reads += b->outcome[t] == OUTCOME_UNKNOWN;
    return;
  }
  use->as |= op_is_list(kind) ? A_LIST : A_REGISTER;
  transit->nwrites += op_writes(kind) != 0;
  if (b->value[op] == VALUE_INITIAL && op_writes(kind) && !op_is_list(kind)) {
    transit->zeros++;
    use->as |= OF_ZERO;
  }
  if (b->value[op] == VALUE_ZERO && op_writes(kind))
    use->as |= HOLDS_ZERO;
  if (kind == OP_CAS)
    content_value(&transit->content, b->expected[b->saw[op]]);
}

static unsigned char *put_op(unsigned char *p, const struct builder *b,
                             uint32_t op) {
  *p++ = b->kind[op];
  p = store_packed(p, b->key[op]);
  if (b->kind[op] == OP_READ_LIST) {
    const struct seen_list list = b->list[b->saw[op]];
    p = store_packed(p, list.count);
    for (uint32_t i = 0; i < list.count; i++)
      p = store_packed(p, b->element_value[list.first + i]);
    return p;
  }
  if (b->kind[op] == OP_CAS)
    p = store_packed(p, b->expected[b->saw[op]]);
  return store_packed(p, b->value[op]);
}

static uint32_t count_elements(const struct builder *b, uint32_t t) {
  uint32_t n = 0;
  for (uint32_t op = b->txn_first[t]; op < b->txn_first[t + 1]; op++)
    if (b->kind[op] == OP_READ_LIST)
      n += b->list[b->saw[op]].count;
  return n;
}

void transit_reserve_record(struct transit *transit, size_t bytes) {
  if (bytes <= transit->record_room)
    return;
  free(transit->record);
  transit->record = xmalloc(2 * bytes);
  transit->record_room = 2 * bytes;
}

static unsigned char *put_op_times(unsigned char *p, const struct builder *b,
                                   uint32_t t) {
  uint64_t last = 0;
  for (uint32_t op = b->txn_first[t]; op < b->txn_first[t + 1]; op++) {
    p = store_packed(p, b->op_begin[op] - last);
    p = store_packed(p, b->op_end[op] - b->op_begin[op]);
    last = b->op_end[op];
  }
  return p;
}

static void put_txn(struct transit *transit, const struct builder *b,
                    uint32_t t) {
  const uint32_t nops = b->txn_first[t + 1] - b->txn_first[t];
  const uint32_t nelements = count_elements(b, t);
  // Of an operation there are a kind, a key, a value, what it expected and two
  // times.
  transit_reserve_record(
      transit, (8 + 5 * (size_t)nops + nelements) * PACKED_MAX + nops);
  transit->too_large |= transit_is_too_large(nops, nelements);
  unsigned char *p = transit->record;
  p = store_packed(p, nops);
  p = store_packed(p, nelements);
  *p++ = b->outcome[t];
  *p++ = b->cause[t];
  *p++ = b->level[t];
  *p++ = b->endpoint ? b->endpoint[t] : HISTORY_NO_ENDPOINT;
  *p++ = b->op_begin != NULL;
  p = store_packed(p, b->begin[t] + 1); // so that an unknown one is short
  p = store_packed(p, b->end[t] + 1);
  for (uint32_t op = b->txn_first[t]; op < b->txn_first[t + 1]; op++) {
    note_use(transit, b, t, op);
    p = put_op(p, b, op);
  }
  if (b->op_begin)
    p = put_op_times(p, b, t);
  const size_t bytes = (size_t)(p - transit->record);
  if (transit->pieces)
    transit_put_piece(transit, b->whole[t], b->session[t], bytes);
  else
    spool_put(transit->spool, b->session[t], transit->record, bytes);
}

// A transaction is counted with its first piece.
static bool is_first_piece(struct transit *transit, const struct builder *b,
                           uint32_t t) {
  const bool first = !transit->pieces || b->whole[t] == transit->nwhole;
  transit->nwhole += first;
  return first;
}

static void count_txn(struct transit *transit, const struct builder *b,
                      uint32_t t) {
  const bool first = is_first_piece(transit, b, t);
  const uint32_t session = b->session[t];
  while (transit->nsessions <= session) {
    ARRAY_RESERVE(transit->sessions, transit->nsessions, transit->session_room);
    transit->sessions[transit->nsessions++] = (struct session_use){0};
  }
  struct session_use *use = &transit->sessions[session];
  transit->content.txns -= !first;
  use->extent.txns += first;
  use->extent.ops += b->txn_first[t + 1] - b->txn_first[t];
  if (b->initial != INITIAL_BY_SESSION)
    return;
  const struct zeros zeros = builder_zeros(b, t);
  use->zeros.some |= zeros.some;
  use->zeros.others |= zeros.others;
}

// As far as counting has to know it: nothing of what was seen.
static struct history as_history(const struct builder *b) {
  struct history h = {.kind = b->kind, .value = b->value, .saw = b->saw};
  h.txn_first = b->txn_first;
  h.list = b->list;
  h.element_value = b->element_value;
  h.nvalue_texts = b->value_texts.count;
  h.outcome = b->outcome, h.cause = b->cause, h.level = b->level;
  h.begin = b->begin, h.end = b->end;
  return h;
}

static void take_txns(void *context, const struct builder *b) {
  struct transit *transit = context;
  const struct history h = as_history(b);
  transit->op_times |= b->op_begin != NULL;
  for (uint32_t t = 0; t < b->ntxns; t++) {
    put_txn(transit, b, t);
    count_txn(transit, b, t);
    content_add(&transit->content, &h, t);
  }
}

// --- All of it.

const struct content *transit_content(const struct transit *transit) {
  return &transit->content;
}

// The transaction at hand has room for itself and no other.
static void open_hand(struct history *h, bool times, bool endpoints) {
  h->ntxns = 1;
  h->txn_first = xcalloc(2, sizeof *h->txn_first);
  h->outcome = xcalloc(1, 1);
  h->cause = xcalloc(1, 1);
  h->level = xcalloc(1, 1);
  if (endpoints)
    h->endpoint = xcalloc(1, 1);
  if (times) {
    h->begin = xcalloc(1, sizeof *h->begin);
    h->end = xcalloc(1, sizeof *h->end);
  }
}

static void order_sessions(struct transit *transit, const struct builder *b) {
  const uint32_t n = transit->at_hand.nsessions = b->sessions.count;
  uint32_t *rank = builder_ranks(b);
  transit->session = xmalloc(n * sizeof *transit->session);
  for (uint32_t i = 0; i < n; i++)
    transit->session[rank[i]] = i;
  transit->first = xcalloc((size_t)n + 1, sizeof *transit->first);
  for (uint32_t s = 0; s < n; s++) {
    const uint32_t i = transit->session[s];
    const struct extent extent = i < transit->nsessions
                                     ? transit->sessions[i].extent
                                     : (struct extent){0};
    transit->first[s + 1].txns = transit->first[s].txns + extent.txns;
    transit->first[s + 1].ops = transit->first[s].ops + extent.ops;
  }
  free(rank);
}

// The session that is what was there first has no transactions.
static void leave_out_initial(struct transit *transit) {
  struct session_use *initial = NULL;
  uint32_t writers = 0;
  for (uint32_t s = 0; s < transit->nsessions; s++)
    if (transit->sessions[s].zeros.some) {
      initial = &transit->sessions[s];
      writers++;
    }
  if (writers != 1 || initial->zeros.others)
    return;
  transit->content.txns -= initial->extent.txns;
  initial->extent = (struct extent){0};
  transit->nwrites -= transit->zeros;
  transit->zeros = 0;
  for (uint32_t key = 0; key < transit->nuse; key++)
    transit->use[key].as &= (uint8_t)~OF_ZERO;
}

static void take_first_values(struct transit *transit, struct builder *b) {
  transit->first_value = b->first_value;
  transit->nfirst = b->nfirst;
  b->first_value = NULL;
  for (uint32_t key = 0; key < transit->nfirst; key++)
    transit->content.firsts += transit->first_value[key] != VALUE_INITIAL;
}

static void settle(struct transit *transit, struct builder *b) {
  take_first_values(transit, b);
  if (b->initial == INITIAL_BY_SESSION)
    leave_out_initial(transit);
  transit->implicit = b->initial == INITIAL_BY_FORMAT ||
                      b->initial == INITIAL_IMPLICIT ||
                      (b->initial >= INITIAL_BY_CONTENT && !transit->zeros);
  // Our own reader is not told what is initial, and has no other answer.
  transit->blind_cas = b->initial == INITIAL_BY_FORMAT;
  transit->prefer_lists = b->prefer_lists;
  transit->allow_duplicates = b->allow_duplicates;
  transit->refuse_zero = (transit->zeros || transit->nfirst) &&
                         transit->implicit && !b->allow_duplicates;
  transit->times = b->times;
  transit->zero = b->zero;
  transit->nothing = value_of_nothing(b->initial);
  order_sessions(transit, b);
  builder_hand_over_tables(b, &transit->at_hand);
  content_name(&transit->content, &transit->at_hand);
  for (uint32_t k = 0; k < transit->nuse; k++)
    if (transit_kind_of_nothing(transit, k) == OP_READ_LIST)
      transit->content.lists += transit->use[k].nothing;
  transit->content.op_times = b->op_times;
  transit->content.endpoints = b->endpoint ? transit->content.txns : 0;
  open_hand(&transit->at_hand, b->times, b->endpoint != NULL);
}

static int by_value(const void *a, const void *b) {
  const struct value_range *x = a, *y = b;
  return (x->first > y->first) - (x->first < y->first);
}

// The history of an own file is told with what a builder does not keep.
static void take_what_is_own(struct transit *transit, struct builder *b) {
  free(transit->at_hand.about);
  transit->at_hand.about = b->about;
  b->about = NULL;
  transit->lost = b->lost;
  transit->nlost = b->nlost;
  b->lost = NULL;
  if (transit->nlost)
    qsort(transit->lost, transit->nlost, sizeof *transit->lost, by_value);
}

static int spool_history(struct transit *transit, const char *path,
                         const struct read_options *options,
                         struct error *error) {
  struct builder *b = builder_open();
  builder_stream(b, take_txns, transit);
  if (transit->pieces)
    builder_stream_pieces(b);
  int status = history_tell(path, options, b, error);
  take_what_is_own(transit, b);
  if (status == 0 && b->in_pieces && !transit->pieces)
    status = 1;
  if (status == 0) {
    builder_flush(b);
    if (transit->pieces)
      status = transit_join_pieces(transit, error);
    if (status == 0 && (b->too_large || transit->too_large))
      status = error_set(error,
                         "%s: has too many keys or too large a "
                         "transaction",
                         transit->path);
    else if (status == 0)
      settle(transit, b);
  }
  builder_free(b);
  return status;
}

// What follows from the first of all reads, or from lost writes.
static int look_at_whole(struct transit *transit, struct error *error) {
  if (!transit->first_reads && !transit->nlost)
    return 0;
  const bool decide = transit->content.unknown;
  if (transit_join(transit, NAMES_TRANSACTIONS, decide, error) ||
      (transit->nlost && transit_leave_out(transit, error)) ||
      (transit->first_reads && transit_take_first_reads(transit, error)))
    return -1;
  transit_forget_writers(transit);
  return 0;
}

// 1, and no transit, if some transaction comes in pieces, which was not
// expected.
static int read_as(const char *path, const struct read_options *options,
                   const char *out, bool pieces, struct transit **transit,
                   struct error *error) {
  struct transit *t = *transit = xcalloc(1, sizeof *t);
  t->path = options->called ? options->called : path;
  t->beside = xstrdup(out);
  t->first_reads = options->initial == INITIAL_FIRST_READ;
  int status = -1;
  if ((t->spool = spool_open(out, error)) &&
      (!pieces || (t->pieces = spool_open(out, error))))
    status = spool_history(t, path, options, error);
  if (status == 0)
    status = spool_finish(t->spool, error);
  if (status == 0)
    status = look_at_whole(t, error);
  if (status) {
    transit_free(t);
    *transit = NULL;
  }
  return status;
}

int transit_read(const char *path, const struct read_options *options,
                 const char *out, struct transit **transit,
                 struct error *error) {
  const int status = read_as(path, options, out, false, transit, error);
  return status > 0 ? read_as(path, options, out, true, transit, error)
                    : status;
}

void transit_free(struct transit *transit) {
  if (!transit)
    return;
  if (transit->pieces)
    spool_close(transit->pieces);
  if (transit->spool)
    spool_close(transit->spool);
  transit_forget_writers(transit);
  free(transit->beside);
  free(transit->session);
  free(transit->first);
  free(transit->sessions);
  for (uint32_t key = 0; transit->start && key < transit->nuse; key++)
    free(transit->start[key].front);
  free(transit->start);
  free(transit->lost);
  free(transit->left_out);
  free(transit->name);
  free(transit->use);
  free(transit->first_value);
  free(transit->record);
  history_free(&transit->at_hand);
  free(transit);
}

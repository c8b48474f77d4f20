// SPDX-License-Identifier: GPL-3.0-or-later
// Puts the transactions that a builder gets on a spool, and takes them from
// there again (recorder/transit.h).
#include "config.h"

#include "recorder/transit.h"

#include "base/memory.h"
#include "recorder/building.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_MAX = 10 }; // bytes of one
enum { A_LIST = 1, A_REGISTER = 2 };

// What operations take a key for, and how many do not tell.
struct key_use {
  uint64_t nothing;
  uint8_t as;
};

struct transit {
  const char *path; // of what was read
  struct spool *spool;
  struct content content;
  uint32_t *session; // as the spool has them, in the order of the history
  bool implicit;     // 0 is what a register holds at first
  bool times;

  struct key_use *use; // by key
  uint32_t nuse;
  bool prefer_lists;
  bool writes_zero; // to a register...
  bool refuse_zero; // ...which is a mistake

  unsigned char *record; // being made
  size_t record_room;
  struct history at_hand;
  uint32_t op_room, element_room;
};

// --- Onto the spool.

// Seven bits a byte, the lowest first; the last one has no eighth bit.
static unsigned char *put_number(unsigned char *p, uint64_t number) {
  for (; number >= 0x80; number >>= 7)
    *p++ = (unsigned char)(number | 0x80);
  *p++ = (unsigned char)number;
  return p;
}

static const unsigned char *take_number(const unsigned char *p,
                                        uint64_t *number) {
  uint64_t n = *p & 0x7f;
  for (unsigned shift = 7; *p++ & 0x80; shift += 7)
    n |= (uint64_t)(*p & 0x7f) << shift;
  *number = n;
  return p;
}

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
    return;
  }
  use->as |= op_is_list(kind) ? A_LIST : A_REGISTER;
  transit->writes_zero |=
      b->value[op] == VALUE_INITIAL && op_writes(kind) && !op_is_list(kind);
  if (kind == OP_CAS)
    content_value(&transit->content, b->expected[b->saw[op]]);
}

static unsigned char *put_op(unsigned char *p, const struct builder *b,
                             uint32_t op) {
  *p++ = b->kind[op];
  p = put_number(p, b->key[op]);
  if (b->kind[op] == OP_READ_LIST) {
    const uint32_t first = b->list_first[b->saw[op]];
    const uint32_t end = b->list_first[b->saw[op] + 1];
    p = put_number(p, end - first);
    for (uint32_t i = first; i < end; i++)
      p = put_number(p, b->element_value[i]);
    return p;
  }
  if (b->kind[op] == OP_CAS)
    p = put_number(p, b->expected[b->saw[op]]);
  return put_number(p, b->value[op]);
}

struct amount {
  uint32_t ops, cas, elements;
};

static struct amount amount_of(const struct builder *b, uint32_t t) {
  struct amount n = {.ops = b->txn_first[t + 1] - b->txn_first[t]};
  for (uint32_t op = b->txn_first[t]; op < b->txn_first[t + 1]; op++) {
    n.cas += b->kind[op] == OP_CAS;
    if (b->kind[op] == OP_READ_LIST)
      n.elements += b->list_first[b->saw[op] + 1] - b->list_first[b->saw[op]];
  }
  return n;
}

static void reserve_record(struct transit *transit, struct amount n) {
  const size_t numbers = 8 + 3 * (size_t)n.ops + n.cas + n.elements;
  const size_t bytes = numbers * NUMBER_MAX + n.ops;
  if (bytes <= transit->record_room)
    return;
  free(transit->record);
  transit->record = xmalloc(2 * bytes);
  transit->record_room = 2 * bytes;
}

static void put_txn(struct transit *transit, const struct builder *b,
                    uint32_t t) {
  const struct amount n = amount_of(b, t);
  reserve_record(transit, n);
  unsigned char *p = transit->record;
  p = put_number(p, n.ops);
  p = put_number(p, n.cas);
  p = put_number(p, n.elements);
  *p++ = b->outcome[t];
  *p++ = b->cause[t];
  *p++ = b->level[t];
  *p++ = b->endpoint ? b->endpoint[t] : HISTORY_NO_ENDPOINT;
  p = put_number(p, b->begin[t] + 1); // so that an unknown one is short
  p = put_number(p, b->end[t] + 1);
  for (uint32_t op = b->txn_first[t]; op < b->txn_first[t + 1]; op++) {
    note_use(transit, b, t, op);
    p = put_op(p, b, op);
  }
  spool_put(transit->spool, b->session[t], transit->record,
            (size_t)(p - transit->record));
}

// As far as counting has to know it: nothing of what was seen.
static struct history as_history(const struct builder *b) {
  return (struct history){.txn_first = b->txn_first,
                          .outcome = b->outcome,
                          .cause = b->cause,
                          .level = b->level,
                          .begin = b->begin,
                          .end = b->end,
                          .kind = b->kind,
                          .value = b->value,
                          .saw = b->saw,
                          .list_first = b->list_first,
                          .element_value = b->element_value};
}

static void take_txns(void *context, const struct builder *b) {
  struct transit *transit = context;
  const struct history h = as_history(b);
  for (uint32_t t = 0; t < b->ntxns; t++) {
    put_txn(transit, b, t);
    content_add(&transit->content, &h, t);
  }
}

// --- From the spool.

static void reserve_ops(struct history *h, uint32_t *room, uint32_t n) {
  if (n < *room)
    return;
  *room = 2 * (n + 16);
  h->kind = xrealloc(h->kind, *room, sizeof *h->kind);
  h->key = xrealloc(h->key, *room, sizeof *h->key);
  h->value = xrealloc(h->value, *room, sizeof *h->value);
  h->saw = xrealloc(h->saw, *room, sizeof *h->saw);
  h->list_first = xrealloc(h->list_first, *room, sizeof *h->list_first);
}

static void reserve(struct transit *transit, struct amount n) {
  struct history *h = &transit->at_hand;
  reserve_ops(h, &transit->op_room, n.ops + n.cas + 1);
  if (n.elements < transit->element_room)
    return;
  transit->element_room = 2 * (n.elements + 16);
  h->element_value = xrealloc(h->element_value, transit->element_room,
                              sizeof *h->element_value);
}

static uint32_t seen(const struct transit *transit, uint64_t value) {
  return value == VALUE_INITIAL && transit->implicit ? SAW_INITIAL
                                                     : SAW_THIN_AIR;
}

// What found nothing read a list if the key is nothing else, else a register.
static unsigned kind_of_nothing(const struct transit *transit, uint32_t key) {
  const uint8_t as = transit->use[key].as;
  return as == A_LIST || (!as && transit->prefer_lists) ? OP_READ_LIST
                                                        : OP_READ;
}

static const unsigned char *take_list(struct history *h, uint32_t op,
                                      const unsigned char *p,
                                      uint64_t nelements) {
  uint32_t end = h->list_first[h->nlists];
  h->saw[op] = h->nlists++;
  h->value[op] = 0;
  for (; nelements; nelements--)
    p = take_number(p, &h->element_value[end++]);
  h->list_first[h->nlists] = end;
  return p;
}

// Operation `op`; the next value that was expected goes to h->nops.
static const unsigned char *take_op(struct transit *transit, uint32_t op,
                                    const unsigned char *p) {
  struct history *h = &transit->at_hand;
  uint64_t key, number = 0;
  unsigned kind = *p++;
  p = take_number(p, &key);
  h->key[op] = (uint32_t)key;
  p = take_number(p, &number); // nothing: 0, as of an empty list
  if (kind == OP_NOTHING)
    kind = kind_of_nothing(transit, h->key[op]);
  h->kind[op] = (uint8_t)kind;
  if (kind == OP_READ_LIST)
    return take_list(h, op, p, number);
  h->saw[op] = kind == OP_READ ? seen(transit, number) : 0;
  if (kind == OP_CAS) {
    h->saw[op] = seen(transit, number);
    if (h->saw[op] != SAW_INITIAL)
      h->saw[op] = h->nops;
    h->value[h->nops++] = number;
    p = take_number(p, &number);
  }
  h->value[op] = number;
  return p;
}

static const unsigned char *take_txn(struct transit *transit,
                                     const unsigned char *p) {
  struct history *h = &transit->at_hand;
  uint64_t ops, cas, elements;
  p = take_number(p, &ops);
  p = take_number(p, &cas);
  p = take_number(p, &elements);
  reserve(transit,
          (struct amount){(uint32_t)ops, (uint32_t)cas, (uint32_t)elements});
  h->outcome[0] = *p++;
  h->cause[0] = *p++;
  h->level[0] = *p++;
  const uint8_t endpoint = *p++;
  if (h->endpoint)
    h->endpoint[0] = endpoint;
  uint64_t begin, end;
  p = take_number(p, &begin);
  p = take_number(p, &end);
  if (transit->times) {
    h->begin[0] = begin - 1;
    h->end[0] = end - 1;
  }
  h->nlists = 0;
  h->list_first[0] = 0;
  h->nops = h->txn_first[1] = (uint32_t)ops;
  for (uint32_t op = 0; op < ops; op++)
    p = take_op(transit, op, p);
  return p;
}

// As long as nothing else holds it, 0 may not be written to a register.
static int refuse_zero(const struct transit *transit, uint32_t session,
                       const struct transit_cursor *cursor,
                       struct error *error) {
  const struct history *h = &transit->at_hand;
  char key[24];
  for (uint32_t op = 0; op < h->txn_first[1]; op++)
    if (h->value[op] == VALUE_INITIAL && op_writes(h->kind[op]) &&
        !op_is_list(h->kind[op]))
      return error_set(error,
                       "%s: session %" PRIu32 ", transaction %" PRIu32
                       " writes 0 to key %s, which is its initial value: "
                       "values must be unique (or --duplicate-values=allow)",
                       transit->path, session, cursor->txns - 1,
                       history_key(h, h->key[op], key));
  return 0;
}

int transit_next(struct transit *transit, uint32_t session,
                 struct transit_cursor *cursor, struct error *error) {
  struct spool_cursor *records = &cursor->records;
  if (cursor->after)
    records->p = cursor->after;
  cursor->after = NULL;
  if (records->p == records->end) {
    const int more =
        spool_more(transit->spool, transit->session[session], records, error);
    if (more <= 0)
      return more;
  }
  cursor->after = take_txn(transit, records->p);
  cursor->txns++;
  return transit->refuse_zero && refuse_zero(transit, session, cursor, error)
             ? -1
             : 1;
}

void transit_again(struct transit *transit,
                   const struct transit_cursor *cursor) {
  take_txn(transit, cursor->records.p);
}

void transit_cursor_free(struct transit_cursor *cursor) {
  spool_cursor_free(&cursor->records);
  *cursor = (struct transit_cursor){0};
}

// --- All of it.

const struct history *transit_at_hand(const struct transit *transit) {
  return &transit->at_hand;
}

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
  free(rank);
}

static void settle(struct transit *transit, const struct builder *b) {
  assert(b->initial != INITIAL_FIRST_READ);
  transit->implicit =
      b->initial == INITIAL_BY_FORMAT || b->initial == INITIAL_IMPLICIT ||
      (b->initial == INITIAL_BY_CONTENT && !transit->writes_zero);
  transit->prefer_lists = b->prefer_lists;
  transit->refuse_zero =
      transit->writes_zero && transit->implicit && !b->allow_duplicates;
  transit->times = b->times;
  order_sessions(transit, b);
  builder_hand_over_tables(b, &transit->at_hand);
  content_name(&transit->content, &transit->at_hand);
  for (uint32_t k = 0; k < transit->at_hand.nkeys; k++)
    if (kind_of_nothing(transit, k) == OP_READ_LIST)
      transit->content.lists += transit->use[k].nothing;
  transit->content.op_times = b->op_times;
  transit->content.endpoints = b->endpoint ? transit->content.txns : 0;
  open_hand(&transit->at_hand, b->times, b->endpoint != NULL);
}

static int spool_history(struct transit *transit, const char *path,
                         const struct read_options *options,
                         struct error *error) {
  struct builder *b = builder_open();
  builder_stream(b, take_txns, transit);
  int status = history_tell(path, options, b, error);
  if (status == 0) {
    builder_flush(b);
    if (b->too_large)
      status = error_set(error,
                         "%s: has too many keys or too large a "
                         "transaction",
                         path);
    else
      settle(transit, b);
  }
  builder_free(b);
  return status;
}

int transit_read(const char *path, const struct read_options *options,
                 const char *out, struct transit **transit,
                 struct error *error) {
  struct transit *t = *transit = xcalloc(1, sizeof *t);
  t->path = path;
  int status = -1;
  if ((t->spool = spool_open(out, error)))
    status = spool_history(t, path, options, error);
  if (status == 0)
    status = spool_finish(t->spool, error);
  if (status) {
    transit_free(t);
    *transit = NULL;
  }
  return status;
}

void transit_free(struct transit *transit) {
  if (!transit)
    return;
  if (transit->spool)
    spool_close(transit->spool);
  free(transit->session);
  free(transit->use);
  free(transit->record);
  history_free(&transit->at_hand);
  free(transit);
}

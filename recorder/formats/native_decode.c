// SPDX-License-Identifier: GPL-3.0-or-later
// Decodes the chunks of a file in our own format straight into the arrays of a
// history.  What was read stays a value until native_resolve.
#include "config.h"

#include "recorder/formats/native.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { SMALL_KEYS_MAX = 1 << 22 }; // keys below go through a table, not a hash

// How many of which kind of operation a chunk turned out to have.
struct kinds {
  uint32_t reads; // of registers; compare-and-sets among them
  uint32_t writes, cas, lists;
};

struct decoding {
  struct loading *l;
  struct place *place;
  const struct columns *columns;
  struct kinds kinds;
};

static int refuse(const struct decoding *d, const char *what) {
  return native_refuse(d->l, d->place->offset, what);
}

static int get_column(const struct decoding *d, enum column_id id,
                      uint32_t count, const struct column **column) {
  return native_column(d->l, d->columns, id, count, d->place->offset, column);
}

// An array.  Large ones are asked for in large pages where the system has such:
// mapping small ones one by one would take a third of the time of reading.
static void *take(size_t count, size_t size) {
  enum { LARGE_PAGE = 2 << 20 };
  size_t bytes = count * size;
  if (bytes < 2 * LARGE_PAGE)
    return xmalloc(bytes);
  void *array = aligned_alloc(LARGE_PAGE, (bytes + LARGE_PAGE - 1) /
                                              LARGE_PAGE * LARGE_PAGE);
  if (!array)
    out_of_memory(bytes);
  (void)madvise(array, bytes, MADV_HUGEPAGE); // no matter if there are none
  return array;
}

static void allocate(struct loading *l) {
  struct history *h = l->history;
  size_t ntxns = h->ntxns, nops = h->nops, nlists = h->nlists;
  h->txn_first = take(ntxns + 1, sizeof *h->txn_first);
  h->txn_first[ntxns] = h->nops;
  h->outcome = take(ntxns, 1);
  h->cause = take(ntxns, 1);
  h->level = take(ntxns, 1);
  h->begin = take(ntxns, sizeof *h->begin);
  h->end = take(ntxns, sizeof *h->end);
  h->kind = take(nops, 1);
  h->key = take(nops, sizeof *h->key);
  h->value = take(nops, sizeof *h->value);
  h->saw = take(nops, sizeof *h->saw);
  h->list_first = take(nlists + 1, sizeof *h->list_first);
  h->list_first[nlists] = l->nelements;
  h->element = take(l->nelements, sizeof *h->element);
  h->element_value = take(l->nelements, sizeof *h->element_value);
  h->lists = nlists > 0;
  l->writes = take(l->nwrites, sizeof *l->writes);
}

static void reserve_scratch(struct loading *l, size_t count) {
  if (count < l->scratch_room)
    return;
  free(l->scratch);
  free(l->more_scratch);
  l->scratch_room = count + 1;
  l->scratch = xmalloc(l->scratch_room * sizeof *l->scratch);
  l->more_scratch = xmalloc(l->scratch_room * sizeof *l->more_scratch);
}

static int decode_codes(const struct decoding *d, enum column_id id,
                        uint8_t *codes, uint8_t end, const char *what) {
  const struct column *column;
  uint32_t n = d->place->header.ntxns;
  if (get_column(d, id, n, &column))
    return -1;
  column_unpack8(column, codes);
  uint8_t max = 0;
  for (uint32_t i = 0; i < n; i++)
    max = codes[i] > max ? codes[i] : max;
  return max < end ? 0 : refuse(d, what);
}

// Chunks may have them or not; more is not to be asked of a column that may be
// skipped.
static int decode_endpoints(const struct decoding *d) {
  struct history *h = d->l->history;
  const struct column *column;
  if (!d->columns->there[COLUMN_ENDPOINT])
    return 0;
  if (get_column(d, COLUMN_ENDPOINT, d->place->header.ntxns, &column))
    return -1;
  if (!h->endpoint)
    h->endpoint = memset(take(h->ntxns, 1), HISTORY_NO_ENDPOINT, h->ntxns);
  column_unpack8(column, h->endpoint + d->place->txn);
  return 0;
}

static int decode_times(const struct decoding *d) {
  const struct column *gap, *duration;
  const struct chunk_header *c = &d->place->header;
  uint64_t *begin = d->l->history->begin + d->place->txn;
  uint64_t *end = d->l->history->end + d->place->txn;
  if (get_column(d, COLUMN_GAP, c->ntxns, &gap) ||
      get_column(d, COLUMN_DURATION, c->ntxns, &duration))
    return -1;
  column_unpack(gap, 0, c->ntxns, begin);
  column_unpack(duration, 0, c->ntxns, end);
  uint64_t now = c->origin;
  for (uint32_t t = 0; t < c->ntxns; t++) {
    begin[t] = now += begin[t];
    end[t] = now += end[t];
  }
  return 0;
}

static int decode_op_counts(const struct decoding *d) {
  const struct column *nops;
  const struct chunk_header *c = &d->place->header;
  uint32_t *first = d->l->history->txn_first + d->place->txn;
  if (get_column(d, COLUMN_NOPS, c->ntxns, &nops))
    return -1;
  column_unpack32(nops, 0, c->ntxns, first);
  uint64_t op = d->place->op;
  for (uint32_t t = 0; t < c->ntxns; t++) {
    uint32_t count = first[t];
    first[t] = (uint32_t)op;
    op += count;
  }
  return op == (uint64_t)d->place->op + c->nops
             ? 0
             : refuse(d, "has operations of no transaction");
}

// Eight kinds at once, a byte each: their bits are OP_IS_READ, OP_IS_WRITE and
// OP_IS_LIST.
#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

// The sum of the bytes.
static uint32_t sum_of_bytes(uint64_t bytes) {
  const uint64_t pairs = (bytes & UINT64_C(0x00ff00ff00ff00ff)) +
                         (bytes >> 8 & UINT64_C(0x00ff00ff00ff00ff));
  return (uint32_t)(pairs * UINT64_C(0x0001000100010001) >> 48);
}

// Counts the kinds of `n` operations, of which there are fewer than 256 times
// eight; 0 stands for none.  False: one is not known.
static bool count_block(const uint8_t *kind, uint32_t n, struct kinds *k) {
  uint64_t reads = 0, writes = 0, cas = 0, lists = 0, bad = 0;
  for (uint32_t i = 0; i < n; i += 8) {
    uint64_t eight = EACH(OP_READ);
    memcpy(&eight, kind + i, n - i < 8 ? n - i : 8);
    const uint64_t r = eight & EACH(1), w = eight >> 1 & EACH(1);
    const uint64_t list = eight >> 2 & EACH(1);
    bad |= (eight & EACH(0xf8)) | (~(r | w) & EACH(1)) | (r & w & list);
    reads += r & ~list;
    writes += w;
    cas += r & w;
    lists += r & list;
  }
  const uint32_t filled = (8 - n % 8) % 8; // with reads
  k->reads += sum_of_bytes(reads) - filled;
  k->writes += sum_of_bytes(writes);
  k->cas += sum_of_bytes(cas);
  k->lists += sum_of_bytes(lists);
  return !bad;
}

static bool count_kinds(const uint8_t *kind, uint32_t n, struct kinds *k) {
  enum { BLOCK = 8 * 128 };
  bool known = true;
  for (uint32_t i = 0; i < n; i += BLOCK)
    known &= count_block(kind + i, n - i < BLOCK ? n - i : BLOCK, k);
  return known;
}

static int decode_kinds(struct decoding *d) {
  const struct column *column;
  const struct chunk_header *c = &d->place->header;
  uint8_t *kind = d->l->history->kind + d->place->op;
  if (get_column(d, COLUMN_KIND, c->nops, &column))
    return -1;
  column_unpack8(column, kind);
  if (!count_kinds(kind, c->nops, &d->kinds))
    return refuse(d, "has operations of an unknown kind: a newer isostress "
                     "wrote it");
  return d->kinds.writes == c->nwrites && d->kinds.lists == c->nlists
             ? 0
             : refuse(d, "has other operations than it claims");
}

// Grows the table of small keys to hold `key`.
static void cover_key(struct loading *l, uint64_t key) {
  uint64_t room = l->small_keys ? l->small_keys : 1 << 12;
  while (room <= key)
    room *= 2;
  l->small_key_id = xrealloc(l->small_key_id, room, sizeof *l->small_key_id);
  memset(l->small_key_id + l->small_keys, 0,
         (room - l->small_keys) * sizeof *l->small_key_id);
  l->small_keys = room;
}

static uint32_t add_key(struct loading *l, uint64_t key) {
  struct history *h = l->history;
  ARRAY_RESERVE(h->key_number, h->nkeys, l->key_room);
  h->key_number[h->nkeys] = key;
  return h->nkeys++;
}

static uint32_t id_of_large_key(struct loading *l, uint64_t key) {
  uint32_t known = l->large_keys.count;
  uint32_t i = number_map_id(&l->large_keys, key);
  if (i == known) {
    ARRAY_RESERVE(l->large_key_id, known, l->large_key_room);
    l->large_key_id[i] = add_key(l, key);
  }
  return l->large_key_id[i];
}

static uint32_t id_of_new_key(struct loading *l, uint64_t key) {
  if (key >= SMALL_KEYS_MAX)
    return id_of_large_key(l, key);
  if (key >= l->small_keys)
    cover_key(l, key);
  if (!l->small_key_id[key])
    l->small_key_id[key] = add_key(l, key) + 1;
  return l->small_key_id[key] - 1;
}

static int decode_keys(const struct decoding *d) {
  struct loading *l = d->l;
  const struct column *column;
  uint32_t n = d->place->header.nops;
  uint32_t *key = l->history->key + d->place->op;
  if (get_column(d, COLUMN_KEY, n, &column))
    return -1;
  column_unpack(column, 0, n, l->scratch);
  for (uint32_t i = 0; i < n; i++) {
    uint64_t number = l->scratch[i];
    uint32_t id = number < l->small_keys ? l->small_key_id[number] : 0;
    key[i] = id ? id - 1 : id_of_new_key(l, number);
  }
  return 0;
}

// Joins the two columns of values into `values`.
static int decode_values(const struct decoding *d, enum column_id session_id,
                         enum column_id sequence_id, uint32_t count,
                         uint64_t *values) {
  const struct column *session, *sequence;
  uint64_t *part = d->l->more_scratch;
  if (get_column(d, session_id, count, &session) ||
      get_column(d, sequence_id, count, &sequence))
    return -1;
  column_unpack(sequence, 0, count, values);
  column_unpack(session, 0, count, part);
  for (uint32_t i = 0; i < count; i++)
    values[i] += part[i] << VALUE_SEQUENCE_BITS;
  return 0;
}

static void note_expected(struct loading *l, uint64_t value) {
  ARRAY_RESERVE(l->expected, l->nexpected, l->expected_room);
  l->expected[l->nexpected++] = value;
}

// The same where there are but plain reads and writes: nothing has to be known
// of an operation before the next one is looked at.
static void give_plain_values(const struct decoding *d, const uint64_t *seen) {
  struct history *h = d->l->history;
  const struct place *p = d->place;
  const uint32_t first = p->op, end = p->op + p->header.nops;
  const uint8_t *kind = h->kind;
  const uint32_t *key = h->key;
  uint64_t *value = h->value;
  uint64_t next = value_of_write(p->header.session, p->header.first_write);
  struct write *write = d->l->writes + p->write, no_write;
  for (uint32_t op = first; op < end; op++) {
    const bool writes = op_writes(kind[op]);
    value[op] = writes ? next : *seen;
    *(writes ? write : &no_write) = (struct write){op, key[op]};
    write += writes;
    next += writes;
    seen += !writes;
  }
}

// Gives every operation its value, and every write its entry among the writes.
static int decode_op_values(const struct decoding *d) {
  struct loading *l = d->l;
  struct history *h = l->history;
  const struct place *p = d->place;
  if (d->kinds.reads &&
      decode_values(d, COLUMN_SEEN_SESSION, COLUMN_SEEN_SEQUENCE,
                    d->kinds.reads, l->scratch))
    return -1;
  const uint64_t *seen = l->scratch;
  d->place->plain = d->kinds.reads + d->kinds.writes == p->header.nops &&
                    !d->kinds.cas && !h->lists;
  if (d->place->plain) {
    give_plain_values(d, seen);
    return 0;
  }
  uint64_t next = value_of_write(p->header.session, p->header.first_write);
  struct write *write = l->writes + p->write, no_write;
  uint32_t list = p->list;
  for (uint32_t op = p->op; op < p->op + p->header.nops; op++) {
    uint8_t kind = h->kind[op];
    bool writes = op_writes(kind), list_read = kind == OP_READ_LIST;
    if (kind == OP_CAS)
      note_expected(l, *seen);
    h->value[op] = writes ? next : list_read ? 0 : *seen;
    h->saw[op] = list;
    *(writes ? write : &no_write) = (struct write){op, h->key[op]};
    write += writes;
    next += writes;
    seen += op_reads(kind) && !list_read;
    list += list_read;
  }
  return 0;
}

static int decode_lists(const struct decoding *d) {
  struct history *h = d->l->history;
  const struct place *p = d->place;
  const struct column *lengths;
  uint32_t nlists = p->header.nlists, nelements = p->header.nelements;
  uint32_t *first = h->list_first + p->list;
  if (nlists == 0)
    return nelements ? refuse(d, "has elements of no list") : 0;
  if (get_column(d, COLUMN_LIST_LENGTH, nlists, &lengths))
    return -1;
  column_unpack32(lengths, 0, nlists, first);
  uint64_t element = p->element;
  for (uint32_t i = 0; i < nlists; i++) {
    uint32_t length = first[i];
    first[i] = (uint32_t)element;
    element += length;
  }
  if (element != (uint64_t)p->element + nelements)
    return refuse(d, "has elements of no list");
  return decode_values(d, COLUMN_ELEMENT_SESSION, COLUMN_ELEMENT_SEQUENCE,
                       nelements, h->element_value + p->element);
}

static void join_op_times(const struct decoding *d) {
  struct history *h = d->l->history;
  const struct place *p = d->place;
  for (uint32_t t = p->txn; t < p->txn + p->header.ntxns; t++) {
    uint32_t end = t + 1 < p->txn + p->header.ntxns ? h->txn_first[t + 1]
                                                    : p->op + p->header.nops;
    uint64_t now = h->begin[t];
    for (uint32_t op = h->txn_first[t]; op < end; op++) {
      h->op_begin[op] = now += h->op_begin[op];
      h->op_end[op] = now += h->op_end[op];
    }
  }
}

// All chunks have them, or none.
static int decode_op_times(const struct decoding *d) {
  struct history *h = d->l->history;
  const struct column *gap, *duration;
  uint32_t n = d->place->header.nops;
  bool there = d->columns->there[COLUMN_OP_GAP];
  if (there && d->place == d->l->places) {
    h->op_begin = take(h->nops, sizeof *h->op_begin);
    h->op_end = take(h->nops, sizeof *h->op_end);
  }
  if (there != (h->op_begin != NULL))
    return refuse(d, "differs from others in having operation times");
  if (!there)
    return 0;
  if (get_column(d, COLUMN_OP_GAP, n, &gap) ||
      get_column(d, COLUMN_OP_DURATION, n, &duration))
    return -1;
  column_unpack(gap, 0, n, h->op_begin + d->place->op);
  column_unpack(duration, 0, n, h->op_end + d->place->op);
  join_op_times(d);
  return 0;
}

static int decode_chunk(struct loading *l, struct place *p) {
  struct columns columns;
  struct decoding d = {.l = l, .place = p, .columns = &columns};
  struct history *h = l->history;
  const struct chunk_header *c = &p->header;
  p->cas = l->nexpected;
  reserve_scratch(l, c->nops > c->nelements ? c->nops : c->nelements);
  return native_unpack(l, c, p->payload, p->offset) ||
                 native_columns(l, c, p->offset, &columns) ||
                 decode_codes(&d, COLUMN_OUTCOME, h->outcome + p->txn,
                              OUTCOME_COUNT, "has unknown outcomes") ||
                 decode_codes(&d, COLUMN_CAUSE, h->cause + p->txn, CAUSE_COUNT,
                              "has unknown causes") ||
                 decode_codes(&d, COLUMN_LEVEL, h->level + p->txn,
                              ISOLATION_COUNT, "has unknown levels") ||
                 decode_endpoints(&d) || decode_times(&d) ||
                 decode_op_counts(&d) || decode_kinds(&d) || decode_keys(&d) ||
                 decode_op_values(&d) || decode_lists(&d) || decode_op_times(&d)
             ? -1
             : 0;
}

int native_decode(struct loading *l) {
  allocate(l);
  for (uint32_t i = 0; i < l->nplaces; i++)
    if (decode_chunk(l, &l->places[i]))
      return -1;
  if (!l->history->key_number)
    l->history->key_number = xmalloc(0);
  return 0;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Decodes the chunks of a file in our own format straight into the arrays of a
// history.  What was read stays a value until native_resolve.
#include "config.h"

#include "recorder/native/native.h"
#include "recorder/native/op_sets.h"

#include "base/memory.h"

#include <assert.h>
#include <string.h>

static void allocate_decoder(struct loading *l) {
  struct history *h = l->history;
  size_t ntxns = h->ntxns, nops = h->nops, nlists = h->nlists;
  h->txn_first = xmalloc_large(ntxns + 1, sizeof *h->txn_first);
  h->txn_first[ntxns] = h->nops;
  h->outcome = xmalloc_large(ntxns, 1);
  h->cause = xmalloc_large(ntxns, 1);
  h->level = xmalloc_large(ntxns, 1);
  h->begin = xmalloc_large(ntxns, sizeof *h->begin);
  h->end = xmalloc_large(ntxns, sizeof *h->end);
  h->kind = xmalloc_large(nops, 1);
  h->key = xmalloc_large(nops, sizeof *h->key);
  h->saw = xmalloc_large(nops + RESOLVE_SLACK, sizeof *h->saw);
  h->list = xmalloc_large(nlists, sizeof *h->list);
  h->element = xmalloc_large(l->scan.nelements, sizeof *h->element);
  h->lists = nlists > 0;
  l->decoder.writes = xmalloc_large(l->scan.nwrites, sizeof *l->decoder.writes);
  l->decoder.writes[INDEX_INITIAL] = (struct file_write){.op = SAW_INITIAL};
  l->decoder.writes[INDEX_SOMEWHERE] =
      (struct file_write){.op = SAW_THIN_AIR, .tag = WRITE_TAG_NONE};
}

static void find_ranges(struct loading *l) {
  const uint32_t n = l->history->nsessions;
  for (l->decoder.nranges = 256; l->decoder.nranges <= n;
       l->decoder.nranges *= 2)
    ;
  l->decoder.ranges = xcalloc(l->decoder.nranges, sizeof *l->decoder.ranges);
  for (uint32_t s = 0; s < n; s++)
    l->decoder.ranges[s] = (struct write_range){l->scan.sessions[s].first_write,
                                                l->scan.sessions[s].nwrites};
}

static int decode_codes(const struct decoding *d, enum column_id id,
                        uint8_t *codes, uint8_t end, const char *what) {
  const struct packed_column *column;
  uint32_t n = d->place->header.ntxns;
  if (native_column(d, id, n, &column))
    return -1;
  column_unpack8(column, codes);
  uint8_t max = 0;
  for (uint32_t i = 0; i < (column->width ? n : n > 0); i++)
    max = codes[i] > max ? codes[i] : max;
  return max < end ? 0 : native_refuse_chunk(d, what);
}

// Chunks may have them or not; more is not to be asked of a column that may be
// skipped.
static int decode_endpoints(const struct decoding *d) {
  struct history *h = d->l->history;
  const struct packed_column *column;
  if (!d->there[COLUMN_ENDPOINT])
    return 0;
  if (native_column(d, COLUMN_ENDPOINT, d->place->header.ntxns, &column))
    return -1;
  if (!h->endpoint)
    h->endpoint =
        memset(xmalloc_large(h->ntxns, 1), HISTORY_NO_ENDPOINT, h->ntxns);
  column_unpack8(column, h->endpoint + d->place->txn);
  return 0;
}

static int decode_times(const struct decoding *d) {
  assert(d->place->txn + d->place->header.ntxns <= d->l->history->ntxns);
  const struct packed_column *gap, *duration;
  const struct chunk_header *c = &d->place->header;
  uint64_t *begin = d->l->history->begin + d->place->txn;
  uint64_t *end = d->l->history->end + d->place->txn;
  uint64_t now = c->origin;
  if (native_column(d, COLUMN_GAP, c->ntxns, &gap) ||
      native_column(d, COLUMN_DURATION, c->ntxns, &duration))
    return -1;
  column_unpack(gap, 0, c->ntxns, begin);
  column_unpack(duration, 0, c->ntxns, end);
  for (uint32_t t = 0; t < c->ntxns; t++) {
    begin[t] = now += begin[t];
    end[t] = now += end[t];
  }
  return 0;
}

static int decode_op_counts(const struct decoding *d) {
  const struct packed_column *nops;
  const struct chunk_header *c = &d->place->header;
  uint32_t *first = d->l->history->txn_first + d->place->txn;
  if (native_column(d, COLUMN_NOPS, c->ntxns, &nops))
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
             : native_refuse_chunk(d, "has operations of no transaction");
}

// How many of which kind of operation a chunk turned out to have.
struct kinds {
  uint32_t reads; // of registers; compare-and-sets among them
  uint32_t writes, lists;
};

// False: one is not known.
static bool count_kinds(const uint8_t *kind, uint32_t n, struct kinds *k) {
  uint64_t unknown = 0;
  for (uint32_t at = 0; at < n; at += OP_SET_MOST) {
    const uint32_t some = n - at < OP_SET_MOST ? n - at : OP_SET_MOST;
    const struct op_set set = op_set_of(kind + at, some);
    const uint64_t lists = set.reads & set.lists;
    k->reads += (uint32_t)__builtin_popcountll(set.reads & ~lists);
    k->writes += (uint32_t)__builtin_popcountll(set.writes);
    k->lists += (uint32_t)__builtin_popcountll(lists);
    unknown |= (lists & set.writes) |
               (UINT64_MAX >> (64 - some) & ~(set.reads | set.writes));
  }
  uint8_t all = 0;
  for (uint32_t i = 0; i < n; i++)
    all |= kind[i];
  return !unknown && all <= (OP_IS_READ | OP_IS_WRITE | OP_IS_LIST);
}

static int decode_kinds(const struct decoding *d) {
  assert(d->place->op + d->place->header.nops <= d->l->history->nops);
  const struct packed_column *column;
  struct chunk_place *p = d->place;
  const struct chunk_header *c = &p->header;
  uint8_t *kind = d->l->history->kind + p->op;
  struct kinds k = {0};
  if (native_column(d, COLUMN_KIND, c->nops, &column))
    return -1;
  column_unpack8(column, kind);
  if (!count_kinds(kind, c->nops, &k))
    return native_refuse_chunk(
        d, "has operations of an unknown kind: a newer isostress "
           "wrote it");
  p->nreads = k.reads;
  return k.writes == c->nwrites && k.lists == c->nlists
             ? 0
             : native_refuse_chunk(d, "has other operations than it claims");
}

static void join_op_times(const struct decoding *d) {
  assert(d->l->history->op_begin && d->l->history->op_end);
  struct history *h = d->l->history;
  const struct chunk_place *p = d->place;
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
  const struct packed_column *gap, *duration;
  uint32_t n = d->place->header.nops;
  bool there = d->there[COLUMN_OP_GAP];
  if (there && d->place == d->l->scan.places) {
    h->op_begin = xmalloc_large(h->nops, sizeof *h->op_begin);
    h->op_end = xmalloc_large(h->nops, sizeof *h->op_end);
  }
  if (there != (h->op_begin != NULL))
    return native_refuse_chunk(d,
                               "differs from others in having operation times");
  if (!there)
    return 0;
  if (native_column(d, COLUMN_OP_GAP, n, &gap) ||
      native_column(d, COLUMN_OP_DURATION, n, &duration))
    return -1;
  column_unpack(gap, 0, n, h->op_begin + d->place->op);
  column_unpack(duration, 0, n, h->op_end + d->place->op);
  join_op_times(d);
  return 0;
}

static int decode_chunk(struct loading *l, struct chunk_place *p) {
  assert(!p->nreads);
  struct decoding d = {.l = l, .place = p};
  struct history *h = l->history;
  return native_columns(&d) ||
                 decode_codes(&d, COLUMN_OUTCOME, h->outcome + p->txn,
                              OUTCOME_COUNT, "has unknown outcomes") ||
                 decode_codes(&d, COLUMN_CAUSE, h->cause + p->txn, CAUSE_COUNT,
                              "has unknown causes") ||
                 decode_codes(&d, COLUMN_LEVEL, h->level + p->txn,
                              ISOLATION_COUNT, "has unknown levels") ||
                 decode_endpoints(&d) || decode_times(&d) ||
                 decode_op_counts(&d) || decode_kinds(&d) ||
                 native_decode_keys(&d) || native_decode_values(&d) ||
                 decode_op_times(&d)
             ? -1
             : 0;
}

// Where lists share elements, fewer were used.
static void give_back_elements(struct loading *l) {
  assert(l->decoder.elements <= l->scan.nelements);
  struct history *h = l->history;
  h->nelements = l->decoder.elements;
  h->element = xrealloc(h->element, h->nelements, sizeof *h->element);
}

int native_decode(struct loading *l) {
  allocate_decoder(l);
  find_ranges(l);
  for (uint32_t i = 0; i < l->scan.nplaces; i++)
    if (native_is_stopped(l) || decode_chunk(l, &l->scan.places[i]))
      return -1;
  give_back_elements(l);
  l->history->key_number =
      xrealloc(l->decoder.keys.numbers, l->history->nkeys, sizeof(uint64_t));
  l->decoder.keys.numbers = NULL;
  return 0;
}

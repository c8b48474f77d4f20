// SPDX-License-Identifier: GPL-3.0-or-later
// What the operations of a chunk of our own format wrote and read.  A value
// that was read says its session and which of the session's writes it is.  In
// chunks of plain reads and writes it becomes an index of the table of writes
// at once, which native_resolve has only to look up when the table is full.
#include "config.h"

#include "recorder/formats/native.h"
#include "recorder/formats/native_sets.h"

#include "base/memory.h"

enum {
  BLOCK = 256, // values that are unpacked at once, and...
  GROUP = 16,  // ...found at once
};

static int refuse(const struct decoding *d, const char *what) {
  return native_refuse(d->l, d->place->offset, what);
}

static int get_column(const struct decoding *d, enum column_id id,
                      uint32_t count, const struct column **column) {
  return native_column(d->l, d->columns, id, count, d->place->offset, column);
}

// The two columns of values that were read, and where they go.
struct seen {
  const struct column *session, *sequence;
  uint64_t *value;
  uint32_t *index; // of `writes`; NULL if not asked for
};

// The indexes of a group of values, if all were written as far as is known.
// Nothing is decided value by value.
static inline bool are_known(const struct loading *l,
                             const uint32_t session[GROUP],
                             const uint32_t sequence[GROUP],
                             uint32_t index[GROUP]) {
  uint32_t any = 0, unknown = 0;
  for (int i = 0; i < GROUP; i++)
    any |= session[i];
  if (any >= l->nranges) // a power of two
    return false;
  for (int i = 0; i < GROUP; i++) {
    const struct range range = l->ranges[session[i]];
    unknown |= sequence[i] - 1 >= range.count;
    index[i] = range.first + sequence[i] - 1;
  }
  return !unknown;
}

// Returns whether all have one.
static bool index_each(const struct loading *l, const uint32_t *session,
                       const uint32_t *sequence, uint32_t n, uint32_t *index) {
  bool all = true;
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t s = session[i] < l->nranges ? session[i] : l->nranges - 1;
    const struct range range = l->ranges[s];
    index[i] = sequence[i] - 1 < range.count ? range.first + sequence[i] - 1
               : session[i] || sequence[i]   ? INDEX_SOMEWHERE
                                             : INDEX_INITIAL;
    all &= index[i] != INDEX_SOMEWHERE;
  }
  return all;
}

// Returns whether all have one.
static bool index_block(const struct loading *l, const uint32_t *session,
                        const uint32_t *sequence, uint32_t n, uint32_t *index) {
  bool all = true;
  for (uint32_t i = 0; i < n; i += GROUP) {
    const uint32_t left = n - i < GROUP ? n - i : GROUP;
    if (left < GROUP || !are_known(l, session + i, sequence + i, index + i))
      all &= index_each(l, session + i, sequence + i, left, index + i);
  }
  return all;
}

// Values of which both parts are short.  Returns whether all have an index.
static bool join_short_block(const struct loading *l, const struct seen *seen,
                             uint32_t from, uint32_t n) {
  uint32_t session[BLOCK], sequence[BLOCK];
  uint64_t *value = seen->value + from;
  column_unpack32(seen->session, from, n, session);
  column_unpack32(seen->sequence, from, n, sequence);
  for (uint32_t i = 0; i < n; i++)
    value[i] = (uint64_t)session[i] << VALUE_SEQUENCE_BITS | sequence[i];
  return seen->index &&
         index_block(l, session, sequence, n, seen->index + from);
}

static void join_block(const struct seen *seen, uint32_t from, uint32_t n) {
  uint64_t session[BLOCK], *value = seen->value + from;
  column_unpack(seen->session, from, n, session);
  column_unpack(seen->sequence, from, n, value);
  for (uint32_t i = 0; i < n; i++)
    value[i] += session[i] << VALUE_SEQUENCE_BITS;
}

// Joins the two columns.  Returns whether all values have an index.
static bool join_columns(const struct loading *l, const struct seen *seen) {
  const uint32_t count = seen->session->count;
  const bool are_short = column_is_below(seen->session, VALUE_MAX_SESSIONS) &&
                         column_is_below(seen->sequence, UINT32_MAX);
  bool indexed = true;
  for (uint32_t at = 0; at < count; at += BLOCK) {
    const uint32_t n = count - at < BLOCK ? count - at : BLOCK;
    if (are_short)
      indexed &= join_short_block(l, seen, at, n);
    else
      join_block(seen, at, n);
  }
  return are_short && indexed;
}

static int decode_reads(const struct decoding *d) {
  struct loading *l = d->l;
  struct place *p = d->place;
  const uint32_t n = p->nreads;
  struct seen seen = {.value = l->seen};
  if (d->plain)
    seen.index = l->history->saw + p->op + p->header.nops - n;
  if (!n)
    return 0;
  if (get_column(d, COLUMN_SEEN_SESSION, n, &seen.session) ||
      get_column(d, COLUMN_SEEN_SEQUENCE, n, &seen.sequence))
    return -1;
  p->indexed = join_columns(l, &seen);
  return 0;
}

static void note_expected(struct loading *l, uint64_t value) {
  ARRAY_RESERVE(l->expected, l->nexpected, l->expected_room);
  l->expected[l->nexpected++] = value;
}

// Gives every operation its value, and every write its entry among the writes:
// where there are but plain reads and writes, set by set of them, so that the
// processor need not guess which of them comes next.
static void give_plain_values(const struct decoding *d) {
  const struct history *h = d->l->history;
  const struct place *p = d->place;
  const uint32_t end = p->op + p->header.nops;
  const uint64_t *seen = d->l->seen;
  uint64_t next = value_of_write(p->header.session, p->header.first_write);
  struct write *write = d->l->writes + p->write;
  struct op_set set;
  for (uint32_t at = p->op; at < end; at += set.size) {
    set = op_set_of(h->kind + at, end - at);
    while (set.reads)
      h->value[at + op_set_take(&set.reads)] = *seen++;
    while (set.writes) {
      const uint32_t op = at + op_set_take(&set.writes);
      h->value[op] = next++;
      *write++ = (struct write){op, h->key[op]};
    }
  }
}

static void give_values(const struct decoding *d) {
  struct loading *l = d->l;
  struct history *h = l->history;
  const struct place *p = d->place;
  const uint64_t *seen = l->seen;
  uint64_t next = value_of_write(p->header.session, p->header.first_write);
  struct write *write = l->writes + p->write;
  uint32_t list = p->list;
  for (uint32_t op = p->op; op < p->op + p->header.nops; op++) {
    const uint8_t kind = h->kind[op];
    const bool list_read = kind == OP_READ_LIST;
    const bool reads = op_reads(kind) && !list_read;
    if (kind == OP_CAS)
      note_expected(l, *seen);
    h->value[op] = reads ? *seen : 0;
    h->saw[op] = list;
    if (op_writes(kind)) {
      h->value[op] = next++;
      *write++ = (struct write){op, write_tag(h->key[op], kind)};
    }
    seen += reads;
    list += list_read;
  }
}

static int decode_lists(const struct decoding *d) {
  struct history *h = d->l->history;
  const struct place *p = d->place;
  const struct column *lengths;
  uint32_t nlists = p->header.nlists, nelements = p->header.nelements;
  uint32_t *first = h->list_first + p->list;
  struct seen seen = {.value = h->element_value + p->element};
  if (nlists == 0)
    return nelements ? refuse(d, "has elements of no list") : 0;
  if (get_column(d, COLUMN_LIST_LENGTH, nlists, &lengths) ||
      get_column(d, COLUMN_ELEMENT_SESSION, nelements, &seen.session) ||
      get_column(d, COLUMN_ELEMENT_SEQUENCE, nelements, &seen.sequence))
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
  join_columns(d->l, &seen);
  return 0;
}

int native_decode_values(const struct decoding *d) {
  struct place *p = d->place;
  p->indexed = d->plain;
  p->nreads = d->nreads;
  if (decode_reads(d) || decode_lists(d))
    return -1;
  if (d->plain)
    give_plain_values(d);
  else
    give_values(d);
  return 0;
}

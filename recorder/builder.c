// SPDX-License-Identifier: GPL-3.0-or-later
// Builds a history from what a reader of a format or a test tells
// (recorder/builder.h): collects in the order of arrival, then sorts by session
// and resolves reads to writers by hashing key and value.
#include "config.h"

#include "recorder/builder.h"

#include "base/memory.h"
#include "recorder/number_map.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct built_txn {
  uint64_t begin, end;
  uint32_t session; // dense, in order of arrival
  uint32_t first_op;
  uint8_t outcome, cause, level;
};

struct built_op {
  uint64_t value;
  uint64_t seen; // OP_CAS: value expected; OP_READ_LIST: its first element's
                 // place in `elements`
  uint32_t key;
  uint32_t length; // of the list
  uint8_t kind;
};

struct builder {
  struct number_map sessions, keys;
  struct built_txn *txns;
  uint32_t ntxns, txn_room;
  struct built_op *ops;
  uint32_t nops, op_room;
  uint64_t *elements;
  uint32_t nelements, element_room;
  char **names; // by key id; NULL where there is none
  uint32_t nnames;
  bool times;
  bool too_large;
};

// Writes by key and value: a table of operation ids, at most half full.
struct writers {
  const struct history *history;
  uint32_t *slots; // id + 1, or 0 if free
  uint32_t mask;
};

struct builder *builder_open(void) {
  return xcalloc(1, sizeof(struct builder));
}

void builder_free(struct builder *builder) {
  for (uint32_t i = 0; i < builder->nnames; i++)
    free(builder->names[i]);
  free(builder->names);
  number_map_free(&builder->sessions);
  number_map_free(&builder->keys);
  free(builder->txns);
  free(builder->ops);
  free(builder->elements);
  free(builder);
}

void builder_txn(struct builder *builder, uint64_t session,
                 enum outcome outcome, enum isolation level, uint64_t begin,
                 uint64_t end) {
  assert(outcome < OUTCOME_COUNT && level < ISOLATION_COUNT);
  if (builder->ntxns == HISTORY_MAX) {
    builder->too_large = true;
    return;
  }
  ARRAY_RESERVE(builder->txns, builder->ntxns, builder->txn_room);
  builder->txns[builder->ntxns++] = (struct built_txn){
      .session = number_map_id(&builder->sessions, session),
      .outcome = (uint8_t)outcome,
      .cause = outcome == OUTCOME_OK ? CAUSE_NONE : CAUSE_OTHER,
      .level = (uint8_t)level,
      .begin = begin,
      .end = end,
      .first_op = builder->nops,
  };
  builder->times |= begin != TIME_UNKNOWN || end != TIME_UNKNOWN;
}

void builder_cause(struct builder *builder, enum cause cause) {
  assert(builder->ntxns && cause < CAUSE_COUNT);
  builder->txns[builder->ntxns - 1].cause = (uint8_t)cause;
}

static struct built_op *add_op(struct builder *builder, enum op_kind kind,
                               uint64_t key, uint64_t value) {
  assert(builder->ntxns);
  if (builder->nops == HISTORY_MAX) {
    builder->too_large = true;
    builder->nops--; // the history is refused later; this one is no loss
  }
  ARRAY_RESERVE(builder->ops, builder->nops, builder->op_room);
  struct built_op *op = &builder->ops[builder->nops++];
  *op = (struct built_op){.kind = (uint8_t)kind,
                          .key = number_map_id(&builder->keys, key),
                          .value = value};
  return op;
}

void builder_op(struct builder *builder, enum op_kind kind, uint64_t key,
                uint64_t value) {
  assert(kind == OP_READ || kind == OP_WRITE || kind == OP_APPEND);
  add_op(builder, kind, key, value);
}

void builder_cas(struct builder *builder, uint64_t key, uint64_t expected,
                 uint64_t value) {
  add_op(builder, OP_CAS, key, value)->seen = expected;
}

void builder_list(struct builder *builder, uint64_t key, const uint64_t *values,
                  uint32_t count) {
  if (count > HISTORY_MAX - builder->nelements) {
    builder->too_large = true;
    count = 0;
  }
  struct built_op *op = add_op(builder, OP_READ_LIST, key, 0);
  op->seen = builder->nelements;
  op->length = count;
  for (uint32_t i = 0; i < count; i++) {
    ARRAY_RESERVE(builder->elements, builder->nelements, builder->element_room);
    builder->elements[builder->nelements++] = values[i];
  }
}

void builder_name_key(struct builder *builder, uint64_t key, const char *name) {
  uint32_t id = number_map_id(&builder->keys, key);
  if (id >= builder->nnames) {
    uint32_t n = id < 8 ? 16 : id * 2;
    builder->names = xrealloc(builder->names, n, sizeof *builder->names);
    memset(builder->names + builder->nnames, 0,
           (n - builder->nnames) * sizeof *builder->names);
    builder->nnames = n;
  }
  free(builder->names[id]);
  builder->names[id] = xstrdup(name);
}

static int by_number(const void *a, const void *b) {
  const uint64_t *x = *(uint64_t *const *)a, *y = *(uint64_t *const *)b;
  return (*x > *y) - (*x < *y);
}

// The place of each session, in the order of the caller's numbers.
static uint32_t *ranks_of_sessions(const struct number_map *sessions) {
  uint32_t n = sessions->count;
  const uint64_t **sorted = xmalloc(n * sizeof *sorted);
  uint32_t *rank = xmalloc(n * sizeof *rank);
  for (uint32_t i = 0; i < n; i++)
    sorted[i] = &sessions->numbers[i];
  qsort(sorted, n, sizeof *sorted, by_number);
  for (uint32_t i = 0; i < n; i++)
    rank[sorted[i] - sessions->numbers] = i;
  free(sorted);
  return rank;
}

// The caller's transactions in the order of the history; fills session_first.
static uint32_t *sort_by_session(const struct builder *b, struct history *h) {
  uint32_t *rank = ranks_of_sessions(&b->sessions);
  uint32_t *first = h->session_first;
  for (uint32_t i = 0; i < b->ntxns; i++)
    first[rank[b->txns[i].session] + 1]++;
  for (uint32_t s = 0; s < h->nsessions; s++)
    first[s + 1] += first[s];
  uint32_t *next = xmalloc(h->nsessions * sizeof *next);
  memcpy(next, first, h->nsessions * sizeof *next);
  uint32_t *order = xmalloc(b->ntxns * sizeof *order);
  for (uint32_t i = 0; i < b->ntxns; i++)
    order[next[rank[b->txns[i].session]]++] = i;
  free(next);
  free(rank);
  return order;
}

static uint32_t count_lists(const struct builder *b) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < b->nops; i++)
    n += b->ops[i].kind == OP_READ_LIST;
  return n;
}

static void allocate(const struct builder *b, struct history *h) {
  size_t ntxns = h->ntxns = b->ntxns, nops = h->nops = b->nops;
  h->nsessions = b->sessions.count;
  h->nkeys = b->keys.count;
  h->session_first = xcalloc((size_t)h->nsessions + 1, sizeof(uint32_t));
  h->txn_first = xcalloc(ntxns + 1, sizeof *h->txn_first);
  h->outcome = xmalloc(ntxns);
  h->cause = xmalloc(ntxns);
  h->level = xmalloc(ntxns);
  if (b->times) {
    h->begin = xmalloc(ntxns * sizeof *h->begin);
    h->end = xmalloc(ntxns * sizeof *h->end);
  }
  h->kind = xmalloc(nops);
  h->key = xmalloc(nops * sizeof *h->key);
  h->value = xmalloc(nops * sizeof *h->value);
  h->saw = xmalloc(nops * sizeof *h->saw);
  h->list_first = xcalloc((size_t)count_lists(b) + 1, sizeof *h->list_first);
  h->element = xmalloc(b->nelements * sizeof *h->element);
  h->element_value = xmalloc(b->nelements * sizeof *h->element_value);
}

static void copy_list(const struct builder *b, const struct built_op *from,
                      struct history *h) {
  uint32_t first = h->list_first[h->nlists];
  for (uint32_t i = 0; i < from->length; i++)
    h->element_value[first + i] = b->elements[from->seen + i];
  h->list_first[++h->nlists] = first + from->length;
}

// `seen` receives, per operation, the value it saw where that is not `value`.
static void copy_op(const struct builder *b, const struct built_op *from,
                    struct history *h, uint32_t op, uint64_t *seen) {
  h->kind[op] = from->kind;
  h->key[op] = from->key;
  h->value[op] = from->value;
  h->saw[op] = 0;
  seen[op] = from->kind == OP_CAS ? from->seen : from->value;
  h->lists |= op_is_list(from->kind);
  if (from->kind == OP_READ_LIST) {
    h->saw[op] = h->nlists;
    copy_list(b, from, h);
  }
}

static void copy_sorted(const struct builder *b, struct history *h,
                        uint64_t *seen) {
  uint32_t *order = sort_by_session(b, h);
  uint32_t op = 0;
  for (uint32_t t = 0; t < h->ntxns; t++) {
    uint32_t i = order[t];
    const struct built_txn *from = &b->txns[i];
    h->outcome[t] = from->outcome;
    h->cause[t] = from->cause;
    h->level[t] = from->level;
    if (b->times) {
      h->begin[t] = from->begin;
      h->end[t] = from->end;
    }
    h->txn_first[t] = op;
    uint32_t end = i + 1 < b->ntxns ? b->txns[i + 1].first_op : b->nops;
    for (uint32_t j = from->first_op; j < end; j++)
      copy_op(b, &b->ops[j], h, op++, seen);
  }
  h->txn_first[h->ntxns] = op;
  free(order);
}

// The slot of the write of `value` to `key`, or the free one where it belongs.
static uint32_t *writer_slot(const struct writers *w, uint32_t key,
                             uint64_t value, unsigned list) {
  const struct history *h = w->history;
  uint32_t i = (uint32_t)number_mix(value * 31 + key) & w->mask;
  for (; w->slots[i]; i = (i + 1) & w->mask) {
    uint32_t op = w->slots[i] - 1;
    if (h->value[op] == value && h->key[op] == key &&
        (h->kind[op] & OP_IS_LIST) == list)
      break;
  }
  return &w->slots[i];
}

static const char *place(const struct history *h, uint32_t op, char *text,
                         size_t room) {
  uint32_t t = history_txn(h, op), s = history_session(h, t);
  snprintf(text, room, "session %" PRIu32 ", transaction %" PRIu32, s,
           t - h->session_first[s]);
  return text;
}

static int refuse_write(const struct history *h, uint32_t op, uint32_t other,
                        struct error *error) {
  char here[64], there[64], key[24];
  place(h, op, here, sizeof here);
  if (other == SAW_INITIAL)
    return error_set(error,
                     "%s writes 0 to key %s, which is its initial value: "
                     "values must be unique",
                     here, history_key(h, h->key[op], key));
  return error_set(error,
                   "value %" PRIu64 " is written to key %s twice, in %s and in "
                   "%s: values must be unique per key",
                   h->value[op], history_key(h, h->key[op], key),
                   place(h, other, there, sizeof there), here);
}

static int index_writes(struct writers *w, struct error *error) {
  const struct history *h = w->history;
  uint32_t nwrites = 0, nslots = 16;
  for (uint32_t op = 0; op < h->nops; op++)
    nwrites += op_writes(h->kind[op]);
  while (nslots / 2 < nwrites && nslots < UINT32_C(1) << 31)
    nslots *= 2;
  w->slots = xcalloc(nslots, sizeof *w->slots);
  w->mask = nslots - 1;
  for (uint32_t op = 0; op < h->nops; op++) {
    if (!op_writes(h->kind[op]))
      continue;
    unsigned list = h->kind[op] & OP_IS_LIST;
    if (h->value[op] == VALUE_INITIAL && !list)
      return refuse_write(h, op, SAW_INITIAL, error);
    uint32_t *slot = writer_slot(w, h->key[op], h->value[op], list);
    if (*slot)
      return refuse_write(h, op, *slot - 1, error);
    *slot = op + 1;
  }
  return 0;
}

static uint32_t find_writer(const struct writers *w, uint32_t key,
                            uint64_t value, unsigned list) {
  if (value == VALUE_INITIAL && !list)
    return SAW_INITIAL;
  uint32_t slot = *writer_slot(w, key, value, list);
  return slot ? slot - 1 : SAW_THIN_AIR;
}

static void resolve_reads(const struct writers *w, struct history *h,
                          const uint64_t *seen) {
  for (uint32_t op = 0; op < h->nops; op++) {
    uint32_t key = h->key[op];
    if (h->kind[op] == OP_READ_LIST)
      for (uint32_t i = h->list_first[h->saw[op]];
           i < h->list_first[h->saw[op] + 1]; i++)
        h->element[i] = find_writer(w, key, h->element_value[i], OP_IS_LIST);
    else if (op_reads(h->kind[op]))
      h->saw[op] = find_writer(w, key, seen[op], 0);
  }
}

// Keys, and their names in one block with the array.
static void hand_over_keys(const struct builder *b, struct history *h) {
  size_t bytes = 0, n = h->nkeys;
  h->key_number = xmalloc(n * sizeof *h->key_number);
  if (n)
    memcpy(h->key_number, b->keys.numbers, n * sizeof *h->key_number);
  for (uint32_t i = 0; i < b->nnames; i++)
    bytes += b->names[i] ? strlen(b->names[i]) + 1 : 0;
  if (!bytes)
    return;
  h->key_text = xmalloc(n * sizeof *h->key_text + bytes);
  char *text = (char *)(h->key_text + n);
  for (uint32_t k = 0; k < n; k++) {
    const char *name = k < b->nnames ? b->names[k] : NULL;
    h->key_text[k] = name ? text : NULL;
    if (name)
      text = stpcpy(text, name) + 1;
  }
}

int builder_finish(struct builder *builder, struct history *history,
                   struct error *error) {
  *history = (struct history){.complete = true};
  int status = -1;
  if (builder->too_large) {
    error_set(error,
              "too many transactions, operations or list elements: at "
              "most %" PRIu32 " of each can be loaded",
              (uint32_t)HISTORY_MAX);
    builder_free(builder);
    return status;
  }
  allocate(builder, history);
  hand_over_keys(builder, history);
  uint64_t *seen = xmalloc(builder->nops * sizeof *seen);
  copy_sorted(builder, history, seen);
  struct writers writers = {.history = history};
  status = index_writes(&writers, error);
  if (status == 0)
    resolve_reads(&writers, history, seen);
  else
    history_free(history);
  free(writers.slots);
  free(seen);
  builder_free(builder);
  return status;
}

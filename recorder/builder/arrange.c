// SPDX-License-Identifier: GPL-3.0-or-later
// Puts what a builder has collected in the order of a history: session by
// session.  Column by column, each old one freed at once, so that the two never
// exist side by side; nothing is moved if it came in that order.
#include "config.h"

#include "recorder/builder/building.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define LEFT_OUT UINT32_MAX // as the place of a session

static void identify_sessions(struct builder *b) {
  b->session = xmalloc(b->h.ntxns * sizeof *b->session);
  for (uint32_t t = 0; t < b->h.ntxns; t++)
    b->session[t] = number_map_id(&b->sessions, b->session_number[t]);
  free(b->session_number);
  b->session_number = NULL;
}

static int by_list_number(const void *a, const void *b) {
  const uint64_t *x = *(uint64_t *const *)a, *y = *(uint64_t *const *)b;
  return (*x > *y) - (*x < *y);
}

static uint32_t *ranks(const struct builder *b) {
  const struct number_map *sessions = &b->sessions;
  const uint32_t n = sessions->count;
  const uint64_t **sorted = xmalloc(n * sizeof *sorted);
  uint32_t *rank = xmalloc(n * sizeof *rank);
  for (uint32_t i = 0; i < n; i++)
    sorted[i] = &sessions->numbers[i];
  qsort(sorted, n, sizeof *sorted, by_list_number);
  for (uint32_t i = 0; i < n; i++)
    rank[sorted[i] - sessions->numbers] = i;
  free(sorted);
  return rank;
}

// Replaces the session of each transaction by its place; fills session_first.
// Returns whether the transactions are in the order of the history.
static bool count_txns_of_sessions(struct builder *b) {
  struct history *h = &b->h;
  uint32_t *rank = ranks(b), before = 0;
  bool sorted = true;
  assert(!h->session_first);
  h->nsessions = b->sessions.count;
  h->session_first =
      xcalloc((size_t)h->nsessions + 1, sizeof *h->session_first);
  for (uint32_t t = 0; t < h->ntxns; t++) {
    const bool left_out = b->session[t] + 1 == b->left_out;
    const uint32_t place = left_out ? LEFT_OUT : rank[b->session[t]];
    sorted &= before <= place && !left_out;
    before = b->session[t] = place;
    if (!left_out)
      h->session_first[place + 1]++;
  }
  for (uint32_t s = 0; s < h->nsessions; s++)
    h->session_first[s + 1] += h->session_first[s];
  free(rank);
  return sorted;
}

// The transactions as they came, in the order of the history.
static uint32_t *order_of_txns(const struct builder *b) {
  const struct history *h = &b->h;
  uint32_t *next = xmalloc(h->nsessions * sizeof *next);
  uint32_t *order = xmalloc(h->ntxns * sizeof *order);
  if (h->nsessions)
    memcpy(next, h->session_first, h->nsessions * sizeof *next);
  for (uint32_t t = 0; t < h->ntxns; t++)
    if (b->session[t] != LEFT_OUT)
      order[next[b->session[t]]++] = t;
  free(next);
  return order;
}

// Their operations, likewise, and where those of each of the n transactions go.
static uint32_t *order_of_ops(const struct builder *b, const uint32_t *txns,
                              uint32_t n, uint32_t *first) {
  uint32_t *order = xmalloc(b->h.nops * sizeof *order), op = 0;
  for (uint32_t t = 0; t < n; t++) {
    first[t] = op;
    for (uint32_t i = b->h.txn_first[txns[t]]; i < b->h.txn_first[txns[t] + 1];
         i++)
      order[op++] = i;
  }
  first[n] = op;
  return order;
}

static inline __attribute__((always_inline)) void *
gather_columns(void *from, size_t size, const uint32_t *order, uint32_t n) {
  char *to = xmalloc(n * size);
  for (uint32_t i = 0; i < n; i++)
    memcpy(to + i * size, (const char *)from + order[i] * size, size);
  free(from);
  return to;
}

#define GATHER(array, order, count)                                            \
  ((array) = gather_columns((array), sizeof *(array), (order), (count)))

static void gather_txns(struct history *h, const uint32_t *txns, uint32_t n) {
  GATHER(h->outcome, txns, n);
  GATHER(h->cause, txns, n);
  GATHER(h->level, txns, n);
  if (h->endpoint)
    GATHER(h->endpoint, txns, n);
  if (h->begin) {
    GATHER(h->begin, txns, n);
    GATHER(h->end, txns, n);
  }
}

// The largest first: in what it leaves the others find room.
static void gather_ops(struct builder *b, const uint32_t *ops, uint32_t n) {
  GATHER(b->h.value, ops, n);
  if (!builder_is_stopped(b))
    GATHER(b->h.key, ops, n);
  if (!builder_is_stopped(b))
    GATHER(b->h.saw, ops, n);
  if (!builder_is_stopped(b))
    GATHER(b->h.kind, ops, n);
}

static void sort_by_session(struct builder *b) {
  struct history *h = &b->h;
  const uint32_t ntxns = h->session_first[h->nsessions];
  uint32_t *txns = order_of_txns(b);
  uint32_t *first = xmalloc(((size_t)ntxns + 1) * sizeof *first);
  uint32_t *ops = order_of_ops(b, txns, ntxns, first);
  gather_txns(h, txns, ntxns);
  if (!builder_is_stopped(b))
    gather_ops(b, ops, first[ntxns]);
  if (b->rows)
    builder_sort_rows(b, txns);
  FREE_EACH(h->txn_first, txns, ops);
  h->txn_first = first;
  h->ntxns = ntxns;
  h->nops = first[ntxns];
}

// A read that found nothing read a list if the key is nothing else, or else a
// register.
static void decide_what_found_nothing(struct builder *b) {
  enum { LIST = 1, REGISTER = 2 };
  uint8_t *is = xcalloc(b->keys.count, 1);
  for (uint32_t op = 0; op < b->h.nops; op++)
    if (b->h.kind[op] != OP_NOTHING)
      is[b->h.key[op]] |= op_is_list(b->h.kind[op]) ? LIST : REGISTER;
  for (uint32_t op = 0; op < b->h.nops; op++) {
    if (b->h.kind[op] != OP_NOTHING)
      continue;
    const uint8_t key = is[b->h.key[op]];
    const bool list = key == LIST || (key == 0 && b->options.prefer_lists);
    b->h.kind[op] = list ? OP_READ_LIST : OP_READ;
    b->h.value[op] =
        list ? VALUE_INITIAL : value_of_nothing(b->options.initial);
    b->h.saw[op] = UINT32_MAX; // no list yet
  }
  free(is);
}

// The elements of lists that share none, in the order of the lists.
static void order_elements(struct builder *b) {
  uint64_t *values = xmalloc(b->h.nelements * sizeof *values);
  uint32_t at = 0;
  for (uint32_t i = 0; i < b->h.nlists; i++) {
    const struct seen_list list = b->h.list[i];
    if (list.count)
      memcpy(values + at, b->h.element_value + list.first,
             list.count * sizeof *values);
    b->h.list[i].first = at;
    at += list.count;
  }
  free(b->h.element_value);
  b->h.element_value = values;
}

// Numbers the lists in the order of the operations.
static void sort_lists(struct builder *b) {
  uint32_t n = 0;
  for (uint32_t op = 0; op < b->h.nops; op++)
    n += b->h.kind[op] == OP_READ_LIST;
  struct seen_list *lists = xcalloc(n, sizeof *lists);
  n = 0;
  for (uint32_t op = 0; op < b->h.nops; op++) {
    if (b->h.kind[op] != OP_READ_LIST)
      continue;
    const uint32_t list = b->h.saw[op];
    b->h.saw[op] = n;
    lists[n++] = list == UINT32_MAX ? (struct seen_list){0} : b->h.list[list];
  }
  free(b->h.list);
  b->h.list = lists;
  b->h.nlists = n;
  if (b->options.allow_duplicates)
    order_elements(b);
}

static uint64_t *sort_expected(struct builder *b, bool sorted) {
  uint64_t *expected = b->expected;
  b->expected = NULL;
  if (sorted || !b->nexpected)
    return expected;
  uint64_t *in_order = xmalloc(b->nexpected * sizeof *in_order);
  uint32_t n = 0;
  for (uint32_t op = 0; op < b->h.nops; op++)
    if (op_compares(b->h.kind[op]))
      in_order[n++] = expected[b->h.saw[op]];
  free(expected);
  return in_order;
}

static void hand_over_keys(struct builder *b, struct history *h) {
  const uint32_t n = h->nkeys = b->keys.count;
  h->key_number = xrealloc(b->keys.numbers, n, sizeof *h->key_number);
  b->keys.numbers = NULL;
  if (b->names && n) {
    ARRAY_COVER(b->names, n - 1, b->nnames);
    h->key_text = texts_copy(b->names, NULL, n);
  }
  builder_hand_over_sets(b, h);
}

// Gives what is left of the room back, and all away.
static void hand_over_history(struct builder *b, struct history *h) {
  *h = b->h;
  b->h = (struct history){0};
  history_reserve_txns(h, h->ntxns);
  history_reserve_ops(h, h->nops);
  h->list = xrealloc(h->list, h->nlists, sizeof *h->list);
  h->element_value =
      xrealloc(h->element_value, h->nelements, sizeof *h->element_value);
  for (uint32_t key = 0; key < b->nfirst; key++)
    h->nfirst_values += b->first_value[key] != VALUE_INITIAL;
  if (b->has_initial && b->initial_value != VALUE_INITIAL)
    h->nfirst_values = b->keys.count;
  for (uint32_t op = 0; op < h->nops && !h->lists; op++)
    h->lists = op_is_list(h->kind[op]);
  hand_over_keys(b, h);
  h->nvalue_texts = b->value_texts.count;
  h->value_text = text_map_array(&b->value_texts);
}

uint64_t *builder_arrange(struct builder *b, struct history *h) {
  identify_sessions(b);
  history_reserve_txns(&b->h, b->h.ntxns);
  b->h.txn_first[b->h.ntxns] = b->h.nops;
  if (builder_is_stopped(b))
    return NULL;
  builder_settle_initial(b);
  const bool sorted = count_txns_of_sessions(b);
  if (!sorted && !builder_is_stopped(b))
    sort_by_session(b);
  if (b->nothing && !builder_is_stopped(b))
    decide_what_found_nothing(b);
  if (((!sorted && b->h.nlists) || b->nothing) && !builder_is_stopped(b))
    sort_lists(b);
  if (builder_is_stopped(b))
    return NULL;
  uint64_t *expected = sort_expected(b, sorted);
  hand_over_history(b, h);
  if (b->rows)
    builder_hand_over_rows(b, h);
  return expected;
}

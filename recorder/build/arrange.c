// SPDX-License-Identifier: GPL-3.0-or-later
// Puts what a builder has collected in the order of a history: session by
// session.  Column by column, each old one freed at once, so that the two never
// exist side by side; nothing is moved if it came in that order.
#include "config.h"

#include "recorder/build/building.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void identify_sessions(struct builder *b) {
  b->session = xmalloc(b->ntxns * sizeof *b->session);
  for (uint32_t t = 0; t < b->ntxns; t++)
    b->session[t] = number_map_id(&b->sessions, b->session_number[t]);
  free(b->session_number);
  b->session_number = NULL;
}

static int by_number(const void *a, const void *b) {
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
  qsort(sorted, n, sizeof *sorted, by_number);
  for (uint32_t i = 0; i < n; i++)
    rank[sorted[i] - sessions->numbers] = i;
  free(sorted);
  return rank;
}

// Replaces the session of each transaction by its place; fills session_first.
// Returns whether the transactions are in the order of the history.
static bool count_sessions(struct builder *b, struct history *h) {
  assert(!h->session_first);
  uint32_t *rank = ranks(b);
  bool sorted = true;
  h->nsessions = b->sessions.count;
  h->session_first =
      xcalloc((size_t)h->nsessions + 1, sizeof *h->session_first);
  for (uint32_t t = 0; t < b->ntxns; t++) {
    b->session[t] = rank[b->session[t]];
    sorted &= t == 0 || b->session[t - 1] <= b->session[t];
    h->session_first[b->session[t] + 1]++;
  }
  for (uint32_t s = 0; s < h->nsessions; s++)
    h->session_first[s + 1] += h->session_first[s];
  free(rank);
  return sorted;
}

// The transactions as they came, in the order of the history.
static uint32_t *order_of_txns(const struct builder *b,
                               const struct history *h) {
  uint32_t *next = xmalloc(h->nsessions * sizeof *next);
  uint32_t *order = xmalloc(b->ntxns * sizeof *order);
  if (h->nsessions)
    memcpy(next, h->session_first, h->nsessions * sizeof *next);
  for (uint32_t t = 0; t < b->ntxns; t++)
    order[next[b->session[t]]++] = t;
  free(next);
  return order;
}

// Where the operations of each transaction go.
static uint32_t *place_ops(const struct builder *b, const uint32_t *txns) {
  uint32_t *first = xmalloc(((size_t)b->ntxns + 1) * sizeof *first), op = 0;
  for (uint32_t t = 0; t < b->ntxns; t++) {
    first[t] = op;
    op += b->txn_first[txns[t] + 1] - b->txn_first[txns[t]];
  }
  first[b->ntxns] = op;
  return first;
}

#define GATHER(array, order, count)                                            \
  do {                                                                         \
    void *old_ = (array);                                                      \
    __typeof__(array) from_ = (array), to_;                                    \
    to_ = xmalloc((size_t)(count) * sizeof *to_);                              \
    for (uint32_t i_ = 0; i_ < (count); i_++)                                  \
      to_[i_] = from_[(order)[i_]];                                            \
    (array) = to_;                                                             \
    free(old_);                                                                \
  } while (0)

// Gathers an array of operations in the order of their transactions.
#define GATHER_OPS(array, b, txns)                                             \
  do {                                                                         \
    void *old_ = (array);                                                      \
    __typeof__(array) from_ = (array), to_;                                    \
    uint32_t n_ = 0;                                                           \
    to_ = xmalloc((b)->nops * sizeof *to_);                                    \
    for (uint32_t t_ = 0; t_ < (b)->ntxns; t_++)                               \
      for (uint32_t i_ = (b)->txn_first[(txns)[t_]];                           \
           i_ < (b)->txn_first[(txns)[t_] + 1]; i_++)                          \
        to_[n_++] = from_[i_];                                                 \
    (array) = to_;                                                             \
    free(old_);                                                                \
  } while (0)

static void gather_txns(struct builder *b, const uint32_t *txns) {
  const uint32_t n = b->ntxns;
  GATHER(b->outcome, txns, n);
  GATHER(b->cause, txns, n);
  GATHER(b->level, txns, n);
  if (b->endpoint)
    GATHER(b->endpoint, txns, n);
  if (b->times) {
    GATHER(b->begin, txns, n);
    GATHER(b->end, txns, n);
  }
}

// The largest first: in what it leaves the others find room.
static void gather_ops(struct builder *b, const uint32_t *txns) {
  GATHER_OPS(b->value, b, txns);
  if (!builder_is_stopped(b))
    GATHER_OPS(b->key, b, txns);
  if (!builder_is_stopped(b))
    GATHER_OPS(b->saw, b, txns);
  if (!builder_is_stopped(b))
    GATHER_OPS(b->kind, b, txns);
}

static void sort_by_session(struct builder *b, const struct history *h) {
  uint32_t *txns = order_of_txns(b, h);
  gather_txns(b, txns);
  if (!builder_is_stopped(b))
    gather_ops(b, txns);
  if (b->rows)
    builder_sort_rows(b, txns);
  uint32_t *first = place_ops(b, txns);
  free(b->txn_first);
  b->txn_first = first;
  free(txns);
}

// A read that found nothing read a list if the key is nothing else, or else a
// register.
static void decide_what_found_nothing(struct builder *b) {
  enum { LIST = 1, REGISTER = 2 };
  uint8_t *is = xcalloc(b->keys.count, 1);
  for (uint32_t op = 0; op < b->nops; op++)
    if (b->kind[op] != OP_NOTHING)
      is[b->key[op]] |= op_is_list(b->kind[op]) ? LIST : REGISTER;
  for (uint32_t op = 0; op < b->nops; op++) {
    if (b->kind[op] != OP_NOTHING)
      continue;
    const uint8_t key = is[b->key[op]];
    const bool list = key == LIST || (key == 0 && b->prefer_lists);
    b->kind[op] = list ? OP_READ_LIST : OP_READ;
    b->value[op] = list ? VALUE_INITIAL : value_of_nothing(b->initial);
    b->saw[op] = UINT32_MAX; // no list yet
  }
  free(is);
}

// The elements of lists that share none, in the order of the lists.
static void sort_elements(struct builder *b) {
  uint64_t *values = xmalloc(b->nelements * sizeof *values);
  uint32_t at = 0;
  for (uint32_t i = 0; i < b->nlists; i++) {
    const struct seen_list list = b->list[i];
    if (list.count)
      memcpy(values + at, b->element_value + list.first,
             list.count * sizeof *values);
    b->list[i].first = at;
    at += list.count;
  }
  free(b->element_value);
  b->element_value = values;
}

// Numbers the lists in the order of the operations.
static void sort_lists(struct builder *b) {
  uint32_t n = 0;
  for (uint32_t op = 0; op < b->nops; op++)
    n += b->kind[op] == OP_READ_LIST;
  struct seen_list *lists = xcalloc(n, sizeof *lists);
  n = 0;
  for (uint32_t op = 0; op < b->nops; op++) {
    if (b->kind[op] != OP_READ_LIST)
      continue;
    const uint32_t list = b->saw[op];
    b->saw[op] = n;
    lists[n++] = list == UINT32_MAX ? (struct seen_list){0} : b->list[list];
  }
  free(b->list);
  b->list = lists;
  b->nlists = n;
  if (b->allow_duplicates)
    sort_elements(b);
}

static uint64_t *sort_expected(struct builder *b, bool sorted) {
  uint64_t *expected = b->expected;
  b->expected = NULL;
  if (sorted || !b->nexpected)
    return expected;
  uint64_t *in_order = xmalloc(b->nexpected * sizeof *in_order);
  uint32_t n = 0;
  for (uint32_t op = 0; op < b->nops; op++)
    if (op_compares(b->kind[op]))
      in_order[n++] = expected[b->saw[op]];
  free(expected);
  return in_order;
}

// Keys, and their names in one block with the array.
static void hand_over_keys(const struct builder *b, struct history *h) {
  size_t bytes = 0, n = h->nkeys = b->keys.count;
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

static void hand_over_tables(const struct builder *b, struct history *h) {
  hand_over_keys(b, h);
  h->nvalue_texts = b->value_texts.count;
  h->value_text = text_map_array(&b->value_texts);
}

// Gives what is left of the room back and the array away.
#define HAND_OVER(h, b, name, count)                                           \
  do {                                                                         \
    (h)->name = xrealloc((b)->name, (count), sizeof *(b)->name);               \
    (b)->name = NULL;                                                          \
  } while (0)

static void hand_over(struct builder *b, struct history *h) {
  const uint32_t ntxns = h->ntxns = b->ntxns, nops = h->nops = b->nops;
  HAND_OVER(h, b, txn_first, (size_t)ntxns + 1);
  HAND_OVER(h, b, outcome, ntxns);
  HAND_OVER(h, b, cause, ntxns);
  HAND_OVER(h, b, level, ntxns);
  if (b->endpoint)
    HAND_OVER(h, b, endpoint, ntxns);
  if (b->times) {
    HAND_OVER(h, b, begin, ntxns);
    HAND_OVER(h, b, end, ntxns);
  }
  HAND_OVER(h, b, kind, nops);
  HAND_OVER(h, b, key, nops);
  HAND_OVER(h, b, value, nops);
  HAND_OVER(h, b, saw, nops);
  HAND_OVER(h, b, list, b->nlists);
  HAND_OVER(h, b, element_value, b->nelements);
  for (uint32_t key = 0; key < b->nfirst; key++)
    h->nfirst_values += b->first_value[key] != VALUE_INITIAL;
  if (b->has_initial && b->initial_value != VALUE_INITIAL)
    h->nfirst_values = b->keys.count;
  h->nlists = b->nlists;
  h->nelements = b->nelements;
  for (uint32_t op = 0; op < nops && !h->lists; op++)
    h->lists = op_is_list(h->kind[op]);
}

uint64_t *builder_arrange(struct builder *b, struct history *h) {
  identify_sessions(b);
  b->txn_first =
      xrealloc(b->txn_first, (size_t)b->ntxns + 1, sizeof *b->txn_first);
  b->txn_first[b->ntxns] = b->nops;
  if (builder_is_stopped(b))
    return NULL;
  builder_settle_initial(b);
  const bool sorted = count_sessions(b, h);
  if (!sorted && !builder_is_stopped(b))
    sort_by_session(b, h);
  if (b->nothing && !builder_is_stopped(b))
    decide_what_found_nothing(b);
  if (((!sorted && b->nlists) || b->nothing) && !builder_is_stopped(b))
    sort_lists(b);
  if (builder_is_stopped(b))
    return NULL;
  uint64_t *expected = sort_expected(b, sorted);
  hand_over(b, h);
  hand_over_tables(b, h);
  if (b->rows)
    builder_hand_over_rows(b, h);
  return expected;
}

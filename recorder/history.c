// SPDX-License-Identifier: GPL-3.0-or-later
// Questions that a history in memory answers (recorder/history.h).
#include "config.h"

#include "recorder/history.h"

#include "base/memory.h"
#include "recorder/row_words.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// The state of history_counted.  `txn_of_op` is there only if some transaction
// needs a second look.
struct counting {
  const struct history *history;
  uint8_t *counted;
  uint32_t *txn_of_op;
  uint32_t *todo, ntodo;
};

// The greatest i with first[i] <= x, of n ranges of which the last is not
// empty and starts at or before x.
static uint32_t range_of(const uint32_t *first, uint32_t n, uint32_t x) {
  assert(n > 0 && first[0] <= x && x < first[n]);
  uint32_t low = 0, high = n;
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (first[middle] <= x)
      low = middle;
    else
      high = middle;
  }
  return low;
}

// The operations that wrote what `op` saw: `*saw` to the end that is returned.
static const uint32_t *writes_seen_by(const struct history *h, uint32_t op,
                                      const uint32_t **saw) {
  if (h->kind[op] == OP_READ_LIST) {
    *saw = h->element + h->list[h->saw[op]].first;
    return h->element + history_list_end(h, h->saw[op]);
  }
  *saw = h->saw + op;
  return h->saw + op + (op_reads(h->kind[op]) ? 1 : 0);
}

static uint32_t *txn_of_each_op(const struct history *h) {
  uint32_t *txn = xmalloc(h->nops * sizeof *txn);
  for (uint32_t t = 0; t < h->ntxns; t++)
    for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
      txn[op] = t;
  return txn;
}

// Transaction t counts: so do the unknown ones that it read from.
static void count_writers_seen_by(struct counting *c, uint32_t t) {
  const struct history *h = c->history;
  const uint32_t *saw, *end;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
    for (end = writes_seen_by(h, op, &saw); saw < end; saw++) {
      if (*saw >= h->nops)
        continue;
      uint32_t writer = c->txn_of_op[*saw];
      if (h->outcome[writer] == OUTCOME_UNKNOWN && !c->counted[writer]) {
        c->counted[writer] = 1;
        c->todo[c->ntodo++] = writer;
      }
    }
}

static void count_unknown_that_were_seen(struct counting *c) {
  for (uint32_t t = 0; t < c->history->ntxns; t++)
    if (c->history->outcome[t] == OUTCOME_OK)
      count_writers_seen_by(c, t);
  while (c->ntodo)
    count_writers_seen_by(c, c->todo[--c->ntodo]);
}

// Who read from transaction t: reader[first[t]] to reader[first[t + 1]].
struct readers {
  uint32_t *first, *reader;
};

// Passes over the reads of all counted transactions.  On the first pass
// (`reader` NULL) counts them behind the writer's place, on the second one
// stores the reader and moves the place on.
static void note_readers(const struct counting *c, struct readers *r) {
  const struct history *h = c->history;
  const uint32_t *saw, *end;
  for (uint32_t t = 0; t < h->ntxns; t++) {
    if (!c->counted[t])
      continue;
    for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
      for (end = writes_seen_by(h, op, &saw); saw < end; saw++) {
        if (*saw >= h->nops)
          continue;
        uint32_t *place = &r->first[c->txn_of_op[*saw]];
        if (r->reader)
          r->reader[*place] = t;
        ++*place;
      }
  }
}

static struct readers find_readers(const struct counting *c) {
  uint32_t n = c->history->ntxns;
  // One entry ahead of `first` keeps the starts right after the second pass.
  uint32_t *places = xcalloc((size_t)n + 2, sizeof *places);
  struct readers r = {.first = places + 1};
  note_readers(c, &r);
  uint32_t sum = 0;
  for (uint32_t t = 0; t <= n; t++) {
    uint32_t count = r.first[t];
    r.first[t] = sum;
    sum += count;
  }
  r.reader = xmalloc(sum * sizeof *r.reader);
  note_readers(c, &r);
  r.first = places; // every place has moved to the start of the next one
  return r;
}

static bool saw_something_lost(const struct history *h, uint32_t t) {
  const uint32_t *saw, *end;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
    for (end = writes_seen_by(h, op, &saw); saw < end; saw++)
      if (*saw == SAW_LOST)
        return true;
  return false;
}

static void leave_out_of_counts(struct counting *c, uint32_t t) {
  assert(t < c->history->ntxns);
  if (c->counted[t]) {
    c->counted[t] = 0;
    c->todo[c->ntodo++] = t;
  }
}

static uint32_t leave_out_what_depends_on_lost(struct counting *c) {
  struct readers readers = find_readers(c);
  uint32_t nlost = 0;
  for (uint32_t t = 0; t < c->history->ntxns; t++)
    if (c->counted[t] && saw_something_lost(c->history, t))
      leave_out_of_counts(c, t);
  for (; c->ntodo; nlost++) {
    uint32_t t = c->todo[--c->ntodo];
    for (uint32_t i = readers.first[t]; i < readers.first[t + 1]; i++)
      leave_out_of_counts(c, readers.reader[i]);
  }
  free(readers.first);
  free(readers.reader);
  return nlost;
}

// Looks at all, so that the compiler can take several at a time.
static bool has_seen(const uint32_t *saw, uint32_t n, uint32_t what) {
  uint32_t found = 0;
  for (uint32_t i = 0; i < n; i++)
    found |= saw[i] == what;
  return found;
}

static bool has_lost(const struct history *h) {
  return has_seen(h->saw, h->nops, SAW_LOST) ||
         (h->nlists && has_seen(h->element, h->nelements, SAW_LOST));
}

uint8_t *history_counted(const struct history *history, uint32_t *nlost) {
  uint32_t n = history->ntxns;
  uint8_t *counted = xmalloc(n);
  bool unknown = false;
  const uint8_t *const outcome = history->outcome; // none of what is written
  for (uint32_t t = 0; t < n; t++) {
    counted[t] = outcome[t] == OUTCOME_OK;
    unknown |= outcome[t] == OUTCOME_UNKNOWN;
  }
  bool lost = has_lost(history);
  *nlost = 0;
  if (!unknown && !lost)
    return counted;

  struct counting c = {.history = history, .counted = counted};
  c.txn_of_op = txn_of_each_op(history);
  c.todo = xmalloc(n * sizeof *c.todo);
  if (unknown)
    count_unknown_that_were_seen(&c);
  if (lost)
    *nlost = leave_out_what_depends_on_lost(&c);
  free(c.txn_of_op);
  free(c.todo);
  return counted;
}

#define RESERVE(array, n) ((array) = xrealloc((array), (n), sizeof *(array)))

void history_reserve_txns(struct history *h, size_t n) {
  RESERVE(h->txn_first, n + 1);
  RESERVE(h->outcome, n);
  RESERVE(h->cause, n);
  RESERVE(h->level, n);
  if (h->endpoint)
    RESERVE(h->endpoint, n);
  if (h->begin) {
    RESERVE(h->begin, n);
    RESERVE(h->end, n);
  }
}

void history_reserve_ops(struct history *h, size_t n) {
  RESERVE(h->kind, n);
  RESERVE(h->key, n);
  RESERVE(h->value, n);
  RESERVE(h->saw, n);
}
#undef RESERVE

void history_free(struct history *history) {
  FREE_EACH(history->session_first, history->txn_first, history->outcome,
            history->cause, history->level, history->begin, history->end,
            history->kind, history->key, history->value, history->saw,
            history->op_begin, history->op_end, history->list, history->element,
            history->element_value, history->key_number, history->key_text,
            history->value_text, history->about, history->endpoint,
            history->number, history->again, history->writes_before,
            history->cas_expected, history->member, history->event,
            history->parts, history->events);
  rows_free(history->rows);
  *history = (struct history){0};
}

uint32_t history_session(const struct history *history, uint32_t txn) {
  assert(txn < history->ntxns);
  return range_of(history->session_first, history->nsessions, txn);
}

uint32_t history_txn(const struct history *history, uint32_t op) {
  assert(op < history->nops);
  return range_of(history->txn_first, history->ntxns, op);
}

const char *history_key(const struct history *history, uint32_t key,
                        char *buffer) {
  assert(key < history->nkeys);
  if (history->key_text && history->key_text[key] && history->rows &&
      history->rows->words)
    return row_words_key(history, key);
  if (history->key_text && history->key_text[key])
    return history->key_text[key];
  snprintf(buffer, 24, "%" PRIu64, history->key_number[key]);
  return buffer;
}

static int by_operation(const void *op, const void *expected) {
  const uint32_t x = *(const uint32_t *)op;
  const uint32_t y = ((const struct cas_expected *)expected)->op;
  return (x > y) - (x < y);
}

uint64_t history_expected(const struct history *h, uint32_t op) {
  if (h->saw[op] < h->nops)
    return history_op_value(h, h->saw[op]);
  const struct cas_expected *found =
      h->ncas_expected ? bsearch(&op, h->cas_expected, h->ncas_expected,
                                 sizeof *h->cas_expected, by_operation)
                       : NULL;
  return found                       ? found->value
         : h->saw[op] == SAW_INITIAL ? VALUE_INITIAL
                                     : VALUE_NOBODYS;
}

const char *history_value(const struct history *history, uint64_t value,
                          char *buffer) {
  if (value >= VALUE_NAMED && value - VALUE_NAMED < history->nvalue_texts)
    return history->value_text[value - VALUE_NAMED];
  snprintf(buffer, 24, "%" PRIu64, value);
  return buffer;
}

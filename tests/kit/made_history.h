// SPDX-License-Identifier: GPL-3.0-or-later
// For tests of the recorder: made-up sessions that can be told to a recording
// and to a builder, and the comparison of two histories.
#ifndef TESTS_KIT_MADE_HISTORY_H
#define TESTS_KIT_MADE_HISTORY_H

#include "base/random.h"
#include "recorder/builder/builder.h"
#include "recorder/files/reader.h"
#include "recorder/record/recording.h"
#include "tests/tap.h"

#include <stdlib.h>

// Where a made-up session's transactions go: either may be NULL.
struct made_session {
  struct builder *builder;
  struct session_log *log;
  gsl_rng *random;
  uint32_t session, nsessions;
  uint64_t now;     // ns since the start of the run
  uint64_t nwrites; // so far
  uint32_t max_ops, max_list;
  bool thin_air; // invents values that nobody writes
  uint64_t nkeys, key_stride;
  uint32_t nendpoints; // in the session log only; 0: none is said
};

enum {
  OP_NS = 10
}; // operation i of a transaction takes place from 1 + i * 10
   // to 6 + i * 10 ns after its begin

static inline struct made_session
made_session_open(uint64_t seed, uint32_t session, uint32_t nsessions) {
  return (struct made_session){.random =
                                   random_stream(seed, session, RANDOM_TEST),
                               .session = session,
                               .nsessions = nsessions,
                               .max_ops = 6,
                               .max_list = 5,
                               .nkeys = 10,
                               .key_stride = 1};
}

static inline uint64_t made_number(struct made_session *m, uint64_t below) {
  return gsl_rng_get(m->random) % below;
}

// A value that somebody wrote by now, or will have, or the initial one.  (Drawn
// in steps: compilers differ in the order in which they evaluate arguments.)
static inline uint64_t made_value(struct made_session *m) {
  uint64_t odds = made_number(m, 20);
  bool invented = m->thin_air && odds == 4;
  if (odds < 4)
    return VALUE_INITIAL;
  if (odds == 5 && m->thin_air)
    return made_number(m, 2) ? UINT64_MAX - made_number(m, 9)
                             : UINT64_C(3) << VALUE_SEQUENCE_BITS;
  uint64_t sequence =
      made_number(m, invented ? UINT64_C(1) << 30 : m->nwrites + 1);
  uint64_t session = made_number(m, m->nsessions + (invented ? 2 : 0));
  return value_of_write((uint32_t)session, sequence);
}

static inline void make_list(struct made_session *m, uint64_t key,
                             uint64_t begin) {
  struct value_list list = {0};
  for (uint64_t n = made_number(m, m->max_list + 1); n; n--)
    value_list_push(&list, made_value(m));
  if (m->builder)
    builder_list(m->builder, key, list.values, list.count);
  if (m->log)
    session_log_list(m->log, key, &list, begin, begin + 5);
  value_list_free(&list);
}

static inline void make_op(struct made_session *m, uint64_t begin) {
  static const enum op_kind kinds[] = {OP_READ,      OP_READ,   OP_WRITE,
                                       OP_READ_LIST, OP_APPEND, OP_CAS};
  enum op_kind kind = kinds[made_number(m, 6)];
  uint64_t key = made_number(m, m->nkeys) * m->key_stride;
  uint64_t seen = made_value(m);
  uint64_t written = value_of_write(m->session, m->nwrites);
  m->nwrites += op_writes(kind);
  if (kind == OP_READ_LIST)
    make_list(m, key, begin);
  else if (kind == OP_CAS) {
    if (m->builder)
      builder_cas(m->builder, key, seen, written);
    if (m->log)
      session_log_cas(m->log, key, seen, written, begin, begin + 5);
  } else {
    uint64_t value = op_writes(kind) ? written : seen;
    if (m->builder)
      builder_op(m->builder, kind, key, value);
    if (m->log)
      session_log_op(m->log, kind, key, value, begin, begin + 5);
  }
}

// One transaction of up to max_ops operations of all kinds.
static inline void make_transaction(struct made_session *m) {
  enum outcome outcome = (enum outcome)(made_number(m, 8) % OUTCOME_COUNT);
  enum cause cause = outcome == OUTCOME_OK
                         ? CAUSE_NONE
                         : (enum cause)made_number(m, CAUSE_COUNT);
  enum isolation level = (enum isolation)made_number(m, ISOLATION_COUNT);
  uint64_t begin = m->now + made_number(m, 50);
  uint64_t nops = made_number(m, m->max_ops + 1);
  uint64_t end = begin + nops * OP_NS + 7;
  if (m->builder) {
    builder_txn(m->builder, m->session, outcome, level, begin, end);
    builder_cause(m->builder, cause);
  }
  if (m->log)
    session_log_begin(m->log, level, begin);
  if (m->log && m->nendpoints)
    session_log_endpoint(m->log, (uint32_t)made_number(m, m->nendpoints));
  for (uint64_t i = 0; i < nops; i++)
    make_op(m, begin + 1 + i * OP_NS);
  if (m->log)
    session_log_end(m->log, outcome, cause, end);
  m->now = end;
}

static inline bool same_times(const struct history *h, uint32_t t) {
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
    uint64_t begin = h->begin[t] + 1 + (op - h->txn_first[t]) * OP_NS;
    if (h->op_begin[op] != begin || h->op_end[op] != begin + 5)
      return false;
  }
  return true;
}

// Did one read see the same write in `a`, as it was told, and in `b`, as it was
// read back?  A lost write may be missing in `b`.
static inline bool same_saw(const struct history *b, uint32_t a_saw,
                            uint32_t b_saw) {
  return a_saw == b_saw || (!b->complete && b_saw == SAW_LOST);
}

static inline bool same_op(const struct history *a, uint32_t x,
                           const struct history *b, uint32_t y, bool ids) {
  if (a->kind[x] != b->kind[y] ||
      history_op_value(a, x) != history_op_value(b, y) ||
      a->key_number[a->key[x]] != b->key_number[b->key[y]])
    return false;
  if (a->kind[x] != OP_READ_LIST)
    return !ids || same_saw(b, a->saw[x], b->saw[y]);
  uint32_t i = a->list[a->saw[x]].first, end = history_list_end(a, a->saw[x]);
  uint32_t j = b->list[b->saw[y]].first;
  if (history_list_end(b, b->saw[y]) - j != end - i)
    return false;
  for (; i < end; i++, j++)
    if (history_element_value(a, i) != history_element_value(b, j) ||
        (ids && !same_saw(b, a->element[i], b->element[j])))
      return false;
  return true;
}

static inline bool same_begin_and_end(const struct history *a, uint32_t t,
                                      const struct history *b, uint32_t u) {
  if (!a->begin || !b->begin)
    return !a->begin && !b->begin;
  return a->begin[t] == b->begin[u] && a->end[t] == b->end[u];
}

// Are transaction t of `a` and u of `b` the same?  `ids`: operation ids too.
static inline bool same_transaction(const struct history *a, uint32_t t,
                                    const struct history *b, uint32_t u,
                                    bool ids) {
  uint32_t nops = a->txn_first[t + 1] - a->txn_first[t];
  if (a->outcome[t] != b->outcome[u] || a->cause[t] != b->cause[u] ||
      a->level[t] != b->level[u] || !same_begin_and_end(a, t, b, u) ||
      b->txn_first[u + 1] - b->txn_first[u] != nops)
    return false;
  for (uint32_t i = 0; i < nops; i++)
    if (!same_op(a, a->txn_first[t] + i, b, b->txn_first[u] + i, ids))
      return false;
  return !b->op_begin || same_times(b, u);
}

// Checks that `b` is `a`, key ids aside.
static inline void check_same_history(const struct history *a,
                                      const struct history *b) {
  CHECK_INT(b->nsessions, a->nsessions);
  CHECK_INT(b->ntxns, a->ntxns);
  CHECK_INT(b->nops, a->nops);
  CHECK_INT(b->nkeys, a->nkeys);
  CHECK_INT(b->nlists, a->nlists);
  CHECK_INT(b->complete, a->complete);
  CHECK_INT(b->lists, a->lists);
  if (b->ntxns != a->ntxns || b->nsessions != a->nsessions)
    return;
  CHECK(!memcmp(a->session_first, b->session_first,
                (a->nsessions + 1) * sizeof *a->session_first));
  uint32_t different = 0;
  for (uint32_t t = 0; t < a->ntxns; t++)
    different += !same_transaction(a, t, b, t, true);
  CHECK_INT(different, 0);
}

static inline bool list_is_sound(const struct history *h, uint32_t read) {
  const struct seen_list list = h->list[h->saw[read]];
  bool ok = (uint64_t)list.first + list.count <= h->nelements;
  for (uint32_t i = list.first; ok && i < list.first + list.count; i++) {
    const uint32_t append = h->element[i];
    ok &= append >= SAW_LOST ||
          (append < h->nops && h->kind[append] == OP_APPEND &&
           h->key[append] == h->key[read]);
  }
  return ok;
}

static inline bool image_is_sound(const struct rows *rows, uint32_t table,
                                  uint32_t at) {
  return at == ROWS_NONE ||
         (uint64_t)at + rows->tables[table].ncolumns <= rows->nnumbers;
}

static inline bool statement_is_sound(const struct history *h, uint32_t t,
                                      uint32_t i) {
  const struct recorded_statement *s = &h->rows->statements[i];
  bool ok = s->sort < STATEMENT_COUNT && s->table < h->rows->ntables &&
            s->first >= h->txn_first[t] && s->first <= s->end &&
            s->end <= h->txn_first[t + 1];
  if (ok && s->condition != NO_CONDITION)
    ok = s->condition < h->rows->ntemplates &&
         h->rows->templates[s->condition].table == s->table &&
         (uint64_t)s->parameters +
                 h->rows->templates[s->condition].predicate.nparameters <=
             h->rows->nparameters;
  for (uint32_t op = s->first; ok && op < s->end; op++)
    ok = op_is_row(h->kind[op]) && h->rows->key_table[h->key[op]] == s->table;
  return ok;
}

static inline bool rows_are_sound(const struct history *h) {
  const struct rows *rows = h->rows;
  if (!rows)
    return true;
  bool ok = rows->txn_statement[0] == 0 &&
            rows->txn_statement[h->ntxns] == rows->nstatements;
  for (uint32_t t = 0; ok && t < h->ntxns; t++) {
    ok = rows->txn_statement[t] <= rows->txn_statement[t + 1];
    for (uint32_t i = rows->txn_statement[t];
         ok && i < rows->txn_statement[t + 1]; i++)
      ok = statement_is_sound(h, t, i);
  }
  for (uint32_t key = 0; ok && key < h->nkeys; key++)
    ok = rows->key_table[key] == ROWS_NONE ||
         (rows->key_table[key] < rows->ntables &&
          image_is_sound(rows, rows->key_table[key], rows->key_image[key]));
  for (uint32_t op = 0; ok && op < h->nops; op++)
    ok = !op_is_row(h->kind[op]) ||
         (rows->key_table[h->key[op]] != ROWS_NONE &&
          image_is_sound(rows, rows->key_table[h->key[op]], rows->image[op]));
  return ok;
}

// Is every id where it may be?  What a checker relies on.
static inline bool history_is_sound(const struct history *h) {
  bool ok = h->session_first[0] == 0 && h->txn_first[0] == 0 &&
            h->session_first[h->nsessions] == h->ntxns &&
            h->txn_first[h->ntxns] == h->nops;
  uint32_t lists = 0;
  bool on_lists = false;
  for (uint32_t s = 0; s < h->nsessions; s++)
    ok &= h->session_first[s] <= h->session_first[s + 1];
  for (uint32_t t = 0; t < h->ntxns; t++)
    ok &= h->txn_first[t] <= h->txn_first[t + 1] &&
          h->outcome[t] < OUTCOME_COUNT && h->cause[t] < CAUSE_COUNT &&
          h->level[t] < ISOLATION_COUNT;
  for (uint32_t op = 0; op < h->nops; op++) {
    unsigned kind = h->kind[op];
    uint32_t saw = h->saw[op];
    ok &= h->key[op] < h->nkeys;
    on_lists |= op_is_list(kind);
    if (kind == OP_READ_LIST)
      ok &= saw == lists++ && saw < h->nlists && list_is_sound(h, op);
    else if (op_reads(kind))
      ok &= saw >= SAW_LOST ||
            (saw < h->nops && op_writes(h->kind[saw]) &&
             !op_is_list(h->kind[saw]) && h->key[saw] == h->key[op]);
    else
      ok &= saw == (kind == OP_ROW_INSERT ? SAW_INITIAL : 0);
    ok &= kind == OP_READ || kind == OP_WRITE || kind == OP_CAS ||
          kind == OP_APPEND || kind == OP_READ_LIST ||
          (h->rows && op_is_row(kind));
  }
  return ok && lists == h->nlists && on_lists == h->lists && rows_are_sound(h);
}

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Makes a part of a flow (checker/stream/part.h).
#include "config.h"

#include "checker/stream/part.h"

#include "base/memory.h"
#include "base/operation.h"
#include "base/outcome.h"
#include "checker/stream/value_map.h"
#include "recorder/builder/builder.h"

#include <assert.h>
#include <stdlib.h>

struct part_making {
  struct flow *flow;
  struct copies *copies;
  struct copies fetched;  // the writers of what the copies saw
  struct value_map wrote; // the values of all of them
  struct history *history;
};

static void note_written(struct part_making *p, const struct flow_txn *txn) {
  uint64_t write = txn->first_write;
  for (uint32_t op = 0; op < txn->nops; op++)
    if (op_writes(txn->kind[op]))
      value_map_set(&p->wrote, value_of_write(txn->session, write++), 0);
}

static int fetch_writer(struct part_making *p, uint64_t value,
                        struct error *error) {
  struct flow_txn writer;
  if (value == VALUE_INITIAL || value_map_get(&p->wrote, value) != UINT32_MAX)
    return 0;
  const int found = flow_fetch(p->flow, value, &writer, error);
  if (found <= 0)
    return found;
  copies_add(&p->fetched, &writer);
  note_written(p, &writer);
  return 0;
}

static int fetch_writers(struct part_making *p, struct error *error) {
  for (uint32_t i = 0; i < p->copies->count; i++)
    note_written(p, &p->copies->txns[i]);
  for (uint32_t i = 0; i < p->copies->count; i++) {
    const struct flow_txn *txn = &p->copies->txns[i];
    for (uint32_t op = 0; op < txn->nops; op++)
      if (op_reads(txn->kind[op]) && fetch_writer(p, txn->saw[op], error))
        return -1;
  }
  copies_sort(&p->fetched);
  return 0;
}

// --- Telling them.

static void tell_op(struct builder *builder, const struct flow_txn *txn,
                    uint32_t op, uint64_t written) {
  const unsigned kind = txn->kind[op];
  if (kind == OP_CAS)
    builder_cas(builder, txn->key[op], txn->saw[op], written);
  else
    builder_op(builder, (enum op_kind)kind, txn->key[op],
               op_writes(kind) ? written : txn->saw[op]);
}

// A read of one that was fetched is told if its writer is there, too; a
// compare-and-set without that is a write.
static void tell_some(const struct part_making *p, struct builder *builder,
                      const struct flow_txn *txn, uint32_t op,
                      uint64_t written) {
  const unsigned kind = txn->kind[op];
  const bool known =
      op_reads(kind) && (txn->saw[op] == VALUE_INITIAL ||
                         value_map_get(&p->wrote, txn->saw[op]) != UINT32_MAX);
  if (known || kind == OP_WRITE)
    tell_op(builder, txn, op, written);
  else if (kind == OP_CAS)
    builder_op(builder, OP_WRITE, txn->key[op], written);
}

static void tell_txn_of_part(const struct part_making *p,
                             struct builder *builder,
                             const struct flow_txn *txn, bool whole) {
  uint64_t write = txn->first_write;
  builder_txn(builder, txn->session, (enum outcome)txn->outcome,
              (enum isolation)txn->level, txn->begin, txn->end);
  for (uint32_t op = 0; op < txn->nops; op++) {
    const uint64_t written =
        op_writes(txn->kind[op]) ? value_of_write(txn->session, write++) : 0;
    if (whole)
      tell_op(builder, txn, op, written);
    else
      tell_some(p, builder, txn, op, written);
  }
}

static bool comes_first(const struct flow_txn *a, const struct flow_txn *b) {
  return a->session != b->session ? a->session < b->session
                                  : a->number < b->number;
}

// --- Its numbers in the whole.

// Sessions without a transaction of the part are empty ones.
static void number_sessions(struct history *h, const uint32_t *session,
                            uint32_t nsessions) {
  h->nsessions = nsessions;
  h->session_first = xrealloc(h->session_first, (size_t)nsessions + 1,
                              sizeof *h->session_first);
  for (uint32_t s = 0, t = 0; s <= nsessions; s++) {
    while (t < h->ntxns && session[t] < s)
      t++;
    h->session_first[s] = t;
  }
}

// Tells all of them in the order of sessions, and notes which they are.
static uint32_t tell_part(struct part_making *p, struct builder *builder,
                          uint32_t *session, uint64_t *number) {
  const struct copies *whole = p->copies, *some = &p->fetched;
  uint32_t i = 0, k = 0, n = 0;
  while (i < whole->count || k < some->count) {
    const bool take_whole =
        k == some->count ||
        (i < whole->count && comes_first(&whole->txns[i], &some->txns[k]));
    const struct flow_txn *txn =
        take_whole ? &whole->txns[i++] : &some->txns[k++];
    tell_txn_of_part(p, builder, txn, take_whole);
    session[n] = txn->session;
    number[n++] = txn->number;
  }
  return n;
}

static int finish_part(struct part_making *p, struct error *error) {
  const size_t n = (size_t)p->copies->count + p->fetched.count + 1;
  struct builder *builder = builder_open();
  uint32_t *session = xcalloc(n, sizeof *session);
  uint64_t *number = xcalloc(n, sizeof *number);
  const uint32_t ntxns = tell_part(p, builder, session, number);
  const int result = builder_finish(builder, p->history, error);
  if (!result) {
    assert(p->history->ntxns == ntxns);
    number_sessions(p->history, session, flow_facts(p->flow)->nsessions);
    p->history->number = number;
    p->history->complete = true;
  } else {
    free(number);
  }
  (void)ntxns;
  free(session);
  return result;
}

int part_make(struct history *history, struct copies *copies, struct flow *flow,
              struct error *error) {
  struct part_making p = {.flow = flow, .copies = copies, .history = history};
  copies_sort(copies);
  const int result = fetch_writers(&p, error) ? -1 : finish_part(&p, error);
  copies_free(&p.fetched);
  value_map_free(&p.wrote);
  return result;
}

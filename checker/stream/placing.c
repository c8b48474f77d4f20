// SPDX-License-Identifier: GPL-3.0-or-later
// Places the transactions of a flow (checker/stream/placing.h).
#include "config.h"

#include "checker/stream/placing.h"

#include "base/memory.h"
#include "base/operation.h"
#include "base/outcome.h"
#include "checker/stream/copies.h"
#include "checker/stream/value_map.h"

#include <assert.h>
#include <stdlib.h>

enum { NOT_HELD = UINT32_MAX };

struct placing {
  struct flow *flow;
  struct placing_facts facts;
  uint64_t position; // of the last one
  bool any;          // was one taken from the flow?

  // Those of unknown outcome: by what they wrote, while they are held back.
  struct copies held;
  struct value_map holder;

  // Those that come next, before `taken`: places in `held`.
  uint32_t *due;
  uint32_t ndue, due_room, next_due;
  struct flow_txn taken; // from the flow, behind what is due
  bool has_taken;

  // Reads of what did not come yet.
  struct value_map waiting; // by value: place in `reads`
  struct early_read *reads;
  uint32_t nreads, read_room;
  struct early_read *early; // of the one that was placed last
  uint32_t nearly, early_room;
};

struct placing *placing_open(struct flow *flow) {
  struct placing *s = xcalloc(1, sizeof *s);
  s->flow = flow;
  flow_rewind(flow);
  return s;
}

void placing_close(struct placing *s) {
  copies_free(&s->held);
  value_map_free(&s->holder);
  value_map_free(&s->waiting);
  FREE_EACH(s->due, s->reads, s->early, s);
}

const struct placing_facts *placing_facts(const struct placing *s) {
  return &s->facts;
}

// --- Those of unknown outcome.

static void hold_back(struct placing *s, const struct flow_txn *txn) {
  const uint32_t place = s->held.count;
  uint64_t write = txn->first_write;
  copies_add(&s->held, txn);
  for (uint32_t op = 0; op < txn->nops; op++)
    if (op_writes(txn->kind[op]))
      value_map_set(&s->holder, value_of_write(txn->session, write++), place);
}

static void let_go(struct placing *s, const struct flow_txn *txn) {
  uint64_t write = txn->first_write;
  for (uint32_t op = 0; op < txn->nops; op++)
    if (op_writes(txn->kind[op]))
      value_map_remove(&s->holder, value_of_write(txn->session, write++));
}

// Those that are held back and that the transaction read from come before it,
// after those that they read from in turn.
static void call_writers(struct placing *s, const struct flow_txn *txn) {
  for (uint32_t op = 0; op < txn->nops && s->holder.count; op++) {
    if (!op_reads(txn->kind[op]) || txn->saw[op] == VALUE_INITIAL)
      continue;
    const uint32_t place = value_map_get(&s->holder, txn->saw[op]);
    if (place == NOT_HELD)
      continue;
    const struct flow_txn held = s->held.txns[place];
    let_go(s, &held);
    call_writers(s, &held);
    ARRAY_RESERVE(s->due, s->ndue, s->due_room);
    s->due[s->ndue++] = place;
  }
}

static bool was_read_early(const struct placing *s,
                           const struct flow_txn *txn) {
  uint64_t write = txn->first_write;
  bool read = false;
  for (uint32_t op = 0; op < txn->nops && s->waiting.count; op++)
    if (op_writes(txn->kind[op]))
      read |= value_map_get(&s->waiting, value_of_write(txn->session,
                                                        write++)) != UINT32_MAX;
  return read;
}

// --- Reads of what is to come.

// The last value that it wrote to the key; false: it wrote none.
static bool last_written(const struct flow_txn *txn, uint64_t key,
                         uint64_t *value) {
  uint64_t write = txn->first_write;
  bool writes = false;
  for (uint32_t op = 0; op < txn->nops; op++) {
    if (!op_writes(txn->kind[op]))
      continue;
    if (txn->key[op] == key) {
      *value = value_of_write(txn->session, write);
      writes = true;
    }
    write++;
  }
  return writes;
}

static void wait_for_value(struct placing *s, const struct flow_txn *txn,
                           uint64_t key, uint64_t value) {
  uint32_t i = value_map_get(&s->waiting, value);
  if (i == UINT32_MAX) {
    i = s->nreads;
    ARRAY_RESERVE(s->reads, s->nreads, s->read_room);
    s->reads[s->nreads++] =
        (struct early_read){value, key, s->position, NO_POSITION, 0};
    value_map_set(&s->waiting, value, i);
  }
  struct early_read *read = &s->reads[i];
  if (read->overwriter == NO_POSITION && last_written(txn, key, &read->left))
    read->overwriter = s->position;
}

// The last entry moves to the place of one that goes.
static void forget_read(struct placing *s, uint32_t i) {
  value_map_remove(&s->waiting, s->reads[i].value);
  s->reads[i] = s->reads[--s->nreads];
  if (i < s->nreads)
    value_map_set(&s->waiting, s->reads[i].value, i);
}

static void meet_early_reads(struct placing *s, const struct flow_txn *txn) {
  uint64_t write = txn->first_write;
  for (uint32_t op = 0; op < txn->nops && s->waiting.count; op++) {
    if (!op_writes(txn->kind[op]))
      continue;
    const uint32_t i =
        value_map_get(&s->waiting, value_of_write(txn->session, write++));
    if (i == UINT32_MAX || s->reads[i].key != txn->key[op])
      continue;
    ARRAY_RESERVE(s->early, s->nearly, s->early_room);
    s->early[s->nearly++] = s->reads[i];
    forget_read(s, i);
  }
}

const struct early_read *placing_missing(const struct placing *s,
                                         uint32_t *at) {
  return *at < s->nreads ? &s->reads[(*at)++] : NULL;
}

// --- The order.

static int place(struct placing *s, const struct flow_txn *txn,
                 struct placed *placed) {
  s->position++;
  s->nearly = 0;
  meet_early_reads(s, txn);
  for (uint32_t op = 0; op < txn->nops; op++)
    if (op_reads(txn->kind[op]) && !op_is_list(txn->kind[op]) &&
        !flow_has_passed(s->flow, txn->saw[op]))
      wait_for_value(s, txn, txn->key[op], txn->saw[op]);
  s->facts.unknown_seen += txn->outcome == OUTCOME_UNKNOWN;
  s->facts.operations += txn->nops;
  *placed = (struct placed){*txn, s->position, s->nearly, s->early};
  return 1;
}

static void count_taken(struct placing *s, const struct flow_txn *txn) {
  struct placing_facts *f = &s->facts;
  f->committed += txn->outcome == OUTCOME_OK;
  f->aborted += txn->outcome == OUTCOME_ABORTED;
  f->unknown += txn->outcome == OUTCOME_UNKNOWN;
  if (!s->any)
    f->level = txn->level;
  s->any = true;
  f->mixed_levels |= txn->level != f->level;
  for (uint32_t op = 0; op < txn->nops; op++) {
    f->lists |= op_is_list(txn->kind[op]);
    f->has_write |= txn->outcome == OUTCOME_OK && op_writes(txn->kind[op]);
  }
  f->times_go_back |= txn->outcome == OUTCOME_OK && txn->end != TIME_UNKNOWN &&
                      txn->moment != txn->end;
}

// Takes transactions from the flow up to one that has a place now.
static int take_placed(struct placing *s, struct error *error) {
  for (;;) {
    const int more = flow_next(s->flow, &s->taken, error);
    if (more <= 0)
      return more;
    count_taken(s, &s->taken);
    if (s->taken.outcome == OUTCOME_OK ||
        (s->taken.outcome == OUTCOME_UNKNOWN && was_read_early(s, &s->taken)))
      return 1;
    if (s->taken.outcome == OUTCOME_UNKNOWN)
      hold_back(s, &s->taken);
  }
}

int placing_next(struct placing *s, struct placed *placed,
                 struct error *error) {
  if (!s->has_taken) {
    const int more = take_placed(s, error);
    if (more <= 0)
      return more;
    s->has_taken = true;
    s->ndue = s->next_due = 0;
    call_writers(s, &s->taken);
  }
  if (s->next_due < s->ndue)
    return place(s, &s->held.txns[s->due[s->next_due++]], placed);
  s->has_taken = false;
  return place(s, &s->taken, placed);
}

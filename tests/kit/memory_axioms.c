// SPDX-License-Identifier: GPL-3.0-or-later
// The axioms of dbcop, figure 2, in a known commit order
// (tests/kit/memory_axioms.h).  Linear in the load but for the number
// of sessions; shares nothing with the driver.
#include "config.h"

#include "tests/kit/memory_axioms.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// Committed writers are named by their place, from 1; 0 is the initial one.
struct writes {
  uint32_t *places; // ascending
  uint32_t count, room;
};

struct order {
  uint32_t nsessions;
  const struct load_txn **writer; // by place
  uint32_t nwriters;
  struct writes *key;   // by key
  uint32_t (*past)[64]; // by place: what precedes it causally, per session
                        // how many transactions
  struct session_state {
    uint32_t past[64];
    uint32_t position;     // no later transaction stands before it
    uint32_t last;         // its last writer
    uint32_t newest_cause; // newest writer in its past
  } sessions[64];
};

// The reads of one transaction from others: key and place of the writer.
struct reads {
  uint32_t count;
  struct seen {
    uint64_t key;
    uint32_t place;
  } seen[LOAD_MAX_OPS];
};

static bool is_write_of(const struct load_op *op, uint64_t key) {
  return op_writes(op->kind) && op->key == key;
}

// The value that the read saw, or the list's element `back` from its end.
static uint64_t value_seen(const struct load_op *op, uint32_t back) {
  if (!op_is_list(op->kind))
    return op->value;
  return back < op->list.count ? op->list.values[op->list.count - 1 - back]
                               : VALUE_INITIAL;
}

// Does the read see the transaction's own writes as it must?  Returns how many
// elements of a list those are, 1 for a register, 0 if there are none; -1 if
// not.
static int own_writes_seen(const struct load_txn *txn, uint32_t reader) {
  int nseen = 0;
  for (uint32_t i = reader; i-- > 0;)
    if (is_write_of(&txn->ops[i], txn->ops[reader].key)) {
      if (value_seen(&txn->ops[reader], (uint32_t)nseen) != txn->ops[i].value)
        return -1;
      nseen++;
      if (!op_is_list(txn->ops[i].kind))
        break;
    }
  return nseen;
}

// The place of the transaction whose last write of the key has that value; -1
// if there is none.
static int64_t place_of(const struct order *order, uint64_t key,
                        uint64_t value) {
  if (value == VALUE_INITIAL)
    return 0;
  const struct writes *writes = &order->key[key];
  for (uint32_t n = writes->count; n-- > 0;) {
    const struct load_txn *txn = order->writer[writes->places[n]];
    for (uint32_t i = txn->nops; i-- > 0;)
      if (is_write_of(&txn->ops[i], key)) {
        if (txn->ops[i].value == value)
          return writes->places[n];
        break;
      }
  }
  return -1;
}

static bool find_reads(const struct order *order, const struct load_txn *txn,
                       struct reads *reads) {
  reads->count = 0;
  for (uint32_t i = 0; i < txn->nops; i++) {
    const struct load_op *op = &txn->ops[i];
    if (!op_reads(op->kind))
      continue;
    const int own = own_writes_seen(txn, i);
    if (own < 0)
      return false;
    if (own > 0 && !op_is_list(op->kind))
      continue;
    const int64_t place =
        place_of(order, op->key, value_seen(op, (uint32_t)own));
    if (place < 0 || (place > 0 && place == txn->place))
      return false;
    reads->seen[reads->count++] = (struct seen){op->key, (uint32_t)place};
  }
  return true;
}

// The first writer of the key after that place; UINT32_MAX if there is none.
static uint32_t overwriter(const struct order *order, uint64_t key,
                           uint32_t place) {
  const struct writes *writes = &order->key[key];
  uint32_t low = 0, high = writes->count;
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if (writes->places[middle] <= place)
      low = middle + 1;
    else
      high = middle;
  }
  return low < writes->count ? writes->places[low] : UINT32_MAX;
}

static bool wrote(const struct load_txn *txn, uint64_t key) {
  for (uint32_t i = 0; i < txn->nops; i++)
    if (is_write_of(&txn->ops[i], key))
      return true;
  return false;
}

// Did a writer of the causal past `past`, which is not behind `newest`,
// overwrite what was read?
static bool misses_cause(const struct order *order, const struct seen *seen,
                         const uint32_t *past, uint32_t newest) {
  uint32_t place = seen->place;
  while ((place = overwriter(order, seen->key, place)) <= newest) {
    const struct load_txn *txn = order->writer[place];
    if (txn->number < past[txn->session])
      return true;
  }
  return false;
}

static bool keeps_rc(const struct order *order, const struct reads *reads) {
  for (uint32_t i = 0; i < reads->count; i++)
    for (uint32_t e = 0; e < i; e++)
      if (reads->seen[e].place > reads->seen[i].place &&
          wrote(order->writer[reads->seen[e].place], reads->seen[i].key))
        return false;
  return true;
}

static bool keeps_ra(const struct order *order, const struct load_txn *txn,
                     const struct reads *reads) {
  uint32_t past[64] = {0};
  past[txn->session] = txn->number;
  for (uint32_t i = 0; i < reads->count; i++) {
    for (uint32_t e = 0; e < reads->count; e++)
      if (reads->seen[e].place > reads->seen[i].place &&
          wrote(order->writer[reads->seen[e].place], reads->seen[i].key))
        return false;
    if (misses_cause(order, &reads->seen[i], past,
                     order->sessions[txn->session].last))
      return false;
  }
  return true;
}

// Adds what the transaction read from to its session's causal past.
static void extend_past(const struct order *order, const struct reads *reads,
                        struct session_state *session) {
  for (uint32_t i = 0; i < reads->count; i++) {
    const uint32_t place = reads->seen[i].place;
    if (session->newest_cause < place)
      session->newest_cause = place;
    for (uint32_t s = 0; place && s < order->nsessions; s++)
      if (session->past[s] < order->past[place][s])
        session->past[s] = order->past[place][s];
  }
}

static bool keeps_cc(const struct order *order, const struct reads *reads,
                     const struct session_state *session) {
  for (uint32_t i = 0; i < reads->count; i++)
    if (misses_cause(order, &reads->seen[i], session->past,
                     session->newest_cause))
      return false;
  return true;
}

// The smallest prefix that holds what was read and what the session has seen.
static uint32_t least_prefix(const struct order *order,
                             const struct load_txn *txn,
                             const struct reads *reads) {
  uint32_t prefix = order->sessions[txn->session].position;
  for (uint32_t i = 0; i < reads->count; i++)
    if (prefix < reads->seen[i].place)
      prefix = reads->seen[i].place;
  return prefix;
}

static bool is_prefix(const struct order *order, const struct reads *reads,
                      uint32_t prefix) {
  for (uint32_t i = 0; i < reads->count; i++)
    if (overwriter(order, reads->seen[i].key, reads->seen[i].place) <= prefix)
      return false;
  return true;
}

static bool has_conflict(const struct order *order, const struct load_txn *txn,
                         uint32_t prefix) {
  for (uint32_t i = 0; i < txn->nops; i++)
    if (op_writes(txn->ops[i].kind) &&
        overwriter(order, txn->ops[i].key, prefix) < txn->place)
      return true;
  return false;
}

// For PC and above: the prefix that a transaction can have seen at each level.
static enum isolation strongest_of_prefix(struct order *order,
                                          const struct load_txn *txn,
                                          const struct reads *reads) {
  uint32_t prefix = least_prefix(order, txn, reads);
  if (!is_prefix(order, reads, prefix))
    return ISOLATION_CC;
  if (!txn->place) {
    order->sessions[txn->session].position = prefix;
    return prefix >= txn->begun_at || is_prefix(order, reads, txn->begun_at)
               ? ISOLATION_SSER
               : ISOLATION_SER;
  }
  order->sessions[txn->session].position = txn->place;
  if (is_prefix(order, reads, txn->place - 1))
    return ISOLATION_SSER;
  while (has_conflict(order, txn, prefix))
    if (!is_prefix(order, reads, ++prefix))
      return ISOLATION_PC;
  return ISOLATION_SI;
}

static enum isolation strongest_of(struct order *order,
                                   const struct load_txn *txn) {
  struct reads reads;
  if (!find_reads(order, txn, &reads) || !keeps_rc(order, &reads))
    return ISOLATION_NONE;
  struct session_state *session = &order->sessions[txn->session];
  const bool ra = keeps_ra(order, txn, &reads);
  extend_past(order, &reads, session);
  const bool cc = keeps_cc(order, &reads, session);
  const enum isolation strong = strongest_of_prefix(order, txn, &reads);
  session->past[txn->session] = txn->number + 1;
  if (txn->place) {
    session->last = session->newest_cause = txn->place;
    memcpy(order->past[txn->place], session->past, sizeof session->past);
  }
  return !ra ? ISOLATION_RC : !cc ? ISOLATION_RA : strong;
}

static void add_writer(struct order *order, const struct load_txn *txn) {
  assert(txn->place == order->nwriters + 1);
  order->writer[++order->nwriters] = txn;
  for (uint32_t i = 0; i < txn->nops; i++)
    if (op_writes(txn->ops[i].kind)) {
      struct writes *writes = &order->key[txn->ops[i].key];
      if (writes->count && writes->places[writes->count - 1] == txn->place)
        continue;
      ARRAY_RESERVE(writes->places, writes->count, writes->room);
      writes->places[writes->count++] = txn->place;
    }
}

enum isolation axioms_strongest(const struct load *load, uint32_t nsessions,
                                uint32_t nkeys) {
  assert(nsessions <= 64);
  struct order *order = xcalloc(1, sizeof *order);
  order->nsessions = nsessions;
  order->writer = xcalloc(load->ntxns + 1, sizeof *order->writer);
  order->past = xcalloc(load->ntxns + 1, sizeof *order->past);
  order->key = xcalloc(nkeys, sizeof *order->key);
  for (uint32_t t = 0; t < load->ntxns; t++)
    if (load->txns[t].place)
      add_writer(order, &load->txns[t]);
  enum isolation strongest = ISOLATION_SSER;
  for (uint32_t t = 0; t < load->ntxns; t++)
    if (load->txns[t].outcome == OUTCOME_OK) {
      const enum isolation one = strongest_of(order, &load->txns[t]);
      if (one < strongest)
        strongest = one;
    }
  for (uint32_t k = 0; k < nkeys; k++)
    free(order->key[k].places);
  free(order->key);
  free(order->past);
  free(order->writer);
  free(order);
  return strongest;
}

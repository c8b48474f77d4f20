// SPDX-License-Identifier: GPL-3.0-or-later
// Decides histories of sets (tests/kit/set_histories.h).
#include "config.h"

#include "tests/kit/set_histories.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOBODY UINT32_MAX

// Transactions as bits.
typedef unsigned txns;

struct problem {
  const struct sets_history *h;
  enum isolation level;
  txns counted;
  unsigned adder[SETS][SET_ELEMENTS]; // or NOBODY
  unsigned writer[SETS_TXNS + 1];     // by value of z
  txns before[SETS_TXNS]; // that must be: by session, or by real time as well
  txns read_from[SETS_TXNS];
};

static bool has(txns all, unsigned t) { return all >> t & 1; }

static void find_writers(struct problem *p) {
  memset(p->adder, 0xff, sizeof p->adder);
  memset(p->writer, 0xff, sizeof p->writer);
  for (unsigned t = 0; t < p->h->ntxns; t++)
    for (unsigned i = 0; i < p->h->txn[t].nops; i++) {
      const struct sets_op *op = &p->h->txn[t].ops[i];
      if (op->kind == SETS_ADD)
        p->adder[op->set][op->value] = t;
      else if (op->kind == SETS_WRITE_Z)
        p->writer[op->value] = t;
    }
}

// Who wrote what the operation saw, itself left out; NOBODY is not told.
static txns writers_seen(const struct problem *p, unsigned t, unsigned i) {
  const struct sets_op *op = &p->h->txn[t].ops[i];
  txns seen = 0;
  for (unsigned e = 0; e < SET_ELEMENTS && op->kind == SETS_READ; e++)
    if (has(op->value, e) && p->adder[op->set][e] != NOBODY)
      seen |= 1u << p->adder[op->set][e];
  if (op->kind == SETS_READ_Z && op->value && p->writer[op->value] != NOBODY)
    seen |= 1u << p->writer[op->value];
  return seen & ~(1u << t);
}

// Those of unknown outcome count if somebody who counts saw what they wrote.
static void find_counted(struct problem *p) {
  for (unsigned t = 0; t < p->h->ntxns; t++) {
    for (unsigned i = 0; i < p->h->txn[t].nops; i++)
      p->read_from[t] |= writers_seen(p, t, i);
    if (p->h->txn[t].outcome == OUTCOME_OK)
      p->counted |= 1u << t;
  }
  for (unsigned round = 0; round < p->h->ntxns; round++)
    for (unsigned t = 0; t < p->h->ntxns; t++)
      for (unsigned u = 0; u < p->h->ntxns && has(p->counted, t); u++)
        if (has(p->read_from[t], u) && p->h->txn[u].outcome == OUTCOME_UNKNOWN)
          p->counted |= 1u << u;
}

// An unknown outcome may come about after what stands behind it.
static void find_before(struct problem *p) {
  for (unsigned t = 0; t < p->h->ntxns; t++)
    for (unsigned u = 0; u < p->h->ntxns; u++) {
      const struct sets_txn *one = &p->h->txn[u], *other = &p->h->txn[t];
      const bool session = one->session == other->session && u < t;
      const bool time = p->level == ISOLATION_SSER && one->end < other->begin;
      if (has(p->counted, t) && has(p->counted, u) &&
          one->outcome == OUTCOME_OK && (session || time))
        p->before[t] |= 1u << u;
    }
}

// --- What no level allows: reads of nobody's, of aborted and of own writes.

static bool sees_own(const struct problem *p, unsigned t, unsigned i) {
  const struct sets_op *read = &p->h->txn[t].ops[i];
  for (unsigned k = 0; k < p->h->txn[t].nops; k++) {
    const struct sets_op *op = &p->h->txn[t].ops[k];
    if (read->kind == SETS_READ && op->kind == SETS_ADD &&
        op->set == read->set && has(read->value, op->value) != (k < i))
      return false;
  }
  return true;
}

static bool sees_somebodys(const struct problem *p, unsigned t, unsigned i) {
  const struct sets_op *op = &p->h->txn[t].ops[i];
  for (unsigned e = 0; e < SET_ELEMENTS && op->kind == SETS_READ; e++)
    if (has(op->value, e) && p->adder[op->set][e] == NOBODY)
      return false;
  return op->kind != SETS_READ_Z || !op->value ||
         p->writer[op->value] != NOBODY;
}

static bool is_sound(const struct problem *p) {
  for (unsigned t = 0; t < p->h->ntxns; t++)
    for (unsigned i = 0; i < p->h->txn[t].nops && has(p->counted, t); i++)
      if (!sees_own(p, t, i) || !sees_somebodys(p, t, i) ||
          writers_seen(p, t, i) & ~p->counted)
        return false;
  return true;
}

// --- RC, RA and CC, of sets alone: nobody misses what it has to see.

static bool misses(const struct problem *p, unsigned t, unsigned i,
                   txns visible) {
  const struct sets_op *op = &p->h->txn[t].ops[i];
  for (unsigned e = 0; e < SET_ELEMENTS && op->kind == SETS_READ; e++)
    if (!has(op->value, e) && p->adder[op->set][e] != NOBODY &&
        has(visible & ~(1u << t), p->adder[op->set][e]))
      return true;
  return false;
}

static void close_causes(const struct problem *p, txns cause[]) {
  for (unsigned t = 0; t < p->h->ntxns; t++)
    cause[t] = has(p->counted, t) ? p->before[t] | p->read_from[t] : 0;
  for (unsigned round = 0; round < p->h->ntxns; round++)
    for (unsigned t = 0; t < p->h->ntxns; t++)
      for (unsigned u = 0; u < p->h->ntxns; u++)
        if (has(cause[t], u))
          cause[t] |= cause[u];
}

static bool weak_keeps(const struct problem *p) {
  txns cause[SETS_TXNS];
  close_causes(p, cause);
  for (unsigned t = 0; t < p->h->ntxns; t++) {
    if (has(cause[t], t))
      return false;
    txns so_far = 0;
    for (unsigned i = 0; i < p->h->txn[t].nops && has(p->counted, t); i++) {
      so_far |= writers_seen(p, t, i);
      const txns visible = p->level == ISOLATION_RC ? so_far
                           : p->level == ISOLATION_RA
                               ? p->before[t] | p->read_from[t]
                               : cause[t];
      if (misses(p, t, i, visible))
        return false;
    }
  }
  return true;
}

// --- PC and up: a run of a machine with the transactions in some order.

struct state {
  unsigned set[SETS], z;
};

static void execute(struct state *state, const struct sets_op *op) {
  if (op->kind == SETS_ADD)
    state->set[op->set] |= 1u << op->value;
  else if (op->kind == SETS_WRITE_Z)
    state->z = op->value;
}

static bool is_answer(const struct state *state, const struct sets_op *op) {
  return op->kind == SETS_READ     ? state->set[op->set] == op->value
         : op->kind == SETS_READ_Z ? state->z == op->value
                                   : true;
}

static bool writes_z(const struct sets_txn *txn) {
  for (unsigned i = 0; i < txn->nops; i++)
    if (txn->ops[i].kind == SETS_WRITE_Z)
      return true;
  return false;
}

// Does transaction t read what the first `seen` of the order left?
static bool reads_from(const struct problem *p, const unsigned *order,
                       unsigned seen, unsigned t) {
  struct state state = {0};
  for (unsigned k = 0; k < seen; k++)
    for (unsigned i = 0; i < p->h->txn[order[k]].nops; i++)
      execute(&state, &p->h->txn[order[k]].ops[i]);
  for (unsigned i = 0; i < p->h->txn[t].nops; i++) {
    if (!is_answer(&state, &p->h->txn[t].ops[i]))
      return false;
    execute(&state, &p->h->txn[t].ops[i]);
  }
  return true;
}

// May t, which comes behind n others, have a snapshot of the first `seen`?
static bool may_see(const struct problem *p, const unsigned *order,
                    unsigned seen, unsigned n, unsigned t) {
  for (unsigned k = seen; k < n; k++) {
    if (p->level >= ISOLATION_SER || has(p->before[t], order[k]))
      return false;
    if (p->level == ISOLATION_SI && writes_z(&p->h->txn[t]) &&
        writes_z(&p->h->txn[order[k]]))
      return false;
  }
  return true;
}

static bool extends(const struct problem *p, unsigned *order, unsigned n,
                    txns placed) {
  if (placed == p->counted)
    return true;
  for (unsigned t = 0; t < p->h->ntxns; t++) {
    if (!has(p->counted & ~placed, t) || p->before[t] & ~placed)
      continue;
    bool fits = false;
    for (unsigned seen = 0; seen <= n && !fits; seen++)
      fits = may_see(p, order, seen, n, t) && reads_from(p, order, seen, t);
    order[n] = t;
    if (fits && extends(p, order, n + 1, placed | 1u << t))
      return true;
  }
  return false;
}

bool sets_keep(const struct sets_history *sets, enum isolation level) {
  struct problem p = {.h = sets, .level = level};
  unsigned order[SETS_TXNS];
  assert(sets->ntxns <= SETS_TXNS);
  find_writers(&p);
  find_counted(&p);
  find_before(&p);
  return is_sound(&p) &&
         (level < ISOLATION_PC ? weak_keeps(&p) : extends(&p, order, 0, 0));
}

// --- As the checker and a person have them.

static uint64_t value_of(const struct sets_op *op) { return 10 + op->value; }

static void tell(struct builder *b, const struct sets_op *op) {
  uint64_t found[SET_ELEMENTS];
  uint32_t n = 0;
  for (unsigned e = 0; e < SET_ELEMENTS; e++)
    if (has(op->value, e))
      found[n++] = 10 + e;
  if (op->kind == SETS_READ)
    builder_set(b, op->set, found, n, 1);
  else if (op->kind == SETS_ADD)
    builder_add(b, op->set, value_of(op), 1);
  else
    builder_op(b, op->kind == SETS_READ_Z ? OP_READ : OP_WRITE, SETS,
               op->value);
}

void sets_build(const struct sets_history *sets, struct history *history) {
  struct builder *b = builder_open();
  struct error error;
  for (unsigned t = 0; t < sets->ntxns; t++) {
    const struct sets_txn *txn = &sets->txn[t];
    builder_txn(b, txn->session, txn->outcome, ISOLATION_NONE, txn->begin,
                txn->end);
    for (unsigned i = 0; i < txn->nops; i++)
      tell(b, &txn->ops[i]);
  }
  if (builder_finish(b, history, &error))
    abort();
}

void sets_print(const struct sets_history *sets) {
  static const char *const marks[] = {
      [OUTCOME_OK] = "", [OUTCOME_ABORTED] = "!", [OUTCOME_UNKNOWN] = "?"};
  for (unsigned t = 0; t < sets->ntxns; t++) {
    const struct sets_txn *txn = &sets->txn[t];
    printf("#   session %u: [", txn->session);
    for (unsigned i = 0; i < txn->nops; i++) {
      const struct sets_op *op = &txn->ops[i];
      const char *between = "";
      printf("%s%c", i ? " " : "",
             op->kind >= SETS_READ_Z ? 'z' : 'x' + (int)op->set);
      if (op->kind == SETS_READ) {
        printf("=={");
        for (unsigned e = 0; e < SET_ELEMENTS; e++)
          if (has(op->value, e)) {
            printf("%s%u", between, 10 + e);
            between = ",";
          }
        printf("}");
      } else
        printf("%s%u",
               op->kind == SETS_ADD      ? "|="
               : op->kind == SETS_READ_Z ? "=="
                                         : ":=",
               op->kind == SETS_ADD ? 10 + op->value : op->value);
    }
    printf("]%s@%u..%u\n", marks[txn->outcome], txn->begin, txn->end);
  }
}

// SPDX-License-Identifier: GPL-3.0-or-later
// States between two transactions, and what each transaction does from there
// (explore/orders.h).  States are told apart by two hashes, as outcomes are.
#include "config.h"

#include "explore/orders.h"

#include "base/memory.h"
#include "explore/outcomes.h"
#include "explore/serial.h"

#include <stdlib.h>
#include <string.h>

enum { STATES_KEPT = 1 << 13 }; // from one history to the next

struct order_step { // of a transaction from a state
  uint32_t to;      // the state behind it, from 1; 0: not known yet
  bool is_too_long, rolls_back;
  datum told;
};

struct order_state {
  struct outcome_key key;
  uint64_t done;
  datum *values; // of keys; those behind have their initial ones
  uint32_t nkeys;
  datum *locals; // at the end of each transaction, if others go on with them
  struct order_step *steps;
  uint64_t asked; // the last question for which it was tried
};

struct orders {
  const struct program *program;
  struct pool *pool;
  struct arena arena; // of the states
  struct order_state *states;
  uint32_t nstates, room;
  uint32_t *buckets, nbuckets;
  struct machine machine;
  datum *locals;           // the machine's
  struct order_state next; // to be kept
  size_t bytes_of_locals;
  uint64_t questions;
};

// ---- States

static datum order_value_of(const struct orders *o, const struct order_state *s,
                            uint32_t key) {
  return key < s->nkeys ? s->values[key] : o->pool->keys[key].initial;
}

static datum *locals_of(const struct orders *o, const struct order_state *s,
                        uint32_t t) {
  return s->locals + (size_t)t * o->program->nlocals;
}

// Only locals that a later transaction of the session has are a part of it.
static struct outcome_key order_key_of(const struct orders *o,
                                       const struct order_state *s) {
  const struct program *program = o->program;
  struct outcome_key key = {1, s->done};
  for (uint32_t k = 0; k < s->nkeys; k++)
    if (s->values[k] != o->pool->keys[k].initial) {
      outcome_mix(&key, k);
      outcome_mix(&key, (uint64_t)s->values[k]);
    }
  for (uint32_t t = 1; t <= program->ntxns; t++) {
    const uint32_t previous = program->txns[t].previous;
    if (previous && s->done & ~bit(t) & bit(previous))
      for (uint32_t i = 0; i < program->nlocals; i++)
        outcome_mix(&key, (uint64_t)locals_of(o, s, previous)[i]);
  }
  return key;
}

static void link_state(struct orders *o, uint32_t i) {
  uint64_t at = o->states[i].key.a;
  while (o->buckets[at & (o->nbuckets - 1)])
    at++;
  o->buckets[at & (o->nbuckets - 1)] = i + 1;
}

static void make_order_room(struct orders *o) {
  if (2 * o->nstates < o->nbuckets)
    return;
  o->nbuckets = o->nbuckets ? 2 * o->nbuckets : 64;
  free(o->buckets);
  o->buckets = xcalloc(o->nbuckets, sizeof *o->buckets);
  for (uint32_t i = 0; i < o->nstates; i++)
    link_state(o, i);
}

// The state of the key, from 1; 0: it is new.
static uint32_t find_order_state(const struct orders *o,
                                 struct outcome_key key) {
  for (uint64_t at = key.a;; at++) {
    const uint32_t i = o->buckets[at & (o->nbuckets - 1)];
    if (!i ||
        (o->states[i - 1].key.a == key.a && o->states[i - 1].key.b == key.b))
      return i;
  }
}

// Makes `next` a copy of the state, or of the first one, with room for the keys
// that there are by now: another order may meet some that the history does not.
static void copy_next(struct orders *o, const struct order_state *from) {
  struct order_state *s = &o->next;
  s->done = from ? from->done : 1;
  s->nkeys = o->pool->nkeys;
  s->values = xrealloc(s->values, s->nkeys + 1, sizeof *s->values);
  for (uint32_t key = 0; key < s->nkeys; key++)
    s->values[key] =
        from ? order_value_of(o, from, key) : o->pool->keys[key].initial;
  if (from)
    memcpy(s->locals, from->locals, o->bytes_of_locals);
}

// Keeps `next` unless there is one like it; its number, from 1.
static uint32_t keep_next(struct orders *o) {
  o->next.key = order_key_of(o, &o->next);
  make_order_room(o);
  const uint32_t old = find_order_state(o, o->next.key);
  if (old)
    return old;
  struct order_state s = o->next;
  const size_t bytes = s.nkeys * sizeof *s.values;
  s.steps = arena_take(&o->arena, (o->program->ntxns + 1) * sizeof *s.steps);
  s.values = arena_take(&o->arena, bytes + 1);
  memcpy(s.values, o->next.values, bytes);
  s.locals = arena_take(&o->arena, o->bytes_of_locals + 1);
  memcpy(s.locals, o->next.locals, o->bytes_of_locals);
  ARRAY_RESERVE(o->states, o->nstates, o->room);
  o->states[o->nstates] = s;
  link_state(o, o->nstates);
  return ++o->nstates;
}

static uint32_t first_state(struct orders *o) {
  if (!o->nstates || o->nstates > STATES_KEPT) {
    arena_free(&o->arena);
    o->arena = (struct arena){0};
    memset(o->buckets, 0, o->nbuckets * sizeof *o->buckets);
    o->nstates = 0;
    copy_next(o, NULL);
    keep_next(o);
  }
  return 1;
}

// ---- Steps

// Performs t in the state; what it writes is with the machine.
static struct order_step
perform_order_step(struct orders *o, const struct order_state *s, uint32_t t) {
  const struct program *program = o->program;
  const struct program_txn *txn = &program->txns[t];
  struct machine *m = &o->machine;
  for (uint32_t i = 0; i < program->nlocals; i++)
    o->locals[i] =
        txn->previous ? locals_of(o, s, txn->previous)[i] : VALUE_NONE;
  machine_start(m, txn);
  enum machine_event event = machine_run(m);
  for (; event == MACHINE_READS; event = machine_run(m))
    machine_feed(m, order_value_of(o, s, m->key));
  return (struct order_step){.is_too_long = event == MACHINE_IS_TOO_LONG,
                             .rolls_back = event == MACHINE_ROLLS_BACK,
                             .told = m->told};
}

// The step of t from the state; t is performed if the step is not known.
static struct order_step order_step_of(struct orders *o, uint32_t state,
                                       uint32_t t) {
  const struct order_state *s = &o->states[state - 1];
  struct order_step step = s->steps[t];
  if (step.to)
    return step;
  step = perform_order_step(o, s, t);
  copy_next(o, s);
  o->next.done |= bit(t);
  for (uint32_t i = 0; !step.rolls_back && i < o->machine.nwrites; i++)
    o->next.values[o->machine.writes[i].key] = o->machine.writes[i].v;
  if (o->bytes_of_locals)
    memcpy(locals_of(o, &o->next, t), o->locals,
           o->program->nlocals * sizeof *o->locals);
  step.to = keep_next(o);
  o->states[state - 1].steps[t] = step;
  return step;
}

// ---- Orders

static bool leaves_the_same(const struct orders *o, uint32_t state,
                            const struct partial *p) {
  const struct order_state *s = &o->states[state - 1];
  uint32_t last;
  for (uint32_t key = 0; key < o->pool->nkeys; key++)
    if (history_last_writer(p, key, &last) &&
        order_value_of(o, s, key) != partial_written(p, last, key))
      return false;
  return true;
}

static bool ends_the_same(struct order_step step,
                          const struct program_block *b) {
  return !step.is_too_long && step.told == b->told &&
         step.rolls_back == b->rolled_back;
}

// Tries every order of the transactions that are left.
static bool go_on_with_orders(struct orders *o, uint32_t state,
                              const struct partial *p) {
  const struct program *program = o->program;
  struct order_state *s = &o->states[state - 1];
  const uint64_t done = s->done;
  if (s->asked == o->questions)
    return false;
  s->asked = o->questions;
  if (done == ~UINT64_C(0) >> (63 - program->ntxns))
    return leaves_the_same(o, state, p);
  for (uint32_t t = 1; t <= program->ntxns; t++) {
    if (done & bit(t) || program->txns[t].before & ~done)
      continue;
    const struct order_step step = order_step_of(o, state, t);
    if (ends_the_same(step, &p->blocks[p->position[t] - 1]) &&
        go_on_with_orders(o, step.to, p))
      return true;
  }
  return false;
}

bool orders_explain(struct orders *o, const struct partial *p) {
  o->questions++;
  return go_on_with_orders(o, first_state(o), p);
}

struct orders *orders_open(const struct program *program, struct pool *pool) {
  struct orders *o = xcalloc(1, sizeof *o);
  o->program = program;
  o->pool = pool;
  o->locals = xcalloc(program->nlocals + 1, sizeof *o->locals);
  o->machine.program = program;
  o->machine.pool = pool;
  o->machine.locals = o->locals;
  o->machine.writes =
      xcalloc(program->max_ops + 1, sizeof(struct program_write));
  for (uint32_t t = 1; t <= program->ntxns; t++)
    if (program->txns[t].previous)
      o->bytes_of_locals =
          (program->ntxns + 1) * program->nlocals * sizeof(datum);
  o->next.locals = xcalloc(1, o->bytes_of_locals + 1);
  make_order_room(o);
  return o;
}

void orders_free(struct orders *o) {
  if (!o)
    return;
  arena_free(&o->arena);
  FREE_EACH(o->states, o->buckets, o->locals, o->machine.writes, o->next.values,
            o->next.locals, o);
}

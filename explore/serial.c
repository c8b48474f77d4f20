// SPDX-License-Identifier: GPL-3.0-or-later
// Searches for a serial order (explore/serial.h): by who read from whom, and,
// where clients are told less than what is read, by running the transactions
// in every order as long as the answers are the same.
#include "config.h"

#include "explore/serial.h"

#include "base/memory.h"
#include "explore/outcomes.h"

#include <stdlib.h>
#include <string.h>

bool history_is_serial(const struct partial *p, struct schedule *schedule) {
  uint8_t levels[PROGRAM_MAX_TXNS + 1];
  for (uint32_t t = 0; t <= p->program->ntxns; t++)
    levels[t] = LEVEL_SER;
  return schedule_find(p, levels, schedule);
}

// ---- Who wrote last

static bool writes(const struct partial *p, uint32_t t, uint32_t key) {
  const struct block *b = &p->blocks[p->position[t] - 1];
  for (uint32_t i = b->first_write; i < b->end_write; i++)
    if (p->writes[i].key == key)
      return true;
  return false;
}

// Whose write of the key t read for update before its own, as a bit; 0: nobody.
static uint64_t overwritten(const struct partial *p, uint32_t t, uint32_t key) {
  const struct block *b = &p->blocks[p->position[t] - 1];
  for (uint32_t i = b->first_read; i < b->end_read; i++)
    if (p->reads[i].key == key && p->reads[i].flags & READ_LOCKED)
      return bit(p->reads[i].writer);
  return 0;
}

bool history_last_writer(const struct partial *p, uint32_t key,
                         uint32_t *writer) {
  uint64_t last = 1, behind = 0;
  for (uint32_t t = 1; t <= p->program->ntxns; t++)
    if (writes(p, t, key)) {
      last |= bit(t);
      behind |= overwritten(p, t, key);
    }
  last &= ~behind;
  *writer = last ? (uint32_t)__builtin_ctzll(last) : 0;
  return last && !(last & (last - 1));
}

// ---- Transactions one after the other

struct state {   // between two transactions
  datum *values; // of keys; those behind have their initial ones
  uint32_t nkeys;
  datum *locals; // at the end of each transaction
};

struct running {
  const struct partial *p;
  struct outcomes seen; // states that lead nowhere
  uint64_t done;
  struct write *writes;
  struct machine machine;
};

static datum *locals_of(const struct running *r, const struct state *s,
                        uint32_t t) {
  return s->locals + (size_t)t * r->p->program->nlocals;
}

static size_t bytes_of_locals(const struct running *r) {
  const struct program *program = r->p->program;
  return (program->ntxns + 1) * program->nlocals * sizeof(datum);
}

static datum value_of(const struct running *r, const struct state *s,
                      uint32_t key) {
  return key < s->nkeys ? s->values[key] : r->p->pool->keys[key].initial;
}

// A copy with room for the keys that there are by now: another order may meet
// some that the history does not.
static struct state copy_state(const struct running *r,
                               const struct state *from) {
  struct state s = {.nkeys = r->p->pool->nkeys};
  s.values = xcalloc(s.nkeys + 1, sizeof *s.values);
  s.locals = xcalloc(1, bytes_of_locals(r) + 1);
  for (uint32_t key = 0; key < s.nkeys; key++)
    s.values[key] = value_of(r, from, key);
  if (from->locals)
    memcpy(s.locals, from->locals, bytes_of_locals(r));
  return s;
}

static void free_state(struct state *s) {
  free(s->values);
  free(s->locals);
}

// Runs t to its end on the state; false if it answers something else.
static bool answers_the_same(struct running *r, struct state *s, uint32_t t) {
  const struct program *program = r->p->program;
  const struct txn *txn = &program->txns[t];
  const struct block *b = &r->p->blocks[r->p->position[t] - 1];
  struct machine *m = &r->machine;
  m->program = program;
  m->pool = r->p->pool;
  m->writes = r->writes;
  m->locals = locals_of(r, s, t);
  for (uint32_t i = 0; i < program->nlocals; i++)
    m->locals[i] =
        txn->previous ? locals_of(r, s, txn->previous)[i] : VALUE_NONE;
  machine_start(m, txn);
  enum machine_event event = machine_run(m);
  for (; event == MACHINE_READS; event = machine_run(m))
    machine_feed(m, value_of(r, s, m->key));
  return event != MACHINE_IS_TOO_LONG && m->told == b->told &&
         (event == MACHINE_ROLLS_BACK) == b->rolled_back;
}

// The state behind t, whose writes the machine has.
static struct state state_behind(const struct running *r,
                                 const struct state *before, uint32_t t) {
  struct state s = copy_state(r, before);
  const bool writes = !r->p->blocks[r->p->position[t] - 1].rolled_back;
  for (uint32_t i = 0; writes && i < r->machine.nwrites; i++)
    s.values[r->writes[i].key] = r->writes[i].v;
  return s;
}

static bool leaves_the_same(const struct running *r, const struct state *s) {
  const struct partial *p = r->p;
  uint32_t last;
  for (uint32_t key = 0; key < p->pool->nkeys; key++)
    if (history_last_writer(p, key, &last) &&
        value_of(r, s, key) != partial_written(p, last, key))
      return false;
  return true;
}

// Only locals that a later transaction of the session has are a part of it.
static bool is_new(struct running *r, const struct state *s) {
  const struct program *program = r->p->program;
  struct outcome_key key = {1, r->done};
  for (uint32_t k = 0; k < s->nkeys; k++)
    outcome_mix(&key, (uint64_t)s->values[k]);
  for (uint32_t t = 1; t <= program->ntxns; t++) {
    const uint32_t previous = program->txns[t].previous;
    for (uint32_t i = 0;
         previous && r->done & ~bit(t) & bit(previous) && i < program->nlocals;
         i++)
      outcome_mix(&key, (uint64_t)locals_of(r, s, previous)[i]);
  }
  return outcomes_add(&r->seen, key);
}

// Tries every order of the transactions that are left.
static bool go_on(struct running *r, struct state *s) {
  const struct program *program = r->p->program;
  if (r->done == ~UINT64_C(0) >> (63 - program->ntxns))
    return leaves_the_same(r, s);
  bool found = false;
  for (uint32_t t = is_new(r, s) ? 1 : program->ntxns + 1;
       !found && t <= program->ntxns; t++) {
    if (r->done & bit(t) || program->txns[t].before & ~r->done ||
        !answers_the_same(r, s, t))
      continue;
    struct state behind = state_behind(r, s, t);
    r->done |= bit(t);
    found = go_on(r, &behind);
    r->done &= ~bit(t);
    free_state(&behind);
  }
  return found;
}

bool history_is_explained(const struct partial *p) {
  if (history_is_serial(p, NULL))
    return true;
  if (!p->program->answers)
    return false;
  struct running *r = xcalloc(1, sizeof *r);
  r->p = p;
  r->done = 1;
  r->writes = xcalloc(p->program->max_ops, sizeof *r->writes);
  struct state first = copy_state(r, &(struct state){0});
  const bool explained = go_on(r, &first);
  free_state(&first);
  outcomes_free(&r->seen);
  free(r->writes);
  free(r);
  return explained;
}

// ---- Answers that are kept

enum { SLOTS = 1 << 15 };

struct explanation {
  struct outcome_key question; // 0: none
  bool is_explained;
};

// The outcome, and the keys of which the history does not say who wrote last:
// an order may leave anything there.
static struct outcome_key question_of(const struct partial *p) {
  struct outcome_key question = outcome_of(p);
  uint64_t open = 0;
  uint32_t last;
  for (uint32_t key = 0; key < p->pool->nkeys; key++)
    if (!history_last_writer(p, key, &last))
      open += key_hash(p->pool, key);
  outcome_mix(&question, open);
  return question;
}

bool explanations_find(struct explanations *e, const struct partial *p) {
  if (!p->program->answers)
    return history_is_explained(p);
  if (!e->slots)
    e->slots = xcalloc(SLOTS, sizeof *e->slots);
  const struct outcome_key question = question_of(p);
  struct explanation *slot = &e->slots[question.a % SLOTS];
  if (slot->question.a != question.a || slot->question.b != question.b)
    *slot = (struct explanation){question, history_is_explained(p)};
  return slot->is_explained;
}

void explanations_free(struct explanations *e) { free(e->slots); }

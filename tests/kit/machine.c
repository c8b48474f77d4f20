// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a store with snapshots through every order of begins and commits.
#include "config.h"

#include "tests/kit/machine.h"

#include <assert.h>
#include <string.h>

struct state { // of all keys; a register is its last element
  uint8_t length[TINY_KEYS];
  uint8_t values[TINY_KEYS][TINY_TXNS * TINY_OPS];
};

struct machine {
  const struct tiny *tiny;
  struct rules rules;
  bool left_out[TINY_TXNS]; // aborted, or unknown and not committed
  bool begun[TINY_TXNS], ended[TINY_TXNS];
  unsigned since[TINY_TXNS]; // commits when it began
  unsigned commits;
  uint8_t committed[TINY_TXNS]; // in this order
  struct state state;
};

static void write_key(struct state *state, const struct tiny_op *op) {
  state->values[op->key][state->length[op->key]++] = op->value;
}

static bool reads_right(const struct state *state, const struct tiny_op *op) {
  const unsigned length = state->length[op->key];
  const uint8_t *values = state->values[op->key];
  const uint8_t last = length > 0 ? values[length - 1] : 0;
  if (op->kind == OP_READ)
    return op->value == last;
  if (op->kind == OP_CAS)
    return op->expected == last;
  if (op->kind == OP_READ_LIST)
    return op->length == length && memcmp(op->list, values, length) == 0;
  return true;
}

// Are all reads as they would be from this state?
static bool runs_on(const struct tiny_txn *txn, struct state state) {
  for (unsigned i = 0; i < txn->nops; i++) {
    if (!reads_right(&state, &txn->op[i]))
      return false;
    if (op_writes(txn->op[i].kind))
      write_key(&state, &txn->op[i]);
  }
  return true;
}

static bool write_same_key(const struct tiny_txn *one,
                           const struct tiny_txn *two) {
  for (unsigned i = 0; i < one->nops; i++)
    for (unsigned j = 0; j < two->nops; j++)
      if (op_writes(one->op[i].kind) && op_writes(two->op[j].kind) &&
          one->op[i].key == two->op[j].key)
        return true;
  return false;
}

// Must one be there when the other begins?
static bool precedes(const struct tiny *tiny, struct rules rules, unsigned one,
                     unsigned other) {
  const struct tiny_txn *a = &tiny->txn[one], *b = &tiny->txn[other];
  if (rules.session_order && one < other && a->session == b->session &&
      a->outcome == OUTCOME_OK)
    return true;
  return (rules.real_time || rules.level == ISOLATION_SSER) &&
         a->outcome == OUTCOME_OK && a->end && a->end < b->begin;
}

static bool may_begin(const struct machine *m, unsigned t) {
  for (unsigned o = 0; o < m->tiny->ntxns; o++)
    if (!m->left_out[o] && !m->ended[o] && precedes(m->tiny, m->rules, o, t))
      return false;
  return runs_on(&m->tiny->txn[t], m->state);
}

static bool may_commit(const struct machine *m, unsigned t) {
  if (m->rules.level == ISOLATION_PC)
    return true;
  if (m->rules.level != ISOLATION_SI)
    return m->since[t] == m->commits;
  for (unsigned c = m->since[t]; c < m->commits; c++)
    if (write_same_key(&m->tiny->txn[m->committed[c]], &m->tiny->txn[t]))
      return false;
  return true;
}

static void commit(struct machine *m, unsigned t) {
  m->ended[t] = true;
  m->committed[m->commits++] = (uint8_t)t;
  for (unsigned i = 0; i < m->tiny->txn[t].nops; i++)
    if (op_writes(m->tiny->txn[t].op[i].kind))
      write_key(&m->state, &m->tiny->txn[t].op[i]);
}

// Tries all orders of the events that are left.
static bool finishes(const struct machine *m) {
  bool done = true;
  for (unsigned t = 0; t < m->tiny->ntxns; t++) {
    if (m->left_out[t] || m->ended[t])
      continue;
    done = false;
    struct machine next = *m;
    if (!m->begun[t] && may_begin(m, t)) {
      next.begun[t] = true;
      next.since[t] = m->commits;
    } else if (m->begun[t] && may_commit(m, t)) {
      commit(&next, t);
    } else {
      continue;
    }
    if (finishes(&next))
      return true;
  }
  return done;
}

// --- Visibility.

struct view {
  const struct tiny *tiny;
  struct rules rules;
  bool left_out[TINY_TXNS];
  unsigned count; // placed
  uint8_t order[TINY_TXNS];
  uint16_t placed;             // set of transactions
  uint16_t visible[TINY_TXNS]; // to each of those placed
};

// How many of the placed transactions lead up to the last visible version.
static unsigned up_to_visible(const struct view *v, uint16_t visible,
                              unsigned key) {
  for (unsigned i = v->count; i-- > 0;)
    for (unsigned op = 0; op < v->tiny->txn[v->order[i]].nops; op++)
      if (visible >> v->order[i] & 1 &&
          op_writes(v->tiny->txn[v->order[i]].op[op].kind) &&
          v->tiny->txn[v->order[i]].op[op].key == key)
        return i + 1;
  return 0;
}

static struct state state_of(const struct view *v, uint16_t visible) {
  struct state state = {0};
  for (unsigned key = 0; key < TINY_KEYS; key++)
    for (unsigned i = 0; i < up_to_visible(v, visible, key); i++)
      for (unsigned op = 0; op < v->tiny->txn[v->order[i]].nops; op++)
        if (op_writes(v->tiny->txn[v->order[i]].op[op].kind) &&
            v->tiny->txn[v->order[i]].op[op].key == key)
          write_key(&state, &v->tiny->txn[v->order[i]].op[op]);
  return state;
}

static bool appends(const struct tiny_txn *txn, unsigned key) {
  bool any = false;
  for (unsigned op = 0; op < txn->nops; op++)
    any |= op_writes(txn->op[op].kind) && txn->op[op].key == key;
  return any;
}

// Is all that the lists show visible that the transaction reads?
static bool sees_elements(const struct view *v, unsigned t, uint16_t visible) {
  for (unsigned op = 0; op < v->tiny->txn[t].nops; op++) {
    const unsigned key = v->tiny->txn[t].op[op].key;
    if (v->tiny->txn[t].op[op].kind != OP_READ_LIST)
      continue;
    for (unsigned i = 0; i < up_to_visible(v, visible, key); i++)
      if (appends(&v->tiny->txn[v->order[i]], key) &&
          !(visible >> v->order[i] & 1))
        return false;
  }
  return true;
}

static bool may_see(const struct view *v, unsigned t, uint16_t visible) {
  for (unsigned o = 0; o < v->tiny->ntxns; o++) {
    const bool sees = visible >> o & 1;
    if (sees && v->rules.level == ISOLATION_CC && v->visible[o] & ~visible)
      return false;
    if (!sees && !v->left_out[o] && precedes(v->tiny, v->rules, o, t))
      return false;
  }
  return sees_elements(v, t, visible) &&
         runs_on(&v->tiny->txn[t], state_of(v, visible));
}

// Tries all transactions that are left as the next one, seeing any of those
// placed.
static bool view_finishes(const struct view *v) {
  bool done = true;
  for (unsigned t = 0; t < v->tiny->ntxns; t++) {
    if (v->left_out[t] || v->placed >> t & 1)
      continue;
    done = false;
    for (unsigned visible = 0; visible <= v->placed; visible++) {
      if (visible & ~v->placed || !may_see(v, t, (uint16_t)visible))
        continue;
      struct view next = *v;
      next.order[next.count++] = (uint8_t)t;
      next.placed |= (uint16_t)(1 << t);
      next.visible[t] = (uint16_t)visible;
      if (view_finishes(&next))
        return true;
    }
  }
  return done;
}

// --- Public.

// Fills `left_out` by a choice of those that did not commit; false if that is
// no choice.
static bool leave_out(const struct tiny *tiny, unsigned choice,
                      bool *left_out) {
  for (unsigned t = 0; t < tiny->ntxns; t++) {
    left_out[t] = choice >> t & 1;
    const uint8_t outcome = tiny->txn[t].outcome;
    if (outcome != OUTCOME_UNKNOWN &&
        left_out[t] != (outcome == OUTCOME_ABORTED))
      return false;
  }
  return true;
}

bool machine_explains(const struct tiny *tiny, struct rules rules) {
  assert(rules.level >= ISOLATION_PC);
  for (unsigned choice = 0; choice < 1u << tiny->ntxns; choice++) {
    struct machine m = {.tiny = tiny, .rules = rules};
    if (leave_out(tiny, choice, m.left_out) && finishes(&m))
      return true;
  }
  return false;
}

bool visibility_explains(const struct tiny *tiny, struct rules rules) {
  assert(rules.level == ISOLATION_RA || rules.level == ISOLATION_CC);
  for (unsigned choice = 0; choice < 1u << tiny->ntxns; choice++) {
    struct view v = {.tiny = tiny, .rules = rules};
    if (leave_out(tiny, choice, v.left_out) && view_finishes(&v))
      return true;
  }
  return false;
}

// Moves the machine over the begin of t, if it may.
static bool begins(struct machine *m, unsigned t) {
  if (m->begun[t] || m->left_out[t] || !may_begin(m, t))
    return false;
  m->begun[t] = true;
  m->since[t] = m->commits;
  return true;
}

bool machine_replays(const struct tiny *tiny, struct rules rules,
                     const uint32_t *order, const uint32_t *snapshot,
                     uint32_t norder) {
  struct machine m = {.tiny = tiny, .rules = rules};
  memset(m.left_out, true, sizeof m.left_out);
  for (uint32_t i = 0; i < norder; i++)
    m.left_out[order[i]] = tiny->txn[order[i]].outcome == OUTCOME_ABORTED;
  for (unsigned t = 0; t < tiny->ntxns; t++)
    if (m.left_out[t] && tiny->txn[t].outcome == OUTCOME_OK)
      return false;
  for (uint32_t i = 0; i < norder; i++) {
    for (uint32_t later = i; later < norder; later++)
      if ((rules.level < ISOLATION_SER ? snapshot[later] : later) == i &&
          !begins(&m, order[later]))
        return false;
    if (!m.begun[order[i]] || m.ended[order[i]] || !may_commit(&m, order[i]))
      return false;
    commit(&m, order[i]);
  }
  return true;
}

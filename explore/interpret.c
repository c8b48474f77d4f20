// SPDX-License-Identifier: GPL-3.0-or-later
// The stack machine (explore/interpret.h).
#include "config.h"

#include "explore/interpret.h"

#include <assert.h>
#include <string.h>

enum { STEPS_MAX = 1000000 };

// Values on the stack end here: a list may be no longer.
static void fault(struct machine *m, enum failure_kind kind, uint32_t line) {
  if (!m->failure.kind)
    m->failure = (struct failure){(uint8_t)kind, line};
}

static void push_datum(struct machine *m, datum v) {
  assert(m->sp < MACHINE_STACK);
  m->stack[m->sp++] = v;
}

static datum pop(struct machine *m) {
  assert(m->sp);
  return m->stack[--m->sp];
}

static datum top(const struct machine *m) {
  assert(m->sp);
  return m->stack[m->sp - 1];
}

static datum constant_named(const struct program *p, uint32_t name,
                            const datum *args, uint32_t nargs, bool *found) {
  *found = true;
  for (uint32_t i = 0; i < p->nconstants; i++) {
    const struct constant *c = &p->constants[i];
    bool same = c->name == name && c->nargs == nargs;
    for (uint32_t k = 0; same && k < nargs; k++)
      same = c->args[k] == args[k];
    if (same)
      return c->is;
  }
  *found = false;
  return VALUE_NONE;
}

static struct program_write *own_write(struct machine *m, uint32_t key) {
  for (uint32_t i = 0; i < m->nwrites; i++)
    if (m->writes[i].key == key)
      return &m->writes[i];
  return NULL;
}

static void put_interpreted(struct machine *m, uint32_t key, datum v) {
  struct program_write *own = own_write(m, key);
  if (own)
    own->v = v;
  else
    m->writes[m->nwrites++] = (struct program_write){key, v};
}

// The key that an instruction names, with its arguments from the stack.
static uint32_t interpreted_key_of(struct machine *m, uint32_t name,
                                   uint32_t nargs) {
  m->sp -= nargs;
  return pool_key(m->pool, name, m->stack + m->sp, nargs);
}

// Whether another transaction has to be read from.
static bool reads_another(struct machine *m, const struct instruction *i) {
  m->key = interpreted_key_of(m, i->a, i->c);
  m->into = i->b;
  m->line = i->line;
  m->nstatements += !i->joins;
  m->statement = m->nstatements;
  m->locked = i->op != DO_GET;
  const struct program_write *own = own_write(m, m->key);
  if (own)
    m->locals[m->into] = own->v;
  return !own;
}

// The next element of a loop's list, or on behind the loop.
static enum failure_kind next(struct machine *m, const struct instruction *i) {
  uint32_t n;
  if (!value_is_list(m->locals[i->b]))
    return FAULT_NO_LIST;
  const datum *elements = list_elements(m->pool, m->locals[i->b], &n);
  const datum at = m->locals[i->b + 1]++;
  if (at < (datum)n)
    push_datum(m, elements[at]);
  else
    m->pc = i->a;
  return FAILURE_NONE;
}

static enum failure_kind lookup(struct machine *m,
                                const struct instruction *i) {
  bool found;
  m->sp -= i->b;
  push_datum(m,
             constant_named(m->program, i->a, m->stack + m->sp, i->b, &found));
  return found ? FAILURE_NONE : FAULT_NO_ELEMENT;
}

// Is it a row that `initially` names?
static bool is_row_datum(const struct pooled_key *k, uint32_t table) {
  return k->name == table && k->nargs == 1;
}

static bool is_local_known(const struct machine *m, uint32_t table, datum id) {
  const struct pool *pool = &m->program->pool;
  for (uint32_t k = 0; k < pool->nkeys; k++)
    if (is_row_datum(&pool->keys[k], table) && pool->keys[k].args[0] == id)
      return true;
  return false;
}

// Pushes the list of the ids that `initially` names.
static enum failure_kind rows(struct machine *m, uint32_t table) {
  const struct pool *pool = &m->program->pool;
  datum ids[ELEMENTS_MAX];
  uint32_t n = 0;
  for (uint32_t k = 0; k < pool->nkeys; k++) {
    if (!is_row_datum(&pool->keys[k], table))
      continue;
    if (n == ELEMENTS_MAX)
      return FAULT_OVERFLOW;
    ids[n++] = pool->keys[k].args[0];
  }
  push_datum(m, pool_list(m->pool, ids, n));
  return FAILURE_NONE;
}

static void jump_on(struct machine *m, const struct instruction *i) {
  const bool truth = value_is_true(top(m));
  const bool jumps = i->op == DO_OR ? truth : !truth;
  m->pc = jumps ? i->a : m->pc;
  m->sp -= i->op == DO_JUMP_UNLESS || !jumps;
}

// Adds what is on top of the stack to the answers.
static enum failure_kind put_interpreted_answer(struct machine *m) {
  const datum v = pop(m);
  return compute_binary(m->pool, DO_ADD, m->told, pool_list(m->pool, &v, 1),
                        &m->told);
}

// Instructions that only compute.
static enum failure_kind compute_expression(struct machine *m,
                                            const struct instruction *i) {
  enum failure_kind kind = FAILURE_NONE;
  datum v = VALUE_NONE, b;
  switch ((enum opcode)i->op) {
  case DO_PUSH:
    push_datum(m, m->program->consts[i->a]);
    break;
  case DO_LOAD:
    push_datum(m, m->locals[i->a]);
    break;
  case DO_STORE:
    m->locals[i->a] = pop(m);
    break;
  case DO_STATEMENT:
    m->nstatements++;
    break;
  case DO_ROWS:
    return rows(m, i->a);
  case DO_KNOWN_ROW:
    return is_local_known(m, i->a, m->locals[i->b]) ? FAILURE_NONE
                                                    : FAULT_NO_ROW;
  case DO_ANSWER:
    return put_interpreted_answer(m);
  case DO_LOOKUP:
    return lookup(m, i);
  case DO_JUMP:
    m->pc = i->a;
    break;
  case DO_JUMP_UNLESS:
  case DO_AND:
  case DO_OR:
    jump_on(m, i);
    break;
  case DO_NEXT:
    return next(m, i);
  case DO_LIST:
    m->sp -= i->a;
    push_datum(m, pool_list(m->pool, m->stack + m->sp, i->a));
    break;
  case DO_NEGATE:
  case DO_NOT:
  case DO_LENGTH:
  case DO_SUM:
  case DO_MIN:
  case DO_MAX:
  case DO_SORT:
    kind = compute_unary(m->pool, (enum opcode)i->op, pop(m), &v);
    push_datum(m, v);
    break;
  default:
    b = pop(m);
    kind = compute_binary(m->pool, (enum opcode)i->op, pop(m), b, &v);
    push_datum(m, v);
  }
  return kind;
}

void machine_start(struct machine *m, const struct program_txn *txn) {
  m->pc = txn->entry;
  m->nops = m->nstatements = m->nwrites = m->sp = 0;
  m->failure = (struct failure){FAILURE_NONE, 0};
  m->told = m->program->answers ? pool_list(m->pool, NULL, 0) : VALUE_NONE;
  for (uint32_t i = 0; i < txn->nargs; i++)
    m->locals[txn->params[i]] = txn->args[i];
}

bool machine_holds(struct machine *m) {
  const uint32_t pc = m->pc, sp = m->sp;
  if (!m->program->code[pc - 1].chooses)
    return true;
  for (;;) {
    const struct instruction *i = &m->program->code[m->pc++];
    if (i->op == DO_HOLD)
      return value_is_true(pop(m));
    if (!compute_expression(m, i))
      continue;
    m->pc = pc; // machine_run meets the fault again
    m->sp = sp;
    return true;
  }
}

enum machine_event machine_run(struct machine *m) {
  for (uint32_t steps = 0; steps < STEPS_MAX; steps++) {
    const struct instruction *i = &m->program->code[m->pc++];
    datum v;
    switch ((enum opcode)i->op) {
    case DO_END:
      return MACHINE_COMMITS;
    case DO_ROLLBACK:
      return MACHINE_ROLLS_BACK;
    case DO_ASSERT:
      if (!value_is_true(pop(m)))
        fault(m, FAILURE_ASSERTION, i->a);
      break;
    case DO_GET:
    case DO_GET_LOCKED:
    case DO_GET_SHARED:
      if (m->nops++ == m->program->max_ops)
        return MACHINE_IS_TOO_LONG;
      if (reads_another(m, i))
        return MACHINE_READS;
      break;
    case DO_HOLD:
      pop(m); // of a read of an own write, or one that is replayed
      break;
    case DO_PUT:
      if (m->nops++ == m->program->max_ops)
        return MACHINE_IS_TOO_LONG;
      v = pop(m);
      put_interpreted(m, interpreted_key_of(m, i->a, i->b), v);
      break;
    default: {
      const enum failure_kind kind = compute_expression(m, i);
      if (kind) {
        fault(m, kind, i->line);
        return MACHINE_ROLLS_BACK;
      }
    }
    }
  }
  return MACHINE_IS_TOO_LONG;
}

int interpret_constant(struct program *program, uint32_t entry, datum *v,
                       struct error *error) {
  datum locals[LOCALS_MAX];
  struct machine m = {
      .program = program, .pool = &program->pool, .locals = locals};
  m.pc = entry;
  while (m.pc < program->ncode) {
    const struct instruction *i = &program->code[m.pc++];
    const enum failure_kind kind = compute_expression(&m, i);
    if (kind)
      return error_set(error, "%s", fault_text(kind));
  }
  *v = pop(&m);
  return 0;
}

const char *fault_text(enum failure_kind kind) {
  static const char *const texts[] = {
      [FAILURE_NONE] = "",
      [FAILURE_ASSERTION] = "",
      [FAULT_NO_INTEGER] = "an integer is needed here",
      [FAULT_NO_LIST] = "a list is needed here",
      [FAULT_NO_ELEMENT] = "there is no such element",
      [FAULT_ZERO] = "division by zero",
      [FAULT_OVERFLOW] = "a number or a list becomes too large",
      [FAULT_NO_ROW] = "no scan finds this row; name it in `initially`",
      [FAILURE_NOT_SERIAL] = "no serial order explains it",
  };
  return texts[kind];
}

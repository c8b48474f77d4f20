// SPDX-License-Identifier: GPL-3.0-or-later
// Executing operations (runner/execute.h).  What is noted is what is certain: a
// read only when it returned, a write as soon as it was asked for, because it
// may have been stored even if the answer says that the transaction failed.
#include "config.h"

#include "runner/execute.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// Time of an operation, if it is to be recorded: reading the clock costs about
// as much as noting the operation.
static uint64_t op_time(struct session *s) {
  return s->op_times ? clock_read(s->clock) : 0;
}

static inline void note_operation(struct session *s, enum op_kind kind,
                                  const struct operation *op, uint64_t begin) {
  if (s->log)
    session_log_op(s->log, kind, op->key, op->value, begin, op_time(s));
}

static enum outcome read_register(struct session *s, struct operation *op) {
  const uint64_t begin = op_time(s);
  const enum outcome outcome =
      s->driver->get(s->connection, op->key, &op->value);
  if (outcome == OUTCOME_OK)
    note_operation(s, OP_READ, op, begin);
  return outcome;
}

static enum outcome execute_list_read(struct session *s, struct operation *op) {
  const uint64_t begin = op_time(s);
  s->list.count = 0;
  const enum outcome outcome =
      s->driver->get_list(s->connection, op->key, &s->list);
  if (outcome == OUTCOME_OK && s->log)
    session_log_list(s->log, op->key, &s->list, begin, op_time(s));
  return outcome;
}

static enum outcome execute_write(struct session *s, struct operation *op,
                                  enum outcome (*slot)(struct connection *,
                                                       uint64_t, uint64_t)) {
  const uint64_t begin = op_time(s);
  op->value = value_of_write(s->number, s->nwrites++);
  const enum outcome outcome = slot(s->connection, op->key, op->value);
  if (outcome == OUTCOME_UNKNOWN)
    session_part(s);
  note_operation(s, op->kind, op, begin);
  return outcome;
}

// A comparison that failed wrote nothing, so its value is still fresh.
static enum outcome execute_compare_and_set(struct session *s,
                                            struct operation *op) {
  const uint64_t begin = op_time(s);
  const uint64_t expected = plan_expected(&s->plan, op);
  uint64_t found = expected;
  op->value = value_of_write(s->number, s->nwrites);
  const enum outcome outcome =
      s->driver->cas(s->connection, op->key, expected, op->value, &found);
  if (outcome == OUTCOME_UNKNOWN)
    session_part(s);
  if (outcome != OUTCOME_OK) {
    s->nwrites++;
    note_operation(s, OP_WRITE, op, begin);
  } else if (found == expected) {
    s->nwrites++;
    if (s->log)
      session_log_cas(s->log, op->key, expected, op->value, begin, op_time(s));
  } else {
    op->value = found;
    note_operation(s, OP_READ, op, begin);
  }
  return outcome;
}

enum outcome execute_operation(struct session *s) {
  assert(s->next < s->last);
  struct operation *op = &s->plan.ops[s->next++];
  switch (op->kind) {
  case OP_READ:
    return read_register(s, op);
  case OP_WRITE:
    return execute_write(s, op, s->driver->put);
  case OP_CAS:
    return execute_compare_and_set(s, op);
  case OP_READ_LIST:
    return execute_list_read(s, op);
  default:
    assert(op->kind == OP_APPEND);
    return execute_write(s, op, s->driver->append);
  }
}

// The plan for the driver: a copy, because the driver may change kinds and
// another attempt needs them as they were.
static struct plan copy_of_plan(struct session *s) {
  struct plan plan = s->plan;
  plan.first = s->first;
  plan.nops = s->last;
  plan.ops = memcpy(s->ops, s->plan.ops, plan.nops * sizeof *plan.ops);
  uint64_t nwrites = s->nwrites;
  for (uint32_t i = plan.first; i < plan.nops; i++) {
    s->lists[i].count = 0;
    if (op_writes(plan.ops[i].kind))
      plan.ops[i].value = value_of_write(s->number, nwrites++);
  }
  return plan;
}

static void note_committed(struct session *s, uint32_t i, uint64_t begin,
                           uint64_t end) {
  const struct operation *op = &s->ops[i];
  if (op->kind == OP_READ_LIST)
    session_log_list(s->log, op->key, &s->lists[i], begin, end);
  else if (op->kind == OP_CAS)
    session_log_cas(s->log, op->key, plan_expected(&s->plan, &s->plan.ops[i]),
                    op->value, begin, end);
  else
    session_log_op(s->log, op->kind, op->key, op->value, begin, end);
}

// Records the operations of a transaction that did not commit, or may not have.
// A CAS whose expected value came from an earlier transaction saw that value if
// it took place at all.
static void note_failed_operation(struct session *s, uint32_t i,
                                  enum outcome outcome, uint64_t begin,
                                  uint64_t end) {
  const struct operation *op = &s->plan.ops[i];
  const uint64_t value = s->ops[i].value;
  if (s->ops[i].kind == OP_CAS && outcome == OUTCOME_UNKNOWN &&
      op->expect < (int64_t)s->first)
    session_log_cas(s->log, op->key, plan_expected(&s->plan, op), value, begin,
                    end);
  else if (op_writes(op->kind))
    session_log_op(s->log, op->kind == OP_CAS ? OP_WRITE : op->kind, op->key,
                   value, begin, end);
}

// Takes the values over into the plan and counts the writes.
static void keep_values(struct session *s) {
  bool refused = false;
  for (uint32_t i = s->first; i < s->last; i++) {
    const struct operation *planned = &s->plan.ops[i], *done = &s->ops[i];
    assert(!(refused && op_writes(done->kind)));
    refused |= op_writes(planned->kind) && !op_writes(done->kind);
    s->nwrites += op_writes(done->kind);
    s->plan.ops[i].value = done->value;
  }
}

// Counts the writes of a transaction that did not commit, or may have.  What
// the driver found instead of a value that it was to replace is no value of
// ours.
static void restore_writes(struct session *s) {
  for (uint32_t i = s->first; i < s->last; i++)
    if (op_writes(s->plan.ops[i].kind))
      s->ops[i].value = value_of_write(s->number, s->nwrites++);
}

enum outcome execute_transaction(struct session *s) {
  struct plan plan = copy_of_plan(s);
  const uint64_t begin = op_time(s);
  const enum outcome outcome =
      s->driver->transact(s->connection, s->level, &plan, s->lists);
  const uint64_t end = op_time(s);
  if (outcome == OUTCOME_OK)
    keep_values(s);
  else
    restore_writes(s);
  for (uint32_t i = s->first; s->log && i < s->last; i++)
    if (outcome == OUTCOME_OK)
      note_committed(s, i, begin, end);
    else
      note_failed_operation(s, i, outcome, begin, end);
  return outcome;
}

// ---- Looking for what was written

// A comparison that failed left the value that it found, which somebody else
// wrote.
static bool is_of_attempt(const struct session *s, uint64_t value) {
  return value != VALUE_INITIAL && value_session(value) == s->number &&
         value_sequence(value) >= s->first_write &&
         value_sequence(value) < s->nwrites;
}

static bool list_holds(const struct value_list *list, uint64_t value) {
  for (uint32_t i = 0; i < list->count; i++)
    if (list->values[i] == value)
      return true;
  return false;
}

// Operation by operation; false as well if the reading failed.
static bool search_one_by_one(struct session *s,
                              const struct driver_level *level) {
  const struct driver *driver = s->driver;
  bool found = false, fine = true;
  if (driver->begin(s->connection, level) != OUTCOME_OK)
    fine = false;
  for (uint32_t i = s->first; fine && !found && i < s->last; i++) {
    const struct operation *op = &s->plan.ops[i];
    uint64_t value = VALUE_INITIAL;
    if (!op_writes(op->kind) || !is_of_attempt(s, op->value))
      continue;
    s->list.count = 0;
    fine = (op_is_list(op->kind)
                ? driver->get_list(s->connection, op->key, &s->list)
                : driver->get(s->connection, op->key, &value)) == OUTCOME_OK;
    found = value == op->value || list_holds(&s->list, op->value);
  }
  if (fine)
    return driver->commit(s->connection) == OUTCOME_OK && found;
  if (!s->connection->broken)
    driver->rollback(s->connection);
  return false;
}

// One plan that reads what the other was to write.
static bool search_at_once(struct session *s,
                           const struct driver_level *level) {
  struct operation *reads = xcalloc(PLAN_MAX_OPS, sizeof *reads);
  struct plan plan = {.ops = reads};
  for (uint32_t i = s->first; i < s->last; i++)
    if (op_writes(s->ops[i].kind) && is_of_attempt(s, s->ops[i].value)) {
      const bool list = op_is_list(s->ops[i].kind);
      s->lists[plan.nops].count = 0;
      reads[plan.nops++] = (struct operation){
          .kind = list ? OP_READ_LIST : OP_READ, .key = s->ops[i].key};
    }
  bool found = false;
  if (s->driver->transact(s->connection, level, &plan, s->lists) == OUTCOME_OK)
    for (uint32_t i = s->first, r = 0; i < s->last; i++)
      if (op_writes(s->ops[i].kind) && is_of_attempt(s, s->ops[i].value)) {
        found |= reads[r].value == s->ops[i].value ||
                 list_holds(&s->lists[r], s->ops[i].value);
        r++;
      }
  free(reads);
  return found;
}

bool execute_search(struct session *s, const struct driver_level *level) {
  return s->driver->transact ? search_at_once(s, level)
                             : search_one_by_one(s, level);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Processes, invocations and completions (recorder/formats/jepsen.h).
//
// An :ok operation committed with what its completion says.  A :fail one
// certainly had no effect; its writes are kept, for nobody may read them. After
// :info, or none at all, nobody knows: it counts if its writes were read.  What
// reads returned is believed of :ok operations only.
#include "config.h"

#include "recorder/formats/jepsen.h"

#include "base/memory.h"
#include "recorder/formats/values.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void micro_ops_add(struct micro_ops *ops, struct micro_op op) {
  ARRAY_RESERVE(ops->ops, ops->count, ops->room);
  ops->ops[ops->count++] = op;
}

void micro_ops_free(struct micro_ops *ops) {
  free(ops->ops);
  value_list_free(&ops->elements);
}

bool completion_parse(const struct tokens *t, enum completion *completion) {
  static const char *const names[] = {"invoke", "ok", "fail", "info"};
  if (!token_is_scalar(t))
    return false;
  const bool colon = t->length && *t->text == ':';
  for (int i = 0; i < 4; i++)
    if (strlen(names[i]) == t->length - colon &&
        !memcmp(names[i], t->text + colon, t->length - colon)) {
      *completion = (enum completion)i;
      return true;
    }
  return false;
}

int jepsen_read_type(void *reading) {
  struct jepsen_members *m = reading;
  m->has_type = true;
  return completion_parse(m->t, &m->completion)
             ? 0
             : token_refuse(m->t, "invoke, ok, fail or info");
}

int jepsen_read_time(void *reading) {
  struct jepsen_members *m = reading;
  if (m->t->kind == TOKEN_INTEGER)
    m->time = m->t->integer;
  return token_pass(m->t, "a time");
}

static struct open_invocation *invocation_of(struct jepsen *j,
                                             uint64_t process) {
  const uint32_t id = number_map_id(&j->processes, process);
  ARRAY_COVER(j->invocations, id, j->room);
  return &j->invocations[id];
}

void micro_ops_tell(const struct micro_ops *ops, struct builder *b) {
  for (uint32_t i = 0; i < ops->count; i++) {
    const struct micro_op *op = &ops->ops[i];
    if (op->kind == MICRO_NOTHING)
      builder_nothing(b, op->key);
    else if (op->kind == MICRO_RANGE)
      builder_range(b, (int64_t)op->key, (int64_t)op->value, op->count);
    else if (op->kind == OP_READ_LIST)
      builder_list(b, op->key,
                   op->count ? ops->elements.values + op->first : NULL,
                   op->count);
    else if (op->kind == MICRO_SET)
      builder_set(b, op->key,
                  op->count ? ops->elements.values + op->first : NULL,
                  op->count, op->line);
    else if (op->kind == MICRO_ADD)
      builder_add(b, op->key, op->value, op->line);
    else if (op->kind == OP_CAS)
      builder_cas(b, op->key, op->expected, op->value);
    else
      builder_op(b, (enum op_kind)op->kind, op->key, op->value);
  }
}

// Where it is not known that a transaction committed, only its writes count.  A
// failed compare-and-set wrote nothing, but nobody may have read it either.
static struct micro_ops keep_writes_only(const struct micro_ops *ops) {
  struct micro_ops writes = {0};
  for (uint32_t i = 0; i < ops->count; i++)
    if (op_writes(ops->ops[i].kind))
      micro_ops_add(&writes, ops->ops[i]);
  return writes;
}

static void tell_jepsen_ops(const struct jepsen *j, const struct micro_ops *ops,
                            enum outcome outcome) {
  if (j->tell)
    j->tell(j->reading, ops->ops, ops->count, outcome);
  else
    micro_ops_tell(ops, j->builder);
}

static void complete_call(struct jepsen *j, enum completion completion,
                          uint64_t process, uint64_t time,
                          const struct micro_ops *ops) {
  assert(completion != INVOKE);
  static const enum outcome outcomes[] = {[COMPLETE_OK] = OUTCOME_OK,
                                          [COMPLETE_FAIL] = OUTCOME_ABORTED,
                                          [COMPLETE_INFO] = OUTCOME_UNKNOWN};
  struct open_invocation *invocation = invocation_of(j, process);
  const bool invoked = invocation->open, ok = completion == COMPLETE_OK;
  if (!invoked && !ok)
    invocation->writes = keep_writes_only(ops);
  builder_txn(j->builder, process, outcomes[completion], ISOLATION_NONE,
              invoked ? invocation->begin : TIME_UNKNOWN,
              invoked ? time : TIME_UNKNOWN);
  tell_jepsen_ops(j, ok ? ops : &invocation->writes, outcomes[completion]);
  micro_ops_free(&invocation->writes);
  *invocation = (struct open_invocation){0};
}

// Whether one operation ended before another began is told by the order of the
// events in the file, as Jepsen and Elle have it; clocks may be coarser, or of
// several processors.  So times are moved to where they say the same, by as
// little as that takes: instants that are equal overlap.  Say that A completes
// in line 1 at 20 and B invokes in line 2 at 15: B is taken to begin at 21.  If
// B completes in line 3 at 18, it is taken to end at 21, too.  Times alone tell
// that of events in different files.
static uint64_t begin_after_completed(struct jepsen *j, uint64_t process,
                                      uint64_t time) {
  const struct last_end *completed =
      j->last_end.process == process ? &j->last_end_of_others : &j->last_end;
  if (j->apart && time == TIME_UNKNOWN)
    return time;
  if (time == TIME_UNKNOWN || time <= completed->time)
    time = completed->time + 1;
  j->last_begin = time > j->last_begin ? time : j->last_begin;
  return time;
}

static void note_last_end(struct jepsen *j, struct last_end end) {
  if (end.process == j->last_end.process)
    j->last_end.time =
        end.time > j->last_end.time ? end.time : j->last_end.time;
  else if (end.time >= j->last_end.time) {
    j->last_end_of_others = j->last_end;
    j->last_end = end;
  } else if (end.time > j->last_end_of_others.time)
    j->last_end_of_others = end;
}

static uint64_t end_not_before_open(struct jepsen *j, uint64_t process,
                                    uint64_t time) {
  if (j->apart && time == TIME_UNKNOWN)
    return time;
  if (time == TIME_UNKNOWN || time < j->last_begin)
    time = j->last_begin;
  note_last_end(j, (struct last_end){time, process});
  return time;
}

const char *jepsen_event(struct jepsen *j, enum completion completion,
                         uint64_t process, uint64_t time,
                         const struct micro_ops *ops) {
  struct open_invocation *invocation = invocation_of(j, process);
  const bool counts = completion == INVOKE || invocation->open;
  if (counts && !j->told)
    j->clock = time != TIME_UNKNOWN;
  j->told |= counts;
  j->position++;
  if (!j->clock)
    time = j->apart ? TIME_UNKNOWN : j->position;
  if (completion == INVOKE && invocation->open)
    return "the completion of what this process invoked before";
  if (completion == INVOKE)
    *invocation = (struct open_invocation){
        .open = true,
        .begin = begin_after_completed(j, process, time),
        .writes = keep_writes_only(ops)};
  else
    complete_call(
        j, completion, process,
        invocation->open ? end_not_before_open(j, process, time) : time, ops);
  return NULL;
}

bool jepsen_awaits(struct jepsen *j, uint64_t process) {
  return invocation_of(j, process)->open;
}

void jepsen_end(struct jepsen *j) {
  for (uint32_t i = 0; i < j->processes.count && i < j->room; i++) {
    const struct open_invocation *invocation = &j->invocations[i];
    if (!invocation->open)
      continue;
    builder_txn(j->builder, j->processes.numbers[i], OUTCOME_UNKNOWN,
                ISOLATION_NONE, invocation->begin, TIME_UNKNOWN);
    tell_jepsen_ops(j, &invocation->writes, OUTCOME_UNKNOWN);
  }
}

void jepsen_free(struct jepsen *j) {
  for (uint32_t i = 0; i < j->room; i++)
    micro_ops_free(&j->invocations[i].writes);
  free(j->invocations);
  number_map_free(&j->processes);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Transactions as a whole (steps/one_shot.h).
#include "config.h"

#include "steps/one_shot.h"

#include <string.h>

static enum op_kind kind_of_op(const struct actor *actor,
                               const struct step *step) {
  static const enum op_kind kinds[] = {[STEP_READ] = OP_READ,
                                       [STEP_WRITE] = OP_WRITE,
                                       [STEP_APPEND] = OP_APPEND,
                                       [STEP_CAS] = OP_CAS};
  return step->kind == STEP_READ && actor->script->lists ? OP_READ_LIST
                                                         : kinds[step->kind];
}

enum outcome one_shot_keep(struct actor *actor, const struct step *step,
                           struct step_result *result) {
  actor->op_step[actor->nops] = (uint32_t)(step - actor->script->steps);
  actor->ops[actor->nops++] = (struct operation){
      .kind = (uint8_t)kind_of_op(actor, step),
      .key = actor_key(actor, step),
      .value = step->kind == STEP_READ ? 0 : actor_value(actor, step->value),
  };
  if (step->kind != STEP_READ)
    result->value = actor->ops[actor->nops - 1].value;
  return OUTCOME_OK;
}

// In front of the operations stand, as if read before, the values that those
// which compare expect.
static struct plan make_plan(struct actor *actor) {
  struct operation *ops = actor->ops;
  const uint32_t n = actor->nops;
  memmove(ops + n, ops, n * sizeof *ops);
  for (uint32_t i = 0; i < n; i++) {
    const struct step *step = &actor->script->steps[actor->op_step[i]];
    const bool compares = ops[n + i].kind == OP_CAS;
    ops[i] = (struct operation){
        .kind = OP_READ,
        .key = ops[n + i].key,
        .value = compares ? actor_value(actor, step->expects) : VALUE_INITIAL};
    ops[n + i].expect = (int16_t)i;
    actor->lists[n + i].count = 0;
  }
  return (struct plan){.ops = ops, .nops = 2 * n, .first = n};
}

static void take_results_of_plan(const struct actor *actor,
                                 struct step_result *results) {
  const uint32_t n = actor->nops;
  for (uint32_t i = 0; i < n; i++) {
    struct step_result *result = &results[actor->op_step[i]];
    const struct operation *op = &actor->ops[n + i];
    result->value = op->value;
    result->took_place = op->kind == OP_CAS;
    if (result->took_place)
      result->value = actor->ops[i].value;
    for (uint32_t j = 0; j < actor->lists[n + i].count; j++)
      value_list_push(&result->list, actor->lists[n + i].values[j]);
  }
}

// Nothing of it was read or written if it did not commit.
static void take_back_results(const struct actor *actor,
                              struct step_result *results) {
  for (uint32_t i = 0; i < actor->nops; i++)
    if (actor->script->steps[actor->op_step[i]].kind == STEP_READ)
      results[actor->op_step[i]].state = STEP_SKIPPED;
}

enum outcome one_shot_commit(struct actor *actor, struct step_result *results) {
  struct plan plan = make_plan(actor);
  const enum outcome outcome = actor->driver->transact(
      actor->connection, actor->level, &plan, actor->lists);
  if (outcome == OUTCOME_OK)
    take_results_of_plan(actor, results);
  else
    take_back_results(actor, results);
  return outcome;
}

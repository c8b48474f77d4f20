// SPDX-License-Identifier: GPL-3.0-or-later
// Jepsen's sequential: one process writes the parts k1, k2, ... of a key one
// after the other, another one reads them from the last to the first.  Whoever
// sees a part sees all that were written before it.
//
//   {:type :ok, :f :read, :process 1, :value [12 ["12_1" nil]]}
#include "config.h"

#include "models/models.h"

// Is there nothing behind something?
static bool has_gap(const struct log *log, const struct log_value *parts) {
  bool seen = false;
  for (log_id id = parts->first; id; id = log_value(log, id)->next) {
    const bool nothing = log_value(log, id)->kind == LOG_NIL;
    if (seen && nothing)
      return true;
    seen |= !nothing;
  }
  return false;
}

// [KEY [PART ...]], or NULL.
static const struct log_value *parts_of(const struct log *log, log_id id) {
  const struct log_value *pair = log_value(log, id);
  if (pair->kind != LOG_LIST || pair->count != 2)
    return NULL;
  const struct log_value *parts =
      log_value(log, log_value(log, pair->first)->next);
  return parts->kind == LOG_LIST ? parts : NULL;
}

static bool has_parts(const struct log *log, log_id value) {
  return parts_of(log, value);
}

static int hold_sequential(const struct log *log, const int64_t *options,
                           struct model_answer *answer, struct error *error) {
  (void)options;
  for (uint32_t i = 0; i < log->nops; i++) {
    const struct log_op *op = &log->ops[i];
    if (op->outcome != OUTCOME_OK || !log_op_is(log, op, "read"))
      continue;
    const struct log_value *parts = parts_of(log, log_op_value(op));
    if (!parts)
      return model_refuse(op, "a key and its parts, such as [1 [nil 2]]",
                          error);
    answer->checked++;
    if (has_gap(log, parts) &&
        model_break(answer, "LaterWithoutEarlier",
                    "A read saw a part, and then not the part that the same "
                    "process had written before it."))
      model_show(log, answer, i);
  }
  if (!answer->checked)
    model_leave_open(answer, "No read succeeded.");
  return 0;
}

const struct log_model model_sequential = {
    .name = "sequential",
    .summary = "whoever sees a write sees those that its process made before",
    .functions = {"read", "write"},
    .reads = has_parts,
    .check = hold_sequential};

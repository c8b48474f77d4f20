// SPDX-License-Identifier: GPL-3.0-or-later
// Jepsen's monotonic: a number that only grows is never seen to fall by the
// same process.  With realtime=1, a read sees at least what every read saw that
// had ended before it began.
//
//   {:type :ok, :f :read, :process 1, :value 12}
#include "config.h"

#include "models/models.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdlib.h>

enum { REALTIME };

static int by_start(const void *a, const void *b) {
  const struct log_op *const *x = a, *const *y = b;
  return ((*x)->invoked > (*y)->invoked) - ((*x)->invoked < (*y)->invoked);
}

static int by_end_of_read(const void *a, const void *b) {
  const struct log_op *const *x = a, *const *y = b;
  return ((*x)->completed > (*y)->completed) -
         ((*x)->completed < (*y)->completed);
}

struct monotonic_reads {
  const struct log *log;
  const struct log_op **started, **ended; // the same reads in two orders
  uint32_t count, room;
};

static int64_t counter_value_seen(const struct monotonic_reads *r,
                                  const struct log_op *op) {
  return log_value(r->log, log_op_value(op))->integer;
}

static void judge_successors(const struct monotonic_reads *r,
                             const struct log_op *earlier,
                             const struct log_op *later,
                             struct model_answer *answer) {
  if (!earlier ||
      counter_value_seen(r, later) >= counter_value_seen(r, earlier) ||
      !model_break(answer, "Fall",
                   "A read saw %" PRId64 "; a read that had ended before it "
                   "began saw %" PRId64 ".",
                   counter_value_seen(r, later),
                   counter_value_seen(r, earlier)))
    return;
  model_show(r->log, answer, (uint32_t)(earlier - r->log->ops));
  model_show(r->log, answer, (uint32_t)(later - r->log->ops));
}

static const struct log_op *greater(const struct monotonic_reads *r,
                                    const struct log_op *a,
                                    const struct log_op *b) {
  return !a || counter_value_seen(r, b) > counter_value_seen(r, a) ? b : a;
}

// Each read against the greatest number of all reads that ended before it.
static void judge_in_real_time(const struct monotonic_reads *r,
                               struct model_answer *answer) {
  const struct log_op *greatest = NULL;
  uint32_t past = 0;
  for (uint32_t i = 0; i < r->count; i++) {
    while (past < r->count &&
           r->ended[past]->completed < r->started[i]->invoked)
      greatest = greater(r, greatest, r->ended[past++]);
    judge_successors(r, greatest, r->started[i], answer);
  }
}

static void judge_by_process(const struct monotonic_reads *r,
                             struct model_answer *answer) {
  struct number_map processes = {0};
  const struct log_op **greatest =
      xcalloc(r->count + 1, sizeof *greatest); // by process
  for (uint32_t i = 0; i < r->count; i++) {
    const struct log_op *op = r->ended[i];
    if (op->process == UINT64_MAX)
      continue;
    const uint32_t process = number_map_id(&processes, op->process);
    judge_successors(r, greatest[process], op, answer);
    greatest[process] = greater(r, greatest[process], op);
  }
  number_map_free(&processes);
  free(greatest);
}

// A number that is lowered does not only grow.
static int refuse_fall(const struct log *log, const struct log_op *op,
                       struct error *error) {
  const struct log_value *v =
      log_value(log, op->asked ? op->asked : op->answered);
  const bool adds = !log_op_is(log, op, "read") && !log_op_is(log, op, "write");
  return adds && v->kind == LOG_INTEGER && v->integer < 0
             ? model_refuse(op, "an amount that is not below zero", error)
             : 0;
}

static int take_monotonic_reads(struct monotonic_reads *r,
                                struct error *error) {
  uint32_t room = 0;
  for (uint32_t i = 0; i < r->log->nops; i++) {
    const struct log_op *op = &r->log->ops[i];
    if (refuse_fall(r->log, op, error))
      return -1;
    if (op->outcome != OUTCOME_OK || !log_op_is(r->log, op, "read"))
      continue;
    const enum log_kind kind = log_value(r->log, log_op_value(op))->kind;
    if (kind == LOG_NIL)
      continue;
    if (kind != LOG_INTEGER)
      return model_refuse(op, "a read of a whole number, or of nil", error);
    const uint32_t count = r->count;
    ARRAY_RESERVE(r->started, r->count, r->room);
    ARRAY_RESERVE(r->ended, r->count, room);
    r->started[count] = r->ended[count] = op;
    r->count++;
  }
  return 0;
}

static int hold_monotonic(const struct log *log, const int64_t *options,
                          struct model_answer *answer, struct error *error) {
  struct monotonic_reads r = {.log = log};
  const int status = take_monotonic_reads(&r, error);
  answer->checked = r.count;
  if (r.count) {
    qsort(r.started, r.count, sizeof *r.started, by_start);
    qsort(r.ended, r.count, sizeof *r.ended, by_end_of_read);
  }
  if (status == 0 && options[REALTIME] == 1)
    judge_in_real_time(&r, answer);
  else if (status == 0)
    judge_by_process(&r, answer);
  if (r.count < 2)
    model_leave_open(answer, "There are no two reads to compare.");
  free(r.started);
  free(r.ended);
  return status;
}

const struct log_model model_monotonic = {
    .name = "monotonic",
    .summary = "a number that only grows is never seen to fall",
    .options = {[REALTIME] = {"realtime",
                              "1: by any process, not only by the same one"}},
    .functions = {"read", "write", "add", "increment", "inc"},
    .reads = model_is_integer,
    .check = hold_monotonic};

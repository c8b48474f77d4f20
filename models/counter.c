// SPDX-License-Identifier: GPL-3.0-or-later
// Jepsen's counter: a read sees at least the sum of the additions that had
// succeeded before it began, and at most that of all that were tried before it
// ended.  Additions may be negative: those that may or may not count move the
// bound on their side.
//
//   {:type :ok, :f :add, :process 0, :value 1}
//   {:type :ok, :f :read, :process 1, :value 12}
//
// An increment is an addition, of 1 unless the log says otherwise, and a
// decrement subtracts.
#include "config.h"

#include "models/models.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdlib.h>

// The amount of an addition as of an instant.
struct counter_moment {
  uint64_t at;
  __int128 sum; // of all moments up to here
};

struct moments {
  struct counter_moment *moments;
  uint32_t count, room;
};

// Additions whose effect is certain, and the two kinds of those that are
// possible, by when they began or succeeded.
struct counter {
  struct moments certain_up, certain_down, tried_up, tried_down;
};

static void add_moment(struct moments *m, uint64_t at, __int128 amount) {
  ARRAY_RESERVE(m->moments, m->count, m->room);
  m->moments[m->count++] = (struct counter_moment){at, amount};
}

static int by_moment(const void *a, const void *b) {
  const struct counter_moment *x = a, *y = b;
  return (x->at > y->at) - (x->at < y->at);
}

static void sum_moments(struct moments *m) {
  if (m->count)
    qsort(m->moments, m->count, sizeof *m->moments, by_moment);
  for (uint32_t i = 1; i < m->count; i++)
    m->moments[i].sum += m->moments[i - 1].sum;
}

// The sum of all that is before the instant.
static __int128 sum_before(const struct moments *m, uint64_t at) {
  uint32_t low = 0, high = m->count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (m->moments[middle].at < at)
      low = middle + 1;
    else
      high = middle;
  }
  return low ? m->moments[low - 1].sum : 0;
}

static bool subtracts(const struct log *log, const struct log_op *op) {
  return log_op_is(log, op, "decrement") || log_op_is(log, op, "dec");
}

// False: the log does not say it.  What a call without an amount returned may
// be the new count.
static bool amount_of(const struct log *log, const struct log_op *op,
                      __int128 *amount) {
  const struct log_value *v =
      log_value(log, op->asked ? op->asked : op->answered);
  *amount = 1;
  if (v->kind == LOG_NIL)
    return !log_op_is(log, op, "add");
  *amount = v->integer;
  return v->kind == LOG_INTEGER && (op->asked || !op->invoked);
}

static int note_addition(struct counter *c, const struct log *log,
                         const struct log_op *op, struct error *error) {
  __int128 amount;
  if (op->outcome == OUTCOME_ABORTED)
    return 0;
  if (!amount_of(log, op, &amount))
    return model_refuse(op, "an amount that is a whole number", error);
  if (subtracts(log, op))
    amount = -amount;
  const bool up = amount >= 0;
  add_moment(up ? &c->tried_up : &c->tried_down, op->invoked, amount);
  if (op->outcome == OUTCOME_OK)
    add_moment(up ? &c->certain_up : &c->certain_down, op->completed, amount);
  return 0;
}

static int note_additions(struct counter *c, const struct log *log,
                          struct error *error) {
  for (uint32_t i = 0; i < log->nops; i++)
    if (!log_op_is(log, &log->ops[i], "read") &&
        note_addition(c, log, &log->ops[i], error))
      return -1;
  sum_moments(&c->certain_up);
  sum_moments(&c->certain_down);
  sum_moments(&c->tried_up);
  sum_moments(&c->tried_down);
  return 0;
}

static int check_counter_read(const struct counter *c, const struct log *log,
                              uint32_t i, struct model_answer *answer,
                              struct error *error) {
  const struct log_op *op = &log->ops[i];
  const struct log_value *v = log_value(log, log_op_value(op));
  if (v->kind != LOG_INTEGER)
    return model_refuse(op, "a count that is a whole number", error);
  const __int128 low = sum_before(&c->certain_up, op->invoked) +
                       sum_before(&c->tried_down, op->completed),
                 high = sum_before(&c->tried_up, op->completed) +
                        sum_before(&c->certain_down, op->invoked);
  answer->checked++;
  if ((v->integer < low || v->integer > high) &&
      model_break(answer, v->integer < low ? "LostAddition" : "ExtraAddition",
                  "A read saw %" PRId64 "; the counter was between %" PRId64
                  " and %" PRId64 " while it lasted.",
                  v->integer, (int64_t)low, (int64_t)high))
    model_show(log, answer, i);
  return 0;
}

static int hold_counter(const struct log *log, const int64_t *options,
                        struct model_answer *answer, struct error *error) {
  (void)options;
  struct counter c = {0};
  int status = note_additions(&c, log, error);
  for (uint32_t i = 0; i < log->nops && status == 0; i++)
    if (log->ops[i].outcome == OUTCOME_OK &&
        log_op_is(log, &log->ops[i], "read"))
      status = check_counter_read(&c, log, i, answer, error);
  if (!answer->checked)
    model_leave_open(answer, "No read of the counter succeeded.");
  FREE_EACH(c.certain_up.moments, c.certain_down.moments, c.tried_up.moments,
            c.tried_down.moments);
  return status;
}

const struct log_model model_counter = {
    .name = "counter",
    .summary = "a read sees all additions that had succeeded before it, and "
               "none that was not tried",
    .functions = {"read", "add", "increment", "inc", "decrement", "dec"},
    .reads = model_is_integer,
    .check = hold_counter};

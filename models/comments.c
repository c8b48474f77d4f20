// SPDX-License-Identifier: GPL-3.0-or-later
// Jepsen's comments: whoever sees a write sees all writes that had succeeded
// before the write began.
//
//   {:type :ok, :f :write, :process 0, :value 425}
//   {:type :ok, :f :read, :process 1, :value #{2 10 425}}
//
// A read needs one comparison only: its latest write, the one that began last
// among those it saw, requires every write that had ended before that write
// began, and so all that the earlier ones require.
#include "config.h"

#include "models/models.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

// A write that succeeded.
struct success {
  uint64_t completed;
  uint32_t op, value;
};

struct comments {
  const struct log *log;
  struct value_numbers values;
  uint32_t *write; // by value: the operation that wrote it + 1, or 0
  uint64_t *stamp; // by value: the last read that saw it
  uint32_t nvalues;
  struct success *successes; // in the order of their ends
  uint32_t count, room;
};

static uint32_t comment_number(struct comments *c, log_id id) {
  const uint32_t value = value_number(&c->values, c->log, id);
  if (value >= c->nvalues) {
    const uint32_t count = value * 2 + 16;
    c->write = xrealloc(c->write, count, sizeof *c->write);
    c->stamp = xrealloc(c->stamp, count, sizeof *c->stamp);
    memset(c->write + c->nvalues, 0, (count - c->nvalues) * sizeof *c->write);
    memset(c->stamp + c->nvalues, 0, (count - c->nvalues) * sizeof *c->stamp);
    c->nvalues = count;
  }
  return value;
}

static void note_comment_write(struct comments *c, uint32_t op) {
  const struct log_op *o = &c->log->ops[op];
  const uint32_t value = comment_number(c, o->asked ? o->asked : o->answered);
  // One that is tried again may have been seen since it was tried first.
  if (!c->write[value] ||
      c->log->ops[c->write[value] - 1].outcome == OUTCOME_ABORTED)
    c->write[value] = op + 1;
  if (o->outcome != OUTCOME_OK)
    return;
  ARRAY_RESERVE(c->successes, c->count, c->room);
  c->successes[c->count++] = (struct success){o->completed, op, value};
}

static int by_end_of_comment(const void *a, const void *b) {
  const struct success *x = a, *y = b;
  return (x->completed > y->completed) - (x->completed < y->completed);
}

static void demand_earlier_comments(const struct comments *c, uint32_t read,
                                    uint64_t stamp, uint32_t latest,
                                    struct model_answer *answer) {
  const uint64_t begin = c->log->ops[latest].invoked;
  for (uint32_t i = 0; i < c->count && c->successes[i].completed < begin; i++)
    if (c->stamp[c->successes[i].value] != stamp &&
        model_break(answer, "LaterWithoutEarlier",
                    "A read saw a write, but not another one that had "
                    "succeeded before that write began.")) {
      model_show(c->log, answer, c->successes[i].op);
      model_show(c->log, answer, latest);
      model_show(c->log, answer, read);
    }
}

static int check_comment_read(struct comments *c, uint32_t read, uint64_t stamp,
                              struct model_answer *answer,
                              struct error *error) {
  const struct log_op *op = &c->log->ops[read];
  const struct log_value *seen = log_value(c->log, log_op_value(op));
  uint32_t latest = UINT32_MAX;
  if (seen->kind != LOG_LIST && seen->kind != LOG_NIL)
    return model_refuse(op, "a read of a set, such as #{1 2}", error);
  for (log_id id = seen->first; id; id = log_value(c->log, id)->next) {
    const uint32_t value = comment_number(c, id), write = c->write[value];
    c->stamp[value] = stamp;
    if (write && (latest == UINT32_MAX ||
                  c->log->ops[write - 1].invoked > c->log->ops[latest].invoked))
      latest = write - 1;
  }
  answer->checked++;
  if (latest != UINT32_MAX)
    demand_earlier_comments(c, read, stamp, latest, answer);
  return 0;
}

static int hold_comments(const struct log *log, const int64_t *options,
                         struct model_answer *answer, struct error *error) {
  (void)options;
  struct comments c = {.log = log};
  int status = 0;
  for (uint32_t i = 0; i < log->nops; i++)
    if (log_op_is(log, &log->ops[i], "write"))
      note_comment_write(&c, i);
  if (c.count)
    qsort(c.successes, c.count, sizeof *c.successes, by_end_of_comment);
  for (uint32_t i = 0; i < log->nops && status == 0; i++)
    if (log->ops[i].outcome == OUTCOME_OK &&
        log_op_is(log, &log->ops[i], "read"))
      status = check_comment_read(&c, i, i + UINT64_C(1), answer, error);
  if (!answer->checked)
    model_leave_open(answer, "No read succeeded.");
  FREE_EACH(c.write, c.stamp, c.successes);
  value_numbers_free(&c.values);
  return status;
}

const struct log_model model_comments = {
    .name = "comments",
    .summary = "whoever sees a write sees all that had succeeded before it",
    .functions = {"read", "write"},
    .reads = model_is_list,
    .check = hold_comments};

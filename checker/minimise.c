// SPDX-License-Identifier: GPL-3.0-or-later
// Makes a part of a history that breaks a level minimal (checker/open.h): first
// the part that each new refutation rests on, as long as it gets smaller; then
// by leaving out transactions, and at last single operations, one by one until
// none can go.
#include "config.h"

#include "checker/open.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

struct minimising {
  const struct history *h;
  const struct check_options *options;
  struct operations *core;
};

static bool is_stopped(const struct minimising *min) {
  return min->options->stop && *min->options->stop;
}

static struct operations copy_of(const struct operations *ops) {
  struct operations copy = {.op = xmalloc(ops->count * sizeof *ops->op),
                            .count = ops->count,
                            .room = ops->count};
  memcpy(copy.op, ops->op, ops->count * sizeof *ops->op);
  return copy;
}

// Does the part break the level?  If so `smaller` (may be NULL) gets the
// operations that the refutation rests on.
static bool is_broken(const struct minimising *min,
                      const struct operations *ops,
                      struct operations *smaller) {
  struct history part;
  struct model m;
  struct error error;
  struct open_decision d = {0};
  subhistory_extract(min->h, ops, &part, NULL);
  const bool built = model_build(&m, &part, min->options, &error) == 0;
  if (built &&
      !(m.finding.anomaly &&
        anomaly_info(m.finding.anomaly)->weakest <= min->options->level))
    open_decide(&d, &m, min->options->level, min->options->stop);
  const bool broken = d.answer == OPEN_BROKEN;
  if (broken && smaller) {
    *smaller = copy_of(&d.core);
    for (uint32_t i = 0; i < smaller->count; i++)
      smaller->op[i] = ops->op[smaller->op[i]];
  }
  open_decision_free(&d);
  if (built)
    model_free(&m);
  history_free(&part);
  return broken;
}

static void replace(struct operations *ops, struct operations *by) {
  free(ops->op);
  *ops = *by;
}

// A refutation may rest on less than is said: what it names is taken only if it
// breaks the level by itself.
static void shrink_to_refutations(const struct minimising *min) {
  struct operations smaller;
  while (!is_stopped(min) && is_broken(min, min->core, &smaller)) {
    if (smaller.count == min->core->count || !is_broken(min, &smaller, NULL)) {
      free(smaller.op);
      return;
    }
    replace(min->core, &smaller);
  }
}

// Leaves out [first, end) of the core, and what can not stand without it, if
// the rest breaks the level still.
static bool leave_out(const struct minimising *min, uint32_t first,
                      uint32_t end) {
  struct operations rest = copy_of(min->core);
  memmove(rest.op + first, rest.op + end, (rest.count - end) * sizeof *rest.op);
  rest.count -= end - first;
  subhistory_close(min->h, &rest);
  if (rest.count == 0 || !is_broken(min, &rest, NULL)) {
    free(rest.op);
    return false;
  }
  replace(min->core, &rest);
  return true;
}

// The end of the operations that are of the same transaction as the first.
static uint32_t end_of_txn(const struct minimising *min, uint32_t first) {
  const uint32_t t = history_txn(min->h, min->core->op[first]);
  uint32_t end = first + 1;
  while (end < min->core->count &&
         min->core->op[end] < min->h->txn_first[t + 1])
    end++;
  return end;
}

static bool leave_out_transactions(const struct minimising *min) {
  bool any = false;
  for (uint32_t i = 0; i < min->core->count && !is_stopped(min);) {
    const uint32_t end = end_of_txn(min, i);
    if (leave_out(min, i, end)) {
      any = true;
      i = 0;
    } else {
      i = end;
    }
  }
  return any;
}

static bool leave_out_operations(const struct minimising *min) {
  bool any = false;
  for (uint32_t i = 0; i < min->core->count && !is_stopped(min);)
    if (leave_out(min, i, i + 1))
      any = true;
    else
      i++;
  return any;
}

// The part may lack something that an inference over known edges rested on;
// then the whole history is cut down.
static void take_everything(struct operations *core, const struct history *h) {
  uint32_t nlost;
  uint8_t *counted = history_counted(h, &nlost);
  core->count = 0;
  for (uint32_t t = 0; t < h->ntxns; t++)
    for (uint32_t op = h->txn_first[t]; counted[t] && op < h->txn_first[t + 1];
         op++) {
      ARRAY_RESERVE(core->op, core->count, core->room);
      core->op[core->count++] = op;
    }
  free(counted);
}

void open_minimise(struct operations *core, const struct history *history,
                   const struct check_options *options) {
  const struct minimising min = {history, options, core};
  bool again = true;
  if (!is_broken(&min, core, NULL))
    take_everything(core, history);
  shrink_to_refutations(&min);
  while (again && !is_stopped(&min)) {
    again = leave_out_transactions(&min);
    again |= leave_out_operations(&min);
  }
}

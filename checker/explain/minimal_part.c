// SPDX-License-Identifier: GPL-3.0-or-later
// Makes a part of a history that breaks a level minimal
// (checker/explain/minimal_part.h): first the part that each new refutation
// rests on, as long as it gets smaller; then by leaving out transactions, and
// at last single operations, until none can go.
//
// A part of a part that keeps the level keeps it too
// (checker/part/subhistory.h).  So an operation that could not be left out once
// cannot be left out later, and one pass over all operations is enough.
#include "config.h"

#include "checker/explain/minimal_part.h"

#include "base/ids.h"
#include "base/memory.h"
#include "checker/decide/decide.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct minimising {
  const struct history *h; // of what may be left out
  const struct check_options *options;
  struct operations *core; // what is left of it
  struct operations kept;  // is not left out
};

static bool minimising_is_stopped(const struct minimising *min) {
  return stop_is_set(min->options->stop);
}

static void replace_operations(struct operations *ops, struct operations *by) {
  free(ops->op);
  *ops = *by;
}

// The core of a read is all.
static bool breaks(const struct history *part,
                   const struct check_options *options, struct decision *d) {
  struct model m;
  struct tangle tangle = {0};
  struct error error;
  *d = (struct decision){0};
  if (model_understand(&m, part, options, &error))
    return false;
  decide(d, &m, &tangle, options->question.level, NULL);
  if (d->by_read)
    operations_take_all(&d->core, part->nops);
  tangle_free(&tangle);
  model_free(&m);
  return d->answer == ANSWER_BROKEN;
}

bool part_breaks(const struct history *part,
                 const struct check_options *options) {
  struct decision d;
  const bool broken = breaks(part, options, &d);
  decision_free(&d);
  return broken;
}

static bool has_kept(const struct minimising *min,
                     const struct operations *ops) {
  bool has = true;
  for (uint32_t i = 0; i < min->kept.count && has; i++)
    has = operations_find(ops, min->kept.op[i]) != UINT32_MAX;
  return has;
}

// Does this much of the history break the level, with all that is kept?  If so
// `smaller` (may be NULL) gets what the refutation rests on.
static bool still_breaks(const struct minimising *min,
                         const struct operations *ops,
                         struct operations *smaller) {
  struct history part;
  struct decision d;
  if (!has_kept(min, ops))
    return false;
  subhistory_extract(min->h, ops, &part, NULL);
  const bool broken = breaks(&part, min->options, &d);
  if (broken && smaller) {
    *smaller = d.core;
    d.core = (struct operations){0};
    for (uint32_t i = 0; i < smaller->count; i++)
      smaller->op[i] = ops->op[smaller->op[i]];
  }
  decision_free(&d);
  history_free(&part);
  return broken;
}

// A refutation may rest on less than is said: what it names is taken only if it
// breaks the level by itself.
static void shrink_to_refutations(struct minimising *min) {
  struct operations smaller;
  while (!minimising_is_stopped(min) &&
         still_breaks(min, min->core, &smaller)) {
    if (smaller.count == min->core->count ||
        !still_breaks(min, &smaller, NULL)) {
      free(smaller.op);
      return;
    }
    replace_operations(min->core, &smaller);
  }
}

// The core without [first, end) and what cannot stand without it.
static struct operations rest_without(const struct minimising *min,
                                      uint32_t first, uint32_t end) {
  assert(first < end && end <= min->core->count);
  struct operations rest = {.op = ids_copy(min->core->op, min->core->count),
                            .count = min->core->count,
                            .room = min->core->count};
  memmove(rest.op + first, rest.op + end, (rest.count - end) * sizeof *rest.op);
  rest.count -= end - first;
  subhistory_close(min->h, &rest);
  return rest;
}

// Leaves out [first, end) of the core, and what cannot stand without it, if the
// rest breaks the level still; true if it does.
static bool try_without(struct minimising *min, uint32_t first, uint32_t end) {
  struct operations rest = rest_without(min, first, end);
  const bool broken = still_breaks(min, &rest, NULL);
  if (broken)
    replace_operations(min->core, &rest);
  else
    free(rest.op);
  return broken;
}

// The end of the operations that are of the same `ntxns` transactions as the
// first and those after it.
static uint32_t end_of_txns(const struct minimising *min, uint32_t first,
                            uint32_t ntxns) {
  uint32_t end = first;
  while (ntxns-- > 0 && end < min->core->count) {
    const uint32_t t = history_txn(min->h, min->core->op[end]);
    while (end < min->core->count &&
           min->core->op[end] < min->h->txn_first[t + 1])
      end++;
  }
  return end;
}

// Where the operations from this one on are in the core.
static uint32_t place_in_core(const struct minimising *min, uint32_t op) {
  uint32_t i = 0;
  while (i < min->core->count && min->core->op[i] < op)
    i++;
  return i;
}

// Tries the core without the operations of `ntxns` transactions at a time; 0:
// without single operations.  Whatever goes with what is left out may have come
// before it.
static void leave_parts_out(struct minimising *min, uint32_t ntxns) {
  for (uint32_t i = 0; i < min->core->count && !minimising_is_stopped(min);) {
    const uint32_t end = ntxns ? end_of_txns(min, i, ntxns) : i + 1;
    const uint32_t after = min->core->op[end - 1] + 1;
    try_without(min, i, end);
    i = place_in_core(min, after);
  }
}

static uint32_t count_core_txns(const struct minimising *min) {
  uint32_t ntxns = 0;
  for (uint32_t i = 0; i < min->core->count; i = end_of_txns(min, i, 1))
    ntxns++;
  return ntxns;
}

// Large blocks first, so that what is far too much goes quickly.
static void minimise(struct minimising *min) {
  shrink_to_refutations(min);
  for (uint32_t n = count_core_txns(min) / 2; n > 1; n /= 2)
    leave_parts_out(min, n);
  leave_parts_out(min, 1);
  leave_parts_out(min, 0);
}

bool part_minimise(struct operations *ops, const struct model *m,
                   const struct check_options *options,
                   const struct operations *kept) {
  assert(ops->count <= m->h->nops);
  struct history part;
  struct operations core = {0};
  struct minimising min = {.h = &part, .options = options, .core = &core};
  subhistory_extract(m->h, ops, &part, NULL);
  operations_take_all(&core, part.nops);
  min.kept = (struct operations){.op = ids_copy(kept->op, kept->count),
                                 .count = kept->count};
  for (uint32_t i = 0; i < kept->count; i++)
    min.kept.op[i] = operations_find(ops, kept->op[i]);
  const bool broken = still_breaks(&min, &core, NULL);
  if (broken) {
    minimise(&min);
    for (uint32_t i = 0; i < core.count; i++)
      ops->op[i] = ops->op[core.op[i]];
    ops->count = core.count;
  }
  FREE_EACH(core.op, min.kept.op);
  history_free(&part);
  return broken;
}

bool part_is_minimal(const struct history *part,
                     const struct check_options *options) {
  struct operations all = {0};
  struct minimising min = {.h = part, .options = options, .core = &all};
  operations_take_all(&all, part->nops);
  bool minimal = true;
  for (uint32_t op = 0; op < part->nops && minimal; op++)
    minimal = !try_without(&min, op, op + 1);
  free(all.op);
  return minimal;
}

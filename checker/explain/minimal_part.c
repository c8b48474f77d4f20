// SPDX-License-Identifier: GPL-3.0-or-later
// Makes a part of a history that breaks a level minimal
// (checker/explain/minimal_part.h): first the part that each new refutation
// rests on, as long as it gets smaller; then by leaving out transactions, and
// at last single operations, until none can go.
//
// A part of a part that keeps the level keeps it too
// (checker/part/subhistory.h).  So an operation that could not be left out once
// cannot be left out later, and one pass over all operations is enough.  The
// operations that a needed one depends on are needed as well and are not tried.
// In a long cycle most operations are needed; so reads, which can go alone, are
// tried first.
#include "config.h"

#include "checker/explain/minimal_part.h"

#include "base/memory.h"
#include "checker/decide/decide.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum tried { UNTRIED, NEEDED, LOOSE }; // the rest kept the level, or broke it

struct minimising {
  const struct history *h; // of what may be left out
  const struct check_options *options;
  struct operations *core; // what is left of it
  uint8_t *tried;          // per operation of h: enum tried, by itself
  uint32_t *likely;        // per event of h, as in struct model; or NULL
};

static bool is_stopped(const struct minimising *min) {
  return stop_is_set(min->options->stop);
}

static struct operations copy_of(const struct operations *ops) {
  struct operations copy = {.op = xmalloc(ops->count * sizeof *ops->op),
                            .count = ops->count,
                            .room = ops->count};
  if (ops->count)
    memcpy(copy.op, ops->op, ops->count * sizeof *ops->op);
  return copy;
}

static void replace(struct operations *ops, struct operations *by) {
  free(ops->op);
  *ops = *by;
}

// The core of a read is all.
static bool breaks(const struct history *part,
                   const struct check_options *options, const uint32_t *likely,
                   struct decision *d) {
  struct model m;
  struct tangle tangle = {0};
  struct error error;
  *d = (struct decision){0};
  if (model_understand(&m, part, options, &error))
    return false;
  m.likely = likely;
  decide(d, &m, &tangle, options->level, NULL);
  if (d->by_read)
    operations_take_all(&d->core, part->nops);
  tangle_free(&tangle);
  model_free(&m);
  return d->answer == ANSWER_BROKEN;
}

bool part_breaks(const struct history *part,
                 const struct check_options *options) {
  struct decision d;
  const bool broken = breaks(part, options, NULL, &d);
  decision_free(&d);
  return broken;
}

// The order of one part is nearly that of the next.
static void remember_order(struct minimising *min, const struct decision *d,
                           const uint32_t *txn_of_part) {
  if (!min->likely)
    min->likely = xcalloc((size_t)min->h->ntxns * 2, sizeof *min->likely);
  for (uint32_t i = 0; i < d->norder; i++) {
    uint32_t *likely = min->likely + 2 * (size_t)txn_of_part[d->order[i]];
    likely[0] = 2 * (d->snapshot ? d->snapshot[i] : i);
    likely[1] = 2 * i + 1;
  }
}

// A cycle that is cut elsewhere ends with the transaction that does not read
// any more what is overwritten, or begins with the one that does not overwrite
// it.
static uint32_t *likely_of_part(const struct minimising *min, uint32_t op,
                                const uint32_t *txn_of_part, uint32_t ntxns) {
  if (!min->likely)
    return NULL;
  const uint32_t end = 2 * min->h->ntxns;
  const uint32_t first = min->likely[2 * (size_t)history_txn(min->h, op) + 1] +
                         !op_writes(min->h->kind[op]);
  uint32_t *likely = xmalloc((size_t)ntxns * 2 * sizeof *likely);
  for (uint32_t e = 0; e < 2 * ntxns; e++) {
    const uint32_t place = min->likely[2 * (size_t)txn_of_part[e / 2] + e % 2];
    likely[e] = place < first ? place + end - first : place - first;
  }
  return likely;
}

// Does this much of the history break the level?  `left_out` is an operation
// that was left out last, or any.  If so `smaller` (may be NULL) gets what the
// refutation rests on.
static bool is_broken(struct minimising *min, const struct operations *ops,
                      uint32_t left_out, struct operations *smaller) {
  struct history part;
  struct decision d;
  uint32_t *txn_of_part;
  subhistory_extract(min->h, NULL, ops, &part, &txn_of_part);
  uint32_t *likely = likely_of_part(min, left_out, txn_of_part, part.ntxns);
  const bool broken = breaks(&part, min->options, likely, &d);
  if (d.order)
    remember_order(min, &d, txn_of_part);
  if (broken && smaller) {
    *smaller = d.core;
    d.core = (struct operations){0};
    for (uint32_t i = 0; i < smaller->count; i++)
      smaller->op[i] = ops->op[smaller->op[i]];
  }
  decision_free(&d);
  free(likely);
  free(txn_of_part);
  history_free(&part);
  return broken;
}

// A refutation may rest on less than is said: what it names is taken only if it
// breaks the level by itself.
static void shrink_to_refutations(struct minimising *min) {
  struct operations smaller;
  while (!is_stopped(min) && is_broken(min, min->core, 0, &smaller)) {
    if (smaller.count == min->core->count ||
        !is_broken(min, &smaller, 0, NULL)) {
      free(smaller.op);
      return;
    }
    replace(min->core, &smaller);
  }
}

// The core without [first, end) and what cannot stand without it.
static struct operations rest_without(const struct minimising *min,
                                      uint32_t first, uint32_t end) {
  assert(first < end && end <= min->core->count);
  struct operations rest = copy_of(min->core);
  memmove(rest.op + first, rest.op + end, (rest.count - end) * sizeof *rest.op);
  rest.count -= end - first;
  subhistory_close(min->h, &rest);
  return rest;
}

// The operations that are missing from the rest of the core.
struct missing {
  bool needed;   // some operation that the level is kept without
  uint32_t read; // the last read that was not tried by itself, if it is not
                 // alone: its place in the core; else UINT32_MAX
};

static struct missing missing_from(const struct minimising *min,
                                   const struct operations *rest) {
  const struct operations *core = min->core;
  struct missing missing = {false, UINT32_MAX};
  for (uint32_t i = 0, k = 0; i < core->count && !missing.needed; i++) {
    const uint32_t op = core->op[i];
    if (k < rest->count && rest->op[k] == op) {
      k++;
      continue;
    }
    missing.needed = min->tried[op] == NEEDED;
    if (!op_writes(min->h->kind[op]) && min->tried[op] == UNTRIED &&
        core->count - rest->count > 1)
      missing.read = i;
  }
  return missing;
}

// Is the read at this place of the core needed?
static bool needs_read(struct minimising *min, uint32_t read) {
  assert(!op_writes(min->h->kind[min->core->op[read]]));
  const uint32_t op = min->core->op[read];
  struct operations rest = rest_without(min, read, read + 1);
  const bool needed = !is_broken(min, &rest, op, NULL);
  min->tried[op] = needed ? NEEDED : LOOSE;
  free(rest.op);
  return needed;
}

// Leaves out [first, end) of the core, and what cannot stand without it, if the
// rest breaks the level still; true if it does.  Where the last try failed, as
// `doubtful` says, this one is likely to as well: a read alone tells at less
// cost.
static bool try_without(struct minimising *min, uint32_t first, uint32_t end,
                        bool doubtful) {
  struct operations rest = rest_without(min, first, end);
  const struct missing missing = missing_from(min, &rest);
  const bool needed =
      missing.needed ||
      (doubtful && missing.read != UINT32_MAX && needs_read(min, missing.read));
  if (!needed && is_broken(min, &rest, min->core->op[first], NULL)) {
    replace(min->core, &rest);
    return true;
  }
  if (end - first == 1)
    min->tried[min->core->op[first]] = NEEDED;
  free(rest.op);
  return false;
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
static uint32_t place_from(const struct minimising *min, uint32_t op) {
  uint32_t i = 0;
  while (i < min->core->count && min->core->op[i] < op)
    i++;
  return i;
}

// Tries the core without the operations of `ntxns` transactions at a time; 0:
// without single operations.  Whatever goes with what is left out may have come
// before it.
static void leave_out(struct minimising *min, uint32_t ntxns) {
  bool went = false;
  for (uint32_t i = 0; i < min->core->count && !is_stopped(min);) {
    const uint32_t end = ntxns ? end_of_txns(min, i, ntxns) : i + 1;
    const uint32_t after = min->core->op[end - 1] + 1;
    went = try_without(min, i, end, !went);
    i = place_from(min, after);
  }
}

static uint32_t count_txns(const struct minimising *min) {
  uint32_t ntxns = 0;
  for (uint32_t i = 0; i < min->core->count; i = end_of_txns(min, i, 1))
    ntxns++;
  return ntxns;
}

// Large blocks first, so that what is far too much goes quickly.
static void minimise(struct minimising *min) {
  shrink_to_refutations(min);
  for (uint32_t n = count_txns(min) / 2; n > 1; n /= 2)
    leave_out(min, n);
  leave_out(min, 1);
  leave_out(min, 0);
}

bool part_minimise(struct operations *ops, const struct model *m,
                   const struct check_options *options) {
  assert(ops->count <= m->h->nops);
  struct history part;
  struct operations core = {0};
  struct minimising min = {.h = &part, .options = options, .core = &core};
  subhistory_extract(m->h, &m->empty, ops, &part, NULL);
  min.tried = xcalloc(part.nops, 1);
  operations_take_all(&core, part.nops);
  const bool broken = is_broken(&min, &core, 0, NULL);
  if (broken) {
    minimise(&min);
    for (uint32_t i = 0; i < core.count; i++)
      ops->op[i] = ops->op[core.op[i]];
    ops->count = core.count;
  }
  free(core.op);
  free(min.tried);
  free(min.likely);
  history_free(&part);
  return broken;
}

bool part_is_minimal(const struct history *part,
                     const struct check_options *options) {
  struct operations all = {0};
  struct minimising min = {.h = part, .options = options, .core = &all};
  min.tried = xcalloc(part->nops, 1);
  operations_take_all(&all, part->nops);
  bool minimal = true;
  for (uint32_t op = 0; op < part->nops && minimal; op++)
    minimal = !try_without(&min, op, op + 1, true);
  free(all.op);
  free(min.tried);
  free(min.likely);
  return minimal;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Looks for a register without an order, and then for the few operations that
// leave none (checker/duplicates/register_check.h).  What is left out of these
// may have taken effect or not, and its read need not have found what it did.
#include "config.h"

#include "checker/duplicates/register_check.h"

#include "base/ids.h"
#include "base/memory.h"
#include "base/sort.h"
#include "checker/duplicates/register_order.h"
#include "checker/verdict/level_rules.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX
// Configurations that are compared: a moment, or about a second.
static const uint64_t efforts[] = {[LINEAR_ONCE] = UINT64_C(1) << 22,
                                   [LINEAR_OFTEN] = UINT64_C(1) << 26,
                                   [LINEAR_FEW] = UINT64_C(1) << 26};

// A transaction's access to a key: its first read, unless it had written the
// key before, and its last write.  Operations, or NONE.
struct access {
  uint32_t key, txn, read, write;
};

struct registers {
  struct ambiguity *a;
  const struct history *h;
  uint32_t *value;         // per version: equal for equal values
  uint8_t *ambiguous;      // per key: are some of its reads?
  uint32_t *newest;        // per key: the last access so far, or NONE
  struct access *accesses; // by key
  uint32_t naccesses, room;
  struct linear_op *ops; // of a key: each is that of an access
  struct linear_event *events;
  uint32_t n, nevents, initial;
  uint32_t *order; // of them, with NONE behind the last
  enum linear_open open;
  uint64_t effort[3]; // that is left
};

// --- What was done to each key.

static bool has_times(const struct history *h, uint32_t t) {
  return h->begin[t] != TIME_UNKNOWN &&
         (h->outcome[t] != OUTCOME_OK || h->end[t] != TIME_UNKNOWN);
}

static struct access *access_of(struct registers *r, uint32_t t, uint32_t key) {
  const uint32_t newest = r->newest[key];
  assert(newest == NONE || r->accesses[newest].key == key);
  if (newest != NONE && r->accesses[newest].txn == t)
    return &r->accesses[newest];
  ARRAY_RESERVE(r->accesses, r->naccesses, r->room);
  r->newest[key] = r->naccesses;
  r->accesses[r->naccesses] = (struct access){key, t, NONE, NONE};
  return &r->accesses[r->naccesses++];
}

static void add_accesses(struct registers *r, uint32_t t) {
  const struct history *h = r->h;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
    if (!r->ambiguous[h->key[op]])
      continue;
    struct access *access = access_of(r, t, h->key[op]);
    if (op_reads(h->kind[op]) && access->read == NONE && access->write == NONE)
      access->read = op;
    if (op_writes(h->kind[op]))
      access->write = op;
  }
}

static int by_key(const void *a, const void *b) {
  const struct access *x = a, *y = b;
  return x->key != y->key ? (x->key > y->key) - (x->key < y->key)
                          : (x->txn > y->txn) - (x->txn < y->txn);
}

static void find_accesses(struct registers *r) {
  const struct history *h = r->h;
  r->ambiguous = xcalloc(h->nkeys, 1);
  r->newest = ids_none(h->nkeys);
  for (uint32_t i = 0; i < r->a->nreads; i++) {
    assert(r->a->reads[i].place < h->nops); // none is of a list
    r->ambiguous[h->key[r->a->reads[i].place]] = true;
  }
  for (uint32_t t = 0; t < h->ntxns; t++)
    if (h->outcome[t] != OUTCOME_ABORTED)
      add_accesses(r, t);
  struct patience patience = {.stop = r->a->options->stop};
  sort_patiently(r->accesses, r->naccesses, sizeof *r->accesses, by_key,
                 &patience);
}

// --- A key.

// The value that the read found; NONE: not known.
static uint32_t value_found(const struct registers *r, uint32_t op) {
  const struct history *h = r->h;
  const uint32_t saw =
      h->saw[op] == SAW_INITIAL ? h->nops + h->key[op] : h->saw[op];
  return saw < h->nops + h->nkeys ? r->value[saw] : NONE;
}

static struct linear_op op_of(const struct registers *r,
                              const struct access *access) {
  const struct history *h = r->h;
  const uint32_t t = access->txn;
  struct linear_op op = {.found = NONE, .left = NONE};
  assert(access->read != NONE || access->write != NONE);
  const bool committed = h->outcome[t] == OUTCOME_OK;
  op.begin = h->begin[t] == TIME_UNKNOWN ? 0 : h->begin[t];
  op.end = h->end[t];
  op.open = !committed || !has_times(h, t);
  op.needed = !op.open;
  if (access->write != NONE)
    op.left = r->value[access->write];
  if (access->read != NONE && (committed || access->read == access->write))
    op.found = value_found(r, access->read);
  op.reads = op.found != NONE;
  return op;
}

static uint32_t failure(struct registers *r) {
  return linear_failure(r->ops, r->events, r->nevents, r->initial, r->open,
                        &r->effort[r->open]);
}

static void take_key(struct registers *r, uint32_t first, uint32_t end) {
  r->n = end - first;
  r->initial = r->value[r->h->nops + r->accesses[first].key];
  for (uint32_t i = 0; i < r->n; i++)
    r->ops[i] = op_of(r, &r->accesses[first + i]);
  r->nevents = linear_events(r->ops, r->n, r->events);
}

// With less that is known of open ones first: that is soon told, and tells
// more.
static uint32_t first_failure(struct registers *r) {
  uint32_t failed;
  r->open = LINEAR_OFTEN;
  for (uint32_t i = 0; i < r->n; i++)
    r->ops[i].reads &= !r->ops[i].open;
  if ((failed = failure(r)) != NONE)
    return failed;
  for (uint32_t i = 0; i < r->n; i++)
    r->ops[i].reads = r->ops[i].found != NONE;
  if ((failed = failure(r)) != NONE)
    return failed;
  r->open = LINEAR_ONCE;
  return failure(r);
}

// Takes the reads' writers from an order that explains the register as likely.
static void take_order(struct registers *r, uint32_t first) {
  uint32_t writer = SAW_INITIAL;
  if (!linear_order(r->ops, r->events, r->nevents, r->initial,
                    &r->effort[LINEAR_FEW], r->order))
    return;
  for (const uint32_t *i = r->order; *i != NONE; i++) {
    const struct access *access = &r->accesses[first + *i];
    const uint32_t place =
        r->ops[*i].reads ? r->a->number_of[access->read] : NONE;
    if (place != NONE)
      r->a->reads[place].guess = ambiguity_member(r->a, place, writer);
    if (access->write != NONE)
      writer = access->write;
  }
}

// --- Fewer operations.

enum left_out { OPEN_FOUND, ALL, FOUND, NEEDED };

static struct linear_op without(struct linear_op op, enum left_out what) {
  op.needed &= what == OPEN_FOUND || what == FOUND;
  op.reads &= what == NEEDED || (what == OPEN_FOUND && !op.open);
  return op;
}

// Leaves this out of the operations of these events, if the rest is not
// explained by that.
static void leave_out(struct registers *r, uint32_t first, uint32_t end,
                      enum left_out what) {
  struct linear_op *before = xmalloc((end - first) * sizeof *before);
  bool any = false;
  for (uint32_t e = first; e < end; e++) {
    struct linear_op *op = &r->ops[r->events[e].op], *was = &before[e - first];
    *was = *op;
    *op = without(*op, what);
    any |= op->needed != was->needed || op->reads != was->reads;
  }
  const bool fails =
      !any || (!stop_is_set(r->a->options->stop) && failure(r) != NONE);
  for (uint32_t e = end; e-- > first && !fails;)
    r->ops[r->events[e].op] = before[e - first];
  free(before);
}

// Tries large parts first, so that most of a large rest goes quickly.
static void leave_out_of_all(struct registers *r, enum left_out what) {
  const uint32_t all = r->nevents;
  for (uint32_t n = all; n > 0; n /= 2)
    for (uint32_t first = 0; first < all; first += n)
      leave_out(r, first, all - first < n ? all : first + n, what);
}

// No way was left when the last one that matters ended.  What open ones found
// is left out first, for they may have found it at any time.
static void minimise(struct registers *r, uint32_t failed) {
  for (uint32_t e = failed + 1; e < r->nevents; e++)
    if (!r->events[e].end)
      r->ops[r->events[e].op] = without(r->ops[r->events[e].op], ALL);
  r->nevents = failed + 1;
  memcpy(r->effort, efforts, sizeof efforts);
  leave_out_of_all(r, OPEN_FOUND);
  leave_out_of_all(r, ALL);
  leave_out_of_all(r, FOUND);
  leave_out_of_all(r, NEEDED);
}

// --- What is told.

static void add_op(struct operations *core, uint32_t op) {
  ARRAY_RESERVE(core->op, core->count, core->room);
  core->op[core->count++] = op;
}

// The read, with all that it may have seen; if that is nothing, with what is
// likely: it is seen why not.
static void add_read(const struct registers *r, uint32_t op,
                     struct operations *core) {
  const struct ambiguity *a = r->a;
  const uint32_t i = a->number_of[op], before = core->count + 1;
  add_op(core, op);
  if (i == NONE && r->h->saw[op] < r->h->nops)
    add_op(core, r->h->saw[op]);
  for (uint32_t c = 0; i != NONE && c < ambiguity_size(a, i); c++)
    if (ambiguity_writer(a, i, c) < r->h->nops && !ambiguity_rules_out(a, i, c))
      add_op(core, ambiguity_writer(a, i, c));
  if (i != NONE && core->count == before &&
      ambiguity_writer(a, i, a->reads[i].guess) < r->h->nops)
    add_op(core, ambiguity_writer(a, i, a->reads[i].guess));
}

static void tell(const struct registers *r, uint32_t first,
                 struct operations *core) {
  for (uint32_t i = 0; i < r->n; i++) {
    const struct access *access = &r->accesses[first + i];
    if (r->ops[i].reads)
      add_read(r, access->read, core);
    if (r->ops[i].needed && access->write != NONE)
      add_op(core, access->write);
  }
  operations_sort(core);
}

// --- Public.

// The end of the accesses to the same key.
static uint32_t end_of_key(const struct registers *r, uint32_t first) {
  uint32_t end = first + 1;
  while (end < r->naccesses && r->accesses[end].key == r->accesses[first].key)
    end++;
  return end;
}

static bool find(struct registers *r, struct operations *core) {
  uint32_t failed = NONE;
  for (uint32_t first = 0, end; first < r->naccesses && failed == NONE &&
                                !stop_is_set(r->a->options->stop);
       first = end) {
    end = end_of_key(r, first);
    take_key(r, first, end);
    failed = first_failure(r);
    if (failed == NONE) {
      take_order(r, first);
      continue;
    }
    minimise(r, failed);
    tell(r, first, core);
  }
  return failed != NONE;
}

bool unexplained_find(struct ambiguity *a, struct operations *core) {
  const struct history *h = a->h;
  struct registers r = {.a = a, .h = h};
  if (!a->times || !h->begin || !h->end || h->lists || !a->nreads ||
      !level_conflicts(a->options->level)) // below, reads may be late
    return false;
  memcpy(r.effort, efforts, sizeof efforts);
  r.value = ambiguity_values(r.h);
  find_accesses(&r);
  r.ops = xmalloc(r.naccesses * sizeof *r.ops);
  r.events = xmalloc(2 * (size_t)r.naccesses * sizeof *r.events);
  r.order = xmalloc(((size_t)r.naccesses + 1) * sizeof *r.order);
  const bool found = find(&r, core);
  FREE_EACH(r.value, r.ambiguous, r.newest, r.accesses, r.ops, r.events,
            r.order);
  return found;
}

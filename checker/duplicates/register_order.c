// SPDX-License-Identifier: GPL-3.0-or-later
// Follows the configurations of a register
// (checker/duplicates/register_order.h).
//
// A configuration says which of the open operations must still take effect and
// which may.  One that must less and may more can do all that another can,
// which is dropped if it holds the same.  So
//   a read takes effect as soon as it can, which takes nothing from others;
//   once a write takes effect that finds nothing, all other such writes that
//   are open may have done so just before it: they need not any more, but may
//   take effect still;
//   what need not, or is such a write, takes effect only for something open
//   that finds what it leaves, or because it ends;
//   open operations that do the same are counted, for one is as good as
//   another.
//
// An example: writes of 1 and of 2 and a read of 1 are open at once.  First
// both writes must and may.  At the end of the read, 1 is written for it: the
// write of 2 need not then, since it may have come just before, but it may
// still, as it does if a read of 2 follows.
#include "config.h"

#include "checker/duplicates/register_order.h"

#include "base/ids.h"
#include "base/memory.h"
#include "recorder/build/number_map.h"

#include <assert.h>
#include <stdlib.h>

#define NONE LINEAR_NONE

enum {
  SLOTS = 64,               // operations that are open at once
  CONFIGURATIONS = 1 << 15, // at once
  FEW = 16,                 // of these, where one order is looked for
  BUCKETS = 1 << 12
};

struct configuration {
  uint64_t must, may; // of the slots: what is still to take effect
  uint32_t value;
  uint32_t step;         // the last one that led to it, or NONE
  uint32_t bucket, next; // of its bucket
  bool dropped;
};

// fired[c * nkinds + k]: the number of operations of kind k that had taken
// effect before configuration c.
struct pool {
  struct configuration *items;
  uint16_t *fired;
  uint32_t n, room, fired_room;
  uint32_t *first; // per bucket
};

struct kind {  // of open operations that do the same
  uint32_t op; // one of them
  uint32_t found, left;
  uint16_t begun;
};

struct linear {
  const struct linear_op *ops;
  struct kind *kinds;
  uint32_t nkinds, kinds_room;
  uint16_t *fired; // scratch: per kind
  uint32_t slot[SLOTS];
  uint64_t taken;  // slots
  uint64_t reads;  // of these: only read
  uint64_t blind;  // find nothing
  uint64_t ending; // the slot of which it is the end
  struct pool now, next, work;
  uint32_t event; // at hand
  struct linear_step *steps;
  uint32_t nsteps, steps_room;
  uint64_t *effort; // that is left
  enum linear_open open;
  bool too_much;
};

static uint32_t found_by(const struct linear_op *op) {
  return op->reads ? op->found : NONE;
}

static const struct linear_op *op_in(const struct linear *l, uint64_t slots) {
  assert(slots && !(slots & ~l->taken));
  return &l->ops[l->slot[__builtin_ctzll(slots)]];
}

// --- Pools.

static void pool_empty(struct pool *p) {
  if (!p->first) {
    p->first = ids_none(BUCKETS);
  }
  while (p->n)
    p->first[p->items[--p->n].bucket] = NONE;
}

static void pool_free(struct pool *p) {
  FREE_EACH(p->items, p->fired, p->first);
}

static void pool_swap(struct pool *p, struct pool *q) {
  const struct pool swap = *p;
  *p = *q;
  *q = swap;
}

static const uint16_t *fired_by(const struct linear *l, const struct pool *p,
                                uint32_t c) {
  return l->nkinds ? p->fired + (size_t)c * l->nkinds : NULL;
}

// Can the first one do all that the second one can, which holds the same?
static bool is_as_good(const struct linear *l, const struct configuration *a,
                       const uint16_t *fired_by_a,
                       const struct configuration *b,
                       const uint16_t *fired_by_b) {
  bool good = !(a->must & ~b->must) && !(b->may & ~a->may);
  for (uint32_t k = 0; k < l->nkinds && good; k++)
    good = fired_by_a[k] <= fired_by_b[k];
  return good;
}

static void pool_put(struct linear *l, struct pool *p,
                     const struct configuration *item, const uint16_t *fired) {
  if (!*l->effort || p->n == CONFIGURATIONS) {
    l->too_much = true;
    return;
  }
  assert(item->bucket < BUCKETS);
  --*l->effort;
  ARRAY_RESERVE(p->items, p->n, p->room);
  if (p->fired_room < p->room * l->nkinds) {
    p->fired_room = p->room * l->nkinds;
    p->fired = xrealloc(p->fired, p->fired_room, sizeof *p->fired);
  }
  for (uint32_t k = 0; k < l->nkinds; k++)
    p->fired[(size_t)p->n * l->nkinds + k] = fired[k];
  p->items[p->n] = *item;
  p->items[p->n].next = p->first[item->bucket];
  p->first[item->bucket] = p->n++;
}

// An operation that is neither a read nor blind has to take effect as long as
// it can.
static void pool_add(struct linear *l, struct pool *p,
                     struct configuration item, const uint16_t *fired) {
  const uint64_t equal = item.must & ~(l->reads | l->blind);
  item.dropped = false;
  item.bucket = number_mix(number_mix(equal) + item.value) % BUCKETS;
  for (uint32_t c = p->first[item.bucket]; c != NONE; c = p->items[c].next) {
    struct configuration *other = &p->items[c];
    *l->effort -= *l->effort > 0;
    if (other->value != item.value || other->dropped)
      continue;
    if (is_as_good(l, other, fired_by(l, p, c), &item, fired))
      return;
    other->dropped = is_as_good(l, &item, fired, other, fired_by(l, p, c));
  }
  pool_put(l, p, &item, fired);
}

// --- What may take effect.

// To `next` if what ends need not take effect any more, or else to `work`.
static void offer(struct linear *l, struct configuration item,
                  const uint16_t *fired) {
  for (uint64_t s = l->reads & item.must; s; s &= s - 1)
    if (op_in(l, s)->found == item.value)
      item.must &= ~(s & -s);
  if (item.must & l->ending || !l->ending) {
    pool_add(l, &l->work, item, fired);
    return;
  }
  if (item.may & l->ending) // it may take effect once more
    pool_add(l, &l->work, item, fired);
  item.may &= ~l->ending;
  pool_add(l, &l->next, item, fired);
}

// Could something that is open make use of the value?
static bool is_wanted(const struct linear *l, const struct configuration *at,
                      uint32_t value) {
  for (uint64_t s = at->may | at->must; s; s &= s - 1)
    if (found_by(op_in(l, s)) == value)
      return true;
  for (uint32_t k = 0; k < l->nkinds; k++)
    if (l->kinds[k].begun && l->kinds[k].found == value)
      return true;
  return false;
}

// Is something gained by what finds and leaves this?
static bool is_useful(const struct linear *l, const struct configuration *at,
                      uint32_t found, uint32_t left) {
  const bool changes =
      left != at->value || (found == NONE && at->must & l->blind);
  return changes && (found == NONE || found == at->value) &&
         is_wanted(l, at, left);
}

static uint32_t add_step(struct linear *l, uint32_t before, uint32_t op) {
  if (l->open != LINEAR_FEW)
    return NONE;
  ARRAY_RESERVE(l->steps, l->nsteps, l->steps_room);
  l->steps[l->nsteps] = (struct linear_step){before, l->event, op};
  return l->nsteps++;
}

// Offers what comes of a configuration if the operation takes effect, which has
// that slot, if any; one that finds nothing does so just after all the others.
static void fire(struct linear *l, const struct configuration *at, uint32_t op,
                 uint64_t bit) {
  const uint64_t before = found_by(&l->ops[op]) == NONE ? l->blind : 0;
  offer(l,
        (struct configuration){.must = at->must & ~(bit | before),
                               .may = at->may & ~bit,
                               .value = l->ops[op].left,
                               .step = add_step(l, at->step, op)},
        l->fired);
}

static void fire_each(struct linear *l, const struct configuration *at) {
  for (uint64_t s = at->may; s; s &= s - 1) {
    const uint64_t bit = s & -s;
    const uint32_t found = found_by(op_in(l, s)), left = op_in(l, s)->left;
    const bool now = bit == l->ending || (at->must & bit && found != NONE);
    if (now ? found == NONE || found == at->value
            : is_useful(l, at, found, left))
      fire(l, at, l->slot[__builtin_ctzll(s)], bit);
  }
  for (uint32_t k = 0; k < l->nkinds; k++) {
    const struct kind *kind = &l->kinds[k];
    if (l->fired[k] == kind->begun ||
        !is_useful(l, at, kind->found, kind->left))
      continue;
    l->fired[k] += l->open != LINEAR_OFTEN;
    fire(l, at, kind->op, 0);
    l->fired[k] -= l->open != LINEAR_OFTEN;
  }
}

// --- Events.

static uint32_t kind_of(struct linear *l, const struct linear_op *op) {
  uint32_t k = 0;
  while (k < l->nkinds &&
         (l->kinds[k].found != found_by(op) || l->kinds[k].left != op->left))
    k++;
  return k;
}

static uint64_t take_slot(struct linear *l, uint32_t id) {
  const struct linear_op *op = &l->ops[id];
  const uint64_t bit = ~l->taken & (l->taken + 1);
  if (!bit) {
    l->too_much = true;
    return 0;
  }
  l->slot[__builtin_ctzll(bit)] = id;
  l->taken |= bit;
  l->reads |= op->left == NONE ? bit : 0;
  l->blind |= op->left != NONE && found_by(op) == NONE ? bit : 0;
  return bit;
}

static void begin(struct linear *l, uint32_t id) {
  const struct linear_op *op = &l->ops[id];
  const bool is_read = op->left == NONE;
  assert(!op->open || is_read || kind_of(l, op) < l->nkinds);
  if (op->open && !is_read)
    l->kinds[kind_of(l, op)].begun++;
  if (op->open || (is_read && !(op->needed && op->reads)))
    return;
  const uint64_t bit = take_slot(l, id);
  l->ending = 0;
  pool_empty(&l->work);
  for (uint32_t c = 0; c < l->now.n; c++) {
    struct configuration item = l->now.items[c];
    item.may |= is_read ? 0 : bit;
    item.must |= op->needed ? bit : 0;
    if (!item.dropped)
      offer(l, item, fired_by(l, &l->now, c));
  }
  pool_swap(&l->now, &l->work);
}

struct likelihood {
  uint32_t configuration, fired;
};

static int by_fired(const void *a, const void *b) {
  const struct likelihood *x = a, *y = b;
  return x->fired != y->fired ? (x->fired > y->fired) - (x->fired < y->fired)
                              : (x->configuration > y->configuration) -
                                    (x->configuration < y->configuration);
}

// Drops all but those few in which the fewest open ones have taken effect.
static void keep_few(struct linear *l) {
  struct pool *p = &l->next;
  struct likelihood *all = xmalloc(p->n * sizeof *all);
  uint32_t n = 0;
  for (uint32_t c = 0; c < p->n; c++) {
    if (p->items[c].dropped)
      continue;
    all[n] = (struct likelihood){.configuration = c};
    for (uint32_t k = 0; k < l->nkinds; k++)
      all[n].fired += fired_by(l, p, c)[k];
    n++;
  }
  if (n > FEW)
    qsort(all, n, sizeof *all, by_fired);
  for (uint32_t i = FEW; i < n; i++)
    p->items[all[i].configuration].dropped = true;
  free(all);
}

static uint64_t slot_of(const struct linear *l, uint32_t id) {
  for (uint64_t s = l->taken; s; s &= s - 1)
    if (op_in(l, s) == &l->ops[id])
      return s & -s;
  return 0;
}

// Those that take the fewest steps come first.
static bool has_enough(const struct linear *l) {
  return l->open == LINEAR_FEW && l->next.n >= 4 * FEW;
}

static void end(struct linear *l, uint32_t id) {
  l->ending = slot_of(l, id);
  if (!l->ending)
    return;
  pool_empty(&l->work);
  pool_empty(&l->next);
  for (uint32_t c = 0; c < l->now.n; c++)
    if (!l->now.items[c].dropped)
      offer(l, l->now.items[c], fired_by(l, &l->now, c));
  for (uint32_t c = 0; c < l->work.n && !l->too_much && !has_enough(l); c++) {
    const struct configuration at = l->work.items[c];
    for (uint32_t k = 0; k < l->nkinds; k++)
      l->fired[k] = fired_by(l, &l->work, c)[k];
    if (!at.dropped)
      fire_each(l, &at);
  }
  if (l->open == LINEAR_FEW)
    keep_few(l);
  l->taken &= ~l->ending;
  l->reads &= ~l->ending;
  l->blind &= ~l->ending;
  pool_swap(&l->now, &l->next);
}

// --- Public.

static int by_time(const void *a, const void *b) {
  const struct linear_event *x = a, *y = b;
  if (x->time != y->time)
    return (x->time > y->time) - (x->time < y->time);
  if (x->end != y->end)
    return x->end - y->end;
  return (x->op > y->op) - (x->op < y->op);
}

uint32_t linear_events(const struct linear_op *ops, uint32_t n,
                       struct linear_event *events) {
  uint32_t nevents = 0;
  for (uint32_t i = 0; i < n; i++) {
    events[nevents++] = (struct linear_event){ops[i].begin, i, false};
    if (!ops[i].open)
      events[nevents++] = (struct linear_event){ops[i].end, i, true};
  }
  if (nevents)
    qsort(events, nevents, sizeof *events, by_time);
  return nevents;
}

static void find_kinds(struct linear *l, const struct linear_event *events,
                       uint32_t nevents) {
  for (uint32_t e = 0; e < nevents; e++) {
    const struct linear_op *op = &l->ops[events[e].op];
    if (!op->open || op->left == NONE || kind_of(l, op) < l->nkinds)
      continue;
    ARRAY_RESERVE(l->kinds, l->nkinds, l->kinds_room);
    l->kinds[l->nkinds++] = (struct kind){
        .op = events[e].op, .found = found_by(op), .left = op->left};
  }
  l->fired = xcalloc(l->nkinds, sizeof *l->fired);
}

// The first event at which no configuration is left, or NONE.
static uint32_t follow(struct linear *l, const struct linear_event *events,
                       uint32_t nevents, uint32_t initial) {
  uint32_t failure = NONE;
  find_kinds(l, events, nevents);
  pool_empty(&l->now);
  pool_add(l, &l->now, (struct configuration){.value = initial, .step = NONE},
           l->fired);
  for (uint32_t e = 0; e < nevents && failure == NONE && !l->too_much; e++) {
    l->event = e;
    if (events[e].end)
      end(l, events[e].op);
    else
      begin(l, events[e].op);
    if (!l->now.n && !l->too_much)
      failure = e;
  }
  return failure;
}

static void linear_free(struct linear *l) {
  pool_free(&l->now);
  pool_free(&l->next);
  pool_free(&l->work);
  FREE_EACH(l->kinds, l->fired, l->steps);
}

uint32_t linear_failure(const struct linear_op *ops,
                        const struct linear_event *events, uint32_t nevents,
                        uint32_t initial, enum linear_open open,
                        uint64_t *effort) {
  struct linear l = {.ops = ops, .open = open, .effort = effort};
  const uint32_t failure = follow(&l, events, nevents, initial);
  linear_free(&l);
  return failure;
}

bool linear_order(const struct linear_op *ops,
                  const struct linear_event *events, uint32_t nevents,
                  uint32_t initial, uint64_t *effort, uint32_t *order) {
  struct linear l = {.ops = ops, .open = LINEAR_FEW, .effort = effort};
  const bool found =
      follow(&l, events, nevents, initial) == NONE && !l.too_much;
  uint32_t c = 0;
  while (found && l.now.items[c].dropped)
    c++;
  assert(!found || c < l.now.n);
  if (found)
    linear_tell(ops, events, nevents, initial, l.steps, l.now.items[c].step,
                order);
  linear_free(&l);
  return found;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Follows the configurations of a register (checker/linear.h).
//
// A configuration that has less still to do, and more left that may take
// effect, can do all that the other can, which is dropped.  So
//   a read takes effect as soon as it can, which takes nothing from others;
//   once a write takes effect that finds nothing, all other such writes that
//   are open may have done so just before it: they are not due any more, but
//   may take effect still;
//   what need not, or is such a write, takes effect only for something open
//   that finds what it leaves, or because it ends;
//   open operations that do the same are counted, for one is as good as
//   another.
#include "config.h"

#include "checker/linear.h"

#include "base/memory.h"
#include "recorder/number_map.h"

#include <stdlib.h>
#include <string.h>

#define NONE LINEAR_NONE

enum {
  SLOTS = 64,               // operations that are open at once
  CONFIGURATIONS = 1 << 15, // at once
  BUCKETS = 1 << 12
};

struct configuration {
  uint64_t due, left; // of the slots: what must take effect, and what may
  uint32_t value;
  uint32_t bucket, next; // of its bucket
  bool dropped;
};

// `used` of configuration c: that of kind k is used[c * nkinds + k].
struct pool {
  struct configuration *items;
  uint16_t *used;
  uint32_t n, room, used_room;
  uint32_t *first; // per bucket
};

struct kind { // of open operations that do the same
  uint32_t found, left;
  uint16_t begun;
};

struct linear {
  const struct linear_op *ops;
  struct kind *kinds;
  uint32_t nkinds, kinds_room;
  uint16_t *used; // scratch: per kind
  uint32_t slot[SLOTS];
  uint64_t taken;  // slots
  uint64_t reads;  // of these: only read
  uint64_t blind;  // find nothing
  uint64_t ending; // the slot of which it is the end
  struct pool now, next, work;
  uint64_t *effort; // that is left
  bool often, too_much;
};

static uint32_t found_by(const struct linear_op *op) {
  return op->reads ? op->found : NONE;
}

static const struct linear_op *op_in(const struct linear *l, uint64_t slots) {
  return &l->ops[l->slot[__builtin_ctzll(slots)]];
}

// --- Pools.

static void pool_empty(struct pool *p) {
  if (!p->first) {
    p->first = xmalloc(BUCKETS * sizeof *p->first);
    memset(p->first, 0xff, BUCKETS * sizeof *p->first);
  }
  while (p->n)
    p->first[p->items[--p->n].bucket] = NONE;
}

static void pool_free(struct pool *p) {
  free(p->items);
  free(p->used);
  free(p->first);
}

static void pool_swap(struct pool *p, struct pool *q) {
  const struct pool swap = *p;
  *p = *q;
  *q = swap;
}

static const uint16_t *used_by(const struct linear *l, const struct pool *p,
                               uint32_t c) {
  return l->nkinds ? p->used + (size_t)c * l->nkinds : NULL;
}

// Can the first one do all that the second one can, which holds the same?
static bool is_as_good(const struct linear *l, const struct configuration *a,
                       const uint16_t *used_by_a, const struct configuration *b,
                       const uint16_t *used_by_b) {
  bool good = !(a->due & ~b->due) && !(b->left & ~a->left);
  for (uint32_t k = 0; k < l->nkinds && good; k++)
    good = used_by_a[k] <= used_by_b[k];
  return good;
}

static void pool_put(struct linear *l, struct pool *p,
                     const struct configuration *item, const uint16_t *used) {
  if (!*l->effort || p->n == CONFIGURATIONS) {
    l->too_much = true;
    return;
  }
  --*l->effort;
  ARRAY_RESERVE(p->items, p->n, p->room);
  if (p->used_room < p->room * l->nkinds) {
    p->used_room = p->room * l->nkinds;
    p->used = xrealloc(p->used, p->used_room, sizeof *p->used);
  }
  for (uint32_t k = 0; k < l->nkinds; k++)
    p->used[(size_t)p->n * l->nkinds + k] = used[k];
  p->items[p->n] = *item;
  p->items[p->n].next = p->first[item->bucket];
  p->first[item->bucket] = p->n++;
}

// What is neither a read nor blind is due as long as it is left, if ever.
static void pool_add(struct linear *l, struct pool *p,
                     struct configuration item, const uint16_t *used) {
  const uint64_t equal = item.due & ~(l->reads | l->blind);
  item.dropped = false;
  item.bucket = number_mix(number_mix(equal) + item.value) % BUCKETS;
  for (uint32_t c = p->first[item.bucket]; c != NONE; c = p->items[c].next) {
    struct configuration *other = &p->items[c];
    *l->effort -= *l->effort > 0;
    if (other->value != item.value || other->dropped)
      continue;
    if (is_as_good(l, other, used_by(l, p, c), &item, used))
      return;
    other->dropped = is_as_good(l, &item, used, other, used_by(l, p, c));
  }
  pool_put(l, p, &item, used);
}

// --- What may take effect.

// To `next` if nothing more is due of what ends, or else to `work`.
static void offer(struct linear *l, struct configuration item,
                  const uint16_t *used) {
  for (uint64_t s = l->reads & item.due; s; s &= s - 1)
    if (op_in(l, s)->found == item.value)
      item.due &= ~(s & -s);
  if (item.due & l->ending || !l->ending) {
    pool_add(l, &l->work, item, used);
    return;
  }
  if (item.left & l->ending) // it may take effect once more
    pool_add(l, &l->work, item, used);
  item.left &= ~l->ending;
  pool_add(l, &l->next, item, used);
}

// Could something that is open make use of the value?
static bool is_wanted(const struct linear *l, const struct configuration *at,
                      uint32_t value) {
  for (uint64_t s = at->left | at->due; s; s &= s - 1)
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
      left != at->value || (found == NONE && at->due & l->blind);
  return changes && (found == NONE || found == at->value) &&
         is_wanted(l, at, left);
}

// What comes of a configuration if the one in that slot takes effect, and those
// in these slots just before it.
static struct configuration after(const struct configuration *at, uint64_t bit,
                                  uint32_t value, uint64_t before) {
  return (struct configuration){.due = at->due & ~(bit | before),
                                .left = at->left & ~bit,
                                .value = value};
}

static void take_step(struct linear *l, const struct configuration *at) {
  for (uint64_t s = at->left; s; s &= s - 1) {
    const uint64_t bit = s & -s;
    const uint32_t found = found_by(op_in(l, s)), left = op_in(l, s)->left;
    const bool now = bit == l->ending || (at->due & bit && found != NONE);
    if (now ? found == NONE || found == at->value
            : is_useful(l, at, found, left))
      offer(l, after(at, bit, left, found == NONE ? l->blind : 0), l->used);
  }
  for (uint32_t k = 0; k < l->nkinds; k++) {
    const struct kind *kind = &l->kinds[k];
    if (l->used[k] == kind->begun || !is_useful(l, at, kind->found, kind->left))
      continue;
    l->used[k] += !l->often;
    offer(l, after(at, 0, kind->left, kind->found == NONE ? l->blind : 0),
          l->used);
    l->used[k] -= !l->often;
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
  if (op->open && !is_read)
    l->kinds[kind_of(l, op)].begun++;
  if (op->open || (is_read && !(op->needed && op->reads)))
    return;
  const uint64_t bit = take_slot(l, id);
  l->ending = 0;
  pool_empty(&l->work);
  for (uint32_t c = 0; c < l->now.n; c++) {
    struct configuration item = l->now.items[c];
    item.left |= is_read ? 0 : bit;
    item.due |= op->needed ? bit : 0;
    if (!item.dropped)
      offer(l, item, used_by(l, &l->now, c));
  }
  pool_swap(&l->now, &l->work);
}

static uint64_t slot_of(const struct linear *l, uint32_t id) {
  for (uint64_t s = l->taken; s; s &= s - 1)
    if (op_in(l, s) == &l->ops[id])
      return s & -s;
  return 0;
}

static void end(struct linear *l, uint32_t id) {
  l->ending = slot_of(l, id);
  if (!l->ending)
    return;
  pool_empty(&l->work);
  pool_empty(&l->next);
  for (uint32_t c = 0; c < l->now.n; c++)
    if (!l->now.items[c].dropped)
      offer(l, l->now.items[c], used_by(l, &l->now, c));
  for (uint32_t c = 0; c < l->work.n && !l->too_much; c++) {
    const struct configuration at = l->work.items[c];
    for (uint32_t k = 0; k < l->nkinds; k++)
      l->used[k] = used_by(l, &l->work, c)[k];
    if (!at.dropped)
      take_step(l, &at);
  }
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
    l->kinds[l->nkinds++] =
        (struct kind){.found = found_by(op), .left = op->left};
  }
  l->used = xcalloc(l->nkinds, sizeof *l->used);
}

uint32_t linear_failure(const struct linear_op *ops,
                        const struct linear_event *events, uint32_t nevents,
                        uint32_t initial, bool often, uint64_t *effort) {
  struct linear l = {.ops = ops, .often = often, .effort = effort};
  uint32_t failure = NONE;
  find_kinds(&l, events, nevents);
  pool_empty(&l.now);
  pool_add(&l, &l.now, (struct configuration){.value = initial}, l.used);
  for (uint32_t e = 0; e < nevents && failure == NONE && !l.too_much; e++) {
    if (events[e].end)
      end(&l, events[e].op);
    else
      begin(&l, events[e].op);
    if (!l.now.n && !l.too_much)
      failure = e;
  }
  pool_free(&l.now);
  pool_free(&l.next);
  pool_free(&l.work);
  free(l.kinds);
  free(l.used);
  return failure;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Closes an order of events edge by edge (checker/rows/event_order.h).
#include "config.h"

#include "checker/rows/event_order.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static size_t bytes_of_all(const struct event_order *o) {
  return 2 * (size_t)o->nevents * o->words * sizeof *o->after;
}

void event_order_open(struct event_order *o, uint32_t nevents) {
  *o = (struct event_order){.nevents = nevents, .words = nevents / 64 + 1};
  o->after = xcalloc(1, bytes_of_all(o));
  o->before = o->after + (size_t)nevents * o->words;
  for (uint32_t e = 1; e < nevents; e++) {
    event_set_add(o->after, e);
    event_set_add(o->before + (size_t)e * o->words, 0);
  }
}

void event_order_close(struct event_order *o) { free(o->after); }

// For all of the first sets' members and `a`: what comes after them grows by
// what comes after `b` and by `b`.
static void grow_reach(const struct event_order *o, uint64_t *sets,
                       const uint64_t *members, uint32_t a,
                       const uint64_t *more, uint32_t b, uint64_t *work) {
  for (uint32_t e = 0; e < o->nevents; e++) {
    if (e != a && !event_set_has(members, e))
      continue;
    uint64_t *set = sets + (size_t)e * o->words;
    for (uint32_t w = 0; w < o->words; w++)
      set[w] |= more[w];
    event_set_add(set, b);
    *work += o->words;
  }
}

bool event_order_add(struct event_order *o, uint32_t a, uint32_t b,
                     uint64_t *work) {
  assert(a < o->nevents && b < o->nevents && !event_precedes(o, a, b));
  if (a == b || event_precedes(o, b, a))
    return false;
  const uint64_t *before_a = o->before + (size_t)a * o->words;
  const uint64_t *after_b = o->after + (size_t)b * o->words;
  grow_reach(o, o->after, before_a, a, after_b, b, work);
  grow_reach(o, o->before, after_b, b, before_a, a, work);
  return true;
}

uint32_t events_before(const struct event_order *o, uint32_t event) {
  uint32_t n = 0;
  for (uint32_t w = 0; w < o->words; w++)
    n +=
        (uint32_t)__builtin_popcountll(o->before[(size_t)event * o->words + w]);
  return n;
}

uint64_t *event_order_save(const struct event_order *o) {
  return memcpy(xmalloc(bytes_of_all(o)), o->after, bytes_of_all(o));
}

void event_order_restore(struct event_order *o, const uint64_t *saved) {
  memcpy(o->after, saved, bytes_of_all(o));
}

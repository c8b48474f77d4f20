// SPDX-License-Identifier: GPL-3.0-or-later
// A partial order of a few hundred events, closed: what follows from its edges
// by transitivity is in it.
#ifndef CHECKER_ROWS_EVENT_ORDER_H
#define CHECKER_ROWS_EVENT_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Event 0 comes before all others from the start.
struct event_order {
  uint32_t nevents, words; // 64-bit words of a set of events
  uint64_t *after;         // per event: the set of those after it
  uint64_t *before;        // and of those before it, in the same block
};

void event_order_open(struct event_order *order, uint32_t nevents);
void event_order_close(struct event_order *order);

static inline bool event_set_has(const uint64_t *set, uint32_t event) {
  return set[event / 64] >> event % 64 & 1;
}

static inline void event_set_add(uint64_t *set, uint32_t event) {
  set[event / 64] |= UINT64_C(1) << event % 64;
}

static inline bool event_precedes(const struct event_order *order, uint32_t a,
                                  uint32_t b) {
  return event_set_has(order->after + (size_t)a * order->words, b);
}

// Adds an edge that was not in it.  False, and nothing was added: it would
// close a cycle.  `*work` grows with the time that it took.
bool event_order_add(struct event_order *order, uint32_t a, uint32_t b,
                     uint64_t *work);

// The number of events before this one.
uint32_t events_before(const struct event_order *order, uint32_t event);

// Saves and restores all edges.
uint64_t *event_order_save(const struct event_order *order);
void event_order_restore(struct event_order *order, const uint64_t *saved);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Do the operations on one register have an order that real time allows?  After
// Lowe, "Testing for linearizability" (2017): from one return to the next the
// configurations that may be are kept, each what the register holds and which
// of the open operations have taken effect, and one takes effect only before a
// return that needs it.
#ifndef CHECKER_DUPLICATES_REGISTER_ORDER_H
#define CHECKER_DUPLICATES_REGISTER_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#define LINEAR_NONE UINT32_MAX

struct linear_op {
  uint64_t begin, end;  // may take effect at both; unless open: until then
  uint32_t found, left; // the value that was there, and then; or LINEAR_NONE
  bool open;            // may take effect at any time after its begin, or not
  bool needed;          // must take effect; not of an open one
  bool reads;           // takes effect only where it finds what it found
};

struct linear_event {
  uint64_t time;
  uint32_t op;
  bool end;
};

// Lists the begins and, unless open, the ends of n operations in order. Returns
// their number; `events` has room for 2n.
uint32_t linear_events(const struct linear_op *ops, uint32_t n,
                       struct linear_event *events);

// How often an open operation takes effect, at most.
enum linear_open {
  LINEAR_ONCE,
  LINEAR_OFTEN, // any number of times, which is told soon
  LINEAR_FEW    // once, and few of them if that will do: linear_order
};

// The first event at which no configuration is left, so that there is no order
// of the operations until there; LINEAR_NONE: none, or too much to tell.  What
// it takes is taken from `*effort`.
uint32_t linear_failure(const struct linear_op *ops,
                        const struct linear_event *events, uint32_t nevents,
                        uint32_t initial, enum linear_open open,
                        uint64_t *effort);

// Looks for an order that explains them, among the likely configurations only.
// True: `order`, which has room for all operations and one more, gets those
// that take effect, and LINEAR_NONE behind the last one.
bool linear_order(const struct linear_op *ops,
                  const struct linear_event *events, uint32_t nevents,
                  uint32_t initial, uint64_t *effort, uint32_t *order);

// --- Inside.

struct linear_step { // at an event an operation took effect
  uint32_t before;   // the step before, or LINEAR_NONE
  uint32_t event;    // its index
  uint32_t op;       // an open one stands for any that does the same
};

// The order that ends with this step; that of reads, and of writes that another
// one overwrote before anybody found what they left, is not in the steps.
void linear_tell(const struct linear_op *ops, const struct linear_event *events,
                 uint32_t nevents, uint32_t initial,
                 const struct linear_step *steps, uint32_t last,
                 uint32_t *order);

#endif

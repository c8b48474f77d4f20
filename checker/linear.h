// SPDX-License-Identifier: GPL-3.0-or-later
// Do the operations on one register have an order that real time allows?  After
// Lowe, "Testing for linearizability" (2017): from one return to the next the
// configurations that may be are kept, each what the register holds and which
// of the open operations have taken effect, and one takes effect only before a
// return that needs it.
#ifndef CHECKER_LINEAR_H
#define CHECKER_LINEAR_H

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

// Of n operations: their begins and, unless open, their ends, in order.
// Returns how many; `events` has room for 2n.
uint32_t linear_events(const struct linear_op *ops, uint32_t n,
                       struct linear_event *events);

// The first event at which no configuration is left, so that there is no order
// of the operations until there; LINEAR_NONE: none, or too much to tell.  Open
// operations take effect once each, or `often`, which is told soon.  What it
// takes is taken from `*effort`.
uint32_t linear_failure(const struct linear_op *ops,
                        const struct linear_event *events, uint32_t nevents,
                        uint32_t initial, bool often, uint64_t *effort);

#endif

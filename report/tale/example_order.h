// SPDX-License-Identifier: GPL-3.0-or-later
// The steps of a counterexample in the order of the run, so that each read
// stands where it returns what it did: for the picture in a terminal.
#ifndef REPORT_TALE_EXAMPLE_ORDER_H
#define REPORT_TALE_EXAMPLE_ORDER_H

#include "report/tale/example.h"

enum { ORDER_MOST_SESSIONS = 4, ORDER_MOST_TXNS = 12 };

struct ordered_step {
  uint32_t txn, op; // of the example; op EXAMPLE_NONE: begin and end
  bool is_begin;
  uint32_t column; // of its session, from 0
};

struct example_order {
  struct ordered_step *steps;
  uint32_t nsteps;
  uint32_t sessions[ORDER_MOST_SESSIONS]; // of the columns
  uint32_t ncolumns;
};

// False: they are too many, or their times are not known.  Free in both cases.
bool example_order_steps(struct example_order *order,
                         const struct example *example);
void example_order_free(struct example_order *order);

#endif

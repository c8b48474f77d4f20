// SPDX-License-Identifier: GPL-3.0-or-later
// The inside of execute_rows.c: an execution of the proof, and one statement of
// it.
#ifndef CHECKER_VERIFY_ROWS_EXECUTED_H
#define CHECKER_VERIFY_ROWS_EXECUTED_H

#include "checker/verify/rows/live_rows.h"
#include "checker/verify/rows/pasts.h"
#include "checker/verify/rows/visible.h"

// Events of a transaction that stand at one place: from an operation and a
// statement on, up to those of the next group or the end of the transaction.
struct event_group {
  uint32_t txn, place, op, statement;
};

struct execution_of_rows {
  const struct history *h;
  const struct rows_proof *proof;
  const struct check_options *options;
  struct error *error;
  struct patience *patience;
  struct visible *seen; // what is visible behind a place, below PC
  struct pasts pasts;   // where one is at CC
  struct live_rows live;
  uint32_t *own;   // per key: the last write of the transaction at hand
  uint32_t *op_on; // per key: operation of the statement at hand
  struct event_group *groups;
  uint32_t ngroups, groups_room;
  // The group at hand: whether it is held to what is visible, and not to what
  // is current; and what the statement at hand is taken to have found.
  const struct event_group *at;
  bool weak;
  uint32_t found, found_end;
};

// Checks an event of the group at hand: the operations of a statement, or a
// register's, where the statement is UINT32_MAX.  -1 with a sentence if it
// would have found something else.
int execute_event(struct execution_of_rows *r, uint32_t statement,
                  uint32_t first, uint32_t end);

#endif

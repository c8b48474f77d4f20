// SPDX-License-Identifier: GPL-3.0-or-later
// Tiny histories of sets that only grow, and what the levels say of them, from
// their definitions: a read of a set returns what had been added by the
// transactions that it sees, and by its own before.  Nothing here knows that
// the checker makes registers of sets.
#ifndef TESTS_KIT_SET_HISTORIES_H
#define TESTS_KIT_SET_HISTORIES_H

#include "recorder/builder/builder.h"

enum {
  SETS = 2,
  SET_ELEMENTS = 3, // of each set
  SETS_TXNS = 5,
  SETS_OPS = 4, // of a transaction
};

enum sets_kind { SETS_READ, SETS_ADD, SETS_READ_Z, SETS_WRITE_Z };

struct sets_op {
  enum sets_kind kind;
  unsigned set;
  unsigned value; // SETS_READ: bits of the elements that it found; SETS_ADD:
                  // the number of the element; of the register z its value
};

struct sets_txn {
  unsigned session, begin, end;
  enum outcome outcome;
  unsigned nops;
  struct sets_op ops[SETS_OPS];
};

// Transactions in the order of their sessions.
struct sets_history {
  unsigned ntxns;
  struct sets_txn txn[SETS_TXNS];
};

bool sets_keep(const struct sets_history *sets, enum isolation level);
// The history as the checker has it; free with history_free.
void sets_build(const struct sets_history *sets, struct history *history);
void sets_print(const struct sets_history *sets);

#endif

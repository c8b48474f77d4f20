// SPDX-License-Identifier: GPL-3.0-or-later
// The referee for histories with SQL statements: decides a tiny one from
// definitions 2 to 7 of "On the Complexity of Checking Mixed Isolation Levels
// for SQL Transactions" (Bouajjani, Enea, Roman-Calvo) by trying all commit
// orders, all versions that a statement may have found of the rows that it did
// not return, and all outcomes of the transactions in doubt.  Slow and obvious;
// it shares nothing with the checker but the history, and has an evaluator of
// conditions of its own.
#ifndef CHECKER_VERIFY_ROWS_REFEREE_ROWS_H
#define CHECKER_VERIFY_ROWS_REFEREE_ROWS_H

#include "checker/verify/referee.h"

enum {
  REFEREE_ROWS_TXNS = 8, // committed or in doubt, at most
  REFEREE_ROWS_KEYS = 6,
  REFEREE_ROWS_EVENTS = 64
};

struct referee_rows_options {
  struct referee_options all; // as of histories without rows
  // At RC, is what comes before a transaction in its session visible to its
  // reads?  The paper says so; dbcop and we do not, unless it is asked for.
  bool rc_sees_session;
  bool by_items; // rows that did not come back are not read
  // All statements but plain SELECTs read what was committed last: the writers
  // of what they found come before their transaction in the commit order.
  bool plain_reads;
};

// As referee_decide.  Too large: more transactions, rows or statements than
// above, or lists.
enum referee_answer
referee_rows_decide(const struct history *history,
                    const struct referee_rows_options *options, uint32_t *order,
                    uint32_t *norder);

#endif

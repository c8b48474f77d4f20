// SPDX-License-Identifier: GPL-3.0-or-later
// The referee: decides a tiny history from the axioms alone, by trying commit
// orders.  Shares no code with the checker; used by tests and to confirm
// counterexamples.
#ifndef CHECKER_VERIFY_REFEREE_H
#define CHECKER_VERIFY_REFEREE_H

#include "recorder/history.h"

#include <stdbool.h>
#include <stdint.h>

// Transactions that are committed or unknown; aborted ones are not limited.
enum { REFEREE_MAX_TXNS = 12 };

struct referee_options {
  // For every transaction...
  enum isolation level;
  // ...unless this gives each its own (may be NULL): an axiom binds a read by
  // the level of its reader.  The reads of a transaction at ISOLATION_NONE are
  // not looked at.
  const uint8_t *levels;
  bool session_order;
  // A transaction that ended before another began counts as if it were earlier
  // in the same session: it comes first, and is visible where it would be
  // there.  Besides: SSER means SER, and that the commit order keeps real time
  // before its transactions.  The end of an unknown transaction is no bound,
  // since it may take effect later.
  bool real_time;
  const volatile bool *stop; // may be NULL; set: give up
};

enum referee_answer {
  REFEREE_KEPT,
  REFEREE_BROKEN,
  REFEREE_TOO_LARGE,
  REFEREE_STOPPED
};

// Unknown transactions may or may not have committed: kept if some choice keeps
// the level.  `order` (may be NULL) receives a commit order when kept; it has
// room for REFEREE_MAX_TXNS transaction ids, and `*norder` of them were
// written. Too large: more than REFEREE_MAX_TXNS transactions that may count,
// or the search was given up after a fixed number of steps. Transactions that
// saw a lost write, directly or through others, are left out.
enum referee_answer referee_decide(const struct history *history,
                                   const struct referee_options *options,
                                   uint32_t *order, uint32_t *norder);

// Is this a commit order that keeps the level?  It must hold every committed
// transaction that is not left out, any of the unknown ones, and no other, at
// most REFEREE_MAX_TXNS in all.
bool referee_order_keeps(const struct history *history,
                         const struct referee_options *options,
                         const uint32_t *order, uint32_t norder);

#endif

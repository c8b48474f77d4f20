// SPDX-License-Identifier: GPL-3.0-or-later
// Durability: is what the database acknowledged still there at the end?  It has
// a verdict of its own, beside that of the isolation level, because keys that
// nobody touches again hide a lost write from every level.
//
// A write is acknowledged if its transaction committed and was the last one of
// its transaction to that key.  Final reads are those of committed transactions
// which began after every transaction that committed a write had ended.  A
// write is lost if there are final reads of its key, and each of them shows a
// state of the key that ended before the write began:
//   register  the initial value, or a value whose transaction had committed
//             before the write's transaction began;
//   list      the list lacks the element;
//   row       the row that the write left is not there, though a final SELECT
//             had to return it, or is there as it was before; and, if it is not
//             there, no other transaction may have written the row later.
// In any order of transactions that agrees with their times, a write that is
// lost by this rule, or one that replaced it, has had its effect taken back.
// Where a level lets one update overwrite another (below SI), an element that
// is missing may be one that was overwritten: it counts as such if another
// transaction appended to the list at that time.
//
// A write of unknown outcome is never lost.
#ifndef DURABILITY_DURABILITY_H
#define DURABILITY_DURABILITY_H

#include "checker/verdict/verdict.h"
#include "recorder/history.h"

enum { LOST_SHOWN = 10 };

// Counts of writes.
struct durability {
  enum verdict_kind kind; // VERDICT_UNDECIDED: no acknowledged write has a
                          // final read, or the history has no times
  uint64_t acknowledged;  // of these...
  uint64_t surviving;     // ...final reads show the write itself
  uint64_t overwritten;   // ...something that may have replaced it
  uint64_t lost;
  uint64_t unread;       // ...no final read looked for it
  uint64_t unknown;      // writes of unknown outcome...
  uint64_t took_effect;  // ...that final reads show
  uint64_t final_reads;  // transactions
  uint32_t transactions; // with a lost write
  uint64_t first, last;  // ns since the start of the run: when the first and
                         // the last of these transactions ended
  uint32_t shown[LOST_SHOWN]; // operations: the first lost writes, by the end
  uint32_t nshown;            // of their transactions
};

// Looks through the history, which is changed by nobody meanwhile.
void durability_of(const struct history *history, struct durability *answer);

#endif

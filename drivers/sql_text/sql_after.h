// SPDX-License-Identifier: GPL-3.0-or-later
// instrument=after: what a statement did, by SELECTs of ours in its transaction
// where the statement itself gives back nothing.  Some databases take another
// path for RETURNING than for the statement alone, and only err on one of them.
//
// Claim.  If sql_after_execute returns OUTCOME_OK, the list has exactly the
// rows that the statement inserted, changed or deleted, each with the version
// that the statement found.  This assumes no more than that the transaction
// sees its own writes, and of a DELETE the level or the lock that is named
// below.
//
// UPDATE, INSERT and soft DELETE put a stamp on each row that they write, which
// no other statement ever uses, and keep the stamp that they found in the
// column prev.  Nobody else writes a row that this transaction has written,
// before it ends, so the rows with this stamp are those that the statement
// wrote, and prev is what it found, at any level.  Was one of them overwritten
// after all, the statement's count says one more than there are.
//
// DELETE leaves no row to ask.  Let S be the rows that fit its condition in a
// SELECT just before it, and n the statement's own count.  The answer is S if
// n = |S| and a second SELECT after it finds none of S.
// (1) Each row of S was there before the DELETE and is not there after it.
//     Where the level has snapshots (SI and above) both SELECTs read the same
//     one, so that only the transaction itself can have made the difference;
//     below SI the first SELECT locks its rows, so that nobody else deletes
//     them.  So all of S was deleted by the DELETE.
// (2) As n = |S|, it deleted nothing else.
// (3) The version that it found is the snapshot's or, of a row that is locked,
//     the newest one, which is what the SELECT returned.
// Where a snapshot is claimed and the DELETE finds a newer version than the
// SELECT, the database has broken SI: somebody has overwritten what the
// snapshot has, and both have committed.  The history shows that as LostUpdate.
//
// A level below SI of a database without locking SELECTs has no such proof:
// its DELETEs are refused, or soft.  Where a count does not agree the
// transaction is given up as aborted, so that nothing rests on it.
#ifndef DRIVERS_SQL_TEXT_SQL_AFTER_H
#define DRIVERS_SQL_TEXT_SQL_AFTER_H

#include "drivers/sql_text/sql_rows.h"

struct sql_after {
  // Asks the database for a part of the statement.  Of SQL_ROWS_CHANGE says how
  // many rows changed, and whether the key was taken (rows->refused); lists
  // what the others return.
  enum outcome (*ask)(struct connection *connection, enum sql_rows_part part,
                      const struct statement *statement, uint64_t stamp,
                      struct row_list *rows, uint64_t *count);
  const struct sql_rows_dialect *dialect;
  enum isolation claimed; // by the level of the open transaction
};

// As `execute` of struct driver.  A transaction that was given up is
// OUTCOME_ABORTED, with the code "count".
enum outcome sql_after_execute(const struct sql_after *after,
                               struct connection *connection,
                               const struct statement *statement,
                               uint64_t stamp, struct row_list *rows);

#endif

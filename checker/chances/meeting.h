// SPDX-License-Identifier: GPL-3.0-or-later
// Which transactions overlapped in time, and what each did with the keys and
// rows of the other.
#ifndef CHECKER_CHANCES_MEETING_H
#define CHECKER_CHANCES_MEETING_H

#include "checker/chances/search.h"
#include "recorder/history.h"

// A set of keys of the transaction asked about, a bit for each of them.  Of a
// transaction of many operations, only keys have one that a transaction which
// it meets uses, too, and at most as many as there are bits.
typedef uint64_t keys_of_txn;
enum { MEETING_KEYS = 64 };

// The uses that a transaction makes of these keys.  A register that it has
// written itself shows nothing of others, so that reads after that are none.
struct uses {
  keys_of_txn reads, rereads; // ...more than once
  keys_of_txn lists;          // read as lists
  keys_of_txn writes, rewrites;
  keys_of_txn leaves; // written, and the database did not refuse that
};

// Two transactions that met.
struct meeting {
  uint32_t txn, other, session; // the session is the other one's
  struct uses own, theirs;
  struct chance_search finds; // rows of the other one that `txn` looks for
  struct chance_search found; // and rows of `txn` that the other one looks for
};

// All meetings of a transaction in which one of the two wrote a key of the
// other, or a row that the other one looks for; `room` for any number.
struct meetings {
  uint32_t count, room;
  struct meeting *items;
};

struct calendar {
  const struct history *history;
  struct key_mark *marks; // per key
  uint32_t *cursor;  // per session: no transaction before it meets those asked
                     // about from here on
  uint64_t steps;    // that were taken so far, as a measure of the time
  uint64_t overlaps; // with those asked about, whatever their keys
  uint32_t nbits;    // of keys, for the transaction asked about
  bool left_out;     // was there ever a key too many?
  struct searcher *searcher; // NULL: there are no rows
  struct written_rows own, theirs;
};

// The searcher, if there is one, is the caller's, and has steps of its own.
void calendar_open(struct calendar *calendar, const struct history *history,
                   struct searcher *searcher);
void calendar_close(struct calendar *calendar);

// Start over: the transactions of a session are asked about in their order.
void calendar_rewind(struct calendar *calendar);
// Fills in the meetings of a transaction of the session; free `items` at last.
void calendar_find(struct calendar *calendar, uint32_t session, uint32_t txn,
                   struct meetings *meetings);

#endif

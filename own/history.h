// SPDX-License-Identifier: GPL-3.0-or-later
// Makes a history of what the sessions of the user's own SQL saw, and holds it
// against the tables that the run left.
//
// A statement is judged by rows: those that came back, and those that it
// changed.  Nothing is said of rows that did not come back, so an order that
// satisfies what happened satisfies the history, too: a violation of the
// history is one of the database.  Where the condition of a statement is known
// of every version (own/conditions.h), the statement is judged in full: the
// rows that did not come back did not fit.
//
// A statement of the history names its rows by their numbers, at most 16 of
// them and all of one table.  A statement of the user's may therefore be
// several there, one behind the other, which asks that none of them reads from
// before what an earlier one has seen.  A database that keeps READ COMMITTED
// does so even within one statement.  What a statement reads from its snapshot
// is of one moment.  A row that it locks is as it was committed last, and stays
// so: whoever wrote both of two such rows had committed before either was
// locked.  Only a lock that lets others write, or one on some of the tables
// alone, would make a difference; such statements are not judged
// (sql/outline.c).
#ifndef OWN_HISTORY_H
#define OWN_HISTORY_H

#include "own/run.h"
#include "recorder/history.h"
#include "recorder/row_words.h"

struct raw_told {   // what remains of a run for telling; owned
  uint32_t *places; // of each statement of the history, or RAW_NO_PLACE
  uint32_t nplaces;
  uint64_t *executed;          // each place, in transactions that count
  uint64_t *whole;             // likewise, with which rows fit being known
  struct instrument_way *ways; // likewise; `why` may be NULL
  bool *asked;                 // likewise: the database was, to execute it
  struct row_words words;      // for the rows of the history
};

// The target has no open connection.  NULL: nobody ranks what conditions
// compare, and all is judged by rows; of a run that was killed.  -1 with a
// sentence: what happened cannot be judged.
int raw_history_make(struct raw_run *run, struct target *target,
                     struct history *history, struct raw_told *told,
                     struct error *error);
void raw_told_free(struct raw_told *told);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Places in a commit order at which statements at RC, and transactions at RA,
// find what they returned (checker/verify/rows/execute_rows.h says what a place
// is).
#ifndef CHECKER_ROWS_PLACES_H
#define CHECKER_ROWS_PLACES_H

#include "base/ids.h"
#include "checker/model/model.h"
#include "checker/rows/engine.h"

// A version that a statement is taken to have found of a row that it did not
// return is a choice; other rows are then looked at one by one, at place 0.
struct place_question {
  const struct history *h; // with rows
  const struct model *m;   // of its registers
  const struct check_options *options;
  const uint32_t *order; // of the transactions that count
  uint32_t norder;
  // Statements that have a place, ascending; of a transaction at RA the first
  // one.  If one of a transaction at RC has, all have.
  const uint32_t *fixed, *fixed_place;
  uint32_t nfixed;
  // Transactions that stand at place 0, or NULL; and what their statements are
  // taken to have found, in the order of statements and keys.
  const uint8_t *is_explicit;
  const struct found_unseen *choices;
  uint32_t nchoices;
};

// A row that has the statement at no place, or not at the one that is fixed.
struct blocked_row {
  struct unseen row;
  uint32_t txn;  // of the statement
  bool returned; // the statement returned it
};

struct places {
  uint32_t *place;    // per statement at RC
  uint32_t *snapshot; // per transaction at RA
  // Versions behind their places that statements at RC are taken to have found,
  // those of one statement together.
  struct found_unseen *found;
  uint32_t nfound, found_room;
  // Transactions at RC and RA that are right at no place, and rows that show it
  // for each of them; a transaction that is explicit may have none.
  struct ids stuck;
  struct blocked_row *blocked;
  uint32_t nblocked, room;
};

void places_find(const struct place_question *question, struct places *places);
void places_free(struct places *places);

#endif

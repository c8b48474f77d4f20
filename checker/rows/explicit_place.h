// SPDX-License-Identifier: GPL-3.0-or-later
// Statements at RC and RA at place 0 of a commit order: of each row they found
// the last version that is visible to them by the axioms, or one that they are
// taken to have found.
#ifndef CHECKER_ROWS_EXPLICIT_PLACE_H
#define CHECKER_ROWS_EXPLICIT_PLACE_H

#include "checker/rows/current_rows.h"
#include "checker/rows/places.h"
#include "checker/rows/sight.h"

struct explicit_place {
  const struct place_question *q;
  const struct current_rows *current; // as before all transactions
  struct row_sight sight;
  uint32_t *came_in; // per key: scratch, NO_ID
};

void explicit_place_open(struct explicit_place *e,
                         const struct place_question *question,
                         const struct current_rows *current,
                         const uint32_t *rank); // per transaction, from 1
void explicit_place_close(struct explicit_place *e);

// Are the statements of the transaction before `end` right there?  If not, adds
// the rows that are not, as far as nothing is taken to have been found of them.
bool explicit_place_fits(struct explicit_place *e, uint32_t txn, uint32_t end,
                         struct places *places);

#endif

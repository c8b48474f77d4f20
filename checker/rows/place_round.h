// SPDX-License-Identifier: GPL-3.0-or-later
// The inside of engine.c: what is below PC, held against one order of the
// events that the search found.
#ifndef CHECKER_ROWS_PLACE_ROUND_H
#define CHECKER_ROWS_PLACE_ROUND_H

#include "checker/rows/open_rows.h"
#include "checker/solver/version_order.h"

enum round_answer {
  ROUND_RIGHT, // all stand at places
  ROUND_MORE,  // there are more open reads, or other events
  ROUND_STUCK  // nothing more is known of some
};

// `result` is CHOICES_ORDERED.  If all are right, their places and what was
// found go to the decision; else how many are not.
enum round_answer place_round(struct engine_of_rows *e,
                              const struct check_options *options,
                              const struct choice_result *result,
                              struct rows_decision *decision);

// The refutation rests on the open reads.  If transactions are among these that
// stand at places, which they need not, they are to stand at none.  False:
// there are none, so that it is a proof.
bool place_round_demote(struct engine_of_rows *e, const uint32_t *reads,
                        uint32_t nreads);

#endif

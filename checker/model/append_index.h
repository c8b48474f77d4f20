// SPDX-License-Identifier: GPL-3.0-or-later
// Where appends stand in the lists of their keys, and how far back through a
// list one has to look for an append whose transaction wrote what a reader of
// another list missed.
//
// Transactions have places in the order of time (of the model's guess).  Of a
// list the latest place up to an element says that nothing before it was done
// later, the earliest place of what comes after an element that nothing that
// was missed was done earlier.  So no more is looked at than what was going on
// meanwhile, whatever the clocks are worth: the places only bound the search.
#ifndef CHECKER_MODEL_APPEND_INDEX_H
#define CHECKER_MODEL_APPEND_INDEX_H

#include "checker/model/model.h"

struct append_index {
  // Per operation; of appends that are shown by some list of the key.
  uint32_t *number; // from 1 on; 0: no list shows it
  uint32_t *latest; // place, of those up to this one
  // Per version: the earliest place of all writers of its key that come after
  // it; of a register's versions 0.
  uint32_t *missed;
};

// The model's guess is made.  Without lists nothing is made of it.
void append_index_open(struct append_index *append_index,
                       const struct model *m);
void append_index_close(struct append_index *append_index);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Shorter conditions for the statements of a part.
#ifndef CHECKER_ROWS_CONJUNCTS_H
#define CHECKER_ROWS_CONJUNCTS_H

#include "recorder/history.h"

// Leaves out what AND combines as long as each statement still chooses the same
// of all rows of the part, in all versions that the part has of them.  So the
// part asks the question that it asked before.
void leave_out_conjuncts(struct history *part);

#endif

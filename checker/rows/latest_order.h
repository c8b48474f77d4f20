// SPDX-License-Identifier: GPL-3.0-or-later
// The order of commits, as far as statements that read the latest rows tell it.
#ifndef CHECKER_ROWS_LATEST_ORDER_H
#define CHECKER_ROWS_LATEST_ORDER_H

#include "checker/model/model.h"
#include "checker/solver/events.h"

// Adds, for each row that a statement found which is no plain SELECT
// (statement_may_read_latest), that the writer of the row commits before the
// transaction of the statement.  `history` has the rows, `model` is of its
// registers and says which transactions count.
void latest_order_add(const struct history *history, const struct model *model,
                      struct demands *demands);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Whether the database calculates what a statement writes from the row as it
// finds it: SET n = n - 1.  Nobody's change is lost by such a statement, even
// if its transaction had read the row before that change.
#ifndef SQL_CALCULATES_H
#define SQL_CALCULATES_H

#include "sql/tokens.h"

// The statement is an UPDATE, or an INSERT with one for the row that is there.
// At least one column becomes what is calculated from itself, and all others
// what has no number, text or variable: SET n = n - 1, changed = now().
bool sql_calculates(const struct sql_tokens *tokens);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// A history with rows as who knows only registers sees it.
#ifndef CHECKER_PART_ROW_REGISTERS_H
#define CHECKER_PART_ROW_REGISTERS_H

#include "recorder/history.h"

// The rows as registers; with `plain` without the reads of statements that read
// what was committed last.  A key that was used again has no known first
// version: an insert of it then is a write that read nothing.  Free with
// rows_as_registers_free.
struct history rows_registers(const struct history *history, bool plain);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// How much a history that keeps a level could have shown.  Knows the history
// and base/ only.
#ifndef CHECKER_CHANCES_H
#define CHECKER_CHANCES_H

#include "recorder/history.h"

// Why a history that breaks no level says nothing of the database: nothing
// that counts as committed wrote anything.  NULL: something did.  A constant
// string.
const char *chances_missing(const struct history *history);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Names what a part of a history with rows shows.
#ifndef CHECKER_ROWS_NAME_ROWS_H
#define CHECKER_ROWS_NAME_ROWS_H

#include "checker/verdict/verdict.h"

// The part breaks this level, and none that is weaker.  ANOMALY_PHANTOM where
// no other name fits.
enum anomaly rows_anomaly(const struct history *part, enum isolation broken);

// Had the transaction read the row as the operation found it, so that it knew
// what it changed?
bool rows_read_anew(const struct history *history, uint32_t op);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Random histories of some hundred mini-transactions, nearly right: an
// execution one by one decides what is read, now and then a read sees an older
// version, and some transactions are aborted or of unknown outcome.
#ifndef TESTS_KIT_LONG_HISTORY_H
#define TESTS_KIT_LONG_HISTORY_H

#include "recorder/history.h"

#include <gsl/gsl_rng.h>

// Free with history_free.
void long_history(gsl_rng *random, struct history *history);

#endif

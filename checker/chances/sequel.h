// SPDX-License-Identifier: GPL-3.0-or-later
// Chances that a single transaction is by what came before or after it.  All of
// them are counted, without a sample.
#ifndef CHECKER_CHANCES_SEQUEL_H
#define CHECKER_CHANCES_SEQUEL_H

#include "recorder/history.h"

// Transactions that read a key which an earlier one of their session wrote.
// `counted`, here and below, per transaction: did it commit, as far as anybody
// knows?
uint64_t sequels_of_session(const struct history *history,
                            const uint8_t *counted);

// ...which one wrote that had ended before they began.  The history has times.
uint64_t sequels_of_time(const struct history *history, const uint8_t *counted);

// Committed transactions that append to a list to which a later one of their
// session, or with `time` one that began after they had ended, appends what a
// third one reads.
uint64_t sequels_of_appends(const struct history *history,
                            const uint8_t *counted, bool time);

#endif

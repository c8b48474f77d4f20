// SPDX-License-Identifier: GPL-3.0-or-later
// Names that two runs use at once would make each be told of a violation: a
// run's setup claims them by something that the database forgets when a
// connection closes.
#ifndef DRIVERS_CLAIM_H
#define DRIVERS_CLAIM_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

// How long to wait for others: a server may take its time to notice that the
// connections of an earlier run are closed.
enum { CLAIM_PATIENCE = 10 }; // s

// A claim that others keep this run from making; `since` is 0 at first.
struct claim_wait {
  const char *server, *names; // as for claim_refuse
  uint64_t since;
  bool told; // a person knows
};

// For a claim that was refused: waits a little, and says whether to try again.
// After a second it tells the person who waits.
bool claim_again(struct claim_wait *wait);

// -1 with a sentence: these names (`the table x`, `keys x*`) are taken, and
// this option gives others.  `pooled`: the claim is held through a pooler.
int claim_refuse(const char *server, const char *names, const char *option,
                 bool pooled, struct error *error);

#endif

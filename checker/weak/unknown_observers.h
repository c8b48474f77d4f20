// SPDX-License-Identifier: GPL-3.0-or-later
// Who has observed a transaction of unknown outcome that others follow in its
// session, for causal consistency (checker/weak/causal.c).  Such a transaction
// leads nobody in its session, so no clock counts it.  But whoever has observed
// it has read from it, directly or through others like it, or has observed the
// first member of some session that did.
#ifndef CHECKER_WEAK_UNKNOWN_OBSERVERS_H
#define CHECKER_WEAK_UNKNOWN_OBSERVERS_H

#include "base/buckets.h"
#include "base/ids.h"
#include "checker/weak/saturation.h"

struct observed_read {
  uint32_t reader, writer;
};

// "Unknown" transactions are such ones alone, "members" all others that count.
struct unknowns {
  struct saturation *s;
  const uint32_t *session_of; // per transaction; NO_ID: it is unknown
  const uint32_t *clocks;     // per transaction and column (causal.c)

  // Per transaction, how many unknown ones come before it in the order, which
  // is also the row of an unknown one; per row and column 1 + the place in its
  // session of the first member that read from it, directly or through others.
  uint32_t *row, nrows, *first_member;

  // Reads of what unknown transactions wrote, in the order of their readers.
  struct observed_read *reads;
  uint32_t nreads, reads_room;

  // Final writes of unknown transactions by key, each key's in the order; and
  // in the same places, the last session whose members know that the write
  // comes before what they read.
  struct buckets writes;
  uint32_t *known_by;
  struct known_first {
    uint32_t session, end; // that session knows of all writes before `end`
  } * known_first;         // per key

  // The unknown transactions that the unknown reader at hand read from.
  uint32_t *met, now; // per transaction: the last reader it was met for
  struct ids queue, seen;
};

// False if there are none: then nothing else is to be called.  What is given is
// kept; `order` is that of saturate.
bool unknowns_open(struct unknowns *u, struct saturation *s,
                   const uint32_t *session_of, const uint32_t *clocks,
                   const uint32_t *order, uint32_t norder);
void unknowns_close(struct unknowns *u);

// The clocks have been set for other sessions, from this one on.
void unknowns_begin(struct unknowns *u, uint32_t first_session);

// Adds the demands that follow from the unknown transactions that t has
// observed.  The readers of a session come in their order there.
void unknowns_demand(struct unknowns *u, uint32_t t, uint32_t session);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// The order that is guessed: the transactions that count, by the flow's
// moments.  One of unknown outcome is held back until somebody reads what it
// wrote, and then comes right before that reader; or, if the reader came first,
// where the flow has it.  One that nobody reads from does not count.
#ifndef CHECKER_STREAM_PLACING_H
#define CHECKER_STREAM_PLACING_H

#include "checker/verdict/verdict.h"
#include "recorder/native/flow.h"

struct placing;

// A value that was read before the transaction that wrote it came.
struct early_read {
  uint64_t value, key;
  uint64_t reader;     // the first one's position
  uint64_t overwriter; // position of the first one that read it and wrote the
                       // key, too; or NO_POSITION
  uint64_t left;       // by the overwriter, in the key
};
#define NO_POSITION UINT64_MAX

struct placed {
  struct flow_txn txn;
  uint64_t position; // from 1 on
  uint32_t nearly;   // what it wrote was read before...
  const struct early_read *early;
};

// The transactions so far, whatever became of them.
struct placing_facts {
  uint64_t committed, aborted, unknown, unknown_seen, operations;
  bool lists;        // some operation is on a list
  bool mixed_levels; // not all were run at one level: that of the first one
  uint8_t level;
  bool times_go_back; // one ended before another of its session that came first
  bool has_write;     // one that committed wrote something
};

// The flow must outlive it, and nobody else may take from it.
struct placing *placing_open(struct flow *flow);
void placing_close(struct placing *placing);

// The next one: 1; 0 at the end, -1 with a sentence.  What it points to is
// there until the next one is taken.
int placing_next(struct placing *placing, struct placed *placed,
                 struct error *error);

const struct placing_facts *placing_facts(const struct placing *placing);

// At the end: the values that were read and never came, one after the other
// from *at = 0 on; NULL: no more.
const struct early_read *placing_missing(const struct placing *placing,
                                         uint32_t *at);

#endif

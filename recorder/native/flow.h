// SPDX-License-Identifier: GPL-3.0-or-later
// A file in our own format as a flow of transactions, in the order in which
// they ended, with one chunk of each session in memory: for who goes through a
// history that is too large to be loaded.
#ifndef RECORDER_NATIVE_FLOW_H
#define RECORDER_NATIVE_FLOW_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct flow;

// A transaction; what it points to is there until the next one is taken.
struct flow_txn {
  uint32_t session;
  uint64_t number; // in its session, from 0
  uint8_t outcome, level;
  uint64_t begin, end;  // as recorded, or TIME_UNKNOWN
  uint64_t moment;      // its place in the flow, see flow_next
  uint64_t first_write; // number in the session of the first thing it wrote
  uint32_t nops;
  const uint8_t *kind; // enum op_kind
  const uint64_t *key; // outside
  const uint64_t *saw; // the value that a read of a register saw
};

struct flow_facts {
  uint32_t nsessions;
  uint64_t ntxns, nops, nlists; // of all transactions, whatever their outcome
  const char *about;            // what the run noted of itself, or NULL
};

// NULL with a sentence: the file cannot be read, is of version 2 or is not
// whole.  `stop`: as in struct read_options.
struct flow *flow_open(const char *path, const volatile bool *stop,
                       struct error *error);
void flow_close(struct flow *flow);
const struct flow_facts *flow_facts(const struct flow *flow);

// The next transaction: 1; 0 at the end, -1 with a sentence.  Those of a
// session come in their order.  Of two sessions the lower `moment` comes first:
// when the transaction had certainly ended or, where that is not known, begun,
// and never before that of the one before in its session.  One that was aborted
// comes right behind the one before.
int flow_next(struct flow *flow, struct flow_txn *txn, struct error *error);
// From the beginning again.
void flow_rewind(struct flow *flow);

// The transaction that wrote a value, whose session and number the value says:
// 1; 0 if there is none, -1 with a sentence.  What it points to is there until
// the next one is fetched.
int flow_fetch(struct flow *flow, uint64_t value, struct flow_txn *txn,
               struct error *error);

// The values that have gone by: has the transaction that wrote this one?
bool flow_has_passed(const struct flow *flow, uint64_t value);

#endif

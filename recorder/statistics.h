// SPDX-License-Identifier: GPL-3.0-or-later
// A history in figures.
#ifndef RECORDER_STATISTICS_H
#define RECORDER_STATISTICS_H

#include "recorder/history.h"

// The shape of a transaction.
enum txn_shape {
  SHAPE_EMPTY,
  SHAPE_READ_ONLY,
  SHAPE_WRITE_ONLY,
  SHAPE_READ_MODIFY_WRITE, // reads every key before it writes it
  SHAPE_MIXED,
  SHAPE_COUNT
};

struct history_statistics {
  uint32_t sessions, transactions, operations;
  uint32_t min_per_session, max_per_session; // transactions
  uint32_t by_outcome[OUTCOME_COUNT];
  uint32_t by_cause[CAUSE_COUNT]; // of those that did not commit
  uint32_t by_level[ISOLATION_COUNT];
  uint32_t by_kind[OP_KIND_COUNT];
  uint32_t sets, set_reads, set_adds; // not in by_kind
  uint64_t set_elements;              // that the reads found, in all
  uint32_t statements, by_statement[STATEMENT_COUNT];
  uint32_t tables, rows; // of SQL: keys that are rows
  double mean_ops;       // per transaction
  uint32_t max_ops;
  uint32_t by_shape[SHAPE_COUNT];

  // Reading operations that saw an initial value or an empty list; that saw
  // something which nobody wrote, or whose writer is lost.
  uint32_t initial_reads, thin_air_reads, lost_reads;
  uint32_t
      blind_writes; // OP_WRITE of a key not read earlier in its transaction
  // Pairs of chains of versions of which the history does not say which came
  // first, if every read was right: a write of a register that was not read
  // starts a chain.  And the keys that have such pairs.
  uint64_t open_choices;
  uint32_t open_keys;
  uint64_t elements; // of all lists that were read
  uint32_t longest_list;

  uint32_t keys;        // with operations on them; a set is one
  uint32_t hottest_key; // UINT32_MAX if there is none
  double hottest_share; // of all operations
  uint32_t top_keys;    // the most used hundredth of the keys, at least one
  double top_share;     // of all operations

  bool times;         // else the next two are zero
  uint64_t duration;  // ns from the first begin to the last end
  double concurrency; // transactions open at once, on average

  bool complete;
  uint64_t lost_txns;
};

void history_statistics(const struct history *history,
                        struct history_statistics *statistics);

#endif

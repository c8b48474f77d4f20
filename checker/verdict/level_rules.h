// SPDX-License-Identifier: GPL-3.0-or-later
// The rules of each isolation level, one row a level: the engine asks a row,
// never which level it is.  The verifiers and the referee (checker/verify/) do
// not read this table.  They state each level on their own, so that a wrong row
// cannot prove its own verdicts.
#ifndef CHECKER_VERDICT_LEVEL_RULES_H
#define CHECKER_VERDICT_LEVEL_RULES_H

#include "base/isolation.h"
#include "checker/verdict/verdict.h"

// Whose writes are visible to a read: it must return the latest version that
// one of these wrote.
enum visibility {
  VISIBLE_NOTHING,  // reads are not looked at
  VISIBLE_DIRECTLY, // the writers that earlier reads of the transaction saw
  VISIBLE_OBSERVED, // the writers that any of its reads saw, and its session
  VISIBLE_CAUSALLY, // these, and those visible to them, over any number
  VISIBLE_PREFIX,   // all that committed before its snapshot
  VISIBLE_ALL       // all that committed before its commit
};

struct level_rules {
  enum visibility visible;
  bool saturates;     // demands are derived; a commit order is not searched
  bool splits;        // reads have a snapshot, an event apart from the commit
  bool conflicts;     // of two writers of a key one must see the other
  bool real_time;     // what had ended before it began counts as earlier in
                      // its session, without the option --real-time
  enum anomaly usual; // the anomaly that no weaker level forbids
};

// The levels that can be checked.
static const enum isolation weakest_level = ISOLATION_RC,
                            strongest_level = ISOLATION_SSER;

// The rows in use, by level.  Only a test that looks for a verifier's refusal
// sets other rows.
extern const struct level_rules *level_rules_in_use;

static inline const struct level_rules *level_rules(enum isolation level) {
  return &level_rules_in_use[level];
}

static inline bool level_binds_reads(enum isolation level) {
  return level_rules(level)->visible != VISIBLE_NOTHING;
}

static inline bool level_saturates(enum isolation level) {
  return level_rules(level)->saturates;
}

// Is a writer visible only to a transaction that reads from it or follows it
// in its session, without others between?
static inline bool level_observes_directly(enum isolation level) {
  return level_rules(level)->visible <= VISIBLE_OBSERVED;
}

static inline bool level_is_causal(enum isolation level) {
  return level_rules(level)->visible == VISIBLE_CAUSALLY;
}

// Must a read see what came before its transaction in the session?
static inline bool level_counts_session(enum isolation level) {
  return level_rules(level)->visible >= VISIBLE_OBSERVED;
}

// Must a read see what led to the writes that its transaction saw?
static inline bool level_counts_causes(enum isolation level) {
  return level_rules(level)->visible >= VISIBLE_CAUSALLY;
}

// Does a transaction read from one point of the commit order?
static inline bool level_has_prefix(enum isolation level) {
  return level_rules(level)->visible >= VISIBLE_PREFIX;
}

// Are reads and writes of a transaction one event?
static inline bool level_sees_all(enum isolation level) {
  return level_rules(level)->visible == VISIBLE_ALL;
}

static inline bool level_splits(enum isolation level) {
  return level_rules(level)->splits;
}

static inline bool level_conflicts(enum isolation level) {
  return level_rules(level)->conflicts;
}

// Must a version that a transaction overwrites be in its snapshot?
static inline bool level_conflicts_apart(enum isolation level) {
  return level_conflicts(level) && level_splits(level);
}

static inline bool level_keeps_time(enum isolation level) {
  return level_rules(level)->real_time;
}

#endif

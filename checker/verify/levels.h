// SPDX-License-Identifier: GPL-3.0-or-later
// The verifiers' own statement of the isolation levels.  It shares nothing with
// the engine's rows (checker/verdict/level_rules.h), so that a wrong row there
// cannot pass here.  The referee (checker/verify/referee.c) has a third one.
#ifndef CHECKER_VERIFY_LEVELS_H
#define CHECKER_VERIFY_LEVELS_H

#include "checker/verdict/verdict.h"

#include <assert.h>

// The level that binds the reads of a transaction.
static inline enum isolation binding_level(const struct history *history,
                                           const struct check_options *options,
                                           uint32_t t) {
  assert(t < history->ntxns);
  return options->question.recorded ? (enum isolation)history->level[t]
                                    : options->question.level;
}

// Has the level no axiom for reads?
static inline bool proves_nothing(enum isolation level) {
  return level == ISOLATION_NONE;
}

// RC: a read must see the writers that earlier reads of its transaction saw.
static inline bool must_see_earlier_reads(enum isolation level) {
  return level == ISOLATION_RC;
}

// RA: those that any of its reads saw, and its session.
static inline bool must_see_reads_and_session(enum isolation level) {
  return level == ISOLATION_RA;
}

// CC: its whole causal past.
static inline bool must_see_causes(enum isolation level) {
  return level == ISOLATION_CC;
}

// PC and above: all that committed before one point of the commit order.
static inline bool must_see_prefix(enum isolation level) {
  return level >= ISOLATION_PC;
}

// PC and SI: may this point, the snapshot, be before the commit?
static inline bool may_read_before_commit(enum isolation level) {
  return level == ISOLATION_PC || level == ISOLATION_SI;
}

// SI and above: does nobody commit to a key between the snapshot and the commit
// of another transaction that writes the key?
static inline bool forbids_concurrent_writes(enum isolation level) {
  return level >= ISOLATION_SI;
}

// SER and above: does the snapshot coincide with the commit?
static inline bool must_read_at_commit(enum isolation level) {
  return level >= ISOLATION_SER;
}

// SSER: does the commit order keep real time?
static inline bool must_keep_real_time(enum isolation level) {
  return level == ISOLATION_SSER;
}

// A transaction read a row that it then changed over another one's change: from
// which level on is that forbidden?
static inline enum isolation weakest_forbidding_overtaking(void) {
  return ISOLATION_RA;
}

// The weakest level that forbids the anomaly.
static inline enum isolation weakest_forbidding(enum anomaly anomaly) {
  switch (anomaly) {
  case ANOMALY_NONE:
  case ANOMALY_COUNT:
    return ISOLATION_COUNT;
  case ANOMALY_NON_REPEATABLE_READS:
  case ANOMALY_SESSION_GUARANTEE_VIOLATION:
  case ANOMALY_FRACTURED_READ:
  case ANOMALY_FRACTURED_STATEMENT:
  case ANOMALY_PHANTOM_READ:
    return ISOLATION_RA;
  case ANOMALY_CAUSALITY_VIOLATION:
    return ISOLATION_CC;
  case ANOMALY_LONG_FORK:
  case ANOMALY_PHANTOM_LONG_FORK:
    return ISOLATION_PC;
  case ANOMALY_LOST_UPDATE:
  case ANOMALY_CYCLE_G_SINGLE:
  case ANOMALY_CYCLE_G_NONADJACENT:
    return ISOLATION_SI;
  case ANOMALY_WRITE_SKEW:
  case ANOMALY_CYCLE_G2_ITEM:
  case ANOMALY_PHANTOM_WRITE_SKEW:
    return ISOLATION_SER;
  case ANOMALY_STALE_READ:
    return ISOLATION_SSER;
  default:
    return ISOLATION_RC;
  }
}

#endif

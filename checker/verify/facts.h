// SPDX-License-Identifier: GPL-3.0-or-later
// Rules out writes that a read cannot have seen, where several wrote the value
// that it returned.  The rules hold whatever other reads saw.  They are about a
// transaction that took effect and a read of a register; the first three hold
// at every level:
//
//   A transaction that wrote the key before sees its last write.
//   It sees no write of its own that is still to come.
//   Of others it sees no aborted write, and none that they overwrote
//   themselves.
//   Where real time counts, from RA up: it sees no write of a transaction that
//   began after its own had ended, and none of one that had ended before
//   another began that committed, wrote the key, and had ended before the
//   reader began; nor the initial value after such a one.
//
// For the last one: the three are in this order in every order that keeps the
// level, and the axioms forbid the reader to look behind a write that it must
// see (dbcop, section 2).
#ifndef CHECKER_VERIFY_FACTS_H
#define CHECKER_VERIFY_FACTS_H

#include "checker/verdict/verdict.h"

struct write_facts { // about a read of a register
  const struct history *h;
  uint32_t place;
  bool bind;    // the rules, at its level
  uint32_t own; // the last write of its transaction to the key before it;
                // `place` if there is none
  // Where real time counts: of the writes of the key that had ended before its
  // transaction began.
  bool in_time, is_any;
  uint64_t latest_begin;
};

// Takes as long as the history has operations.
struct write_facts facts_about(const struct history *history,
                               const struct check_options *options,
                               uint32_t place);

// `writer`: of the value that was read, or SAW_INITIAL.
bool facts_rule_out(const struct write_facts *facts, uint32_t writer);

#endif

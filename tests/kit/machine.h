// SPDX-License-Identifier: GPL-3.0-or-later
// The levels as machines rather than as axioms: a store with snapshots is
// run through every order of begins and commits, to see if some run lets every
// read see what it saw.  Works on values and shares nothing with the referee;
// it guards the way in which the axioms were read.
#ifndef TESTS_KIT_MACHINE_H
#define TESTS_KIT_MACHINE_H

#include "tests/kit/tiny.h"

struct rules {
  enum isolation level;
  bool session_order; // a session begins its next transaction after the last
                      // one has committed
  bool real_time;     // what ended before one began has committed by then, or
                      // never will
};

// Does some run explain the history?  For
//   PC    a transaction reads the state at its begin; commits take effect in an
//         order;
//   SI    as PC, and it cannot commit if another transaction that wrote one of
//         its keys committed since its begin;
//   SER   it begins and commits at once;
//   SSER  as SER, in real time.
// Unknown transactions may be left out.
bool machine_explains(const struct tiny *tiny, struct rules rules);

// Decides RA and CC, which have no simple store, by visibility: does an
// order of commits, with a set of earlier ones that each transaction sees,
// explain the history?  Each read sees the last visible version of its key, of
// a list all that is visible, from the first append on.  What precedes it in
// its session, or in real time, is visible, and for CC also what is visible to
// the visible.
// Cerone, Bernardi and Gotsman, "A framework for transactional consistency
// models with atomic visibility".
bool visibility_explains(const struct tiny *tiny, struct rules rules);

// Does the run in which these transactions commit in this order explain the
// history?  Transaction order[i] sees the first snapshot[i] of them; for SER
// and SSER `snapshot` is not used.
bool machine_replays(const struct tiny *tiny, struct rules rules,
                     const uint32_t *order, const uint32_t *snapshot,
                     uint32_t norder);

#endif

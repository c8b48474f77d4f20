// SPDX-License-Identifier: GPL-3.0-or-later
// The isolation scorecard of a history: every level at once.
#ifndef CHECKER_AUTO_LEVEL_H
#define CHECKER_AUTO_LEVEL_H

#include "checker/verdict/verdict.h"

struct score {
  enum verdict_kind kind;
  // The level whose verdict decides this one: a level that is kept has all the
  // weaker ones kept, one that is broken all the stronger ones broken (dbcop,
  // lemma 2.4).
  enum isolation by;
};

struct scorecard {
  enum isolation strongest; // that is kept; ISOLATION_NONE: no level is
  struct score score[ISOLATION_COUNT];     // from weakest_level up
  struct verdict verdict[ISOLATION_COUNT]; // of the levels that decide some,
                                           // each proved as by check
};

// Asks about all levels, under the other options; the history is understood
// once.  Returns -1 with a sentence if a verdict failed its own proof.  Free
// with scorecard_free in both cases.
int scorecard_fill(struct scorecard *card, const struct history *history,
                   const struct check_options *options, struct error *error);
// For a scorecard that was left before it was full: the levels that had not
// been reached are undecided, as this verdict is.
void scorecard_give_up(struct scorecard *card, const struct verdict *undecided);
void scorecard_free(struct scorecard *card);

// The verdict that decides the level.
const struct verdict *scorecard_at(const struct scorecard *card,
                                   enum isolation level);

// The verdict on the claimed level; if nothing is claimed (ISOLATION_NONE), on
// read committed.  What it points to is the scorecard's.  A level that is kept
// since a stronger one is has the proof of the stronger one.
struct verdict scorecard_main(const struct scorecard *card,
                              enum isolation claimed);

// The verdict on the weakest level that is broken, if that is stronger than the
// claimed one; else NULL.
const struct verdict *scorecard_beyond(const struct scorecard *card,
                                       enum isolation claimed);

// The kind of scorecard_main.
enum verdict_kind scorecard_claim(const struct scorecard *card,
                                  enum isolation claimed);

#endif

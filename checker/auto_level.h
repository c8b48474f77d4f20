// SPDX-License-Identifier: GPL-3.0-or-later
// Checks a history for every level at once (--level=auto).
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

struct auto_level {
  enum isolation strongest; // that is kept; ISOLATION_NONE: no level is
  struct score score[ISOLATION_COUNT];     // from weakest_level up
  struct verdict verdict[ISOLATION_COUNT]; // of the levels that decide some,
                                           // each proved as by check
};

// Asks about all levels, under the other options; the history is understood
// once.  Returns -1 with a sentence if a verdict failed its own proof.  Free
// with auto_level_free in both cases.
int auto_level_fill(struct auto_level *card, const struct history *history,
                    const struct check_options *options, struct error *error);
// For a check that was given up: the levels that had not been reached are
// undecided, as this verdict is.
void auto_level_give_up(struct auto_level *card,
                        const struct verdict *undecided);
void auto_level_free(struct auto_level *card);

// The verdict that decides the level.
const struct verdict *auto_level_at(const struct auto_level *card,
                                    enum isolation level);

// The verdict on the claimed level; if nothing is claimed (ISOLATION_NONE), on
// read committed.  What it points to is owned by the auto_level.  A level that
// is kept since a stronger one is has the proof of the stronger one.
struct verdict auto_level_main(const struct auto_level *card,
                               enum isolation claimed);

// The verdict on the weakest level that is broken, if that is stronger than the
// claimed one; else NULL.
const struct verdict *auto_level_beyond(const struct auto_level *card,
                                        enum isolation claimed);

// The kind of auto_level_main.
enum verdict_kind auto_level_claim(const struct auto_level *card,
                                   enum isolation claimed);

#endif

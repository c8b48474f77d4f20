// SPDX-License-Identifier: GPL-3.0-or-later
// Asks checker and referee about the same tiny history and counts; where they
// disagree, shrinks the history and prints it with both answers.
#ifndef TESTS_KIT_COMPARE_H
#define TESTS_KIT_COMPARE_H

#include "checker/verdict/verdict.h"
#include "tests/kit/tiny.h"

// The question for both; if `recorded`, each transaction at its own level; if
// `middle`, of a history that starts in the middle (tests/kit/middle.h).
struct compared_question {
  enum isolation level;
  bool recorded, session_order, real_time, middle;
};

// The referee's answer alone.
bool referee_keeps(const struct tiny *tiny, struct compared_question question);

// Is the level kept without any one operation of the violation's part?
bool referee_finds_minimal(const struct history *h,
                           struct compared_question question,
                           const struct verdict *verdict);

// Counts by level; those of mixed levels at ISOLATION_NONE.
struct agreement {
  uint64_t histories;
  uint64_t kept[ISOLATION_COUNT], broken[ISOLATION_COUNT];
  uint64_t disagreements[ISOLATION_COUNT];
};

// About one question, or at one level, or at all.  They agree when
//   PASS comes with a commit order, and for SI with snapshots, that by the
//   axioms and by a run of the machine are ones that keep the level;
//   VIOLATION comes where the referee finds the level broken;
//   UNDECIDED comes only where the order of some writes is open, or where the
//   checker does not decide the level.
void compare_question(struct agreement *agreement, const struct tiny *tiny,
                      struct compared_question question);
void compare_at(struct agreement *agreement, const struct tiny *tiny,
                enum isolation level);
void compare(struct agreement *agreement, const struct tiny *tiny);

// At how many levels of how many histories they disagreed.
uint64_t agreement_failures(const struct agreement *agreement);

// Prints the counts as a diagnostic line for each level.
void agreement_print(const struct agreement *agreement);

#endif

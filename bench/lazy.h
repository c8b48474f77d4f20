// SPDX-License-Identifier: GPL-3.0-or-later
// choices_solve's problem given to a general SAT solver, CaDiCaL, to compare.
#ifndef BENCH_LAZY_H
#define BENCH_LAZY_H

#include "checker/solver/version_order.h"

struct lazy_result {
  enum choice_answer answer; // CHOICES_STOPPED: the time was over
  uint32_t rounds, pairs, clauses;
};

// `seconds` of processor time are allowed.
struct lazy_result lazy_solve(const struct choice_problem *problem,
                              double seconds);

#endif

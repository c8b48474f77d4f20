// SPDX-License-Identifier: GPL-3.0-or-later
// Follows one recipe: starts what it needs, runs until the anomaly appears or
// the budget ends, and stops what it started.
#ifndef CLI_REPRO_REPRODUCE_H
#define CLI_REPRO_REPRODUCE_H

#include "cli/repro/recipe.h"

#include "checker/verdict/verdict.h"
#include "cli/process/progress.h"
#include "report/badge.h"

struct reproduction {
  bool as_expected;
  bool interrupted;     // before anything was found
  bool found;           // a violation, or what a script marks as the anomaly
  enum anomaly anomaly; // ANOMALY_NONE: of a script that uses SQL
  enum badge promise;   // of the level, about what was found or is expected
  const char *says;     // the manual of the level; NULL: not known
  uint64_t committed;   // transactions until the first one had ended, of all
                        // rounds; all if there was none
  double seconds;       // likewise, of the runs alone
  double per_thousand; // violations among a thousand committed ones of the last
                       // round; negative: not counted
  char server[256];    // what the database says of itself
  char directory[256]; // of the last run; or empty
};

struct reproduce_options {
  const char *target; // NULL: the recipe's own, or a server that is started
  const char *server; // kind to start in place of the recipe's own, or NULL
  uint64_t budget;    // ns of runs
  const char *out;    // where runs are kept
  uint64_t seed;
  bool show;                 // print the counterexample
  struct progress *progress; // NULL: none is shown
  double share, each;        // of the work that is over; this recipe's
  uint64_t begin;            // of all
};

// About the anomaly that the recipe expects of its configuration; one of the
// first four.
enum badge recipe_promise(const struct recipe *recipe);

// 0 if the recipe could be followed, whatever came of it; -1 with a sentence.
int reproduce(const struct recipe *recipe,
              const struct reproduce_options *options,
              struct reproduction *reproduction, struct error *error);

#endif

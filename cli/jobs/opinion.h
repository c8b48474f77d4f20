// SPDX-License-Identifier: GPL-3.0-or-later
// A second opinion on a history with SQL statements (check --method): algorithm
// 3 of the mixed-isolation paper or the baseline of that paper.  It comes
// without a proof.
#ifndef CLI_JOBS_OPINION_H
#define CLI_JOBS_OPINION_H

#include "checker/verdict/verdict.h"
#include "cli/settings/settings.h"

struct opinion {
  enum verdict_kind kind;
  enum isolation level;
  bool mixed;           // each transaction was held to its own level
  uint32_t ntxns;       // committed or in doubt
  uint64_t nextensions; // of the history that the method looked at
  bool stopped;         // by the flag of the options
  char why[256];        // VERDICT_UNDECIDED: one sentence
};

// `method` is not METHOD_ENGINE.  Gives up when the stop flag of the options is
// set.
void opinion_ask(struct opinion *opinion, const struct history *history,
                 const struct check_options *options, enum method method);

// "sobound" or "naive".
const char *opinion_method_name(enum method method);

#endif

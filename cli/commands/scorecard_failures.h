// SPDX-License-Identifier: GPL-3.0-or-later
// Failures of a database by a pipe that are no refusals which its hello knows:
// a statement that the database does not understand prevents no anomaly.
#ifndef CLI_COMMANDS_SCORECARD_FAILURES_H
#define CLI_COMMANDS_SCORECARD_FAILURES_H

#include "cli/repro/staging.h"
#include "report/report.h"

enum { FAILURES_MAX = 4 };

// Zero-initialised has none.  Owns nothing.
struct card_failures {
  struct card_failure {
    char words[160]; // of the database
    char where[200]; // "p4-delete, 41 % of predicate"
  } each[FAILURES_MAX];
  uint32_t count;
};

// Was a step of the script's last performance the first of its transaction to
// fail, for a reason that hello does not know?  Then it is noted.
bool card_failures_take_steps(struct card_failures *failures,
                              const char *script,
                              const struct staging *staging);

// Notes the most frequent such failure of a load, if it is one of a hundred
// attempts or more.
void card_failures_take_load(struct card_failures *failures, const char *load,
                             const struct run_figures *figures);

// A sentence about all of them; NULL: there are none.  Free with free().
char *card_failures_sentence(const struct card_failures *failures);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Reading and checking a history, with progress and a time limit: what `run`
// and `check` have in common.
#ifndef CLI_CHECKING_H
#define CLI_CHECKING_H

#include "checker/checker.h"
#include "cli/settings.h"
#include "recorder/reader.h"

struct checking {
  const char *path; // for progress
  struct history history;
  char salvage[512]; // what was lost of the file; empty: nothing
  double read_seconds;
  // The last verdict.
  struct verdict verdict;
  double seconds; // reading and checking
};

// Reads the history.  -1 with a sentence.  End with checking_end in both cases.
int checking_start(struct checking *checking, const char *path,
                   const struct read_options *options, struct error *error);

// Checks a level by the settings timeout and no-session-order.  -1 with a
// sentence if a verdict failed its own proof.
int checking_check(struct checking *checking, enum isolation level,
                   const struct settings *settings, struct error *error);

void checking_end(struct checking *checking);

// The weakest level that a transaction of the history was run at.
enum isolation checking_recorded_level(const struct checking *checking);

#endif

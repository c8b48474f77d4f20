// SPDX-License-Identifier: GPL-3.0-or-later
// Runs of the user's own SQL that were killed.  Their directory has what the
// sessions saw (own/journal.h), and no history yet.
#ifndef CLI_JOBS_KILLED_H
#define CLI_JOBS_KILLED_H

#include "base/error.h"

#include <stdint.h>

// Makes a history by rows where the directory is that of such a run, and says
// on stderr that it did, or why it could not.
void killed_judge_by_rows(const char *directory);

// The results of ranking.
struct ranked {
  uint64_t transactions; // of the history
  // Executed statements in transactions that count, and those among them that
  // are judged in full.
  uint64_t statements, whole;
};

// Makes the history in full: the target, of the kind that the run was on, makes
// the tables of the schema anew and ranks what conditions compare.  -1 with a
// sentence, and what the sessions saw is still there.
int killed_rank(const char *directory, const char *target,
                struct ranked *ranked, struct error *error);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Looks for a violation in a recording of SQL statements that is being written.
#ifndef CLI_JOBS_WATCH_ROWS_H
#define CLI_JOBS_WATCH_ROWS_H

#include "checker/verdict/verdict.h"

struct rows_look {
  enum verdict_kind kind; // a violation is one of the transactions that ended
                          // up to `time`
  uint64_t time;          // ns since the start of the run
};

// Reads the whole file, which has so many sessions, and checks what all of them
// have handed over.  -1 with a sentence.
int rows_look(const char *path, uint32_t nsessions,
              const struct check_options *options, struct rows_look *look,
              struct error *error);

#endif

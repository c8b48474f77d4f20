// SPDX-License-Identifier: GPL-3.0-or-later
// One run from its settings to its report.
#ifndef CLI_JOBS_JOB_H
#define CLI_JOBS_JOB_H

#include "cli/settings/settings.h"
#include "cli/status.h"
#include "report/report.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct ranks; // ranks/ranks.h

// A run as a row of a table of several.
struct job_row {
  const char *name; // the job's section
  char verdict[64]; // "pass", or "violation: LostUpdate"
  bool ran;         // the figures are there
  uint64_t committed;
  double rate, refused; // committed per second; share of all attempts
  uint64_t p99;         // ns
  char *directory;      // the caller frees it; NULL: nothing was kept
};

// Runs, checks, keeps the results and prints the report to stdout; mistakes and
// troubles go to stderr.  `name` is the job's section.  A copy of the
// settings is completed: seed, level, limits.
// `row` may be NULL.  `suite` becomes the JUnit suite of the run, to be freed,
// if the settings ask for one; NULL: it is written to its file.
// `ranks`: the processes that make the run together, of which rank 0 checks and
// tells; NULL: this one.
enum status job_run(const char *name, const struct settings *settings,
                    struct ranks *ranks, struct job_row *row, char **suite);

// Writes the rows as a table, if they are several.
void job_put_rows(FILE *out, const struct job_row *rows, uint32_t nrows);

// Like job_run, for commands that make many runs: prints only mistakes and
// troubles, and passes the report to `listen`; if the run could not take place,
// the report has only the reason.
enum status job_run_quietly(const char *name, const struct settings *settings,
                            void (*listen)(void *context,
                                           const struct report *report),
                            void *context);

// Like job_run_quietly, but what an interrupted run recorded is not checked.
enum status job_try(const char *name, const struct settings *settings,
                    void (*listen)(void *context, const struct report *report),
                    void *context);

// Could such a run of job_run_quietly be asked for?  -1 with a sentence if the
// settings contradict each other, or the target's driver cannot do what they
// want.  Nothing is opened.
int job_check(const struct settings *settings, struct error *error);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// The files that a run or a check leaves in a directory: the report as text,
// JSON and a page, and the pictures of its counterexamples.
#ifndef CLI_JOBS_RESULTS_H
#define CLI_JOBS_RESULTS_H

#include "base/error.h"
#include "report/replayed.h"
#include "report/report.h"
#include "report/stored.h"

// Writes report.txt, report.json, report.html and the pictures, and what is
// suspected (cli/jobs/suspected.h).  -1 with a sentence.
int results_write(const char *directory, const struct report *report,
                  struct error *error);

// The report in full, as in report.txt.
void results_put_text(FILE *out, const struct report *report);

// The report in brief, for a terminal (report/text/text.h).
void results_put_brief(FILE *out, const struct report *report, bool colour);

// Writes report.html and the pictures again.
int results_rewrite(const char *directory, const struct stored *stored,
                    struct error *error);

// Keeps the figures of a replay beside the report, and writes the page again,
// if the history is in the directory of a run; elsewhere it does nothing.
int results_add_replay(const char *history, const struct replayed *replayed,
                       struct error *error);

#endif

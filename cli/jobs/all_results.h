// SPDX-License-Identifier: GPL-3.0-or-later
// The page that leads to all results in a directory.  Commands bring it up to
// date when they have written results there.
#ifndef CLI_JOBS_ALL_RESULTS_H
#define CLI_JOBS_ALL_RESULTS_H

#include "base/error.h"

#include <stdint.h>

#define ALL_RESULTS_PAGE "index.html"

// Writes index.html in a directory that holds results of runs, sweeps and
// scorecards, and lone pages, or directories of them.  Results that cannot be
// read are named on stderr and on the page, in a sentence each.  `*nresults`
// says how many there are; no page is written if there are none.  -1 with a
// sentence, also where an index.html is there that isostress did not write.
int all_results_write(const char *directory, uint32_t *nresults,
                      struct error *error);

// For a page in `directory`: the way to the nearest page of all results there
// or above, such as "../../index.html", to be freed; NULL if there is none.
char *all_results_link(const char *directory);

// A command is about to write a page below `out`, where users keep results:
// makes the page of all results, unless there is one.  It is in `out`, or in
// "results" where `out` is one of the usual directories in it.
void all_results_prepare(const char *out);

// A command has written or removed something in `directory`, and is not at work
// there any more: writes each page of all results again that leads there.  One
// that cannot be written, or that leads to more than ALL_RESULTS_MOST results,
// stays as it is: `isostress report` writes it, or says why it cannot.
enum { ALL_RESULTS_MOST = 1000 };
void all_results_update(const char *directory);

#endif

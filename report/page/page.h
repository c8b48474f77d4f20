// SPDX-License-Identifier: GPL-3.0-or-later
// Reports as web pages: one file each, readable without a network and without
// scripts, on a phone, in print, in light and dark.
#ifndef REPORT_PAGE_PAGE_H
#define REPORT_PAGE_PAGE_H

#include "report/advised.h"
#include "report/stored.h"
#include "report/words/guarantees.h"

#include <stdint.h>
#include <stdio.h>

// The page of a run or check.
void page_put_report(FILE *out, const struct stored *stored);

// A scorecard as a page.
void page_put_scorecard(FILE *out, const struct guarantees *guarantees);

// Advice as a page.
void page_put_advised(FILE *out, const struct advised *advised);

#define COMPARE_TITLE "Runs side by side" // of the page

// Several runs side by side, as a page, as a section of it that has all their
// figures, and as text; `names` are theirs.
// `all_results` as for page_bar; `links` lead from the page to those of the
// runs, NULL where there is none.
void compare_put_page(FILE *out, const struct stored *runs,
                      const char *const *names, const char *const *links,
                      uint32_t nruns, const char *all_results);
void compare_put_figures(FILE *out, const struct stored *runs,
                         const char *const *names, uint32_t nruns);
void compare_put_text(FILE *out, const struct stored *runs,
                      const char *const *names, uint32_t nruns);

#endif

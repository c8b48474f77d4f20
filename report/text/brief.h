// SPDX-License-Identifier: GPL-3.0-or-later
// The result of a run for a terminal: at most 20 lines of 80 characters,
// and 16 of the smallest case; the verdict first, in the words of the page.
// What does not fit is on the page and in report.txt.
#ifndef REPORT_TEXT_BRIEF_H
#define REPORT_TEXT_BRIEF_H

#include "report/report.h"
#include "report/stored.h"

enum { BRIEF_LINES = 20, BRIEF_CASE = 16 };

// `stored` is the same report; in colour, the word of the verdict is. Warnings,
// trouble and a broken invariant are told even where 20 lines are too few.
void brief_put(FILE *out, const struct report *report,
               const struct stored *stored, bool colour);

// A counterexample as columns of sessions, time downwards.  Nothing if there
// are no times, or more than four sessions.
void brief_put_picture(FILE *out, const struct example *example);

#endif

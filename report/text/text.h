// SPDX-License-Identifier: GPL-3.0-or-later
// A report as text for people.
#ifndef REPORT_TEXT_TEXT_H
#define REPORT_TEXT_TEXT_H

#include "report/report.h"
#include "report/stored.h"
#include "report/words/guarantees.h"

// The verdict in three lines: the level, kept or broken and by which anomaly;
// how many transactions of what outcome; what it rests on.  For a violation the
// cycle follows in sentences.
void report_verdict(FILE *out, const struct report *report);

// The first of these lines for a verdict whose proof was read from a file and
// checked: what was proved and nothing else, so that no anomaly is named.
void report_proved(FILE *out, const struct report *report);

// All of a report: figures (of a run), the verdict (if something was checked),
// what it means, and where the results are (if they were kept).  `stored` is
// the same report; NULL: what it means is not told.
void report_text(FILE *out, const struct report *report,
                 const struct stored *stored);

// The result of a run for a terminal: the verdict first, in the words of the
// page, in at most 20 lines of 80 characters, and 16 of the smallest case. What
// does not fit is on the page and in report.txt.  In colour, the word of the
// verdict is.  Warnings, trouble and a broken invariant are told even where 20
// lines are too few.
enum { BRIEF_LINES = 20, BRIEF_CASE = 16 };
void text_put_brief(FILE *out, const struct report *report,
                    const struct stored *stored, bool colour);

// A counterexample as columns of sessions, time downwards.  Nothing if there
// are no times, or more than four sessions.
void text_put_picture(FILE *out, const struct example *example);

// Parts of a report that several of its sections show.

// The number of transactions, by what became of them, and the proof of a
// verdict that is decided; or why it is not.
void text_put_proof(FILE *out, const struct report *report);

// Is the violation of a run promised away: "yes. BROKEN PROMISE", and others
// without the full stop.  NULL: that is not known, or there is none.
const char *text_promised(const struct report *report);

// Whether the invariant held; writes nothing if there was none.
void text_put_invariant(FILE *out, const struct report *report);

// A scorecard as text of 80 columns, which its page explains.
void text_put_scorecard(FILE *out, const struct guarantees *guarantees);

#endif

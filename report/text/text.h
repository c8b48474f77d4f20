// SPDX-License-Identifier: GPL-3.0-or-later
// A report as text for people.
#ifndef REPORT_TEXT_TEXT_H
#define REPORT_TEXT_TEXT_H

#include "report/report.h"
#include "report/words/guarantees.h"

// The verdict in three lines: the level, kept or broken and by which anomaly;
// how many transactions of what outcome; what it rests on.  For a violation the
// cycle follows in sentences.
void report_verdict(FILE *out, const struct report *report);

// The first of these lines for a verdict whose proof was read from a file and
// checked: what was proved and nothing else, so that no anomaly is named.
void report_proved(FILE *out, const struct report *report);

// The figures of a run: throughput, outcomes by cause and code, latencies.
void report_figures(FILE *out, const struct report *report);

// Figures (of a run), then the verdict (if something was checked), then where
// the results are (if they were kept).
void report_text(FILE *out, const struct report *report);

// Parts of a report that several of its sections show.

// The number of transactions, by what became of them.
void text_put_counts(FILE *out, const struct report *report);

// The counts, and the proof of a verdict that is decided.
void text_put_proof(FILE *out, const struct report *report);

// "PASS: serializability was kept." and its like, and which level was in
// effect; `word` is for a violation.
void text_put_headline(FILE *out, const struct report *report,
                       const char *word);
#define TEXT_STRONGER "A STRONGER LEVEL" // the word of one above the claimed

// "VIOLATION", or "NONE KEPT" where the level promises nothing.
const char *text_violation_word(const struct report *report);

// Is the violation of a run promised away: "yes. BROKEN PROMISE", and others
// without the full stop.  NULL: that is not known, or there is none.
const char *text_promised(const struct report *report);
// Why there is no verdict.
void text_put_not_checked(FILE *out, const struct report *report);

// Whether the invariant held; writes nothing if there was none.
void text_put_invariant(FILE *out, const struct report *report);

// A scorecard as text of 80 columns, which its page explains.
void text_put_scorecard(FILE *out, const struct guarantees *guarantees);

#endif

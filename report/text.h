// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of a report as text that several of its sections show.
#ifndef REPORT_TEXT_H
#define REPORT_TEXT_H

#include "report/report.h"

// The number of transactions, by what became of them.
void text_put_counts(FILE *out, const struct report *report);

// The counts, and the proof of a verdict that is decided.
void text_put_proof(FILE *out, const struct report *report);

// A sentence about a violation of which one program alone says that it is one.
const char *report_one_program(const struct verdict *verdict);

// Does a violation below SI have an INSERT, which is taken for a read?
#define INSERT_READS                                                           \
  "An INSERT is taken here to have read that its key had no row; the paper "   \
  "on "                                                                        \
  "mixed isolation takes it for a write alone."
bool report_insert_reads(const struct verdict *verdict);

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
// In one word, for programs: "broken", "allowed" or "allowed across servers".
// NULL as above.
const char *text_promise(const struct report *report);

// Is the reason of a verdict that is undecided a limit, of which another check
// may have more?
bool text_hit_limit(const char *why);

// Why there is no verdict.
void text_put_not_checked(FILE *out, const struct report *report);

// Whether the invariant held; writes nothing if there was none.
void text_put_invariant(FILE *out, const struct report *report);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of a report as text that several of its sections show.
#ifndef REPORT_TEXT_H
#define REPORT_TEXT_H

#include "report/report.h"

// The number of transactions, by what became of them.
void text_put_counts(FILE *out, const struct report *report);

// The counts, and the proof of a verdict that is decided.
void text_put_proof(FILE *out, const struct report *report);

#endif

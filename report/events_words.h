// SPDX-License-Identifier: GPL-3.0-or-later
// Faults of a run in words.
#ifndef REPORT_EVENTS_WORDS_H
#define REPORT_EVENTS_WORDS_H

#include "report/report.h"

// "kill 0 after 1.0 s, start 0 after 2.0 s"; one that failed says why.  False,
// and empty: there were none.
bool events_say(const struct report *report, char *text, size_t bytes);

#endif

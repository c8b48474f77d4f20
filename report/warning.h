// SPDX-License-Identifier: GPL-3.0-or-later
// Warnings that a reader should know before a verdict is relied on.
#ifndef REPORT_WARNING_H
#define REPORT_WARNING_H

#include "base/memory.h"
#include "report/report.h"

// The sentences about a report, taken from the arena; the last one is NULL.
const char *const *warnings_of(const struct report *report,
                               struct arena *arena);

#endif

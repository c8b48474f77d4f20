// SPDX-License-Identifier: GPL-3.0-or-later
// The part of a history in which a violation was found and not proved.
#ifndef CLI_JOBS_SUSPECTED_H
#define CLI_JOBS_SUSPECTED_H

#include "report/report.h"

// Writes it as the history `suspected` in the directory, for a longer look, if
// the report has such a part; removes an older one.  -1 with a sentence.
int suspected_write(const char *directory, const struct report *report,
                    struct error *error);

#endif

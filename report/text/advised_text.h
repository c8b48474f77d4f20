// SPDX-License-Identifier: GPL-3.0-or-later
// Advice (report/advised.h) as text for a terminal, and as JUnit.
#ifndef REPORT_TEXT_ADVISED_TEXT_H
#define REPORT_TEXT_ADVISED_TEXT_H

#include "report/advised.h"

// At most 80 characters a line; `page` NULL: there is none.
void text_put_advised(FILE *out, const struct advised *advised,
                      const char *page);

// A test for each script at the default level, and one for its invariant; to be
// freed.
char *junit_suite_of_advised(const struct advised *advised, const char *page);

#endif

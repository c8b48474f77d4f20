// SPDX-License-Identifier: GPL-3.0-or-later
// Words of pages as plain text, for terminals and titles.
#ifndef REPORT_WORDS_PLAIN_H
#define REPORT_WORDS_PLAIN_H

#include <stdio.h>

enum { PLAIN_WIDTH = 80 };

// The words of the page without their markup; to be freed.
char *plain_of(const char *markup);

// Writes text from words of the page, without their markup, in lines of
// PLAIN_WIDTH; those after the first start with `indent` blanks.
void plain_put_wrapped(FILE *out, const char *markup, unsigned at,
                       unsigned indent);

#endif

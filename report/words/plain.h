// SPDX-License-Identifier: GPL-3.0-or-later
// Sentences (base/marks.h) as plain text, for terminals and titles.
#ifndef REPORT_WORDS_PLAIN_H
#define REPORT_WORDS_PLAIN_H

#include <stdio.h>

enum { PLAIN_WIDTH = 80 };

// The sentence without its marks, and with ASCII quotation marks, apostrophes
// and ellipses; to be freed.
char *plain_make(const char *sentence);

// Writes a sentence so in lines of PLAIN_WIDTH bytes.  `at` is the column in
// which it begins; the lines after the first start with `indent` blanks.
void plain_put_wrapped(FILE *out, const char *sentence, unsigned at,
                       unsigned indent);
// Writes text from outside like a sentence (put_clean, base/utf8.h).
void plain_put_outside(FILE *out, const char *text, unsigned at,
                       unsigned indent);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Sentences (base/marks.h) as HTML, for pages.
#ifndef REPORT_WORDS_HTML_H
#define REPORT_WORDS_HTML_H

#include "drivers/words.h"

#include <stdio.h>

// Writes a sentence as the content of an element: marks become tags, and what
// would be markup is escaped.
void html_put(FILE *out, const char *sentence);
// Writes a sentence about rows, which is about keys if the database has keys.
// The database may be NULL.
void html_put_about(FILE *out, const char *sentence,
                    const struct driver_words *database);

#endif

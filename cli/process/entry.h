// SPDX-License-Identifier: GPL-3.0-or-later
// Entries of lists, in lines of 80 characters.
#ifndef CLI_PROCESS_ENTRY_H
#define CLI_PROCESS_ENTRY_H

#include <stdio.h>

enum { ENTRY_WIDTH = 80 };

// Writes the head, then the text from column `at` on, or a blank behind a
// longer head; the text goes on at that column in further lines.  Words between
// quotes stay together.
void entry_put(FILE *out, const char *head, unsigned at, const char *text);

#endif

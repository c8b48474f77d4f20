// SPDX-License-Identifier: GPL-3.0-or-later
// A collection: one file with many small histories, a JSON object in each line
// with the name of a history and its content in any notation that is text:
//
//   {"id": "lost-update", "history": "[x==0 x:=1]\n---\n[x==0 x:=2]"}
//
// All are checked in this process, so that a referee can ask about millions.
#ifndef CLI_COMMANDS_COLLECTION_H
#define CLI_COMMANDS_COLLECTION_H

#include "cli/commands.h"

#include <stdbool.h>
#include <stdio.h>

// Does the file start as a collection does?
bool collection_starts(const char *path);

// Checks each history at the levels of the settings, or at all levels where
// they name none, and prints a line for each history (OUTPUT_JSON) or for each
// history and level.  A line that cannot be read is complained of with its
// number and left out.  `tests` gets a test of JUnit for each history and
// level; NULL: none is asked for.
enum status collection_check(const char *path, const struct settings *settings,
                             FILE *tests);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// The histories that a command is given: files, directories that are one, and
// directories that hold some.
#ifndef CLI_JOBS_HISTORIES_H
#define CLI_JOBS_HISTORIES_H

#include "base/file.h"
#include "recorder/files/reader.h"

// Adds the histories at `path`: itself, or all that are in the directory and
// those below, in the order of their names.  Says on stderr how many files were
// left out because they are none.  -1 with a sentence if there is none.
int histories_at(const char *path, const struct read_options *options,
                 struct file_list *list, struct error *error);

// Adds the only history at `path`, or that of the run whose directory it is. -1
// with a sentence if there is none or more than one.
int histories_one(const char *path, const struct read_options *options,
                  struct file_list *list, struct error *error);

#endif

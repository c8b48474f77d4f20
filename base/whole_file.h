// SPDX-License-Identifier: GPL-3.0-or-later
// Files and directories that appear under their name as a whole or not at all.
#ifndef BASE_WHOLE_FILE_H
#define BASE_WHOLE_FILE_H

#include "base/error.h"

#include <stdio.h>

struct whole_file {
  char *path;  // where it is to appear; behind a symbolic link
  char *place; // where to write it
};

// Is the path a pipe or a device, which is written to and never replaced?
bool whole_file_is_stream(const char *path);

// Chooses a place beside the path at which nothing is; for a pipe or a device
// the place is the path.  Removes what processes that were killed left beside
// the path.
void whole_file_start(struct whole_file *file, const char *path);

// Lets what was written to the place appear at the path; if `written` is false,
// removes it.  -1 with errno.
int whole_file_end(struct whole_file *file, bool written);

// Could a file appear at the path?  For a program that has much to do before it
// writes.  -1 with the sentence of whole_file_write.
int whole_file_check(const char *path, struct error *error);

// Writes a file with `put`.  -1 with a sentence that names the path.
int whole_file_write(const char *path,
                     void (*put)(FILE *file, const void *context),
                     const void *context, struct error *error);

#endif

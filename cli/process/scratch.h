// SPDX-License-Identifier: GPL-3.0-or-later
// A directory for what is of no use afterwards.
#ifndef CLI_PROCESS_SCRATCH_H
#define CLI_PROCESS_SCRATCH_H

#include "base/error.h"

// The path of something in TMPDIR, or /tmp, to which more is to be added; free
// with free().
char *scratch_path(void);

// Makes an empty one in TMPDIR, or /tmp; the path is to be freed by
// scratch_remove.  NULL with a sentence.
char *scratch_make(struct error *error);

// Removes it with the files in it, which are not looked at.  NULL: nothing.
void scratch_remove(char *path);

#endif

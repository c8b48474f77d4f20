// SPDX-License-Identifier: GPL-3.0-or-later
// The bytes of a file, in memory.
#ifndef RECORDER_FILE_H
#define RECORDER_FILE_H

#include "base/error.h"

#include <stddef.h>

// Reads a regular file, or of a longer one its first `limit` bytes.  Returns
// memory to be freed with free(), with a zero byte behind the content; or NULL
// with a sentence that starts with the path.
unsigned char *file_load(const char *path, size_t limit, size_t *bytes,
                         struct error *error);

#endif

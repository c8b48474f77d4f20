// SPDX-License-Identifier: GPL-3.0-or-later
// How a process that is going to fill much memory gets it from the kernel.
#ifndef BASE_PAGES_H
#define BASE_PAGES_H

#include <stddef.h>

// Call this before a history file of so many bytes is read into memory and
// checked.  Freed memory then stays with the process, and the memory that the
// check fills comes in large pages where the kernel has them.  The caller frees
// the result, which may be NULL, at the end.
void *pages_prepare(size_t file_bytes);

// From now on a large array is a mapping of its own: the kernel lengthens it
// without a copy, and has its memory back when it is freed.  The peak of memory
// is then what the arrays hold, for some more time in the kernel.
void pages_return_freed(void);

#endif

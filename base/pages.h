// SPDX-License-Identifier: GPL-3.0-or-later
// How a process that is going to fill much memory gets it from the kernel.
#ifndef BASE_PAGES_H
#define BASE_PAGES_H

#include <stddef.h>

// Before a file of a history is read into memory and worked on: what is freed
// stays with the process, and as much as is going to be filled comes in large
// pages where the kernel has such.  What is returned, which may be NULL, is to
// be freed at the end.
void *pages_prepare(size_t file_bytes);

#endif

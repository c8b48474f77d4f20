// SPDX-License-Identifier: GPL-3.0-or-later
// Reading and writing as many bytes as are asked for, whatever interrupts it.
#ifndef BASE_IO_H
#define BASE_IO_H

#include <stddef.h>
#include <sys/types.h>

// How many bytes there were, fewer than `bytes` only at the end of the file; -1
// with errno.
ssize_t read_fully(int fd, void *data, size_t bytes);
ssize_t pread_fully(int fd, void *data, size_t bytes, off_t offset);

// 0 when all is written; -1 with errno.
int write_fully(int fd, const void *data, size_t bytes);

#endif

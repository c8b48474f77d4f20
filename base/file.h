// SPDX-License-Identifier: GPL-3.0-or-later
// The bytes of a file, in memory.
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

// Opens a regular file for reading and says what it is; -1 with a sentence that
// starts with the path.
int file_open(const char *path, struct stat *st, struct error *error);

// Reads a regular file, or of a longer one its first `limit` bytes.  Returns
// memory to be freed with free(), with a zero byte behind the content; or NULL
// with a sentence that starts with the path.
unsigned char *file_load(const char *path, size_t limit, size_t *bytes,
                         struct error *error);

// How many bytes of UTF-8's byte order mark, which some programs put before a
// text, there are; a zero byte stands behind `data`.
size_t file_mark(const char *data);

// Paths of files in a directory, sorted by name, with numbers in names in the
// order of their size; names that start with a dot are left out.
// Zero-initialised is empty.
struct file_list {
  char **paths; // owned
  uint32_t count, room;
};

// Adds those whose name fits the pattern, as for fnmatch(3); that of "a/b" is b
// in a directory a.  -1 with a
// sentence that starts with the path.
int file_list(const char *directory, const char *pattern,
              struct file_list *list, struct error *error);
void file_list_free(struct file_list *list);

// The directory that a file is or would be in: "." where the path names none.
// To be freed.
char *file_directory(const char *path);

#endif

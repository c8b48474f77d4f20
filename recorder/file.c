// SPDX-License-Identifier: GPL-3.0-or-later
// The bytes of a file (recorder/file.h).  Read rather than mapped: a file that
// shrinks while it is looked at must not end the program.
#include "config.h"

#include "recorder/file.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Opens a regular file; -1 with a sentence.
static int open_regular(const char *path, struct stat *st,
                        struct error *error) {
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return error_set(error, "%s: %s", path, strerror(errno));
  if (fstat(fd, st) == 0 && S_ISREG(st->st_mode))
    return fd;
  close(fd);
  return error_set(error, "%s: is %s, not a file with a history", path,
                   S_ISDIR(st->st_mode) ? "a directory" : "a device or pipe");
}

// Reads until `room` is full or the file ends; -1 with errno.
static ssize_t read_all(int fd, unsigned char *data, size_t room) {
  size_t done = 0;
  while (done < room) {
    ssize_t n = read(fd, data + done, room - done);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return -1;
    if (n == 0)
      break;
    done += (size_t)n;
  }
  return (ssize_t)done;
}

unsigned char *file_load(const char *path, size_t limit, size_t *bytes,
                         struct error *error) {
  struct stat st = {0};
  int fd = open_regular(path, &st, error);
  if (fd < 0)
    return NULL;
  size_t room = (size_t)st.st_size < limit ? (size_t)st.st_size : limit;
  unsigned char *data = xmalloc(room + 1);
  ssize_t done = read_all(fd, data, room);
  if (done < 0) {
    error_set(error, "%s: can not be read: %s", path, strerror(errno));
    free(data);
    data = NULL;
  } else {
    data[done] = 0;
    *bytes = (size_t)done;
  }
  close(fd);
  return data;
}

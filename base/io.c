// SPDX-License-Identifier: GPL-3.0-or-later
// Loops around read and write (base/io.h).
#include "config.h"

#include "base/io.h"

#include <errno.h>
#include <unistd.h>

ssize_t read_fully(int fd, void *data, size_t bytes) {
  size_t done = 0;
  while (done < bytes) {
    const ssize_t n = read(fd, (char *)data + done, bytes - done);
    if (n < 0 && errno != EINTR)
      return -1;
    if (n == 0)
      break;
    done += n > 0 ? (size_t)n : 0;
  }
  return (ssize_t)done;
}

ssize_t pread_fully(int fd, void *data, size_t bytes, off_t offset) {
  size_t done = 0;
  while (done < bytes) {
    const ssize_t n =
        pread(fd, (char *)data + done, bytes - done, offset + (off_t)done);
    if (n < 0 && errno != EINTR)
      return -1;
    if (n == 0)
      break;
    done += n > 0 ? (size_t)n : 0;
  }
  return (ssize_t)done;
}

int write_fully(int fd, const void *data, size_t bytes) {
  const char *p = data;
  while (bytes) {
    const ssize_t n = write(fd, p, bytes);
    if (n < 0 && errno != EINTR)
      return -1;
    p += n > 0 ? n : 0;
    bytes -= n > 0 ? (size_t)n : 0;
  }
  return 0;
}

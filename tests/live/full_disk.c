// SPDX-License-Identifier: GPL-3.0-or-later
// A full disk, for a server that is started with this as LD_PRELOAD and is not
// root's: while the file named by FULL_DISK exists, no other file grows; it
// gets a byte each time that one should have.  What files have can be written
// over, as on most file systems.  Made without sanitizers, which the server was
// not made with.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

// The server's log must stay writable.
static int has_no_room(int fd, off_t end) {
  const char *sign = getenv("FULL_DISK");
  struct stat file;
  return fd > STDERR_FILENO && sign && !access(sign, F_OK) &&
         !fstat(fd, &file) && S_ISREG(file.st_mode) && end > file.st_size;
}

static size_t bytes_of(const struct iovec *parts, int count) {
  size_t bytes = 0;
  for (int i = 0; i < count; i++)
    bytes += parts[i].iov_len;
  return bytes;
}

static off_t position_of(int fd) {
  struct stat file;
  if (fcntl(fd, F_GETFL) & O_APPEND)
    return fstat(fd, &file) ? 0 : file.st_size;
  return lseek(fd, 0, SEEK_CUR);
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static ssize_t refuse(void) {
  const int count = open(getenv("FULL_DISK"), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (count >= 0) {
    ssize_t written = NEXT(write)(count, "x", 1);
    (void)written;
    close(count);
  }
  errno = ENOSPC;
  return -1;
}

ssize_t write(int fd, const void *bytes, size_t count) {
  return has_no_room(fd, position_of(fd) + (off_t)count)
             ? refuse()
             : NEXT(write)(fd, bytes, count);
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  return has_no_room(fd, position_of(fd) + (off_t)bytes_of(parts, count))
             ? refuse()
             : NEXT(writev)(fd, parts, count);
}

// Each has a second name, for files of more than 2 GB where numbers are small.
#define PWRITE(name)                                                           \
  ssize_t name(int fd, const void *bytes, size_t count, off_t at) {            \
    return has_no_room(fd, at + (off_t)count)                                  \
               ? refuse()                                                      \
               : NEXT(name)(fd, bytes, count, at);                             \
  }
#define PWRITEV(name)                                                          \
  ssize_t name(int fd, const struct iovec *parts, int count, off_t at) {       \
    return has_no_room(fd, at + (off_t)bytes_of(parts, count))                 \
               ? refuse()                                                      \
               : NEXT(name)(fd, parts, count, at);                             \
  }
#define FALLOCATE(name)                                                        \
  int name(int fd, int mode, off_t at, off_t count) {                          \
    return has_no_room(fd, at + count) ? (int)refuse()                         \
                                       : NEXT(name)(fd, mode, at, count);      \
  }
#define POSIX_FALLOCATE(name)                                                  \
  int name(int fd, off_t at, off_t count) {                                    \
    return has_no_room(fd, at + count) && refuse()                             \
               ? ENOSPC                                                        \
               : NEXT(name)(fd, at, count);                                    \
  }
PWRITE(pwrite)
PWRITE(pwrite64)
PWRITEV(pwritev)
PWRITEV(pwritev64)
FALLOCATE(fallocate)
FALLOCATE(fallocate64)
POSIX_FALLOCATE(posix_fallocate)
POSIX_FALLOCATE(posix_fallocate64)

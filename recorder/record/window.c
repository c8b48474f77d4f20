// SPDX-License-Identifier: GPL-3.0-or-later
// Follows a file that grows (recorder/record/window.h): keeps the bytes of the
// chunks that the last few advances found, and takes them for a file.
//
// Sessions hand over what they did at different times, so a violation may have
// one half in the chunks of one advance and the other in those of the next
// ones: a chunk stays for several.
#include "config.h"

#include "recorder/record/window.h"

#include "base/io.h"
#include "base/memory.h"
#include "recorder/native/native.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ADVANCES_MIN = 4 }; // for so many a chunk stays, if there is room
enum { ADVANCES_MAX = 256 };
enum { BYTES_MAX = 8 << 20 };

struct tail_window {
  const char *path;
  int fd;              // -1: not open yet
  off_t offset;        // in the file, behind what `data` holds
  unsigned char *data; // a file header and chunks
  size_t bytes;
  size_t start[ADVANCES_MAX]; // in `data`, of what each advance found, oldest
                              // first
  uint32_t nstarts;
};

struct tail_window *window_open(const char *path) {
  struct tail_window *w = xcalloc(1, sizeof *w);
  w->path = path;
  w->fd = -1;
  w->data = xmalloc(FILE_HEADER_BYTES + BYTES_MAX + 1);
  return w;
}

void window_close(struct tail_window *w) {
  if (w->fd >= 0)
    close(w->fd);
  free(w->data);
  free(w);
}

// As many bytes as there are, up to `room`; -1 with a sentence.
static ssize_t read_some(const struct tail_window *w, unsigned char *to,
                         size_t room, off_t offset, struct error *error) {
  const ssize_t n = pread_fully(w->fd, to, room, offset);
  return n < 0 ? error_cannot(error, w->path, "read") : n;
}

// 1 once the file is there, with its header.
static int open_window_file(struct tail_window *w, struct error *error) {
  if (w->fd < 0)
    w->fd = open(w->path, O_RDONLY | O_CLOEXEC);
  if (w->fd < 0)
    return errno == ENOENT ? 0 : error_cannot(error, w->path, "read");
  if (w->bytes)
    return 1;
  const ssize_t n = read_some(w, w->data, FILE_HEADER_BYTES, 0, error);
  if (n < FILE_HEADER_BYTES)
    return n < 0 ? -1 : 0;
  w->bytes = FILE_HEADER_BYTES;
  w->offset = FILE_HEADER_BYTES;
  return 1;
}

// Takes the oldest advance out.
static void forget_oldest(struct tail_window *w) {
  const size_t first = w->start[0];
  const size_t next = w->nstarts > 1 ? w->start[1] : w->bytes;
  assert(w->nstarts && first < next && next <= w->bytes);
  memmove(w->data + first, w->data + next, w->bytes - next);
  w->bytes -= next - first;
  w->nstarts--;
  for (uint32_t i = 0; i < w->nstarts; i++)
    w->start[i] = w->start[i + 1] - (next - first);
}

// Makes room for `fresh` bytes; if that is more than there can be, for the last
// of them.  What is kept is always without a gap.
static size_t make_window_room(struct tail_window *w, size_t fresh,
                               size_t wanted) {
  while (w->nstarts && (w->nstarts == ADVANCES_MAX ||
                        (w->nstarts >= ADVANCES_MIN &&
                         w->bytes - FILE_HEADER_BYTES + fresh > wanted) ||
                        w->bytes - FILE_HEADER_BYTES + fresh > BYTES_MAX))
    forget_oldest(w);
  if (fresh <= BYTES_MAX)
    return fresh;
  w->offset += (off_t)(fresh - BYTES_MAX);
  return BYTES_MAX;
}

// Appends what is new in the file, behind w->bytes; its length, or -1 with a
// sentence.
static ssize_t read_fresh(struct tail_window *w, size_t wanted,
                          struct error *error) {
  struct stat st;
  if (fstat(w->fd, &st))
    return error_cannot(error, w->path, "read");
  if (st.st_size <= w->offset)
    return 0;
  const size_t fresh =
      make_window_room(w, (size_t)(st.st_size - w->offset), wanted);
  assert(w->bytes + fresh <= FILE_HEADER_BYTES + BYTES_MAX);
  return read_some(w, w->data + w->bytes, fresh, w->offset, error);
}

int window_advance(struct tail_window *w, size_t bytes, struct history *history,
                   struct error *error) {
  const int open = open_window_file(w, error);
  if (open <= 0)
    return open;
  const ssize_t fresh = read_fresh(w, bytes, error);
  size_t whole;
  if (fresh <= 0)
    return (int)fresh;
  if (native_read_tail(w->path, w->data, w->bytes + (size_t)fresh, history,
                       &whole, error))
    return -1;
  if (whole == w->bytes) { // a chunk is on its way
    history_free(history);
    return 0;
  }
  assert(w->nstarts < ADVANCES_MAX && whole > w->bytes);
  w->start[w->nstarts++] = w->bytes;
  w->offset += (off_t)(whole - w->bytes);
  w->bytes = whole;
  return 1;
}

uint64_t window_offset(const struct tail_window *w) {
  return (uint64_t)w->offset;
}

size_t window_bytes(const struct tail_window *w) { return w->bytes; }

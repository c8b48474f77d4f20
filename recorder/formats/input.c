// SPDX-License-Identifier: GPL-3.0-or-later
// The window on a file (recorder/formats/input.h).
#include "config.h"

#include "recorder/formats/input.h"

#include "base/file.h"
#include "base/io.h"
#include "base/memory.h"
#include "base/stop.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

// A byte of an archive stands for so many at most.
enum { GZIP_MOST = 1032 };

// Opens an unpacker of the file if it begins as an archive does.
static int open_unpacker(struct input *input, struct error *error) {
  unsigned char magic[2] = {0};
  if (pread(input->fd, magic, sizeof magic, 0) != sizeof magic ||
      magic[0] != 0x1f || magic[1] != 0x8b)
    return 0;
  const int copy = dup(input->fd);
  input->unpacker = copy < 0 ? NULL : gzdopen(copy, "rb");
  if (!input->unpacker) {
    if (copy >= 0)
      close(copy);
    return error_set(error, "%s: cannot be unpacked: %s", input->path,
                     strerror(errno));
  }
  input->size = input->size < UINT64_MAX / GZIP_MOST ? input->size * GZIP_MOST
                                                     : UINT64_MAX;
  return 0;
}

// As read_fully; an archive that is cut off or damaged is EBADMSG.
static ssize_t unpack(const struct input *input, char *text, size_t bytes) {
  size_t n = 0;
  int got = 1, code = Z_OK;
  while (n < bytes && got > 0) {
    const size_t rest = bytes - n;
    got = gzread(input->unpacker, text + n,
                 rest < INT_MAX ? (unsigned)rest : INT_MAX);
    n += got > 0 ? (size_t)got : 0;
  }
  gzerror(input->unpacker, &code);
  const bool whole = got >= 0 && (code == Z_OK || code == Z_STREAM_END);
  if (!whole && code != Z_ERRNO)
    errno = EBADMSG;
  return whole ? (ssize_t)n : -1;
}

static ssize_t read_input(const struct input *input, size_t room) {
  return input->unpacker ? unpack(input, input->end, room)
                         : read_fully(input->fd, input->end, room);
}

int input_open(struct input *input, const char *path, struct error *error) {
  struct stat st = {0};
  *input = (struct input){.path = path};
  input->fd = file_open(path, &st, error);
  if (input->fd < 0)
    return -1;
  input->size = (uint64_t)st.st_size;
  if (open_unpacker(input, error)) {
    close(input->fd);
    return -1;
  }
  input->room = INPUT_ROOM;
  input->buffer = xmalloc(input->room + INPUT_BEHIND);
  input->p = input->end = input->buffer;
  input_more(input);
  input->line_offset = file_mark(input->p);
  input->p += input->line_offset;
  return 0;
}

void input_open_text(struct input *input, const char *path, const char *text,
                     size_t bytes) {
  assert(text || !bytes);
  *input =
      (struct input){.path = path, .fd = -1, .size = bytes, .at_end = true};
  input->buffer = xcalloc(bytes + INPUT_BEHIND, 1);
  memcpy(input->buffer, text, bytes);
  input->p = input->buffer;
  input->end = input->buffer + bytes;
}

void input_close(struct input *input) {
  if (input->unpacker)
    gzclose(input->unpacker);
  input->unpacker = NULL;
  if (input->buffer && input->fd >= 0)
    close(input->fd);
  free(input->buffer);
  input->buffer = NULL;
}

static uint64_t line_feeds(const char *p, const char *end) {
  assert(p <= end);
  uint64_t n = 0;
  while ((p = memchr(p, '\n', (size_t)(end - p))) != NULL) {
    n++;
    p++;
  }
  return n;
}

// Counts the lines of what goes away.
static void leave_behind(struct input *input) {
  const size_t gone = (size_t)(input->p - input->buffer);
  const char *last = gone ? memrchr(input->buffer, '\n', gone) : NULL;
  input->lines += line_feeds(input->buffer, input->p);
  if (last)
    input->line_offset = input->offset + (uint64_t)(last - input->buffer) + 1;
  input->offset += gone;
  memmove(input->buffer, input->p, (size_t)(input->end - input->p));
  input->p -= gone;
  input->end -= gone;
}

void input_more(struct input *input) {
  leave_behind(input);
  const size_t room = (size_t)(input->buffer + input->room - input->end);
  if (stop_is_set(input->stop)) {
    input->failure = ECANCELED;
    input->at_end = true;
  }
  if (!input->at_end) {
    const ssize_t n = read_input(input, room);
    input->failure = n < 0 ? errno : 0;
    input->at_end = n < (ssize_t)room;
    input->end += n > 0 ? n : 0;
  }
  memset(input->end, 0, INPUT_BEHIND);
}

bool input_longer(struct input *input) {
  const size_t available = (size_t)(input->end - input->p);
  if (input->at_end)
    return false;
  leave_behind(input);
  if (available > input->room / 2) {
    input->room *= 2;
    input->buffer = xrealloc(input->buffer, input->room + INPUT_BEHIND, 1);
    input->p = input->buffer;
    input->end = input->p + available;
  }
  input_more(input);
  return true;
}

uint64_t input_line(struct input *input) {
  if (input->counted < input->offset) {
    input->counted = input->offset;
    input->counted_lines = input->lines;
  }
  input->counted_lines +=
      line_feeds(input->buffer + (input->counted - input->offset), input->p);
  input->counted = input_offset(input);
  return input->counted_lines + 1;
}

uint64_t input_offset(const struct input *input) {
  return input->offset + (uint64_t)(input->p - input->buffer);
}

uint64_t input_rest(const struct input *input) {
  const uint64_t at = input_offset(input);
  return at < input->size ? input->size - at : 0;
}

static int refuse_reading(const struct input *input, struct error *error) {
  return error_set(error, "%s: cannot be read: %s", input->path,
                   input->failure == EBADMSG
                       ? "the gzip archive is cut off or damaged"
                       : strerror(input->failure));
}

int input_refuse(const struct input *input, const char *at, const char *what,
                 struct error *error) {
  if (input->failure)
    return refuse_reading(input, error);
  const char *start = input->buffer, *feed;
  const uint64_t offset = input->offset + (uint64_t)(at - start);
  uint64_t line = input->line_offset;
  if (at > start && (feed = memrchr(start, '\n', (size_t)(at - start))))
    line = input->offset + (uint64_t)(feed - start) + 1;
  return error_set(error, "%s:%" PRIu64 ":%" PRIu64 ": %s", input->path,
                   input->lines + line_feeds(start, at) + 1, offset - line + 1,
                   what);
}

int input_refuse_byte(const struct input *input, uint64_t byte,
                      const char *what, struct error *error) {
  if (input->failure)
    return refuse_reading(input, error);
  return error_set(error, "%s: byte %" PRIu64 ": %s", input->path, byte, what);
}

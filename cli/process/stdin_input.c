// SPDX-License-Identifier: GPL-3.0-or-later
// Takes what comes through pipes (cli/process/stdin_input.h).
#include "config.h"

#include "cli/process/stdin_input.h"

#include "base/io.h"
#include "base/memory.h"
#include "cli/process/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum {
  AT_ONCE = 1 << 16, // bytes
  START = 1 << 20,   // shows what it is; before more is taken of what is none
};

struct piped_history {
  const char *word;
  char *path;
  int fd;
};

static bool is_pipe(const char *word) {
  struct stat st;
  return !strcmp(word, "-") || (stat(word, &st) == 0 && S_ISFIFO(st.st_mode));
}

static int refuse_stdin(const char *word, const char *what,
                        struct error *error) {
  return error_set(error, "%s: %s: %s", word, what, strerror(errno));
}

// A file without a name, which goes away with the process.  No signal ends the
// process while the file still has a name.
static int nameless_file(const char *word, struct error *error) {
  char *place = scratch_path();
  char *name = xasprintf("%s.XXXXXX", place);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  const int fd = mkostemp(name, O_CLOEXEC);
  if (fd < 0)
    error_set(error, "%s: cannot make a temporary file for it: %s: %s", word,
              name, strerror(errno));
  else
    unlink(name);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  free(name);
  free(place);
  return fd;
}

static int look_at_start(const struct piped_history *h,
                         const struct read_options *options,
                         struct error *error) {
  if (options->format || history_format_of(h->path, error))
    return 0;
  error_rename(error, h->path, h->word);
  return -1;
}

// Half of what is free where the file is: others need room, too.
static uint64_t room_for(int fd) {
  struct statvfs fs;
  return fstatvfs(fd, &fs) ? UINT64_MAX
                           : (uint64_t)fs.f_bavail * fs.f_frsize / 2;
}

static int refuse_length(const struct piped_history *h, struct error *error) {
  char *place = scratch_path();
  *strrchr(place, '/') = '\0';
  error_set(error,
            "%s: takes more than half of the free space in %s: put it into a "
            "file, or set TMPDIR",
            h->word, place);
  free(place);
  return -1;
}

static int copy_to_pipe(int from, const struct piped_history *h,
                        const struct read_options *options,
                        struct error *error) {
  char *data = xmalloc(AT_ONCE);
  const uint64_t room = room_for(h->fd);
  uint64_t bytes = 0;
  ssize_t n;
  int status = 0;
  while (status == 0 && (n = read(from, data, AT_ONCE))) {
    if (n < 0 && errno == EINTR)
      continue;
    const bool starts = bytes < START;
    bytes += n > 0 ? (uint64_t)n : 0;
    if (n < 0)
      status = refuse_stdin(h->word, "cannot be read", error);
    else if (bytes > room)
      status = refuse_length(h, error);
    else if (write_fully(h->fd, data, (size_t)n))
      status = refuse_stdin(
          h->word, "the temporary file for it cannot be written", error);
    else if (starts && bytes >= START)
      status = look_at_start(h, options, error);
  }
  free(data);
  return status;
}

static int open_word(const char *word, struct error *error) {
  const int fd = strcmp(word, "-") ? open(word, O_RDONLY | O_CLOEXEC)
                                   : fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
  if (fd < 0)
    refuse_stdin(word, "cannot be read", error);
  return fd;
}

static int take_stdin(struct piped_history *h,
                      const struct read_options *options, struct error *error) {
  const int from = open_word(h->word, error);
  if (from < 0)
    return -1;
  int status = -1;
  if ((h->fd = nameless_file(h->word, error)) >= 0) {
    h->path = xasprintf("/proc/self/fd/%d", h->fd);
    status = copy_to_pipe(from, h, options, error);
  }
  close(from);
  return status;
}

const char *stdin_input_path(struct stdin_input *piped, const char *word,
                             const struct read_options *options,
                             struct error *error) {
  if (!is_pipe(word))
    return word;
  ARRAY_RESERVE(piped->histories, piped->count, piped->room);
  struct piped_history *h = &piped->histories[piped->count++];
  *h = (struct piped_history){.word = word, .fd = -1};
  return take_stdin(h, options, error) ? NULL : h->path;
}

const char *stdin_input_word(const struct stdin_input *piped,
                             const char *path) {
  for (uint32_t i = 0; i < piped->count; i++)
    if (piped->histories[i].path && !strcmp(piped->histories[i].path, path))
      return piped->histories[i].word;
  return path;
}

void stdin_input_free(struct stdin_input *piped) {
  for (uint32_t i = 0; i < piped->count; i++) {
    if (piped->histories[i].fd >= 0)
      close(piped->histories[i].fd);
    free(piped->histories[i].path);
  }
  free(piped->histories);
  *piped = (struct stdin_input){0};
}

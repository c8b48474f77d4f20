// SPDX-License-Identifier: GPL-3.0-or-later
// Run directories (cli/jobs/rundir.h).
#include "config.h"

#include "cli/jobs/rundir.h"

#include "base/memory.h"
#include "base/whole_file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { SAME_SECOND = 1000 }; // runs that may start in the same second

static bool is_existing_directory(const char *path) {
  struct stat about;
  return !stat(path, &about) && S_ISDIR(about.st_mode);
}

bool rundir_is_history(const char *name) {
  return !strcmp(name, RUN_HISTORY) || !strcmp(name, RUN_SET);
}

bool rundir_is_part(const char *name) {
  const size_t n = strlen(RUN_HISTORY ".");
  return !strncmp(name, RUN_HISTORY ".", n) && name[n] &&
         strspn(name + n, "0123456789") == strlen(name + n);
}

int rundir_make_path(const char *path, struct error *error) {
  char *part = xstrdup(path);
  int failed = 0;
  for (char *slash = part; slash && !failed;) {
    slash = strchr(slash + 1, '/');
    if (slash)
      *slash = '\0';
    failed =
        mkdir(part, 0777) && (errno != EEXIST || !is_existing_directory(part));
    if (failed)
      error_set(error, "cannot make the directory %s: %s", part,
                strerror(errno));
    if (slash)
      *slash = '/';
  }
  free(part);
  return failed ? -1 : 0;
}

// "20261121-102854-sqlite-mt-read-committed", to be freed.
static char *name_of_run(const char *scheme, const char *workload,
                         const char *level) {
  char date[32];
  time_t now = time(NULL);
  struct tm local;
  localtime_r(&now, &local);
  strftime(date, sizeof date, "%Y%m%d-%H%M%S", &local);
  char *name = xasprintf("%s-%s-%s-%.64s", date, scheme, workload, level);
  for (char *c = name; *c; c++)
    if (!isalnum((unsigned char)*c) && *c != '.')
      *c = '-';
    else
      *c = (char)tolower((unsigned char)*c);
  return name;
}

static int make_numbered(const char *out, const char *name, char **path,
                         struct error *error) {
  for (int n = 1; n < SAME_SECOND; n++) {
    *path = n == 1 ? xasprintf("%s/%s", out, name)
                   : xasprintf("%s/%s-%d", out, name, n);
    if (!mkdir(*path, 0777))
      return 0;
    error_set(error, "cannot make the directory %s: %s", *path,
              strerror(errno));
    free(*path);
    *path = NULL;
    if (errno != EEXIST)
      return -1;
  }
  return -1;
}

int rundir_make(const char *out, const char *scheme, const char *workload,
                const char *level, char **path, struct error *error) {
  *path = NULL;
  if (rundir_make_path(out, error))
    return -1;
  char *name = name_of_run(scheme, workload, level);
  int result = make_numbered(out, name, path, error);
  free(name);
  return result;
}

void rundir_discard(const char *path, const char *name) {
  char *file = xasprintf("%s/%s", path, name);
  char *history = xasprintf("%s/" RUN_HISTORY, path);
  char *seen = xasprintf("%s/" RUN_SEEN, path);
  unlink(file);
  unlink(history);
  unlink(seen);
  rmdir(path);
  FREE_EACH(file, history, seen);
}

int rundir_hold(const char *path) {
  const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  // Only who asks whether a command is at work has the lock, and not for long.
  if (fd < 0 || !flock(fd, LOCK_EX))
    return fd;
  close(fd);
  return -1;
}

int rundir_take(const char *path) {
  const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0 || !flock(fd, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK)
    return fd;
  close(fd);
  return -1;
}

static char *path_of_latest(const char *path) {
  const char *name = strrchr(path, '/') + 1;
  return xasprintf("%.*slatest", (int)(name - path), path);
}

int rundir_check_latest(const char *path, struct error *error) {
  char *link = path_of_latest(path);
  struct stat about;
  const int failed = !lstat(link, &about) && !S_ISLNK(about.st_mode)
                         ? error_set(error,
                                     "cannot make the link %s: something else "
                                     "has that name",
                                     link)
                         : 0;
  free(link);
  return failed;
}

int rundir_make_latest(const char *path, struct error *error) {
  const char *name = strrchr(path, '/') + 1;
  char *link = path_of_latest(path);
  char *fresh =
      xasprintf("%.*s.latest-%ld", (int)(name - path), path, (long)getpid());
  int failed = symlink(name, fresh) || rename(fresh, link);
  if (failed) {
    error_set(error, "cannot make the link %s: %s", link, strerror(errno));
    unlink(fresh);
  }
  free(link);
  free(fresh);
  return failed ? -1 : 0;
}

int rundir_write(const char *path, const char *name,
                 void (*write)(FILE *file, const void *context),
                 const void *context, struct error *error) {
  char *whole = xasprintf("%s/%s", path, name);
  const int failed = whole_file_write(whole, write, context, error);
  free(whole);
  return failed;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Writes beside the path and renames (base/whole_file.h).
#include "config.h"

#include "base/whole_file.h"

#include "base/file.h"
#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char middle[] = ".tmp-"; // between the path and a process number

bool whole_file_is_stream(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

static void remove_all(const char *path) {
  struct file_list list = {0};
  struct error error;
  if (unlink(path) == 0 || file_list(path, "*", &list, &error))
    return;
  for (uint32_t i = 0; i < list.count; i++)
    unlink(list.paths[i]);
  file_list_free(&list);
  rmdir(path);
}

// Is `name` a place beside `base` whose process is gone?  A process that once
// had our number is gone, too: in a container each one may have the same.
static bool is_left_over(const char *name, const char *base) {
  const size_t n = strlen(base);
  char *end;
  if (strncmp(name, base, n) || strncmp(name + n, middle, strlen(middle)))
    return false;
  const long pid = strtol(name + n + strlen(middle), &end, 10);
  return !*end && pid > 0 &&
         (pid == getpid() || (kill((pid_t)pid, 0) && errno == ESRCH));
}

static void remove_left_overs(const char *path) {
  const char *slash = strrchr(path, '/');
  const char *base = slash ? slash + 1 : path;
  char *folder =
      slash ? xasprintf("%.*s/", (int)(slash - path), path) : xstrdup(".");
  DIR *dir = opendir(folder);
  const struct dirent *entry;
  while (dir && (entry = readdir(dir)))
    if (is_left_over(entry->d_name, base)) {
      char *name = xasprintf("%s/%s", folder, entry->d_name);
      remove_all(name);
      free(name);
    }
  if (dir)
    closedir(dir);
  free(folder);
}

void whole_file_start(struct whole_file *file, const char *path) {
  char *behind = realpath(path, NULL);
  file->path = behind ? behind : xstrdup(path);
  if (whole_file_is_stream(path)) {
    file->place = xstrdup(path);
    return;
  }
  remove_left_overs(file->path);
  file->place = xasprintf("%s%s%ld", file->path, middle, (long)getpid());
}

int whole_file_end(struct whole_file *file, bool written) {
  int status = written ? 0 : -1;
  int trouble = errno;
  if (!whole_file_is_stream(file->place)) {
    if (written && rename(file->place, file->path)) {
      status = -1;
      trouble = errno;
    }
    if (status)
      remove_all(file->place);
  }
  free(file->path);
  free(file->place);
  errno = trouble;
  return status;
}

static bool put_bytes_at(const char *place, void (*put)(FILE *, const void *),
                         const void *context) {
  FILE *out = fopen(place, whole_file_is_stream(place) ? "we" : "wxe");
  if (!out)
    return false;
  errno = 0;
  put(out, context);
  const bool failed = fflush(out) || ferror(out);
  const int trouble = errno;
  const bool closed = fclose(out) == 0;
  if (failed)
    errno = trouble;
  return closed && !failed;
}

static bool could_be_made(const char *path, const char *place) {
  if (whole_file_is_stream(path))
    return access(path, W_OK) == 0;
  struct stat st;
  if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
    errno = EISDIR;
    return false;
  }
  FILE *out = fopen(place, "wxe");
  return out && fclose(out) == 0;
}

int whole_file_check(const char *path, struct error *error) {
  struct whole_file file;
  whole_file_start(&file, path);
  const bool possible = could_be_made(path, file.place);
  const int trouble = errno;
  if (!whole_file_is_stream(file.place))
    unlink(file.place);
  free(file.path);
  free(file.place);
  return possible
             ? 0
             : error_set(error, "cannot write %s: %s", path, strerror(trouble));
}

int whole_file_write(const char *path,
                     void (*put)(FILE *file, const void *context),
                     const void *context, struct error *error) {
  struct whole_file file;
  whole_file_start(&file, path);
  return whole_file_end(&file, put_bytes_at(file.place, put, context))
             ? error_set(error, "cannot write %s: %s", path, strerror(errno))
             : 0;
}

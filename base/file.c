// SPDX-License-Identifier: GPL-3.0-or-later
// The bytes of a file (base/file.h).  Read rather than mapped: a file that
// shrinks while it is looked at must not end the program.
#include "config.h"

#include "base/file.h"

#include "base/io.h"
#include "base/memory.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int file_open(const char *path, struct stat *st, struct error *error) {
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return error_set(error, "%s: %s", path, strerror(errno));
  if (fstat(fd, st) == 0 && S_ISREG(st->st_mode))
    return fd;
  close(fd);
  return error_set(error, "%s is %s, not a file with a history", path,
                   S_ISDIR(st->st_mode) ? "a directory" : "a device or pipe");
}

unsigned char *file_load(const char *path, size_t limit, size_t *bytes,
                         struct error *error) {
  struct stat st = {0};
  int fd = file_open(path, &st, error);
  if (fd < 0)
    return NULL;
  size_t room = (size_t)st.st_size < limit ? (size_t)st.st_size : limit;
  unsigned char *data = xmalloc_large(room + 1, 1);
  ssize_t done = read_fully(fd, data, room);
  if (done < 0) {
    error_cannot(error, path, "read");
    free(data);
    data = NULL;
  } else {
    data[done] = 0;
    *bytes = (size_t)done;
  }
  close(fd);
  return data;
}

size_t file_mark(const char *data) {
  static const char mark[] = "\xef\xbb\xbf";
  const size_t n = sizeof mark - 1;
  const bool there = strncmp(data, mark, n) == 0;
  return there && isascii(data[n]) && data[n] ? n : 0; // else it is no text
}

static int compare_file_versions(const void *a, const void *b) {
  return strverscmp(*(char *const *)a, *(char *const *)b);
}

static bool is_directory_there(int directory, const char *name) {
  struct stat st;
  return fstatat(directory, name, &st, 0) == 0 && S_ISDIR(st.st_mode);
}

static void sort_paths(struct file_list *list, uint32_t first) {
  if (list->count > first)
    qsort(list->paths + first, list->count - first, sizeof *list->paths,
          compare_file_versions);
}

// The files in each directory of the directory whose name fits.
static int list_below(const char *directory, const char *pattern,
                      const char *slash, struct file_list *list,
                      struct error *error) {
  const uint32_t before = list->count;
  DIR *dir = opendir(directory);
  const struct dirent *entry;
  int failed = 0;
  if (!dir)
    return error_set(error, "%s: %s", directory, strerror(errno));
  char *first = xasprintf("%.*s", (int)(slash - pattern), pattern);
  while (!failed && (entry = readdir(dir))) {
    if (fnmatch(first, entry->d_name, FNM_PERIOD) ||
        !is_directory_there(dirfd(dir), entry->d_name))
      continue;
    char *below = xasprintf("%s/%s", directory, entry->d_name);
    failed = file_list(below, slash + 1, list, error);
    free(below);
  }
  closedir(dir);
  sort_paths(list, before);
  free(first);
  return failed;
}

int file_list(const char *directory, const char *pattern,
              struct file_list *list, struct error *error) {
  const char *slash = strchr(pattern, '/');
  if (slash)
    return list_below(directory, pattern, slash, list, error);
  DIR *dir = opendir(directory);
  const uint32_t before = list->count;
  const struct dirent *entry;
  if (!dir)
    return error_set(error, "%s: %s", directory, strerror(errno));
  while ((entry = readdir(dir))) {
    if (fnmatch(pattern, entry->d_name, FNM_PERIOD) ||
        is_directory_there(dirfd(dir), entry->d_name))
      continue;
    ARRAY_RESERVE(list->paths, list->count, list->room);
    list->paths[list->count++] = xasprintf("%s/%s", directory, entry->d_name);
  }
  closedir(dir);
  sort_paths(list, before);
  return 0;
}

void file_list_free(struct file_list *list) {
  for (uint32_t i = 0; i < list->count; i++)
    free(list->paths[i]);
  free(list->paths);
  *list = (struct file_list){0};
}

char *file_directory(const char *path) {
  const char *slash = strrchr(path, '/');
  return !slash          ? xstrdup(".")
         : slash == path ? xstrdup("/")
                         : xasprintf("%.*s", (int)(slash - path), path);
}

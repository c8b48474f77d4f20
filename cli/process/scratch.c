// SPDX-License-Identifier: GPL-3.0-or-later
// Makes and removes a directory for a while (cli/process/scratch.h).
#include "config.h"

#include "cli/process/scratch.h"

#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *scratch_path(void) {
  const char *place = getenv("TMPDIR");
  return xasprintf("%s/isostress", place && *place ? place : "/tmp");
}

char *scratch_make(struct error *error) {
  char *base = scratch_path();
  char *path = xasprintf("%s.XXXXXX", base);
  free(base);
  if (mkdtemp(path))
    return path;
  error_set(error, "%s: %s", path, strerror(errno));
  free(path);
  return NULL;
}

void scratch_remove(char *path) {
  DIR *directory = path ? opendir(path) : NULL;
  const struct dirent *entry;
  while (directory && (entry = readdir(directory)))
    unlinkat(dirfd(directory), entry->d_name, 0);
  if (directory)
    closedir(directory);
  if (path)
    rmdir(path);
  free(path);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Finds files that come with isostress (cli/process/installed.h).
#include "config.h"

#include "cli/process/installed.h"

#include "base/memory.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The folder in which the folder of this program is; NULL if it cannot be
// told.
static char *source_tree(void) {
  char path[PATH_MAX + 1];
  const ssize_t n = readlink("/proc/self/exe", path, PATH_MAX);
  if (n <= 0)
    return NULL;
  path[n] = '\0';
  for (int up = 0; up < 2; up++) {
    char *slash = strrchr(path, '/');
    if (!slash)
      return NULL;
    *slash = '\0';
  }
  return xstrdup(path);
}

char *installed_folder(const char *name) {
  const char *place = getenv("ISOSTRESS_FILES");
  if (place)
    return xasprintf("%s/%s", place, name);
  char *installed = xasprintf("%s/%s", INSTALLED_DIR, name);
  char *tree = access(installed, F_OK) ? source_tree() : NULL;
  char *built = tree ? xasprintf("%s/%s", tree, name) : NULL;
  free(tree);
  const bool found = built && !access(built, F_OK);
  free(found ? installed : built);
  return found ? built : installed;
}

char *installed_config(const char *folder, const char *name,
                       const char *ending) {
  if (!access(name, F_OK))
    return xstrdup(name);
  if (strchr(name, '/'))
    return NULL;
  const char *const endings[] = {"", ending};
  char *place = installed_folder("configs"), *found = NULL;
  for (size_t i = 0; i < 2 && !found; i++) {
    char *path = xasprintf("%s/%s%s%s", place, folder, name, endings[i]);
    if (!access(path, F_OK))
      found = path;
    else
      free(path);
  }
  free(place);
  return found;
}

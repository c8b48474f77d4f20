// SPDX-License-Identifier: GPL-3.0-or-later
// Finds files that come with isostress (cli/process/installed.h).
#include "config.h"

#include "cli/process/installed.h"

#include "base/anomaly_names.h"
#include "base/memory.h"

#include <dirent.h>
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

static bool has_ending(const char *name, const char *ending) {
  const size_t n = strlen(name), e = strlen(ending);
  return n > e && !strcmp(name + n - e, ending);
}

char **installed_names(const char *folder, const char *ending) {
  struct dirent **files;
  char *configs = installed_folder("configs");
  char *place = xasprintf("%s/%s", configs, folder);
  const int nfiles = scandir(place, &files, NULL, alphasort);
  char **names = xcalloc((size_t)(nfiles > 0 ? nfiles : 0) + 1, sizeof *names);
  size_t n = 0;
  for (int i = 0; i < nfiles; i++) {
    const char *name = files[i]->d_name;
    if (has_ending(name, ending))
      names[n++] =
          xasprintf("%.*s", (int)(strlen(name) - strlen(ending)), name);
    free(files[i]);
  }
  if (nfiles >= 0)
    free(files);
  free(place);
  free(configs);
  return names;
}

void installed_names_free(char **names) {
  for (char **name = names; *name; name++)
    free(*name);
  free(names);
}

// The file of this name, with or without the ending, in `place`.
static char *find_named(const char *place, const char *name,
                        const char *ending) {
  const char *const endings[] = {"", ending};
  for (size_t i = 0; i < 2; i++) {
    char *path = xasprintf("%s%s%s", place, name, endings[i]);
    if (*name && !access(path, F_OK))
      return path;
    free(path);
  }
  return NULL;
}

static char *find_by_anomaly(const char *folder, const char *place,
                             const char *name, const char *ending) {
  char **names = installed_names(folder, ending);
  const char *meant = anomaly_meant(name, (const char *const *)names);
  char *path = meant ? xasprintf("%s%s%s", place, meant, ending) : NULL;
  installed_names_free(names);
  return path;
}

char *installed_config(const char *folder, const char *name,
                       const char *ending) {
  if (!access(name, F_OK))
    return xstrdup(name);
  if (strchr(name, '/'))
    return NULL;
  char *configs = installed_folder("configs");
  char *place = xasprintf("%s/%s", configs, folder);
  char *found = find_named(place, name, ending);
  if (!found)
    found = find_by_anomaly(folder, place, name, ending);
  free(place);
  free(configs);
  return found;
}

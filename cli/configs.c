// SPDX-License-Identifier: GPL-3.0-or-later
// Finds files that come with isostress (cli/configs.h).
#include "config.h"

#include "cli/configs.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *configs_place(void) {
  const char *place = getenv("ISOSTRESS_CONFIGS");
  return place ? place : CONFIGS_DIR;
}

char *config_find(const char *folder, const char *name, const char *ending) {
  if (!access(name, F_OK))
    return xstrdup(name);
  if (strchr(name, '/'))
    return NULL;
  const char *const endings[] = {"", ending};
  for (size_t i = 0; i < 2; i++) {
    char *path =
        xasprintf("%s/%s%s%s", configs_place(), folder, name, endings[i]);
    if (!access(path, F_OK))
      return path;
    free(path);
  }
  return NULL;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Finds settings in what a run noted (cli/jobs/noted.h).
#include "config.h"

#include "cli/jobs/noted.h"

#include "base/memory.h"

#include <string.h>

char *noted_setting(const struct history *history, const char *name) {
  const size_t length = strlen(name);
  const char *line = history->about;
  while (line && (strncmp(line, name, length) ||
                  strncmp(line + length, " = ", strlen(" = ")))) {
    line = strchr(line, '\n');
    line += line != NULL;
  }
  if (!line)
    return NULL;
  line += length + strlen(" = ");
  return xasprintf("%.*s", (int)strcspn(line, "\n"), line);
}

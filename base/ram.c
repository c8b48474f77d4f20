// SPDX-License-Identifier: GPL-3.0-or-later
// How much memory the machine has left (base/ram.h).
#include "config.h"

#include "base/ram.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

// The number in the file's first line that begins with `name`, times `unit`.
static uint64_t ram_number_in(const char *root, const char *file,
                              const char *name, uint64_t unit) {
  char path[PATH_MAX], line[128];
  uint64_t number = UINT64_MAX;
  unsigned long long found;
  snprintf(path, sizeof path, "%s%s", root, file);
  FILE *stream = fopen(path, "re");
  if (!stream)
    return UINT64_MAX;
  while (number == UINT64_MAX && fgets(line, sizeof line, stream))
    if (!strncmp(line, name, strlen(name)) &&
        sscanf(line + strlen(name), "%llu", &found) == 1)
      number = found < UINT64_MAX / unit ? found * unit : UINT64_MAX;
  fclose(stream);
  return number;
}

uint64_t ram_available(const char *root) {
  const uint64_t machine =
      ram_number_in(root, "/proc/meminfo", "MemAvailable:", 1024);
  const uint64_t group =
      ram_number_in(root, "/sys/fs/cgroup/memory.max", "", 1);
  return machine < group ? machine : group;
}

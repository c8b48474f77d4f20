// SPDX-License-Identifier: GPL-3.0-or-later
// Loads the drivers that need a client library (drivers/network.h).
#include "config.h"

#include "drivers/network.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Beside a program that was built and not installed.
static bool find_built(char *path, size_t room) {
  char program[PATH_MAX];
  const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
  if (n <= 0)
    return false;
  program[n] = 0;
  *(strrchr(program, '/') + 1) = 0;
  return snprintf(path, room, "%sdrivers/network.so", program) < (int)room &&
         !access(path, R_OK);
}

static int refuse_network(const char *path, const char *why,
                          struct error *error) {
  const size_t length = strlen(path);
  if (!strncmp(why, path, length) && !strncmp(why + length, ": ", 2))
    why += length + 2;
  return error_set(error,
                   "%s: the drivers of databases in the network cannot be "
                   "loaded: %s; a program that is not installed needs it in "
                   "drivers/ beside itself",
                   path, why);
}

const struct driver *const *network_load(struct error *error) {
  char path[PATH_MAX + 32];
  const struct driver *const *table = dlsym(RTLD_DEFAULT, "network_drivers");
  if (table)
    return table;
  if (!find_built(path, sizeof path))
    snprintf(path, sizeof path, "%s/network.so", NETWORK_DIR);
  void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!object) {
    const char *why = dlerror();
    refuse_network(path, why ? why : "no reason given", error);
    return NULL;
  }
  table = dlsym(object, "network_drivers");
  if (!table)
    refuse_network(path, "it does not export them", error);
  else if (*table && (*table)->abi != DRIVER_ABI)
    refuse_network(path, "it is of another isostress; install both anew",
                   error);
  else
    return table;
  dlclose(object);
  return NULL;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Drivers from outside the tree: a shared object that exports one `struct
// driver` (drivers/drivers.h).
#include "config.h"

#include "drivers/drivers.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

// One row per slot that the runner calls without asking whether it is there.
static const struct {
  const char *name;
  size_t offset;
  bool only_without_transact;
} required[] = {
    {"name", offsetof(struct driver, name), false},
    {"summary", offsetof(struct driver, summary), false},
    {"levels", offsetof(struct driver, levels), false},
    {"open", offsetof(struct driver, open), false},
    {"close", offsetof(struct driver, close), false},
    {"setup", offsetof(struct driver, setup), false},
    {"connect", offsetof(struct driver, connect), false},
    {"disconnect", offsetof(struct driver, disconnect), false},
    {"begin", offsetof(struct driver, begin), true},
    {"commit", offsetof(struct driver, commit), true},
    {"rollback", offsetof(struct driver, rollback), true},
};

// dlopen looks for a name without a slash among the system's libraries, but a
// person means the file.
static void *open_driver_file(const char *path, char *used, size_t room) {
  snprintf(used, room, "%s%s", strchr(path, '/') ? "" : "./", path);
  return dlopen(used, RTLD_NOW | RTLD_LOCAL);
}

// The message of dlopen without the path that it mostly begins with.
static const char *reason(const char *path) {
  const char *text = dlerror();
  size_t length = strlen(path);
  if (!text)
    return "no reason given";
  return !strncmp(text, path, length) && !strncmp(text + length, ": ", 2)
             ? text + length + 2
             : text;
}

static bool is_empty_slot(const void *slot) {
  const void *pointer;
  memcpy(&pointer, slot, sizeof pointer);
  return !pointer;
}

static int check_driver(const struct driver *driver, const char *path,
                        struct error *error) {
  if (driver->abi != DRIVER_ABI)
    return error_set(error,
                     "%s: was built for version %u of drivers/driver.h, this "
                     "isostress has version %u; build it again",
                     path, driver->abi, (unsigned)DRIVER_ABI);
  for (size_t i = 0; i < sizeof required / sizeof *required; i++)
    if (!(driver->transact && required[i].only_without_transact) &&
        is_empty_slot((const char *)driver + required[i].offset))
      return error_set(error, "%s: its driver lacks `%s`, which is required",
                       path, required[i].name);
  if (driver->transact && !driver->transacts)
    return error_set(error,
                     "%s: its driver has `transact`, but not the set of "
                     "operations that it `transacts`",
                     path);
  if (!driver->execute != !driver->executes ||
      !driver->execute != !driver->setup_tables)
    return error_set(error,
                     "%s: its driver has some of `setup_tables`, `executes` "
                     "and `execute`; it needs all of them or none",
                     path);
  if (!driver->levels->name)
    return error_set(error, "%s: its driver has no isolation level", path);
  return 0;
}

static const struct driver *load_object(const char *path, struct error *error) {
  char used[4096];
  void *object = open_driver_file(path, used, sizeof used);
  if (!object) {
    error_set(error, "%s: cannot be loaded as a driver: %s", path,
              reason(used));
    return NULL;
  }
  const struct driver *driver = dlsym(object, DRIVER_SYMBOL);
  if (driver && !check_driver(driver, path, error))
    return driver;
  if (!driver)
    error_set(error, "%s: is not a driver: it does not export `%s`", path,
              DRIVER_SYMBOL);
  dlclose(object);
  return NULL;
}

bool driver_is_command(const char *own) {
  const size_t length = strlen(own);
  return length < 3 || strcmp(own + length - 3, ".so") != 0;
}

const struct driver *driver_load(const char *own, uint64_t patience,
                                 struct error *error) {
  return driver_is_command(own) ? driver_start(own, patience, error)
                                : load_object(own, error);
}

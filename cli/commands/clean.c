// SPDX-License-Identifier: GPL-3.0-or-later
// isostress clean: drops the tables or keys that runs left in a database.
#include "config.h"

#include "cli/commands.h"

#include "cli/process/signals.h"
#include "cli/settings/own_driver.h"
#include "cli/settings/redact.h"
#include "drivers/drivers.h"
#include "drivers/endpoints.h"

#include <inttypes.h>
#include <stdio.h>

static int clean(const char *text, const struct driver *loaded,
                 uint64_t *removed, struct error *error) {
  struct endpoints endpoints = {0};
  const char *const extra[] = {NULL};
  if (!target_driver(text, loaded, extra, error)) {
    error->usage = true;
    return -1;
  }
  if (endpoints_open(text, loaded, NULL, 1, 1, &endpoints, error))
    return -1;
  struct target *target = endpoints.targets[0];
  const int failed =
      target->driver->clean
          ? target->driver->clean(target, removed, error)
          : error_set_usage(error,
                            "the driver %s leaves nothing that could be "
                            "removed, or cannot remove it",
                            target->driver->name);
  endpoints_close(&endpoints);
  return failed;
}

enum status clean_command(const struct arguments *arguments) {
  struct settings settings;
  struct error error;
  uint64_t removed = 0;
  settings_default(&settings, FOR_CLEAN);
  arguments_give(arguments, &settings);
  signals_leave();
  if (arguments->nwords != 1) {
    error_set(&error, "say which database to clean, such as `isostress clean "
                      "sqlite:try.db`");
    return complain(STATUS_USAGE, &error);
  }
  const char *text = arguments->words[0];
  const struct driver *loaded;
  if (own_driver_load(&settings, &loaded, &error) ||
      clean(text, loaded, &removed, &error)) {
    redact_text(text, error.text, sizeof error.text);
    return complain(status_of_error(&error), &error);
  }
  if (removed)
    printf("removed %" PRIu64 " %s of isostress\n", removed,
           removed == 1 ? "table or key" : "tables or keys");
  else
    puts("nothing of isostress was there");
  return STATUS_KEPT;
}

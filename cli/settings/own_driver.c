// SPDX-License-Identifier: GPL-3.0-or-later
// Loads the user's own driver (cli/settings/own_driver.h).
#include "config.h"

#include "cli/settings/own_driver.h"

#include "cli/settings/redact.h"
#include "drivers/drivers.h"

#include <string.h>

// The command is in the record of a run and in the list of processes.
static int refuse_secret(const char *command, struct error *error) {
  char shown[SETTING_MAX + 1];
  redact_target(command, shown, sizeof shown);
  return strcmp(shown, command)
             ? error_set_usage(error,
                               "driver=%s: a command holds no password, as it "
                               "is kept with the results; give it in the "
                               "target's place or in the environment",
                               shown)
             : 0;
}

int own_driver_load(const struct settings *settings,
                    const struct driver **loaded, struct error *error) {
  const char *own = settings->driver;
  *loaded = NULL;
  if (!own)
    return 0;
  if (driver_is_command(own) && refuse_secret(own, error))
    return -1;
  *loaded = driver_load(own, settings->driver_timeout, error);
  return *loaded ? 0 : -1;
}

void own_driver_name_target(struct settings *settings,
                            const struct driver *loaded) {
  if (!settings->target && loaded && loaded->started_by)
    settings->target = loaded->example;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// The driver of the user's own that --driver names.
#ifndef CLI_SETTINGS_OWN_DRIVER_H
#define CLI_SETTINGS_OWN_DRIVER_H

#include "cli/settings/settings.h"

// Loads or starts it: NULL if the settings name none.  -1 with a sentence.
int own_driver_load(const struct settings *settings,
                    const struct driver **loaded, struct error *error);

// Where the driver is a command and no target is given, the target is the
// driver's without a place.
void own_driver_name_target(struct settings *settings,
                            const struct driver *loaded);

#endif

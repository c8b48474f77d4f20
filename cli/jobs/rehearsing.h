// SPDX-License-Identifier: GPL-3.0-or-later
// The user's own scripts played once each and rolled back, before any run.
#ifndef CLI_JOBS_REHEARSING_H
#define CLI_JOBS_REHEARSING_H

#include "cli/settings/settings.h"
#include "cli/status.h"

// Writes to stdout how each statement is going to be judged, and why not more;
// what the database refuses goes to stderr, with file and line, and is a
// mistake of usage.
enum status rehearse_scripts(const struct settings *settings);

// As that, and writes nothing to stdout; to stderr only if it complains.
enum status rehearse_quietly(const struct settings *settings, bool complains);

#endif

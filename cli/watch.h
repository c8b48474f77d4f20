// SPDX-License-Identifier: GPL-3.0-or-later
// Checks a run while it records, so that it can stop at the first violation.
#ifndef CLI_WATCH_H
#define CLI_WATCH_H

#include "base/error.h"
#include "cli/settings.h"

#include <signal.h>
#include <stdbool.h>

// After so many ns what a session did should be in the file, for watching.
enum { WATCH_DELAY = 250000000 };

struct watch;

// Starts a thread that checks the newest part of the recording `path`, which
// need not be there yet, again and again: a level or LEVEL_RECORDED, as the
// settings say; all of these must outlive the watch.  It says nothing of what
// it could not keep up with, or of what takes longer to show than a part lasts.
// NULL with a sentence if there can be no thread.
struct watch *watch_start(const char *path, int question,
                          const struct settings *settings, struct error *error);

// Set once there is a violation.
const volatile sig_atomic_t *watch_flag(const struct watch *watch);

// What a watch has seen.
struct sight {
  bool seen;     // a violation
  uint64_t time; // how far the recording was, ns since the start of the run
  struct error trouble; // why it ended early; empty: it did not
};

// Ends it and says what it saw.  NULL: nothing.
struct sight watch_end(struct watch *watch);

#endif

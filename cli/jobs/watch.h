// SPDX-License-Identifier: GPL-3.0-or-later
// Checks a run while it records, so that it can stop at the first violation.
#ifndef CLI_JOBS_WATCH_H
#define CLI_JOBS_WATCH_H

#include "base/error.h"
#include "cli/settings/settings.h"

#include <signal.h>
#include <stdbool.h>

struct backpressure;
struct watch;

// Starts a thread that checks the newest part of the recording `path`, which
// need not be there yet, again and again: a level or LEVEL_RECORDED, as the
// settings say; all of these must outlive the watch.  A run that follows its
// pace is held back where the check cannot keep up, so that nothing goes by
// unseen but what takes longer to show than a part lasts.  NULL with a sentence
// if there can be no thread.
struct watch *watch_start(const char *path, int question,
                          const struct settings *settings, struct error *error);

// Checks this from now on instead; before the first transaction is recorded.
void watch_ask(struct watch *watch, int question);

// For the run: its pace, and what is set once there is a violation.
struct backpressure *watch_backpressure(const struct watch *watch);
const volatile sig_atomic_t *watch_flag(const struct watch *watch);

// The violation that a watch has seen.
struct notice {
  bool seen;       // a violation
  uint64_t clock;  // when, by clock_now
  uint64_t time;   // how far the recording was, ns since the start of the run
  uint64_t waited; // ns, all sessions together, for the check
  uint64_t undecided;   // parts whose check took so long that it was left
  struct error trouble; // why it ended early; empty: it did not
};

// Ends it and says what it saw.  NULL: nothing.
struct notice watch_end(struct watch *watch);

#endif

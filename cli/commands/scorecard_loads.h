// SPDX-License-Identifier: GPL-3.0-or-later
// The random loads of a scorecard: which workloads, and what they leave out for
// a driver that lacks some statements.
#ifndef CLI_COMMANDS_SCORECARD_LOADS_H
#define CLI_COMMANDS_SCORECARD_LOADS_H

#include "cli/settings/settings.h"
#include "drivers/driver.h"

struct card_load {
  const char *name; // of its directory
  const char *workload;
  bool is_of_rows, after; // rows; with instrument=after
};
enum { CARD_LOADS = 5 };
extern const struct card_load card_loads[CARD_LOADS];

// Is there anything in it for this target?  Nothing is tried a second time that
// was tried already.
bool card_load_fits(const struct card_load *load, const struct driver *driver,
                    const char *target);

// The target with the load's option.  Free with free().
char *card_load_target(const struct card_load *load, const char *target);

// The shares of the workload's transactions that the driver can execute, as
// --shares takes them, and a sentence about those that it cannot; NULL: it can
// execute all of them.  Free both with free().
char *card_load_shares(const struct workload *workload,
                       const struct driver *driver, char **left_out);

#endif

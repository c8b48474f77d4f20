// SPDX-License-Identifier: GPL-3.0-or-later
// A step script as plain commands for a database's own shell, to be typed at
// one terminal per session: what a bug report shows.
#ifndef STEPS_COMMANDS_H
#define STEPS_COMMANDS_H

#include "drivers/driver.h"
#include "steps/perform.h"

// A command as it is typed, one or more lines, and what it returned when the
// anomaly was seen; NULL: nothing that is known.
struct typed_command {
  uint32_t session; // of the script; COMMAND_OF_ANY: before and after all
  const char *text, *returned;
};
enum { COMMAND_OF_ANY = UINT32_MAX };

// Is there a shell for databases of this driver that we know?
bool commands_known(const struct driver *driver);

// Writes the commands with what each returned when the anomaly was seen, as
// comments; `level` is that of transactions that do not say theirs.  They stand
// in the order in which a performance with these results sent them, so that
// none stands behind one of its own session that still waits.
void commands_put(FILE *out, const struct script *script,
                  const struct driver *driver, const struct driver_level *level,
                  const struct step_result *results);

// Lists the commands of a script on tables of rows in its own order, in the
// arena; returns how many.
uint32_t commands_list(struct arena *arena, const struct script *script,
                       const struct driver *driver, const char *level,
                       struct typed_command **list);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// A step script as plain commands for a database's own shell, to be typed at
// one terminal per session: what a bug report shows.
#ifndef STEPS_COMMANDS_H
#define STEPS_COMMANDS_H

#include "drivers/driver.h"
#include "steps/perform.h"

// A command as it is typed, one or more lines.
struct typed_command {
  uint32_t session; // of the script; COMMAND_OF_ANY: before and after all
  const char *text;
  const char *place;    // in the user's own script: "sell.pgbench:3"; or NULL
  const char *returned; // when the anomaly was seen: "returned 4"; NULL:
                        // nothing that is known
};
enum { COMMAND_OF_ANY = UINT32_MAX };

// The database whose shell they are typed into.
struct typed_at {
  const char *target; // as typed; its password is in no command
  const struct driver *driver;
  const char *level; // of transactions that do not say theirs
};

// Is there a shell for the target's database that we know, and that can do what
// the script does?
bool commands_known(const struct script *script, const char *target);

// Writes the commands with what each returned when the anomaly was seen, as
// comments.  They stand in the order in which a performance with these results
// sent them, so that none stands behind one of its own session that still
// waits.
void commands_put(FILE *out, const struct script *script,
                  const struct typed_at *at, const struct step_result *results);

// Lists the commands, in the arena, in the order of the results or, if these
// are NULL, of the script; returns how many.  The first one is before all
// steps, the last two behind them: to see what is left, and to drop that.
uint32_t commands_list(struct arena *arena, const struct script *script,
                       const struct typed_at *at,
                       const struct step_result *results,
                       struct typed_command **list);

// "T1, T3": the transactions of a session that is called after them.
const char *commands_transactions(struct arena *arena,
                                  const struct script *script,
                                  uint32_t session);

#endif

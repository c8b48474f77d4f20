// SPDX-License-Identifier: GPL-3.0-or-later
// One step of a script as it is typed into the shell of a database, in the
// patterns of drivers/words.h.  A key is its position in the script plus one,
// and so is a value.
#ifndef STEPS_SHELL_H
#define STEPS_SHELL_H

#include "drivers/driver.h"
#include "drivers/words.h"
#include "steps/script.h"

// A session at the step that comes next.
struct shell_place {
  const char *host;  // HOST:PORT
  const char *level; // of its transaction
};

struct shell {
  struct arena *arena;
  const struct script *script;
  const struct shell_commands *commands;
  const struct driver *driver;
  const char *level;          // of transactions that do not say theirs
  const char *target;         // whose hosts the sessions speak to
  struct shell_place *places; // by session, and one behind the last, for what
                              // is typed anywhere
};

// The commands for the target's database; NULL: isostress knows no shell of it,
// or none in which the keys can hold lists, as those of the script do.
const struct shell_commands *shell_commands_for(const struct script *script,
                                                const char *target);

// `*shell` has all but its places.  The target may hold a password and options.
void shell_open(struct shell *shell);

// Creates what the steps need, shows what they left, and drops it.  Each
// command is a line.
void shell_put_setup(FILE *out, const struct shell *shell);
void shell_put_last(FILE *out, const struct shell *shell);
void shell_put_drops(FILE *out, const struct shell *shell);

// Is there anything to type at the step?  Asked once for each step, in the
// order in which they are typed: sessions change their places.
bool shell_types(struct shell *shell, uint32_t step);

// Puts the command of a step that is typed, without the end of its last line.
void shell_put_step(FILE *out, const struct shell *shell, uint32_t step);

#endif

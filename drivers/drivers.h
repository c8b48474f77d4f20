// SPDX-License-Identifier: GPL-3.0-or-later
// The table of drivers, and how a target as typed becomes an open target.
#ifndef DRIVERS_DRIVERS_H
#define DRIVERS_DRIVERS_H

#include "base/memory.h"
#include "drivers/driver.h"

// The drivers of this build, numbered from 0; NULL after the last one.  The
// client libraries of databases in the network are loaded when the first of
// their drivers is asked for.
const struct driver *drivers_at(uint32_t i);

// A driver of the user's own: a path that ends in .so is a shared object, which
// stays loaded, and anything else is a command that speaks by a pipe
// (drivers/pipe/PIPE.md), which stays started.  `patience`, in ns, is how long
// to wait for an answer of a command.  NULL with a sentence that names the file
// or the command if it has no driver or one of another version.
const struct driver *driver_load(const char *own, uint64_t patience,
                                 struct error *error);
bool driver_is_command(const char *own);

// The second half of driver_load.  A command that was started before is not
// started again.  Its processes are ended with the program.
const struct driver *driver_start(const char *command, uint64_t patience,
                                  struct error *error);

// The driver of a target, which is not touched; NULL with a sentence if there
// is no such driver or if it has no such option.  What target_open refuses
// after that is no mistake of spelling.
const struct driver *target_driver(const char *text,
                                   const struct driver *loaded,
                                   const char *const *extra,
                                   struct error *error);

// Opens "SCHEME:PLACE?NAME=VALUE&...".  `loaded` (may be NULL) comes first when
// schemes are looked up.  `extra` holds further NAME=VALUE options, which win
// over those of the target, and ends with NULL.  An unknown scheme or option is
// answered with the nearest one.
int target_open(const char *text, const struct driver *loaded,
                const char *const *extra, uint32_t nsessions, uint64_t seed,
                struct target **target, struct error *error);
void target_close(struct target *target);

// The level that one of the driver's levels promises on this server, known
// after setup or follow; before, the most that it promises on any.
enum isolation target_claim(const struct target *target,
                            const struct driver_level *level);

// The level with this name: the database's own words first, then ours, by what
// the level claims.  NULL text: the default.  NULL with a sentence that lists
// the levels there are.
const struct driver_level *driver_level(const struct driver *driver,
                                        const char *text, struct error *error);

// The weaker of two levels of a driver has the smaller number: the names of SQL
// tell which it is, what is promised tells it of others.
int driver_level_strength(const struct driver_level *level);

// The value of an option that is written in the target, or its default, in the
// arena; NULL: none, or the target cannot be read.
const char *target_option(struct arena *arena, const char *target,
                          const char *name);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps passwords out of everything that is written or printed: they are
// replaced by ***.
#ifndef CLI_SETTINGS_REDACT_H
#define CLI_SETTINGS_REDACT_H

#include <stdbool.h>
#include <stddef.h>

// A copy of the target without the password of SCHEME://USER:PASSWORD@HOST and
// without the values of options such as password=.  Cut off if `room` bytes are
// too few for it.
void redact_target(const char *target, char *text, size_t room);

// Replaces the passwords of `target` wherever they stand in `text`.
void redact_text(const char *target, char *text, size_t room);

// Replaces the passwords of an argument, which may be a target or name one, by
// as many stars.
void redact_in_place(char *argument);

// Has this target been redacted, so that something in it is not known any more?
bool is_redacted(const char *target);

// A copy, to be freed, without the password of its user and without the option
// `password` if these have been redacted: the database's client library then
// looks into its own variables and files.
char *redact_left_out(const char *target);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Drivers read the values of their target's options with these.  Values that
// they refuse are wrong usage (base/error.h).
#ifndef DRIVERS_OPTIONS_H
#define DRIVERS_OPTIONS_H

#include "base/error.h"

#include <stdint.h>

// The position of `value` in the NULL-terminated list `words`, whatever the
// case; -1 with a sentence that names the option and the nearest word.
int option_choice(const char *name, const char *value, const char *const *words,
                  struct error *error);

// Reads a whole number from `least` to `most`; -1 with a sentence that names
// the option.
int option_number(const char *name, const char *value, uint32_t least,
                  uint32_t most, uint32_t *number, struct error *error);

// Reads "5s", "100ms", "2.5s", "1m" or "5", which is seconds, at most an hour,
// into milliseconds; -1 with a sentence that names the option.
int option_milliseconds(const char *name, const char *value, uint32_t *ms,
                        struct error *error);

// Reads the option "timeout", which is longer than nothing.
int option_timeout(const char *value, uint32_t *ms, struct error *error);

// Checks prefix of the names of keys: letters, digits and `marks`.  No
// digit stands at the end, for the number of a key follows.  -1 with a
// sentence.
int option_prefix(const char *value, const char *marks, struct error *error);

#endif

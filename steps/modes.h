// SPDX-License-Identifier: GPL-3.0-or-later
// The modes of a transaction, which a step `begin` says behind its level.
#ifndef STEPS_MODES_H
#define STEPS_MODES_H

#include "drivers/words.h"

#include <stdint.h>
#include <stdio.h>

// Is it a phrase about modes, such as "read only", whose words come one after
// the other in `words`?  Returns how many words it has; 0: it is none.  Adds 1
// << enum shell_mode to `*modes` where the phrase does not say what holds
// anyway.
uint32_t modes_phrase(const char *const *words, uint32_t nwords,
                      uint8_t *modes);

// "read only, deferrable", as the script says it.
void modes_put(FILE *out, uint8_t modes);

// As the database has them behind a BEGIN: " READ ONLY, DEFERRABLE".
void modes_put_typed(FILE *out, const struct shell_commands *commands,
                     uint8_t modes);

// The first of the modes that the database has not, as the script says it;
// NULL: it has all of them.  No commands: it has none.
const char *modes_lacking(const struct shell_commands *commands, uint8_t modes);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// The words about the built-in store (drivers/words.h), which has no shell.
#include "config.h"

#include "drivers/words.h"

const struct driver_words memory_words = {
    .driver = "memory",
    .scheme = "memory",
    .name = "The built-in store",
    .is_alone = true,
};

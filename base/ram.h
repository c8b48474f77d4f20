// SPDX-License-Identifier: GPL-3.0-or-later
// The memory that the machine has left for this process.
#ifndef BASE_RAM_H
#define BASE_RAM_H

#include <stdint.h>

// Bytes that can be taken without swapping (MemAvailable of proc(5)), or that
// the control group may have in all (memory.max of cgroups(7), version 2) where
// that is less; UINT64_MAX where neither is known.  `root` is "" but for tests.
uint64_t ram_available(const char *root);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// A mix of isolation levels as a user writes it.
#ifndef CLI_SETTINGS_MIX_H
#define CLI_SETTINGS_MIX_H

#include "drivers/driver.h"
#include "runner/runner.h"

// Reads "LEVEL[:SHARE],LEVEL[:SHARE]...", levels in the database's words or
// ours, each once; without a share, 1.  -1 with a sentence.
int mix_read(const struct driver *driver, const char *text,
             struct level_mix *mix, struct error *error);

// Reads "SHAPE:LEVEL,SHAPE:LEVEL...,*:LEVEL": the level of the transactions of
// each shape of the workload, * being all that have no level of their own.  -1
// with a sentence.
int mix_read_of_shapes(const struct driver *driver,
                       const struct workload *workload, const char *text,
                       struct level_mix *mix, struct error *error);

#endif

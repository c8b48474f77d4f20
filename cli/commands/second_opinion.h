// SPDX-License-Identifier: GPL-3.0-or-later
// `isostress check --method=sobound`: what an algorithm of the mixed-isolation
// paper says of a history, told without a proof.
#ifndef CLI_COMMANDS_SECOND_OPINION_H
#define CLI_COMMANDS_SECOND_OPINION_H

#include "cli/jobs/checking.h"
#include "cli/status.h"

// Asks settings.method, which is not METHOD_ENGINE, about a level or
// LEVEL_RECORDED, within the limits of time and memory, and prints JSON if the
// settings say so, or else a line with put_line, or where that is NULL a
// report.
enum status second_opinion(const struct checking *checking, int question,
                           const struct settings *settings,
                           void (*put_line)(const char *path, const char *level,
                                            const struct verdict *verdict));

#endif

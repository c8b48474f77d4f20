// SPDX-License-Identifier: GPL-3.0-or-later
// `isostress check --model=bank FILE...`: logs of Jepsen's tests held against
// what the test promises.
#ifndef CLI_COMMANDS_CHECK_LOGS_H
#define CLI_COMMANDS_CHECK_LOGS_H

#include "base/error.h"
#include "cli/arguments.h"
#include "cli/status.h"

#include <stdio.h>

// Names the models, if any, that a file which is no history may be a log of, as
// the sentence of the error.
void check_logs_suggest(const char *path, struct error *error);

// Checks the files that the words name against settings.log_model.  `tests`
// gets a test of JUnit for each; NULL: none is asked for.
enum status check_logs(const struct arguments *arguments,
                       const struct settings *settings, FILE *tests);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// `isostress check --model=bank FILE...`: logs of Jepsen's tests held against
// what the test promises.
#ifndef CLI_COMMANDS_CHECK_LOGS_H
#define CLI_COMMANDS_CHECK_LOGS_H

#include "cli/arguments.h"
#include "cli/status.h"

// Checks the files that the words name against settings.log_model.
enum status check_logs(const struct arguments *arguments,
                       const struct settings *settings);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// isostress generate: a history without a database.
#include "config.h"

#include "cli/commands.h"

#include "cli/jobs/generating.h"
#include "cli/process/signals.h"
#include "cli/status.h"

#include <inttypes.h>

static enum status generate_to(const struct settings *settings,
                               const char *path) {
  struct error error = {0};
  struct generated generated;
  signals_catch();
  if (generate_history(settings, path, &generated, &error))
    return complain(error.usage       ? STATUS_USAGE
                    : *signals_stop() ? STATUS_UNDECIDED
                                      : STATUS_TROUBLE,
                    &error);
  tell_user("%s: %" PRIu64 " committed and %" PRIu64
            " aborted transactions, %" PRIu64
            " operations of committed ones; seed %" PRIu64,
            path, generated.committed, generated.aborted, generated.operations,
            generated.seed);
  return STATUS_KEPT;
}

enum status generate_command(const struct arguments *arguments) {
  struct settings settings;
  struct error error;
  settings_default(&settings, FOR_GENERATE);
  arguments_give(arguments, &settings);
  if (arguments->nwords == 1)
    return generate_to(&settings, arguments->words[0]);
  error_set(&error, "say where to write the history, such as `isostress "
                    "generate history.edn`");
  return complain(STATUS_USAGE, &error);
}

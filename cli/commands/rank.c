// SPDX-License-Identifier: GPL-3.0-or-later
// isostress rank: lets a run of the user's own SQL that was killed be judged in
// full.
#include "config.h"

#include "cli/commands.h"

#include "cli/jobs/killed.h"
#include "cli/process/signals.h"
#include "cli/settings/redact.h"

#include <inttypes.h>
#include <stdio.h>

enum status rank_command(const struct arguments *arguments) {
  struct error error;
  struct ranked ranked;
  signals_leave();
  if (arguments->nwords != 2) {
    error_set(&error, "say which run and on which database, such as `isostress "
                      "rank results/runs/latest "
                      "postgresql://me@localhost/test`");
    return complain(STATUS_USAGE, &error);
  }
  const char *directory = arguments->words[0], *target = arguments->words[1];
  if (killed_rank(directory, target, &ranked, &error)) {
    redact_text(target, error.text, sizeof error.text);
    return complain(status_of_error(&error), &error);
  }
  printf("%" PRIu64 " transactions, %" PRIu64 " of %" PRIu64
         " statements in full: isostress check %s\n",
         ranked.transactions, ranked.whole, ranked.statements, directory);
  return STATUS_KEPT;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// The history that is told as a report, with a page and pictures
// (cli/explore/exploring.h): why no serial order explains it.
#include "config.h"

#include "cli/explore/exploring.h"

#include "base/memory.h"
#include "cli/jobs/checking.h"
#include "cli/jobs/results.h"
#include "cli/jobs/rundir.h"
#include "recorder/files/writer.h"
#include "report/report.h"

#include <stdlib.h>

// Checks the history of the file at ser, and writes what comes of it.
static int write_report(const char *directory, const char *path,
                        const struct settings *settings, struct error *error) {
  struct checking checking;
  int failed = checking_start(&checking, path, settings, error) ||
               checking_check(&checking, ISOLATION_SER, settings, error);
  if (!failed) {
    const struct report report = {.command = "explore",
                                  .history_path = path,
                                  .history = &checking.history,
                                  .verdict = checking.told,
                                  .claimed = checking.claimed,
                                  .check_seconds = checking.seconds};
    failed = results_write(directory, &report, error);
  }
  checking_end(&checking);
  return failed;
}

int page_write(const struct exploration *e, const struct smallest *smallest,
               struct error *error) {
  if (!e->settings->explain || !smallest->history.ntxns)
    return 0;
  char *directory = smallest_place(smallest, e->settings->explain);
  char *path = xasprintf("%s/history.jsonl", directory);
  const int failed = rundir_make_path(directory, error) ||
                     history_write(path, history_format_for(path),
                                   &smallest->history, NULL, error) ||
                     write_report(directory, path, e->settings, error);
  free(path);
  free(directory);
  return failed ? -1 : 0;
}

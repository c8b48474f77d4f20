// SPDX-License-Identifier: GPL-3.0-or-later
// Writes what is suspected (cli/jobs/suspected.h).
#include "config.h"

#include "cli/jobs/suspected.h"

#include "base/memory.h"
#include "checker/part/subhistory.h"
#include "recorder/files/reader.h"
#include "recorder/files/writer.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int write_part(const char *path, const struct report *report,
                      struct error *error) {
  const struct verdict *v = report->verdict;
  const struct history_format *format =
      history_format_named("isostress", error);
  struct operations ops = {.op = xcalloc(v->npart, sizeof *ops.op),
                           .count = v->npart,
                           .room = v->npart};
  struct history part;
  memcpy(ops.op, v->part, v->npart * sizeof *ops.op);
  subhistory_close(report->history, &ops);
  subhistory_extract(report->history, &ops, &part, NULL);
  const int failed = history_write(path, format, &part, NULL, error);
  history_free(&part);
  free(ops.op);
  return failed;
}

int suspected_write(const char *directory, const struct report *report,
                    struct error *error) {
  const struct verdict *v = report->verdict;
  char *path = xasprintf("%s/suspected", directory);
  unlink(path);
  const int failed =
      report->history && v && v->kind == VERDICT_UNDECIDED && v->npart
          ? write_part(path, report, error)
          : 0;
  free(path);
  return failed;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Sums up the loads of a level (cli/commands/scorecard_column.h).
#include "config.h"

#include "cli/commands/scorecard_column.h"

#include "base/memory.h"
#include "report/words/quantity.h"

#include <stdio.h>
#include <string.h>

// As seen from the scorecard.
static char *page_of_run(const char *directory) {
  const char *slash = strrchr(directory, '/');
  return xasprintf(SCORECARD_RUNS "/%s/report.html",
                   slash ? slash + 1 : directory);
}

// Counts, until column_sum_up makes them rates.
static void add_found(struct guarantee_column *column, const char *directory,
                      const struct verdict *verdict) {
  column->checked += verdict->counts.committed;
  for (int a = ANOMALY_NONE + 1; a < ANOMALY_COUNT; a++) {
    if (verdict->kind != VERDICT_VIOLATION || !verdict->found[a])
      continue;
    column->found[a] += (double)verdict->found[a];
    if (directory && !column->runs[a])
      column->runs[a] = page_of_run(directory);
  }
}

void column_sum_up(struct guarantee_column *column) {
  size_t used = 0;
  for (int a = ANOMALY_NONE + 1; a < ANOMALY_COUNT; a++) {
    if (!(column->found[a] > 0))
      continue;
    column->found[a] *= 1000 / ((double)column->checked + 1e-9);
    if (used < sizeof column->broken - 1)
      used += (size_t)snprintf(
          column->broken + used, sizeof column->broken - used, "%s%s %.3g",
          used ? ", " : "", anomaly_info((enum anomaly)a)->name,
          column->found[a]);
  }
}

static void take_keys(struct guarantee_column *column, enum isolation strongest,
                      enum isolation claimed, bool violated) {
  if (!column->stressed || strongest < column->kept)
    column->kept = strongest;
  column->claimed = claimed;
  column->stressed = true;
  column->violated |= violated;
}

static void take_column_rows(struct guarantee_column *column,
                             enum isolation strongest, bool violated) {
  column->kept_rows = strongest;
  column->stressed_rows = true;
  column->violated_rows = violated;
}

void column_take_report(struct guarantee_column *column,
                        const struct report *report, bool is_first,
                        bool is_of_rows) {
  const struct run_figures *figures = report->figures;
  if (report->trouble && !column->trouble[0])
    snprintf(column->trouble, sizeof column->trouble, "%s", report->trouble);
  if (!figures || !report->auto_level)
    return;
  if (is_first && figures->begun) {
    column->abort_share = (double)run_refused(figures) / (double)figures->begun;
    column->throughput =
        quantity_per_second(figures->committed, figures->measured);
  }
  const bool violated = report->claimed != ISOLATION_NONE && report->verdict &&
                        report->verdict->kind == VERDICT_VIOLATION;
  if (is_of_rows)
    take_column_rows(column, report->auto_level->strongest, violated);
  else
    take_keys(column, report->auto_level->strongest, report->claimed, violated);
  if (report->beyond)
    add_found(column, report->directory, report->beyond);
  else if (report->verdict)
    add_found(column, report->directory, report->verdict);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// The run without the aim (cli/jobs/baseline_run.h).
#include "config.h"

#include "cli/jobs/baseline_run.h"

#include "base/clock.h"
#include "base/memory.h"
#include "cli/jobs/job.h"
#include "cli/status.h"

#include <stdio.h>
#include <stdlib.h>

struct baseline {
  struct aim_figures *figures;
  bool failed;
};

static void take_report(void *context, const struct report *report) {
  struct baseline *b = context;
  struct aim_figures *f = b->figures;
  struct first_violation first;
  struct error error;
  b->failed = !report->figures || !report->verdict;
  if (b->failed)
    return;
  f->baseline_found = report->verdict->kind == VERDICT_VIOLATION;
  f->baseline_committed = report->verdict->counts.committed;
  f->baseline_time = report->figures->elapsed;
  if (!f->baseline_found)
    return;
  b->failed =
      first_violation_find(report->history, report->verdict, &first, &error);
  if (b->failed)
    complain(STATUS_TROUBLE, &error);
  f->baseline_committed = first.committed;
  f->baseline_time = first.time;
}

// Without what the aim made of the settings, and what belongs to the first run
// alone.
static void take_aim_away(struct settings *settings, int question,
                          const struct first_violation *aided) {
  char seed[24];
  snprintf(seed, sizeof seed, "%llu", (unsigned long long)settings->seed);
  setting_give_run(settings, "seed", seed);
  settings->aim = settings->witness = NULL;
  if (!setting_is_given(settings, "op-delay"))
    settings->op_delay = 0;
  settings->check = question;
  settings->stop_on_violation = true;
  setting_give_run(settings, "progress", "0");
  if (!settings->time && !settings->transactions) {
    const uint64_t enough = BASELINE_TIMES * aided->time;
    settings->time = enough > NS_PER_SECOND ? enough : NS_PER_SECOND;
  }
}

int baseline_run(const struct settings *settings, const char *directory,
                 int question, const struct first_violation *aided,
                 struct aim_figures *figures) {
  struct baseline b = {.figures = figures, .failed = true};
  struct settings baseline = *settings;
  char *out = xasprintf("%s/baseline", directory);
  take_aim_away(&baseline, question, aided);
  setting_give_run(&baseline, "out", out);
  const enum status status =
      job_run_quietly("baseline", &baseline, take_report, &b);
  free(out);
  return b.failed || status == STATUS_TROUBLE || status == STATUS_USAGE ? -1
                                                                        : 0;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// The runs of a sweep, one after the other (cli/sweeps/sweeping.h).
#include "config.h"

#include "cli/sweeps/sweeping.h"

#include "base/clock.h"
#include "base/random.h"
#include "cli/jobs/job.h"
#include "cli/process/signals.h"
#include "cli/settings/idle.h"
#include "cli/settings/redact.h"
#include "cli/sweeps/rows.h"
#include "report/shortfall.h"
#include "report/words/quantity.h"

#include <errno.h>
#include <gsl/gsl_randist.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// ---- One run

// Does another workload of the sweep use the setting?
static bool counts_elsewhere(const struct sweep *sweep,
                             const struct setting *setting) {
  bool counts = false;
  for (uint32_t i = 0; i < sweep->axes->naxes; i++) {
    const struct axis *axis = &sweep->axes->axes[i];
    for (uint32_t v = 0; v < axis->nvalues; v++)
      if (!strcmp(axis->name, "workload")) {
        struct settings other;
        settings_default(&other, FOR_RUN);
        setting_give_run(&other, axis->name, axis->values[v]);
        counts |= setting_counts(setting, other.workload);
      }
  }
  return counts;
}

struct settings sweep_settings(const struct sweep *sweep, uint32_t cell) {
  struct settings settings;
  settings_default(&settings, FOR_RUN);
  for (uint32_t i = 0; i < sweep->axes->naxes; i++)
    setting_give_run(&settings, sweep->axes->axes[i].name,
                     axes_value(sweep->axes, cell, i));
  if (!setting_is_given(&settings, "time"))
    setting_give_run(
        &settings, "time",
        settings.transactions
            ? "0"
            : setting_default(setting_find("time", FOR_SWEEP), FOR_SWEEP));
  if (!setting_is_given(&settings, "warmup"))
    setting_give_run(&settings, "warmup", "10%");
  if (!setting_is_given(&settings, "check")) {
    setting_give_run(&settings, "record", "off");
    setting_give_run(&settings, "check", "none");
  }
  setting_give_run(&settings, "progress", "0");
  for (const struct setting *s = settings_table; s->name; s++)
    if (s->commands & FOR_RUN && setting_is_idle(&settings, s) &&
        counts_elsewhere(sweep, s))
      setting_take_back(&settings, s);
  return settings;
}

static void append_row(struct sweep *sweep, const struct report *report) {
  const struct sweep_row row = {
      .axes = sweep->axes,
      .cell = sweep->cell,
      .repetition = sweep->repetition,
      .report = report,
      .took = clock_now() - sweep->begun,
  };
  if (sweep_put_row(sweep->runs, &row) && !sweep->trouble.text[0])
    error_set(&sweep->trouble, "cannot write %s: %s", sweep->runs_path,
              strerror(errno));
}

static bool has_one_target(const struct axes *axes) {
  for (uint32_t i = 0; i < axes->naxes; i++)
    if (!strcmp(axes->axes[i].name, "target"))
      return axes->axes[i].nvalues == 1;
  return true;
}

// Troubles are on stderr already.
static void take_run_report(void *context, const struct report *report) {
  struct sweep *sweep = context;
  char errors[SHORTFALL_TEXT];
  sweep->unreachable = report->unreachable && has_one_target(sweep->axes);
  if (sweep->unreachable)
    return;
  append_row(sweep, report);
  if (!report->figures)
    return;
  fprintf(
      stderr, "  %.2f %% refused, %.0f committed a second\n",
      quantity_percent(run_refused(report->figures), report->figures->begun),
      quantity_per_second(report->figures->committed,
                          report->figures->measured));
  if (shortfall_errors(report->figures, errors, sizeof errors))
    fprintf(stderr, "  %s\n", errors);
}

static void run_cell(struct sweep *sweep, uint32_t cell, uint32_t repetition) {
  struct settings settings = sweep_settings(sweep, cell);
  char *runs = xasprintf("%s/runs", sweep->directory), seed[24];
  snprintf(seed, sizeof seed, "%" PRIu64, sweep->seed + repetition);
  setting_give_run(&settings, "out", runs);
  setting_give_run(&settings, "seed", seed);
  sweep->cell = cell;
  sweep->repetition = repetition;
  sweep->begun = clock_now();
  const enum status status =
      job_run_quietly("cell", &settings, take_run_report, sweep);
  sweep->status = status_worse(sweep->status, status);
  free(runs);
}

// ---- The order

static void shuffle(uint32_t *order, uint32_t count, uint64_t seed) {
  gsl_rng *random = random_stream(seed, 0, RANDOM_PACE);
  gsl_ran_shuffle(random, order, count, sizeof *order);
  gsl_rng_free(random);
}

void sweep_put_cell(FILE *out, const struct sweep *sweep, uint32_t cell) {
  char text[SETTING_MAX + 1];
  for (uint32_t i = 0; i < sweep->axes->naxes; i++) {
    if (sweep->axes->axes[i].nvalues == 1)
      continue;
    redact_target(axes_value(sweep->axes, cell, i), text, sizeof text);
    fprintf(out, " %s=%s", sweep->axes->axes[i].name, text);
  }
}

static void announce_run(const struct sweep *sweep, uint32_t nth,
                         uint32_t count, uint32_t cell, double left) {
  fprintf(stderr, "isostress: run %u of %u, %d:%02d left:", nth + 1, count,
          (int)left / 60, (int)left % 60);
  sweep_put_cell(stderr, sweep, cell);
  putc('\n', stderr);
}

void sweep_run(struct sweep *sweep) {
  const uint32_t ncells = axes_ncells(sweep->axes);
  const uint32_t count = ncells * sweep->repetitions;
  uint32_t *order = xcalloc(count, sizeof *order), n = 0, todo = 0;
  for (uint32_t r = 0; r < sweep->repetitions; r++) {
    for (uint32_t c = 0; c < ncells; c++)
      order[n++] = r * ncells + c;
    shuffle(order + n - ncells, ncells, sweep->seed + r);
  }
  for (uint32_t i = 0; i < count; i++)
    if (!sweep->done[order[i]] && !sweep->impossible[order[i] % ncells])
      order[todo++] = order[i];
  const uint64_t start = clock_now();
  for (uint32_t i = 0; i < todo && !*signals_stop() &&
                       !sweep->trouble.text[0] && !sweep->unreachable;
       i++) {
    const struct settings settings = sweep_settings(sweep, order[i] % ncells);
    const double each = i ? (double)(clock_now() - start) / 1e9 / i
                          : (double)settings.time / 1e9;
    announce_run(sweep, i, todo, order[i] % ncells, each * (todo - i));
    run_cell(sweep, order[i] % ncells, order[i] / ncells);
  }
  free(order);
}

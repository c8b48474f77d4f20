// SPDX-License-Identifier: GPL-3.0-or-later
// isostress sweep: many runs that differ in a few settings, in random order and
// repeated, put into one table.
#include "config.h"

#include "cli/commands.h"

#include "base/clock.h"
#include "base/random.h"
#include "cli/installed.h"
#include "cli/job.h"
#include "cli/redact.h"
#include "cli/rundir.h"
#include "cli/signals.h"
#include "cli/sweep_rows.h"
#include "cli/sweepfile.h"
#include "drivers/drivers.h"
#include "sweep/summary.h"

#include <errno.h>
#include <gsl/gsl_randist.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RUNS "runs.csv"
#define PLAN "sweep.txt"

struct sweep {
  const struct settings *settings; // of the command
  struct axes *axes;
  uint32_t repetitions;
  uint64_t seed;
  char *directory, *runs_path, *command;
  FILE *runs;
  bool *impossible; // by cell
  bool *done;       // by cell and repetition
  // The run that takes place.
  uint32_t cell, repetition;
  bool told;
  enum status status;
};

// ---- One run

static struct settings settings_of(const struct sweep *sweep, uint32_t cell) {
  struct settings settings;
  settings_default(&settings);
  for (uint32_t i = 0; i < sweep->axes->naxes; i++)
    setting_give_run(&settings, sweep->axes->axes[i].name,
                     axes_value(sweep->axes, cell, i));
  if (!setting_is_given(&settings, "time"))
    setting_give_run(&settings, "time", "5s");
  if (setting_is_given(sweep->settings, "time"))
    settings.time = sweep->settings->time;
  if (!setting_is_given(&settings, "warmup"))
    setting_give_run(&settings, "warmup", "10%");
  if (!setting_is_given(&settings, "check")) {
    setting_give_run(&settings, "record", "off");
    setting_give_run(&settings, "check", "none");
  }
  setting_give_run(&settings, "progress", "0");
  return settings;
}

static double ratio(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

static void take_report(void *context, const struct report *report) {
  struct sweep *sweep = context;
  sweep->told = true;
  sweep_put_row(sweep->runs, sweep->axes, sweep->cell, sweep->repetition,
                report->figures, report->verdict, report->trouble);
  if (report->figures)
    fprintf(stderr, "  %.2f %% aborted, %.0f committed a second%s%s\n",
            100 * ratio((double)report->figures->aborted,
                        (double)report->figures->begun),
            ratio((double)report->figures->committed,
                  (double)report->figures->measured / 1e9),
            report->trouble ? "; " : "",
            report->trouble ? report->trouble : "");
}

static void run_cell(struct sweep *sweep, uint32_t cell, uint32_t repetition) {
  struct settings settings = settings_of(sweep, cell);
  char *runs = xasprintf("%s/runs", sweep->directory), seed[24];
  snprintf(seed, sizeof seed, "%" PRIu64, sweep->seed + repetition);
  setting_give_run(&settings, "out", runs);
  setting_give_run(&settings, "seed", seed);
  sweep->cell = cell;
  sweep->repetition = repetition;
  sweep->told = false;
  const enum status status =
      job_run_quietly("cell", &settings, take_report, sweep);
  if (!sweep->told)
    sweep_put_row(sweep->runs, sweep->axes, cell, repetition, NULL, NULL,
                  "the run could not take place");
  sweep->status = status_worse(sweep->status, status);
  free(runs);
}

// ---- The order

static void shuffle(uint32_t *order, uint32_t count, uint64_t seed) {
  gsl_rng *random = random_stream(seed, 0, RANDOM_PACE);
  gsl_ran_shuffle(random, order, count, sizeof *order);
  gsl_rng_free(random);
}

static void put_time(double seconds, char text[32]) {
  snprintf(text, 32, "%d:%02d", (int)seconds / 60, (int)seconds % 60);
}

static void announce(const struct sweep *sweep, uint32_t nth, uint32_t count,
                     uint32_t cell, double left) {
  char text[SETTING_MAX + 1], time[32];
  put_time(left, time);
  fprintf(stderr, "isostress: run %u of %u, %s left:", nth + 1, count, time);
  for (uint32_t i = 0; i < sweep->axes->naxes; i++) {
    if (sweep->axes->axes[i].nvalues == 1)
      continue;
    redact_target(axes_value(sweep->axes, cell, i), text, sizeof text);
    fprintf(stderr, " %s=%s", sweep->axes->axes[i].name, text);
  }
  putc('\n', stderr);
}

// Repetition by repetition, each in an order of its own, so that what changes
// while the sweep lasts does not look like an effect of a setting.
static void run_all(struct sweep *sweep) {
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
  for (uint32_t i = 0; i < todo && !*signals_stop(); i++) {
    const struct settings settings = settings_of(sweep, order[i] % ncells);
    const double each = i ? (double)(clock_now() - start) / 1e9 / i
                          : (double)settings.time / 1e9;
    announce(sweep, i, todo, order[i] % ncells, each * (todo - i));
    run_cell(sweep, order[i] % ncells, order[i] / ncells);
  }
  free(order);
}

// ---- Before anything runs

static int check_cell(struct sweep *sweep, uint32_t cell, struct error *error) {
  struct settings settings = settings_of(sweep, cell);
  const char *const extra[] = {NULL};
  if (!settings.target)
    return error_set(error, "no target: say which database, in the file or "
                            "behind it");
  const struct driver *driver =
      target_driver(settings.target, NULL, extra, error);
  if (!driver || run_check(driver, settings.workload, error) ||
      !driver_level(driver, settings.isolation, error))
    return -1;
  return 0;
}

// Combinations that can not be are named, all of them.
static int find_impossible(struct sweep *sweep) {
  const uint32_t ncells = axes_ncells(sweep->axes);
  int nimpossible = 0;
  for (uint32_t c = 0; c < ncells; c++) {
    struct error error = {0};
    char text[SETTING_MAX + 1];
    if (!check_cell(sweep, c, &error))
      continue;
    sweep->impossible[c] = true;
    nimpossible++;
    fputs("isostress: impossible:", stderr);
    for (uint32_t i = 0; i < sweep->axes->naxes; i++) {
      redact_target(axes_value(sweep->axes, c, i), text, sizeof text);
      if (sweep->axes->axes[i].nvalues > 1)
        fprintf(stderr, " %s=%s", sweep->axes->axes[i].name, text);
    }
    fprintf(stderr, ": %s\n", error.text);
  }
  return nimpossible;
}

// What makes two sweeps the same, as text.
static char *describe(const struct sweep *sweep) {
  char *text, target[SETTING_MAX + 1];
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  if (!out)
    out_of_memory(1);
  fprintf(out, "repetitions = %u\nzip = %s\n", sweep->repetitions,
          sweep->axes->zip ? "yes" : "no");
  if (setting_is_given(sweep->settings, "time"))
    fprintf(out, "time of every run = %" PRIu64 " ns\n", sweep->settings->time);
  for (uint32_t i = 0; i < sweep->axes->naxes; i++) {
    fprintf(out, "%s =", sweep->axes->axes[i].name);
    for (uint32_t v = 0; v < sweep->axes->axes[i].nvalues; v++) {
      redact_target(sweep->axes->axes[i].values[v], target, sizeof target);
      fprintf(out, "%s %s", v ? " |" : "", target);
    }
    putc('\n', out);
  }
  fclose(out);
  return text;
}

// The first line in which two texts differ, of the first one.
static void first_difference(const char *a, const char *b, char line[200]) {
  while (*a) {
    const size_t n = strcspn(a, "\n"), m = strcspn(b, "\n");
    if (n != m || strncmp(a, b, n)) {
      snprintf(line, 200, "%.*s", (int)n, a);
      return;
    }
    a += n + (a[n] == '\n');
    b += m + (b[m] == '\n');
  }
  snprintf(line, 200, "a line less");
}

static char *read_text(const char *path) {
  char *text = NULL;
  size_t room = 0;
  FILE *file = fopen(path, "r");
  if (!file)
    return NULL;
  const ssize_t n = getdelim(&text, &room, '\0', file);
  fclose(file);
  if (n >= 0)
    return text;
  free(text);
  return xstrdup("");
}

static void put_plan(FILE *file, const void *text) { fputs(text, file); }

// Is this the sweep that the directory holds already?
static int check_plan(const struct sweep *sweep, struct error *error) {
  char *path = xasprintf("%s/" PLAN, sweep->directory);
  char *before = read_text(path), *now = describe(sweep), line[200];
  int failed = 0;
  if (!before) {
    failed = rundir_write(sweep->directory, PLAN, put_plan, now, error);
  } else if (strcmp(before, now)) {
    first_difference(before, now, line);
    failed = error_set_usage(error,
                             "%s holds a sweep with other settings (\"%s\"): "
                             "name another directory with --out",
                             sweep->directory, line);
  }
  free(path);
  free(before);
  free(now);
  return failed;
}

// The runs that an interrupted sweep has left.
static int note_done(struct sweep *sweep, struct error *error) {
  struct table table;
  const uint32_t ncells = axes_ncells(sweep->axes);
  int failed = table_read(sweep->runs_path, &table, error);
  for (uint32_t row = 0; !failed && row < table.nrows; row++) {
    const double repetition = table_number(&table, row, "repetition");
    for (uint32_t c = 0; c < ncells; c++) {
      bool same = repetition < sweep->repetitions &&
                  !table_text(&table, row, "trouble")[0];
      for (uint32_t i = 0; same && i < sweep->axes->naxes; i++) {
        char text[SETTING_MAX + 1];
        redact_target(axes_value(sweep->axes, c, i), text, sizeof text);
        same = !strcmp(table.rows[row][i], text);
      }
      if (same)
        sweep->done[(uint32_t)repetition * ncells + c] = true;
    }
  }
  table_free(&table);
  return failed;
}

static int open_runs(struct sweep *sweep, struct error *error) {
  const bool there = !access(sweep->runs_path, F_OK);
  if (there && note_done(sweep, error))
    return -1;
  sweep->runs = fopen(sweep->runs_path, "a");
  if (!sweep->runs)
    return error_set(error, "%s: %s", sweep->runs_path, strerror(errno));
  if (!there)
    sweep_put_header(sweep->runs, sweep->axes);
  return 0;
}

// ---- Afterwards

static void put_csv(FILE *file, const void *summary) {
  summary_put_csv(file, summary);
}

struct described {
  const struct summary *summary;
  const char *command;
};

static void put_json(FILE *file, const void *context) {
  const struct described *described = context;
  summary_put_json(file, described->summary, described->command);
}

static int conclude(const struct sweep *sweep, struct error *error) {
  struct table table;
  struct summary summary = {0};
  bool drawn = true;
  int failed = table_read(sweep->runs_path, &table, error) ||
                       summary_make(&table, &summary, error)
                   ? -1
                   : 0;
  if (!failed) {
    const struct described described = {&summary, sweep->command};
    failed =
        rundir_write(sweep->directory, "sweep.csv", put_csv, &summary, error) ||
                rundir_write(sweep->directory, "sweep.json", put_json,
                             &described, error) ||
                summary_plot(&summary, sweep->directory, sweep->command, &drawn,
                             error)
            ? -1
            : 0;
    if (sweep->settings->output == OUTPUT_JSON)
      summary_put_json(stdout, &summary, sweep->command);
    else
      summary_put_text(stdout, &summary);
  }
  if (!failed && !drawn)
    fputs("isostress: no pictures were drawn: apt-get install gnuplot-nox\n",
          stderr);
  summary_free(&summary);
  table_free(&table);
  return failed;
}

static enum status finish(struct sweep *sweep, struct error *error) {
  if (conclude(sweep, error))
    return complain(STATUS_TROUBLE, error);
  if (sweep->settings->output == OUTPUT_TEXT)
    printf("results: %s\n", sweep->directory);
  if (*signals_stop())
    fputs("isostress: interrupted; the same command goes on from here\n",
          stderr);
  return sweep->status;
}

static enum status perform(struct sweep *sweep) {
  struct error error = {0};
  const uint32_t ncells = axes_ncells(sweep->axes);
  sweep->impossible = xcalloc(ncells, sizeof *sweep->impossible);
  sweep->done =
      xcalloc((size_t)ncells * sweep->repetitions, sizeof *sweep->done);
  enum status status;
  if (find_impossible(sweep) && !sweep->settings->skip_impossible) {
    error_set(&error, "nothing was run; --skip-impossible leaves such "
                      "combinations out");
    status = complain(STATUS_USAGE, &error);
  } else if (rundir_make_path(sweep->directory, &error) ||
             check_plan(sweep, &error) || open_runs(sweep, &error)) {
    status = complain(error.usage ? STATUS_USAGE : STATUS_TROUBLE, &error);
  } else {
    run_all(sweep);
    status = finish(sweep, &error);
  }
  if (sweep->runs)
    fclose(sweep->runs);
  free(sweep->impossible);
  free(sweep->done);
  return status;
}

// The file's name without its folder and ending.
static char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  const char *name = slash ? slash + 1 : path;
  const char *dot = strrchr(name, '.');
  return xasprintf("%.*s", (int)(dot ? (size_t)(dot - name) : strlen(name)),
                   name);
}

static int add_targets(const struct arguments *arguments, struct axes *axes,
                       struct error *error) {
  struct settings scratch;
  settings_default(&scratch);
  for (uint32_t i = 0; i < arguments->nwords; i++) {
    const char *word = arguments->words[i];
    if (word_is_target(word) &&
        (setting_give(&scratch, setting_find("target", FOR_RUN), word, error) ||
         axes_add_value(axes, "target", word, error)))
      return error_prefix(error, "target");
  }
  return axes_check(axes, error);
}

static enum status sweep_section(const struct arguments *arguments,
                                 const struct settings *settings,
                                 const char *file,
                                 struct sweep_section *section) {
  struct error error = {0};
  char *base = base_name(file);
  if (add_targets(arguments, &section->axes, &error)) {
    free(base);
    return complain(STATUS_USAGE, &error);
  }
  struct sweep sweep = {
      .settings = settings,
      .axes = &section->axes,
      .repetitions =
          setting_is_given(settings, "repetitions") || !section->repetitions
              ? (uint32_t)settings->repetitions
              : section->repetitions,
      .seed = setting_is_given(settings, "seed") ? settings->seed : 1,
      .directory = xasprintf(
          "%s/%s-%s",
          setting_is_given(settings, "out") ? settings->out : "results/sweeps",
          base, section->name),
      .command = xasprintf("isostress sweep %s [%s]", base, section->name),
  };
  sweep.runs_path = xasprintf("%s/" RUNS, sweep.directory);
  const enum status status = perform(&sweep);
  free(sweep.directory);
  free(sweep.runs_path);
  free(sweep.command);
  free(base);
  return status;
}

// ---- Comparing

static int load(const char *directory, struct table *table,
                struct summary *summary, struct error *error) {
  char *path = xasprintf("%s/" RUNS, directory);
  const int failed =
      table_read(path, table, error) || summary_make(table, summary, error) ? -1
                                                                            : 0;
  free(path);
  return failed;
}

static enum status compare(const char *one, const char *other) {
  struct table a = {0}, b = {0};
  struct summary of_a = {0}, of_b = {0};
  struct error error = {0};
  int ndifferent = -1;
  if (!load(one, &a, &of_a, &error) && !load(other, &b, &of_b, &error))
    ndifferent = summary_compare(stdout, &of_a, &of_b, &error);
  summary_free(&of_a);
  summary_free(&of_b);
  table_free(&a);
  table_free(&b);
  if (ndifferent < 0)
    return complain(STATUS_TROUBLE, &error);
  return ndifferent ? STATUS_VIOLATION : STATUS_KEPT;
}

static enum status sweep_file(const struct arguments *arguments,
                              const struct settings *settings,
                              const char *name) {
  struct sweepfile file;
  struct error error = {0};
  enum status status = STATUS_KEPT;
  char *path = installed_config("sweeps/", name, ".ini");
  if (sweepfile_read(path ? path : name, &file, &error))
    status = complain(STATUS_USAGE, &error);
  else
    for (uint32_t i = 0; i < file.nsections && !*signals_stop(); i++)
      status = status_worse(
          status, sweep_section(arguments, settings, name, &file.sections[i]));
  sweepfile_free(&file);
  free(path);
  return status;
}

enum status sweep_command(const struct arguments *arguments) {
  struct settings settings;
  struct error error = {0};
  const char *name = NULL;
  settings_default(&settings);
  arguments_give(arguments, &settings);
  for (uint32_t i = 0; i < arguments->nwords; i++)
    if (!word_is_target(arguments->words[i]))
      name = arguments->words[i];
  if (name && settings.compare)
    return compare(settings.compare, name);
  signals_catch();
  if (name)
    return sweep_file(arguments, &settings, name);
  error_set(&error, "say what to sweep, such as `isostress sweep "
                    "mtc-abort-rates sqlite:try.db`");
  return complain(STATUS_USAGE, &error);
}

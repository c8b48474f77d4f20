// SPDX-License-Identifier: GPL-3.0-or-later
// isostress sweep: many runs that differ in a few settings, in random order and
// repeated, put into one table; and two such tables compared.
#include "config.h"

#include "cli/commands.h"

#include "base/memory.h"
#include "base/whole_file.h"
#include "cli/jobs/all_results.h"
#include "cli/jobs/rundir.h"
#include "cli/process/installed.h"
#include "cli/process/signals.h"
#include "cli/settings/redact.h"
#include "cli/sweeps/suite.h"
#include "cli/sweeps/sweepfile.h"
#include "cli/sweeps/sweeping.h"
#include "report/stored.h"
#include "report/text/junit.h"
#include "sweep/page.h"
#include "sweep/summary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- Afterwards

static void put_csv(FILE *file, const void *summary) {
  summary_put_csv(file, summary);
}

struct described_sweep {
  const struct summary *summary;
  const char *name, *command, *all_results;
};

static void put_sweep_json(FILE *file, const void *context) {
  const struct described_sweep *described = context;
  summary_put_json(file, described->summary, described->command);
}

static void put_sweep_page(FILE *file, const void *context) {
  const struct described_sweep *described = context;
  sweep_put_page(file, described->summary, described->name, described->command,
                 PACKAGE_STRING, described->all_results);
}

// Makes the tables and the page of the runs in a sweep's directory.
static int conclude(const char *directory, const char *command,
                    enum output output, struct error *error) {
  struct table table;
  struct summary summary = {0};
  char *runs = xasprintf("%s/" SWEEP_RUNS, directory);
  int failed =
      table_read(runs, &table, error) || summary_make(&table, &summary, error)
          ? -1
          : 0;
  if (!failed) {
    const char *slash = strrchr(directory, '/');
    char *all_results = all_results_link(directory);
    const struct described_sweep described = {
        &summary, slash && slash[1] ? slash + 1 : directory, command,
        all_results};
    failed = rundir_write(directory, "sweep.csv", put_csv, &summary, error) ||
                     rundir_write(directory, "sweep.json", put_sweep_json,
                                  &described, error) ||
                     (summary.ncells &&
                      rundir_write(directory, SWEEP_PAGE, put_sweep_page,
                                   &described, error))
                 ? -1
                 : 0;
    free(all_results);
    if (output == OUTPUT_JSON)
      summary_put_json(stdout, &summary, command);
    else
      summary_put_text(stdout, &summary);
  }
  summary_free(&summary);
  table_free(&table);
  free(runs);
  return failed;
}

// A sweep of which no run took place has no page.
static void put_page_path(const char *directory) {
  char *page = xasprintf("%s/" SWEEP_PAGE, directory);
  printf("page       %s\n", access(page, F_OK) ? directory : page);
  free(page);
}

int sweep_report(const char *directory, struct error *error) {
  struct arena arena = {0};
  struct error none;
  char *path = xasprintf("%s/sweep.json", directory);
  // An interrupted sweep has none yet.
  const char *command = json_text(stored_document(&arena, path, &none),
                                  "command", "isostress sweep");
  const int failed = conclude(directory, command, OUTPUT_TEXT, error);
  if (!failed)
    put_page_path(directory);
  free(path);
  arena_free(&arena);
  return failed;
}

static enum status finish_sweep(struct sweep *sweep, struct error *error) {
  if (sweep->trouble.text[0])
    return complain(STATUS_TROUBLE, &sweep->trouble);
  if (rundir_make_latest(sweep->directory, error))
    return complain(STATUS_TROUBLE, error);
  if (sweep->unreachable)
    return sweep->status; // has been told
  if (conclude(sweep->directory, sweep->command, sweep->settings->output,
               error))
    return complain(STATUS_TROUBLE, error);
  if (sweep->settings->output == OUTPUT_TEXT)
    put_page_path(sweep->directory);
  return *signals_stop()
             ? status_interrupted(sweep->status,
                                  "all runs were made; the same command goes "
                                  "on from here")
             : sweep->status;
}

// Prints the runs that would be made, and how long they would take.
static void put_sweep_plan(const struct sweep *sweep, const char *name,
                           uint32_t nimpossible) {
  const uint32_t ncells = axes_ncells(sweep->axes) - nimpossible;
  double seconds = 0;
  bool known = true;
  for (uint32_t c = 0; c < axes_ncells(sweep->axes); c++) {
    const struct settings settings = sweep_settings(sweep, c);
    known &= settings.time > 0;
    seconds += sweep->impossible[c] ? 0 : (double)settings.time / 1e9;
  }
  seconds *= sweep->repetitions;
  printf("[%s] %" PRIu32 " combinations, %" PRIu32 " times: %" PRIu32 " runs",
         name, ncells, sweep->repetitions, ncells * sweep->repetitions);
  if (known)
    printf(", %d:%02d of load", (int)seconds / 60, (int)seconds % 60);
  putchar('\n');
}

// `suite` becomes its JUnit suite, if the settings ask for one.
static enum status perform_sweep(struct sweep *sweep, const char *name,
                                 char **suite) {
  struct error error = {0};
  const uint32_t ncells = axes_ncells(sweep->axes);
  sweep->impossible = xcalloc(ncells, sizeof *sweep->impossible);
  sweep->done =
      xcalloc((size_t)ncells * sweep->repetitions, sizeof *sweep->done);
  enum status status = STATUS_KEPT;
  const uint32_t nimpossible = sweep_find_impossible(sweep);
  if (nimpossible && !sweep->settings->skip_impossible) {
    error_set(&error, "nothing was run; --skip-impossible leaves out "
                      "impossible combinations");
    status = complain(STATUS_USAGE, &error);
  } else if (sweep->settings->dry_run) {
    put_sweep_plan(sweep, name, nimpossible);
  } else if (sweep_open(sweep, &error) ||
             rundir_check_latest(sweep->directory, &error)) {
    status = complain_of(&error);
  } else {
    all_results_prepare(sweep->settings->out);
    sweep_run(sweep);
    status = finish_sweep(sweep, &error);
  }
  if (sweep->runs) {
    fclose(sweep->runs);
    all_results_update(sweep->directory);
  }
  if (sweep->settings->junit && !sweep->settings->dry_run)
    *suite = sweep_suite(sweep, *name ? name : "sweep",
                         error.text[0] ? &error : NULL);
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

// The value that the command gives goes before those that the file does.
static int take_from_command(const struct arguments *arguments,
                             const char *name, struct axes *axes,
                             struct error *error) {
  const char *value = NULL;
  for (uint32_t i = 0; i < arguments->nassignments; i++)
    if (!strcmp(arguments->assignments[i].setting->name, name))
      value = arguments->assignments[i].text;
  for (uint32_t i = 0; value && i < axes->naxes; i++)
    if (!strcmp(axes->axes[i].name, name))
      axes->axes[i].nvalues = 0;
  return value ? axes_add_value(axes, name, value, error) : 0;
}

static int add_targets(const struct arguments *arguments, struct axes *axes,
                       struct error *error) {
  struct settings scratch;
  settings_default(&scratch, FOR_SWEEP);
  for (uint32_t i = 0; i < arguments->nwords; i++) {
    const char *word = arguments->words[i];
    if (word_is_target(word) &&
        (setting_give(&scratch, setting_find("target", FOR_RUN), word, error) ||
         axes_add_value(axes, "target", word, error)))
      return error_prefix(error, "target");
  }
  return axes_check(axes, error);
}

// The command as it was typed, without passwords; and the section.
static char *sweep_command_line(const struct arguments *arguments,
                                const char *section) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  fputs("isostress sweep", out);
  arguments_put(out, arguments);
  fprintf(out, "  [%s]", section);
  fclose(out);
  return text;
}

static uint32_t repetitions_of(const struct settings *settings,
                               const struct sweep_section *section) {
  return setting_is_given(settings, "repetitions") || !section->repetitions
             ? (uint32_t)settings->repetitions
             : section->repetitions;
}

static enum status sweep_section(const struct arguments *arguments,
                                 const struct settings *settings,
                                 const char *file,
                                 struct sweep_section *section, char **suite) {
  struct error error = {0};
  if (take_from_command(arguments, "time", &section->axes, &error) ||
      take_from_command(arguments, "require", &section->axes, &error) ||
      add_targets(arguments, &section->axes, &error))
    return complain(STATUS_USAGE, &error);
  char *base = base_name(file);
  struct sweep sweep = {
      .settings = settings,
      .axes = &section->axes,
      .repetitions = repetitions_of(settings, section),
      .seed = settings->seed,
      .directory = xasprintf("%s/%s-%s", settings->out, base, section->name),
      .command = sweep_command_line(arguments, section->name),
  };
  sweep.runs_path = xasprintf("%s/" SWEEP_RUNS, sweep.directory);
  const enum status status = perform_sweep(&sweep, section->name, suite);
  free(sweep.directory);
  free(sweep.runs_path);
  free(sweep.command);
  free(base);
  return status;
}

// ---- Comparing

static int load(const char *directory, struct table *table,
                struct summary *summary, struct error *error) {
  char *path = xasprintf("%s/" SWEEP_RUNS, directory);
  const int failed =
      table_read(path, table, error) || summary_make(table, summary, error) ? -1
                                                                            : 0;
  free(path);
  return failed;
}

static enum status compare_sweeps(const char *one, const char *other) {
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

static enum status sweep_sections(const struct arguments *arguments,
                                  const struct settings *settings,
                                  const char *name, struct sweepfile *file) {
  enum status status = STATUS_KEPT;
  struct error error = {0};
  if (settings->junit && whole_file_check(settings->junit, &error))
    return complain_of(&error);
  char **suites = xcalloc(file->nsections, sizeof *suites);
  for (uint32_t i = 0; i < file->nsections && !*signals_stop(); i++)
    status =
        status_worse(status, sweep_section(arguments, settings, name,
                                           &file->sections[i], &suites[i]));
  if (settings->junit && !settings->dry_run &&
      junit_write(settings->junit, suites, file->nsections, &error))
    status = status_worse(status, complain(STATUS_TROUBLE, &error));
  for (uint32_t i = 0; i < file->nsections; i++)
    free(suites[i]);
  free(suites);
  return status;
}

static enum status sweep_file(const struct arguments *arguments,
                              const struct settings *settings,
                              const char *name) {
  struct sweepfile file;
  struct error error = {0};
  char *path = installed_config("sweeps/", name, ".ini");
  const enum status status =
      sweepfile_read(path ? path : name, &file, &error)
          ? complain(STATUS_USAGE, &error)
          : sweep_sections(arguments, settings, name, &file);
  sweepfile_free(&file);
  free(path);
  return status;
}

enum status sweep_command(const struct arguments *arguments) {
  struct settings settings;
  struct error error = {0};
  const char *name = NULL;
  settings_default(&settings, FOR_SWEEP);
  arguments_give(arguments, &settings);
  if (arguments_word(arguments, &name, &error))
    return complain(STATUS_USAGE, &error);
  if (name && settings.compare)
    return compare_sweeps(settings.compare, name);
  signals_catch();
  if (name)
    return sweep_file(arguments, &settings, name);
  error_set(&error, "say what to sweep, such as `isostress sweep "
                    "abort-rates sqlite:try.db`");
  return complain(STATUS_USAGE, &error);
}

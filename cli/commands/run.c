// SPDX-License-Identifier: GPL-3.0-or-later
// isostress run: one job from the command line, or those of a job file.
#include "config.h"

#include "cli/commands.h"

#include "base/memory.h"
#include "base/whole_file.h"
#include "cli/jobs/faulting.h"
#include "cli/jobs/job.h"
#include "cli/jobs/rehearsing.h"
#include "cli/process/installed.h"
#include "cli/process/signals.h"
#include "cli/settings/jobfile.h"
#include "ranks/ranks.h"
#include "report/text/junit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The target and the job file among the words; NULL where there is none.
static int sort_words(const struct arguments *arguments, const char **jobfile,
                      const char **target, struct error *error) {
  *jobfile = *target = NULL;
  for (uint32_t i = 0; i < arguments->nwords; i++) {
    const char *word = arguments->words[i];
    const char **place = word_is_target(word) ? target : jobfile;
    if (*place)
      return error_set(error, "more than one %s: run takes [JOBFILE] [TARGET]",
                       place == target ? "target" : "job file");
    *place = word;
  }
  return 0;
}

// To be freed.
static char *find_jobfile(const char *name, struct error *error) {
  char *path = installed_config("", name, ".ini");
  if (path)
    return path;
  char *place = installed_folder("configs");
  error_set(error,
            "\"%s\" is neither a target, which is SCHEME:PLACE such as "
            "sqlite:/tmp/try.db, nor a job file here or in %s",
            name, place);
  free(place);
  return NULL;
}

// The command line wins over the job file.
static int give_command_line(const struct arguments *arguments,
                             const char *target, struct settings *settings,
                             struct error *error) {
  arguments_give(arguments, settings);
  if (!target)
    return 0;
  if (setting_give(settings, setting_find("target", FOR_RUN), target, error))
    return error_prefix(error, "target");
  return 0;
}

// A run among those of a job file.
struct section_run {
  struct job_row row;
  char *junit, *suite; // the file, and the suite for it; NULL: none
};

// The settings of a run; `jobfile` NULL: there is none.
static int settings_of(const struct arguments *arguments, const char *target,
                       const struct jobfile *jobfile, uint32_t section,
                       struct settings *settings, struct error *error) {
  settings_default(settings, FOR_RUN);
  if (jobfile)
    jobfile_give(jobfile, section, settings);
  return give_command_line(arguments, target, settings, error);
}

// Before the first run.  -1 with a sentence about a file that cannot be
// written.
static int check_job_files(const struct arguments *arguments,
                           const struct jobfile *jobfile, struct error *error) {
  int failed = 0;
  uint32_t s = jobfile ? jobfile_first(jobfile) : 0;
  while (!failed && s != UINT32_MAX) {
    struct settings settings;
    struct error none; // of usage, which its run tells
    if (!settings_of(arguments, NULL, jobfile, s, &settings, &none))
      failed = (settings.junit && whole_file_check(settings.junit, error)) ||
               (settings.witness && whole_file_check(settings.witness, error));
    s = jobfile ? jobfile_next(jobfile, s) : UINT32_MAX;
  }
  return failed;
}

// Writes the faults that the run would have.
static enum status write_faults(const struct settings *settings) {
  struct faulting faulting = {0};
  struct error error;
  const int failed = faulting_read(&faulting, settings, &error);
  if (!failed && faulting_has_faults(&faulting))
    schedule_write(stdout, &faulting.schedule);
  else if (!failed)
    error_set(&error, "dry-run writes the faults of a run, and this one has "
                      "none: give faults or nemesis");
  const bool written = !failed && faulting_has_faults(&faulting);
  faulting_free(&faulting);
  return written ? STATUS_KEPT : complain(STATUS_USAGE, &error);
}

// Fills the row of a run whose result is text.  `run` NULL: there is no job
// file.
static enum status run_section(const struct arguments *arguments,
                               const char *target, struct ranks *ranks,
                               const struct jobfile *jobfile, uint32_t section,
                               struct section_run *run) {
  struct settings settings;
  struct error error;
  const char *name = jobfile ? jobfile->sections[section].name : "run";
  if (settings_of(arguments, target, jobfile, section, &settings, &error))
    return complain(STATUS_USAGE, &error);
  bool several = jobfile && jobfile_first(jobfile) != UINT32_MAX &&
                 jobfile_next(jobfile, jobfile_first(jobfile)) != UINT32_MAX;
  if (several && settings.witness) {
    error_set(&error, "--witness takes one run, and this job file has several");
    return complain(STATUS_USAGE, &error);
  }
  if (run && settings.junit)
    run->junit = xstrdup(settings.junit);
  if (several && settings.output == OUTPUT_TEXT)
    printf("[%s]\n", name);
  const bool row = run && settings.output == OUTPUT_TEXT;
  enum status status = settings.dry_run    ? write_faults(&settings)
                       : settings.rehearse ? rehearse_scripts(&settings)
                                           : job_run(name, &settings, ranks,
                                                     row ? &run->row : NULL,
                                                     run ? &run->suite : NULL);
  if (several && settings.output == OUTPUT_TEXT)
    puts("");
  return status;
}

// Runs that name one file share it.
static enum status write_suites(const struct section_run *runs, uint32_t n) {
  enum status status = STATUS_KEPT;
  char **suites = xcalloc(n + (size_t)1, sizeof *suites);
  for (uint32_t i = 0; i < n; i++) {
    struct error error;
    bool written = !runs[i].junit;
    for (uint32_t k = 0; k < i && !written; k++)
      written = runs[k].junit && !strcmp(runs[k].junit, runs[i].junit);
    for (uint32_t k = 0; k < n && !written; k++)
      suites[k] = runs[k].junit && !strcmp(runs[k].junit, runs[i].junit)
                      ? runs[k].suite
                      : NULL;
    if (!written && junit_write(runs[i].junit, suites, n, &error))
      status = complain(STATUS_TROUBLE, &error);
  }
  free(suites);
  return status;
}

// The rows of those runs that have one, in `rows`.
static uint32_t list_section_rows(const struct section_run *runs, uint32_t n,
                                  struct job_row *rows) {
  uint32_t nrows = 0;
  for (uint32_t i = 0; i < n; i++)
    if (runs[i].row.name)
      rows[nrows++] = runs[i].row;
  return nrows;
}

static enum status tell_of_all(struct section_run *runs, uint32_t n) {
  struct job_row *rows = xcalloc(n + (size_t)1, sizeof *rows);
  job_put_rows(stdout, rows, list_section_rows(runs, n, rows));
  const enum status status = write_suites(runs, n);
  for (uint32_t i = 0; i < n; i++)
    FREE_EACH(runs[i].row.directory, runs[i].junit, runs[i].suite);
  free(rows);
  return status;
}

// Is it by its name a script of transactions, which is no job file?
static bool is_script(const char *name, struct error *error) {
  const char *end = strrchr(name, '.');
  return end && (!strcmp(end, ".pgbench") || !strcmp(end, ".sql")) &&
         error_set_usage(error,
                         "%s is no job file; a script of transactions is "
                         "given as -w %s, and its tables as --schema FILE",
                         name, name);
}

static enum status run_jobfile(const struct arguments *arguments,
                               const char *target, const char *name,
                               struct ranks *ranks) {
  struct jobfile jobfile = {0};
  struct error error;
  enum status status = STATUS_KEPT;
  if (is_script(name, &error))
    return complain(STATUS_USAGE, &error);
  char *path = find_jobfile(name, &error);
  if (!path || jobfile_read(path, &jobfile, &error)) {
    status = complain(STATUS_USAGE, &error);
  } else if (check_job_files(arguments, &jobfile, &error)) {
    status = complain(STATUS_TROUBLE, &error);
  } else {
    struct section_run *runs = xcalloc(jobfile.nsections, sizeof *runs);
    uint32_t n = 0, s = jobfile_first(&jobfile);
    for (; s != UINT32_MAX && !*signals_stop(); s = jobfile_next(&jobfile, s))
      status = status_worse(status, run_section(arguments, target, ranks,
                                                &jobfile, s, &runs[n++]));
    status = status_worse(status, tell_of_all(runs, n));
    free(runs);
    if (s != UINT32_MAX)
      status = status_interrupted(status, "all runs had begun");
  }
  jobfile_free(&jobfile);
  free(path);
  return status;
}

static enum status run_with_ranks(const struct arguments *arguments,
                                  const char *target, const char *jobfile,
                                  struct ranks *ranks) {
  struct error error;
  if (jobfile)
    return run_jobfile(arguments, target, jobfile, ranks);
  if (check_job_files(arguments, NULL, &error))
    return complain(STATUS_TROUBLE, &error);
  return run_section(arguments, target, ranks, NULL, 0, NULL);
}

// Those that the command line names, or mpirun.
static int join_ranks(const struct arguments *arguments, struct ranks **ranks,
                      struct error *error) {
  struct settings settings;
  settings_default(&settings, FOR_RUN);
  arguments_give(arguments, &settings);
  const struct ranks_options options = {.rank = settings.rank,
                                        .meet = settings.meet,
                                        .patience = settings.meet_timeout,
                                        .stop = signals_stop()};
  return ranks_join(&options, ranks, error);
}

enum status run_command(const struct arguments *arguments) {
  const char *jobfile, *target;
  struct error error = {0};
  struct ranks *ranks;
  if (sort_words(arguments, &jobfile, &target, &error))
    return complain(STATUS_USAGE, &error);
  signals_catch();
  if (join_ranks(arguments, &ranks, &error))
    return complain(error.usage ? STATUS_USAGE : STATUS_TROUBLE, &error);
  // Rank 0 tells what all found.
  const bool tells = !ranks_number(ranks);
  const enum status status =
      tells || freopen("/dev/null", "w", stdout)
          ? run_with_ranks(arguments, target, jobfile, ranks)
          : STATUS_TROUBLE;
  ranks_leave(ranks);
  return status;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// isostress scorecard: what each isolation level of a database really keeps,
// step by step and under random load.
#include "config.h"

#include "cli/commands.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/whole_file.h"
#include "cli/commands/scorecard_column.h"
#include "cli/commands/scorecard_failures.h"
#include "cli/commands/scorecard_loads.h"
#include "cli/jobs/all_results.h"
#include "cli/jobs/job.h"
#include "cli/jobs/rundir.h"
#include "cli/process/installed.h"
#include "cli/process/progress.h"
#include "cli/process/signals.h"
#include "cli/repro/steps_page.h"
#include "cli/settings/own_driver.h"
#include "cli/settings/redact.h"
#include "drivers/drivers.h"
#include "drivers/endpoints.h"
#include "drivers/memory/bugs.h"
#include "report/page/page.h"
#include "report/text/junit.h"
#include "report/text/text.h"
#include "report/words/guarantees.h"
#include "report/words/quantity.h"
#include "report/words/scored.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// In the directory of the scorecard: those of the runs, and of the pages of
// scripts that showed an anomaly.
#define STEPS "steps"

enum { PERFORMANCES = 3, COLUMNS_MAX = 32 };

struct scoring {
  struct settings settings; // as given
  const struct driver *driver;
  uint32_t nhosts;
  char *directory, *runs; // of the results, and of the runs in it; or NULL
  int held;               // of the directory (rundir_hold), or -1
  struct guarantees guarantees;
  struct guarantee_column columns[COLUMNS_MAX];
  struct guarantee_cell cells[COLUMNS_MAX][GUARANTEE_ROWS];
  char server[256];
  char *left_out, *failed; // of guarantees; or NULL
  struct card_failures failures;
  const char *load; // of the stress at hand
  struct progress progress;
  uint64_t begin;         // of all
  uint32_t done, planned; // a script is one, a stress STRESS_SHARE
  // The result of a stress.
  struct guarantee_column *column;
  bool is_first, is_of_rows;
  enum status status;
};

// ---- Progress

enum { STRESS_SHARE = 10 }; // so many scripts take as long

static void say_progress(struct scoring *scoring, const char *what) {
  char text[120];
  snprintf(text, sizeof text, "%s: %s", scoring->column->level, what);
  progress_of_work(&scoring->progress, scoring->done / (double)scoring->planned,
                   clock_now() - scoring->begin, text);
}

// ---- Step by step

// -1 with a sentence; the page of an anomaly that was seen.
static int keep_steps(struct scoring *scoring, const struct staging *staging,
                      const struct settings *settings, const char *name,
                      const struct page_step *steps, uint32_t seen, uint32_t n,
                      struct guarantee_cell *cell, struct error *error) {
  const struct steps_told told = {.name = name,
                                  .performances = n,
                                  .seen = seen,
                                  .anomaly = seen == n ? "seen" : NULL};
  char *directory = xasprintf("%s/" STEPS, scoring->directory);
  char *all_results = all_results_link(directory);
  cell->page = xasprintf(STEPS "/%s-%s.html", name, scoring->column->level);
  for (char *c = cell->page; *c; c++)
    *c = *c == ' ' ? '-' : *c;
  char *path = xasprintf("%s/%s", scoring->directory, cell->page);
  const int failed =
      mkdir(directory, 0777) && errno != EEXIST
          ? error_set(error, "%s: %s", directory, strerror(errno))
          : steps_page_write(path, staging, settings, steps, &told, all_results,
                             error);
  FREE_EACH(path, all_results, directory);
  return failed;
}

static void judge_script(struct guarantee_cell *cell, struct staging *staging,
                         uint32_t repetition, uint32_t *seen) {
  uint32_t by;
  const enum judgement judgement =
      script_judge(staging->script, repetition, staging->results, &by);
  static const enum cell_kind kinds[] = {[JUDGED_NONE] = CELL_EMPTY,
                                         [JUDGED_SEEN] = CELL_SEEN,
                                         [JUDGED_ABORTED] = CELL_ABORTED,
                                         [JUDGED_BLOCKED] = CELL_BLOCKED,
                                         [JUDGED_PREVENTED] = CELL_PREVENTED};
  *seen += judgement == JUDGED_SEEN;
  if (kinds[judgement] < cell->kind)
    return;
  cell->kind = kinds[judgement];
  if (judgement == JUDGED_ABORTED)
    snprintf(cell->detail, sizeof cell->detail, "%.31s",
             staging->results[by].code);
}

// A statement that a driver of the user's own cannot execute prevents nothing.
static bool ends_by_failure(struct scoring *scoring, const char *name,
                            const struct staging *staging) {
  return scoring->driver->started_by &&
         card_failures_take_steps(&scoring->failures, name, staging);
}

static int perform_card_script(struct scoring *scoring,
                               const struct script *script,
                               const struct settings *settings,
                               const char *name, struct guarantee_cell *cell,
                               struct error *error) {
  struct staging staging;
  struct arena arena = {0};
  struct page_step *first = NULL;
  uint32_t seen = 0, n = 0;
  int failed = staging_start(&staging, script, settings, PERFORMANCES, error);
  if (!failed && !scoring->server[0])
    stage_describe(staging.stage, scoring->server, sizeof scoring->server);
  for (; !failed && n < PERFORMANCES && !*signals_stop(); n++) {
    failed = staging_perform(&staging, n, settings, error);
    if (!failed && !ends_by_failure(scoring, name, &staging))
      judge_script(cell, &staging, n, &seen);
    if (!failed && !n)
      first = steps_page_steps(&arena, &staging);
  }
  if (cell->kind == CELL_SEEN)
    snprintf(cell->detail, sizeof cell->detail, "%u/%u", seen, n);
  if (!failed && seen)
    failed = keep_steps(scoring, &staging, settings, name, first, seen, n, cell,
                        error);
  staging_end(&staging);
  free(first);
  arena_free(&arena);
  return failed;
}

// Is the bug that was asked for one of rows, or of keys, as what is tried?
static bool suits_bug(const struct settings *settings, bool of_rows) {
  enum bug bug;
  double probability;
  struct error error;
  return !settings->bug ||
         bug_parse(settings->bug, &bug, &probability, &error) ||
         bug_is_of_rows(bug) == of_rows;
}

// A script that needs more than the driver has leaves its cell empty.
static bool can_perform(const struct scoring *scoring,
                        const struct script *script) {
  const struct driver *driver = scoring->driver;
  return (!script->uses_sql || driver->sql) &&
         (!script->ntables || driver->execute) &&
         suits_bug(&scoring->settings, script->ntables > 0);
}

static double seconds_of_card(uint64_t begin) {
  return quantity_seconds(clock_now() - begin);
}

static int try_anomaly(struct scoring *scoring, const struct settings *settings,
                       const char *name, struct guarantee_cell *cell,
                       struct error *error) {
  struct script script = {0};
  const uint64_t begin = clock_now();
  char *path = installed_config("steps/", name, ".steps");
  int failed = path ? script_read(path, &script, error)
                    : error_set(error, "the script %s is not installed", name);
  if (!failed && can_perform(scoring, &script))
    failed = perform_card_script(scoring, &script, settings, name, cell, error);
  cell->seconds = seconds_of_card(begin);
  script_free(&script);
  free(path);
  return failed;
}

// ---- Under load

static void take_level_report(void *context, const struct report *report) {
  struct scoring *scoring = context;
  column_take_report(scoring->column, report, scoring->is_first,
                     scoring->is_of_rows);
  if (scoring->driver->started_by && report->figures)
    card_failures_take_load(&scoring->failures, scoring->load, report->figures);
}

// A stress that needs more keys than were asked for gets as many as it needs.
static void give_keys(struct settings *run) {
  char keys[24];
  if (run->keys >= run->workload->min_keys)
    return;
  snprintf(keys, sizeof keys, "%" PRIu64, run->workload->min_keys);
  setting_give_run(run, "keys", keys);
}

// The shares that are left, which the run borrows; to be freed.
static char *leave_out(struct scoring *scoring, struct settings *run) {
  char *left_out;
  char *shares = card_load_shares(run->workload, scoring->driver, &left_out);
  if (shares)
    setting_give_run(run, "shares", shares);
  if (!scoring->left_out)
    scoring->guarantees.left_out = scoring->left_out = left_out;
  else
    free(left_out);
  return shares;
}

static void stress_level(struct scoring *scoring,
                         const struct settings *settings,
                         const struct card_load *load) {
  struct settings run = *settings;
  struct error error;
  setting_give_run(&run, "workload", load->workload);
  setting_give_run(&run, "check", "auto");
  setting_give_run(&run, "progress", "0");
  run.out = scoring->runs;
  scoring->is_of_rows = load->is_of_rows;
  if (run_check(scoring->driver, run.workload, &error) ||
      !card_load_fits(load, scoring->driver, run.target) ||
      !suits_bug(&run, scoring->is_of_rows))
    return;
  give_keys(&run);
  char *shares = leave_out(scoring, &run);
  char *target = card_load_target(load, run.target);
  setting_give_run(&run, "target", target);
  scoring->is_first = load == card_loads;
  scoring->load = load->name;
  const enum status status =
      job_run_quietly(load->name, &run, take_level_report, scoring);
  FREE_EACH(target, shares);
  if (status == STATUS_TROUBLE || status == STATUS_USAGE)
    scoring->status = status_worse(scoring->status, status);
}

// ---- The columns

static int fill_column(struct scoring *scoring, struct guarantee_column *column,
                       struct error *error) {
  struct settings settings = scoring->settings;
  setting_give_run(&settings, "isolation", column->level);
  if (column->endpoints)
    setting_give_run(&settings, "endpoints", column->endpoints);
  scoring->column = column;
  const bool pinned = !column->endpoints ||
                      !strcmp(column->endpoints, routing_name(ROUTING_PIN));
  for (uint32_t r = 0; pinned && r < GUARANTEE_ROWS && !*signals_stop(); r++) {
    say_progress(scoring, guarantee_grid[r].heading);
    if (try_anomaly(scoring, &settings, guarantee_grid[r].name,
                    &column->cells[r], error))
      return -1;
    scoring->done++;
  }
  const uint64_t begin = clock_now();
  for (uint32_t w = 0; w < CARD_LOADS && !*signals_stop(); w++) {
    char *what = xasprintf("random load, %s", card_loads[w].name);
    say_progress(scoring, what);
    free(what);
    stress_level(scoring, &settings, &card_loads[w]);
    scoring->done += STRESS_SHARE;
  }
  column->load_seconds = seconds_of_card(begin);
  column_sum_up(column);
  return 0;
}

static void add_column(struct scoring *scoring,
                       const struct driver_level *level,
                       const char *endpoints) {
  struct guarantees *g = &scoring->guarantees;
  if (g->ncolumns == COLUMNS_MAX)
    return;
  scoring->columns[g->ncolumns] =
      (struct guarantee_column){.level = level->name,
                                .is_default = level == scoring->driver->levels,
                                .endpoints = endpoints,
                                .claimed = level->claimed,
                                .cells = scoring->cells[g->ncolumns]};
  g->ncolumns++;
}

// The levels of a driver from the weakest one on; how many.
static uint32_t sort_levels(const struct driver *driver,
                            const struct driver_level *sorted[COLUMNS_MAX]) {
  uint32_t n = 0;
  for (const struct driver_level *level = driver->levels;
       level->name && n < COLUMNS_MAX; level++) {
    uint32_t i = n++;
    for (; i &&
           driver_level_strength(sorted[i - 1]) > driver_level_strength(level);
         i--)
      sorted[i] = sorted[i - 1];
    sorted[i] = level;
  }
  return n;
}

// Every level, or the one that was asked for; with several hosts each way to
// spread sessions over them.
static int choose_columns(struct scoring *scoring, struct error *error) {
  const char *asked = scoring->settings.isolation;
  const struct driver_level *sorted[COLUMNS_MAX];
  const struct driver_level *only =
      asked ? driver_level(scoring->driver, asked, error) : NULL;
  if (asked && !only)
    return -1;
  const uint32_t n = sort_levels(scoring->driver, sorted);
  for (uint32_t i = 0; i < n; i++) {
    if (only && sorted[i] != only)
      continue;
    if (scoring->nhosts == 1)
      add_column(scoring, sorted[i], NULL);
    for (int r = 0; scoring->nhosts > 1 && r <= ROUTING_REPLICAS; r++)
      add_column(scoring, sorted[i], routing_name((enum routing)r));
  }
  return 0;
}

static uint32_t count_target_hosts(const char *target) {
  const char *authority = strstr(target, "://");
  uint32_t count = 1;
  for (const char *c = authority ? authority + 3 : "";
       *c && *c != '/' && *c != '?'; c++)
    count += *c == ',';
  return count;
}

// The levels before tell how long one takes; before the first, the loads do.
static void tell_column(const struct scoring *scoring, uint32_t c,
                        uint64_t elapsed) {
  const struct guarantees *g = &scoring->guarantees;
  const uint64_t each =
      c ? elapsed / c : (uint64_t)CARD_LOADS * scoring->settings.time;
  const uint64_t left = each * (g->ncolumns - c) / NS_PER_SECOND;
  fprintf(stderr,
          "isostress: level %u of %u, \"%s\"%s%s; about %" PRIu64 ":%02" PRIu64
          " left\n",
          c + 1, g->ncolumns, g->columns[c].level,
          g->columns[c].endpoints ? ", endpoints " : "",
          g->columns[c].endpoints ? g->columns[c].endpoints : "", left / 60,
          left % 60);
}

static void put_begun(FILE *file, const void *command) {
  fprintf(file, "%s has not ended.\n", (const char *)command);
}

// A command that is ended early leaves a directory that is known as a
// scorecard.
static int make_card_directory(struct scoring *scoring, struct error *error) {
  if (rundir_make(scoring->settings.out, scoring->driver->name, "scorecard",
                  "levels", &scoring->directory, error))
    return -1;
  scoring->held = rundir_hold(scoring->directory);
  scoring->runs = xasprintf("%s/" SCORECARD_RUNS, scoring->directory);
  return rundir_check_latest(scoring->directory, error) ||
                 rundir_write(scoring->directory, SCORECARD_TEXT, put_begun,
                              scoring->guarantees.command, error)
             ? -1
             : 0;
}

// Nothing is kept of a scorecard that found nothing.
static void leave_directory(struct scoring *scoring, bool failed) {
  if (failed && scoring->directory &&
      (!rmdir(scoring->runs) || access(scoring->runs, F_OK)))
    rundir_discard(scoring->directory, SCORECARD_TEXT);
  if (scoring->held >= 0)
    close(scoring->held);
  if (scoring->directory)
    all_results_update(scoring->directory);
  free(scoring->runs);
  free(scoring->directory);
}

static int fill_card(struct scoring *scoring, struct error *error) {
  struct guarantees *g = &scoring->guarantees;
  const struct settings *settings = &scoring->settings;
  const struct driver *loaded;
  const char *const extra[] = {NULL};
  if (own_driver_load(settings, &loaded, error))
    return -1;
  scoring->driver = target_driver(settings->target, loaded, extra, error);
  if (!scoring->driver) {
    error->usage = true;
    return -1;
  }
  scoring->nhosts = count_target_hosts(settings->target);
  if (choose_columns(scoring, error)) {
    error->usage = true;
    return -1;
  }
  if (make_card_directory(scoring, error))
    return -1;
  scoring->begin = clock_now();
  scoring->planned = g->ncolumns * (GUARANTEE_ROWS + CARD_LOADS * STRESS_SHARE);
  for (uint32_t c = 0; c < g->ncolumns && !*signals_stop(); c++) {
    if (!scoring->progress.terminal)
      tell_column(scoring, c, clock_now() - scoring->begin);
    scoring->done = c * (GUARANTEE_ROWS + CARD_LOADS * STRESS_SHARE);
    if (fill_column(scoring, &g->columns[c], error))
      return -1;
  }
  progress_end(&scoring->progress);
  g->interrupted = *signals_stop();
  return 0;
}

// ---- The results

static void put_card_text(FILE *file, const void *guarantees) {
  text_put_scorecard(file, guarantees);
}
static void put_card_json(FILE *file, const void *guarantees) {
  guarantees_put_json(file, guarantees);
}
static void put_card_page(FILE *file, const void *guarantees) {
  page_put_scorecard(file, guarantees);
}

static int keep_card(struct scoring *scoring, struct error *error) {
  struct guarantees *g = &scoring->guarantees;
  const char *directory = scoring->directory;
  char *all_results;
  g->failed = scoring->failed = card_failures_sentence(&scoring->failures);
  if (scoring->failed)
    redact_text(scoring->settings.target, scoring->failed,
                strlen(scoring->failed) + 1);
  all_results_prepare(scoring->settings.out);
  g->all_results = all_results = all_results_link(directory);
  const int failed =
      rundir_write(directory, SCORECARD_TEXT, put_card_text, g, error) ||
      rundir_write(directory, "scorecard.json", put_card_json, g, error) ||
      rundir_write(directory, SCORECARD_PAGE, put_card_page, g, error) ||
      rundir_make_latest(directory, error);
  if (scoring->settings.output == OUTPUT_JSON)
    guarantees_put_json(stdout, g);
  else
    text_put_scorecard(stdout, g);
  if (!failed && scoring->settings.output == OUTPUT_TEXT)
    printf("\npage       %s/" SCORECARD_PAGE "\n", directory);
  free(all_results);
  return failed ? -1 : 0;
}

// A level that breaks what it claims is a violation; one that is only not known
// to keep it is undecided.
static enum status judge_card_columns(const struct scoring *scoring) {
  const struct guarantees *g = &scoring->guarantees;
  enum status status = scoring->status;
  struct scored scored;
  scored_begin(&scored, NULL, g);
  for (uint32_t c = 0; c < g->ncolumns; c++)
    if (g->columns[c].violated || g->columns[c].violated_rows ||
        (!scored.several && scored_broken(&scored, c)))
      status = status_worse(status, STATUS_VIOLATION);
    else if (g->columns[c].stressed &&
             g->columns[c].kept < g->columns[c].claimed)
      status = status_worse(status, STATUS_UNDECIDED);
  return g->interrupted ? status_worse(status, STATUS_UNDECIDED) : status;
}

// The suite of a scorecard that could not be made has its trouble.  -1 with a
// sentence.
static int put_card_junit(struct scoring *scoring, const struct error *trouble,
                          struct error *error) {
  struct guarantees *g = &scoring->guarantees;
  if (!scoring->settings.junit)
    return 0;
  g->trouble = trouble ? trouble->text : NULL;
  char *page =
      trouble ? NULL : xasprintf("%s/" SCORECARD_PAGE, scoring->directory);
  char *suite = junit_suite_of_scorecard(g, page);
  const int failed = junit_write(scoring->settings.junit, &suite, 1, error);
  FREE_EACH(page, suite);
  return failed;
}

static char *scorecard_command_line(const struct arguments *arguments) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  fputs("isostress scorecard", out);
  arguments_put(out, arguments);
  fclose(out);
  return text;
}

static enum status make_card(struct scoring *scoring, struct error *error) {
  struct error unwritten;
  const char *junit = scoring->settings.junit;
  if (junit && whole_file_check(junit, error))
    return complain_of(error);
  const bool failed = fill_card(scoring, error) || keep_card(scoring, error);
  if (failed)
    redact_text(scoring->settings.target, error->text, sizeof error->text);
  const int lost = put_card_junit(scoring, failed ? error : NULL, &unwritten);
  leave_directory(scoring, failed);
  const enum status status =
      failed ? complain_of(error) : judge_card_columns(scoring);
  return lost ? status_worse(status, complain_of(&unwritten)) : status;
}

enum status scorecard_command(const struct arguments *arguments) {
  struct scoring *scoring = xcalloc(1, sizeof *scoring);
  scoring->held = -1;
  scoring->progress.terminal = progress_on_terminal();
  struct error error = {0};
  char target[SETTING_MAX + 1];
  char *command = scorecard_command_line(arguments);
  enum status status;
  settings_default(&scoring->settings, FOR_SCORECARD);
  arguments_give(arguments, &scoring->settings);
  signals_catch();
  if (arguments_give_target(arguments, &scoring->settings, &error)) {
    status = complain_of(&error);
  } else {
    redact_target(scoring->settings.target, target, sizeof target);
    scoring->guarantees = (struct guarantees){.program = PACKAGE_STRING,
                                              .target = target,
                                              .command = command,
                                              .server = scoring->server,
                                              .date = clock_wall(),
                                              .rows = guarantee_grid,
                                              .nrows = GUARANTEE_ROWS,
                                              .columns = scoring->columns};
    status = make_card(scoring, &error);
  }
  for (uint32_t c = 0; c < COLUMNS_MAX; c++) {
    for (int a = 0; a < ANOMALY_COUNT; a++)
      free(scoring->columns[c].runs[a]);
    for (uint32_t r = 0; r < GUARANTEE_ROWS; r++)
      free(scoring->cells[c][r].page);
  }
  FREE_EACH(scoring->left_out, scoring->failed);
  free(scoring);
  free(command);
  return status;
}

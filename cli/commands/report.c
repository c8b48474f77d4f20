// SPDX-License-Identifier: GPL-3.0-or-later
// isostress report: makes the page and the pictures of stored runs again, and
// compares several of them; of a sweep it makes the tables and the page again,
// a scorecard it shows, and a directory of results gets a page that leads to
// each of them.
#include "config.h"

#include "cli/commands.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/whole_file.h"
#include "cli/jobs/all_results.h"
#include "cli/jobs/page_note.h"
#include "cli/jobs/results.h"
#include "cli/jobs/rundir.h"
#include "cli/process/signals.h"
#include "cli/sweeps/sweeping.h"
#include "report/page/page.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct runs {
  char *all_results; // of the comparison
  struct stored *items;
  const char **names; // directories, as they were given
  char **links;       // from the comparison to their pages, or NULL
  uint32_t count;
};

static bool holds_file(const char *directory, const char *file) {
  char *path = xasprintf("%s/%s", directory, file);
  const bool there = !access(path, F_OK);
  free(path);
  return there;
}

static int copy_to_stdout(const char *path, struct error *error) {
  FILE *file = fopen(path, "re");
  int c;
  if (!file)
    return error_set(error, "cannot read %s: %s", path, strerror(errno));
  while ((c = getc(file)) != EOF)
    putchar(c);
  fclose(file);
  return 0;
}

// The page of a scorecard was written with its text, from the same.
static int show_scorecard(const char *directory, struct error *error) {
  char *path = xasprintf("%s/" SCORECARD_TEXT, directory);
  const int failed = copy_to_stdout(path, error);
  if (!failed)
    printf("%s/" SCORECARD_PAGE "\n", directory);
  free(path);
  return failed;
}

// Writes the page of a directory that holds none of the above itself.
static int index_results(const char *name, struct error *error) {
  uint32_t nresults = 0;
  size_t length = strlen(name);
  while (length > 1 && name[length - 1] == '/')
    length--;
  char *directory = xasprintf("%.*s", (int)length, name);
  int failed = all_results_write(directory, &nresults, error);
  if (!failed && nresults)
    printf("%s/" ALL_RESULTS_PAGE "\n", directory);
  else if (!failed)
    failed = error_set(error,
                       "%s holds no report.json: name the directory of a run, "
                       "a sweep, a scorecard or a directory of these",
                       directory);
  free(directory);
  return failed;
}

static int read_named_run(struct runs *runs, const char *name,
                          struct error *error) {
  runs->names[runs->count] = name;
  return stored_of_directory(&runs->items[runs->count++], name, error);
}

// Results other than runs are shown at once.
static int read_all_named(const struct arguments *arguments, struct runs *runs,
                          struct error *error) {
  int failed = 0;
  runs->names = xcalloc(arguments->nwords, sizeof *runs->names);
  runs->items = xcalloc(arguments->nwords, sizeof *runs->items);
  for (uint32_t i = 0; i < arguments->nwords && !failed; i++) {
    const char *name = arguments->words[i];
    if (holds_file(name, SWEEP_RUNS))
      failed = sweep_report(name, error);
    else if (holds_file(name, SCORECARD_TEXT))
      failed = show_scorecard(name, error);
    else if (!holds_file(name, "report.json") && holds_file(name, RUN_SETTINGS))
      failed = error_set(error,
                         "%s is half written: its command has not ended, or "
                         "was ended before it had written its results",
                         name);
    else if (holds_file(name, "report.json") || access(name, F_OK))
      failed = read_named_run(runs, name, error);
    else
      failed = index_results(name, error);
  }
  return failed;
}

static void free_runs(struct runs *runs) {
  for (uint32_t i = 0; i < runs->count; i++)
    stored_free(&runs->items[i]);
  free(runs->items);
  free(runs->names);
}

static int rewrite(const struct runs *runs, struct error *error) {
  for (uint32_t i = 0; i < runs->count; i++) {
    if (results_rewrite(runs->names[i], &runs->items[i], error))
      return -1;
    printf("%s/report.html\n", runs->names[i]);
  }
  return 0;
}

// The way from one directory to another one's page; NULL: it has none.
static char *way_to_page(const char *from, const char *to) {
  char *here = realpath(from, NULL);
  char *place = xasprintf("%s/", here ? here : "");
  char *named = xasprintf("%s/report.html", to), *page = realpath(named, NULL);
  char *way = NULL;
  size_t shared = 0, bytes;
  for (size_t i = 0; page && place[i] && place[i] == page[i]; i++)
    shared = place[i] == '/' ? i + 1 : shared;
  if (here && page) {
    FILE *out = text_stream(&way, &bytes);
    for (const char *c = place + shared; *c; c++)
      fputs(*c == '/' ? "../" : "", out);
    fputs(page + shared, out);
    fclose(out);
  }
  FREE_EACH(here, place, named, page);
  return way;
}

static void put_comparison(FILE *file, const void *context) {
  const struct runs *runs = context;
  compare_put_page(file, runs->items, (const char *const *)runs->names,
                   (const char *const *)runs->links, runs->count,
                   runs->all_results);
}

// "results/runs/a, results/runs/b"
static char *name_runs(const char *const *names, uint32_t n) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  for (uint32_t i = 0; i < n; i++)
    fprintf(out, "%s%s", i ? ", " : "", names[i]);
  fclose(out);
  return text;
}

static int write_note(const struct runs *runs, const char *path,
                      struct error *error) {
  char *about = name_runs(runs->names, runs->count);
  const struct page_note note = {"Comparison", COMPARE_TITLE, about,
                                 clock_wall()};
  const int failed = page_note_write(path, &note, error);
  free(about);
  return failed;
}

static int write_compared_page(struct runs *runs, const char *path,
                               struct error *error) {
  char *directory = file_directory(path);
  char **links = xcalloc(runs->count, sizeof *links);
  for (uint32_t i = 0; i < runs->count; i++)
    links[i] = way_to_page(directory, runs->names[i]);
  runs->links = links;
  runs->all_results = all_results_link(directory);
  const int failed = whole_file_write(path, put_comparison, runs, error) ||
                     write_note(runs, path, error);
  all_results_update(directory);
  for (uint32_t i = 0; i < runs->count; i++)
    free(links[i]);
  FREE_EACH(links, runs->all_results, directory);
  if (!failed)
    printf("%s%s\n", runs->count > 1 ? "\n" : "", path);
  return failed;
}

enum status report_command(const struct arguments *arguments) {
  struct settings settings;
  struct runs runs = {0};
  struct error error;
  settings_default(&settings, FOR_REPORT);
  arguments_give(arguments, &settings);
  signals_leave();
  if (!arguments->nwords) {
    error_set(&error, "say which run to report on, such as `isostress report "
                      "results/runs/latest`");
    return complain(STATUS_USAGE, &error);
  }
  int failed =
      read_all_named(arguments, &runs, &error) || rewrite(&runs, &error);
  if (!failed && runs.count > 1) {
    putchar('\n');
    compare_put_text(stdout, runs.items, (const char *const *)runs.names,
                     runs.count);
  }
  if (!failed && settings.compare && !runs.count)
    failed =
        error_set(&error, "--compare shows runs side by side, and there is "
                          "none here");
  else if (!failed && settings.compare)
    failed = write_compared_page(&runs, settings.compare, &error);
  free_runs(&runs);
  return failed ? complain(STATUS_TROUBLE, &error) : STATUS_KEPT;
}

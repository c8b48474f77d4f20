// SPDX-License-Identifier: GPL-3.0-or-later
// isostress report: makes the page and the pictures of stored runs again, and
// compares several of them.
#include "config.h"

#include "cli/commands.h"

#include "base/memory.h"
#include "cli/results.h"
#include "cli/rundir.h"
#include "report/page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct runs {
  struct stored *items;
  const char *const *names; // directories, as they were given
  uint32_t count;
};

static int read_runs(const struct arguments *arguments, struct runs *runs,
                     struct error *error) {
  runs->names = (const char *const *)arguments->words;
  runs->items = xcalloc(arguments->nwords, sizeof *runs->items);
  for (uint32_t i = 0; i < arguments->nwords; i++) {
    runs->count++;
    if (stored_of_directory(&runs->items[i], arguments->words[i], error))
      return -1;
  }
  return 0;
}

static void free_runs(struct runs *runs) {
  for (uint32_t i = 0; i < runs->count; i++)
    stored_free(&runs->items[i]);
  free(runs->items);
}

static int rewrite(const struct runs *runs, struct error *error) {
  for (uint32_t i = 0; i < runs->count; i++) {
    if (results_rewrite(runs->names[i], &runs->items[i], error))
      return -1;
    printf("%s/report.html\n", runs->names[i]);
  }
  return 0;
}

static void put_comparison(FILE *file, const void *context) {
  const struct runs *runs = context;
  compare_put_page(file, runs->items, runs->names, runs->count);
}

// Writes the page to a file named by its path.
static int write_comparison(const struct runs *runs, const char *path,
                            struct error *error) {
  const char *slash = strrchr(path, '/');
  char *directory =
      slash ? xasprintf("%.*s", (int)(slash - path), path) : xstrdup(".");
  const int failed =
      rundir_write(slash == path ? "/" : directory, slash ? slash + 1 : path,
                   put_comparison, runs, error);
  free(directory);
  return failed;
}

enum status report_command(const struct arguments *arguments) {
  struct settings settings;
  struct runs runs = {0};
  struct error error;
  settings_default(&settings);
  arguments_give(arguments, &settings);
  if (!arguments->nwords) {
    error_set(&error, "say which run to report on, such as `isostress report "
                      "results/runs/latest`");
    return complain(STATUS_USAGE, &error);
  }
  int failed = read_runs(arguments, &runs, &error) || rewrite(&runs, &error);
  if (!failed && runs.count > 1) {
    putchar('\n');
    compare_put_text(stdout, runs.items, runs.names, runs.count);
  }
  if (!failed && settings.compare)
    failed = write_comparison(&runs, settings.compare, &error);
  free_runs(&runs);
  return failed ? complain(STATUS_TROUBLE, &error) : STATUS_KEPT;
}

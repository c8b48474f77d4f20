// SPDX-License-Identifier: GPL-3.0-or-later
// Writes the page of all results (cli/jobs/all_results.h).
#include "config.h"

#include "cli/jobs/all_results.h"

#include "cli/jobs/kept.h"
#include "cli/jobs/rundir.h"
#include "report/index.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The page of a result, as a path from the index; NULL if it has none.  In the
// arena.
static const char *link_to(struct arena *arena, const struct kept *kept,
                           size_t prefix) {
  static const char *const pages[] = {[KEPT_RUN] = "report.html",
                                      [KEPT_SWEEP] = "sweep.html",
                                      [KEPT_SCORECARD] = SCORECARD_PAGE};
  const char *path =
      arena_printf(arena, "%s/%s", kept->path, pages[kept->kind]);
  return access(path, F_OK) ? NULL : path + prefix;
}

static int add_run(struct index *index, const struct kept *kept,
                   const char *link, struct error *error) {
  struct stored stored;
  const int failed = stored_of_directory(&stored, kept->path, error);
  if (!failed)
    index_add_run(index, &stored, link, kept->date);
  stored_free(&stored);
  return failed;
}

static void add_sweep(struct index *index, const struct kept *kept,
                      const char *link, const struct json_value *document) {
  struct index_sweep sweep = {.name = strrchr(kept->path, '/') + 1,
                              .targets = "",
                              .ncells = json_count(document, "cells"),
                              .nruns = json_count(document, "runs")};
  const char *last = "";
  const struct json_value *run = json_first(document, "runs");
  for (; run; run = run->next)
    sweep.nbroken += !strcmp(json_text(run, "verdict", ""), "violation");
  const struct json_value *cell = json_first(document, "cells");
  for (; cell; cell = cell->next) {
    const char *target = json_text(cell, "target", "");
    if (strcmp(target, last) != 0)
      sweep.targets = arena_printf(&index->arena, "%s%s%s", sweep.targets,
                                   *last ? ", " : "", target);
    last = target;
  }
  index_add_sweep(index, &sweep, link, kept->date);
}

static int add_document(struct index *index, const struct kept *kept,
                        const char *link, struct error *error) {
  const bool sweep = kept->kind == KEPT_SWEEP;
  struct arena arena = {0};
  const char *path = arena_printf(&arena, "%s/%s", kept->path,
                                  sweep ? "sweep.json" : "scorecard.json");
  const struct json_value *document = stored_document(&arena, path, error);
  if (document && sweep)
    add_sweep(index, kept, link, document);
  else if (document)
    index_add_scorecard(index, document, link, kept->date);
  arena_free(&arena);
  return document ? 0 : -1;
}

static int add_result(struct index *index, const struct kept *kept,
                      size_t prefix, struct error *error) {
  if (kept->state == KEPT_HALF)
    return error_set(error,
                     "%s is half written: its command was ended before it had "
                     "written its results.",
                     kept->path);
  if (kept->state == KEPT_GOING)
    return error_set(error,
                     "%s has no results yet: a command is at work there.",
                     kept->path);
  const char *link = link_to(&index->arena, kept, prefix);
  return kept->kind == KEPT_RUN ? add_run(index, kept, link, error)
                                : add_document(index, kept, link, error);
}

static void put_page(FILE *file, const void *index) {
  index_put_page(file, index, PACKAGE_STRING);
}

int all_results_write(const char *directory, uint32_t *nresults,
                      struct error *error) {
  struct kept_list list = {0};
  struct index index = {0};
  int failed = kept_read_all(directory, &list, error);
  kept_sort(&list);
  for (uint32_t i = 0; i < list.count; i++) {
    struct error trouble;
    if (!add_result(&index, &list.items[i], strlen(directory) + 1, &trouble))
      continue;
    fprintf(stderr, "isostress: %s\n", trouble.text);
    index_add_trouble(&index, trouble.text);
  }
  *nresults = list.count;
  if (!failed && list.count)
    failed = rundir_write(directory, ALL_RESULTS_PAGE, put_page, &index, error);
  index_free(&index);
  kept_free(&list);
  return failed ? -1 : 0;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Writes the page of all results (cli/jobs/all_results.h).
#include "config.h"

#include "cli/jobs/all_results.h"
#include "cli/status.h"

#include "base/clock.h"
#include "cli/jobs/kept.h"
#include "cli/jobs/page_note.h"
#include "cli/jobs/rundir.h"
#include "cli/settings/settings.h"
#include "report/page/blocks.h"
#include "report/page/index.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

// A page leads to results in its directory and in directories in that; links to
// it come from further down, such as results/sweeps/NAME/runs/RUN.
enum { DEPTH = 2, DEPTH_OF_LINKS = 4 };

enum { HEAD = 4096 }; // bytes of a page, which have room for its title

// For whoever writes the page.
#define PAUSE (NS_PER_SECOND / 100)
#define PATIENCE (2 * NS_PER_SECOND)

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
  for (; run; run = run->next) {
    sweep.nbroken += !strcmp(json_text(run, "verdict", ""), "violation");
    sweep.nunmet +=
        *json_text(run, "unmet", "") && !*json_text(run, "trouble", "");
  }
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

static void put_index_page(FILE *file, const void *index) {
  index_put_page(file, index, PACKAGE_STRING);
}

// ---- Pages that are one file

static bool is_result(const struct kept_list *list, const char *path) {
  for (uint32_t i = 0; i < list->count; i++)
    if (!strcmp(list->items[i].path, path))
      return true;
  return false;
}

static void add_page(struct index *index, const char *path, size_t prefix) {
  struct page_note note;
  if (page_note_read(&index->arena, path, &note))
    index_add_page(index, note.kind, note.title, note.about, path + prefix,
                   note.date);
}

// Those in the directory, and in directories in it that hold no result.
static void add_pages(struct index *index, const struct kept_list *list,
                      const char *directory, size_t prefix, int depth) {
  struct stat about;
  DIR *opened = opendir(directory);
  for (const struct dirent *entry; opened && (entry = readdir(opened));) {
    char *path = xasprintf("%s/%s", directory, entry->d_name);
    if (entry->d_name[0] != '.' && !lstat(path, &about)) {
      if (S_ISREG(about.st_mode))
        add_page(index, path, prefix);
      else if (S_ISDIR(about.st_mode) && depth > 1 && !is_result(list, path))
        add_pages(index, list, path, prefix, depth - 1);
    }
    free(path);
  }
  if (opened)
    closedir(opened);
}

// ---- The page

// Does the page there begin as all pages of results do?  Somebody else's page
// stays as it is.
static bool is_there(const char *directory) {
  char *path = xasprintf("%s/" ALL_RESULTS_PAGE, directory), head[HEAD];
  FILE *file = fopen(path, "re");
  head[file ? fread(head, 1, sizeof head - 1, file) : 0] = '\0';
  if (file)
    fclose(file);
  free(path);
  return strstr(head, PAGE_MARK) &&
         strstr(head, "<title>" INDEX_TITLE "</title>");
}

static int keep_other_page(const char *directory, struct error *error) {
  char *path = xasprintf("%s/" ALL_RESULTS_PAGE, directory);
  const int failed = !access(path, F_OK) && !is_there(directory)
                         ? error_set(error,
                                     "%s was not written by isostress: it "
                                     "stays as it is",
                                     path)
                         : 0;
  free(path);
  return failed;
}

// `most`: what leads to more results is not written; 0: any number.  `tells`:
// results that cannot be read are named on stderr.
static int write_page(const char *directory, uint32_t most, bool tells,
                      uint32_t *nresults, struct error *error) {
  struct kept_list list = {.most = most};
  struct index index = {0};
  const size_t prefix = strlen(directory) + 1;
  int failed = kept_read_all(directory, &list, error);
  kept_sort(&list);
  for (uint32_t i = 0; i < list.count && !list.more; i++) {
    struct error trouble;
    if (!add_result(&index, &list.items[i], prefix, &trouble))
      continue;
    if (tells)
      put_sentence(trouble.text);
    index_add_trouble(&index, trouble.text);
  }
  add_pages(&index, &list, directory, prefix, DEPTH);
  *nresults = index.nrows + index.ntroubles;
  if (!failed && *nresults && !list.more)
    failed = keep_other_page(directory, error) ||
             rundir_write(directory, ALL_RESULTS_PAGE, put_index_page, &index,
                          error);
  index_free(&index);
  kept_free(&list);
  return failed ? -1 : 0;
}

int all_results_write(const char *directory, uint32_t *nresults,
                      struct error *error) {
  return write_page(directory, 0, true, nresults, error);
}

// ---- Up to date

// The way from the directory to the nearest such page, so far up at most.
static char *way_up(const char *directory, int most) {
  char *place = realpath(directory, NULL), *link = NULL;
  for (int up = 0; place && !link && up <= most; up++) {
    if (is_there(place))
      link = xasprintf("%.*s" ALL_RESULTS_PAGE, 3 * up, "../../../../");
    char *slash = strrchr(place, '/');
    if (!slash)
      break;
    *slash = '\0';
  }
  free(place);
  return link;
}

char *all_results_link(const char *directory) {
  return way_up(directory, DEPTH_OF_LINKS);
}

// Commands that end at once write one after the other, so that the last one has
// seen what the others kept.  Who is kept waiting by a process that does not go
// on leaves the page to the next command.
static void write_in_turn(const char *directory) {
  const uint64_t start = clock_now();
  const int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  struct error error;
  uint32_t nresults;
  bool mine = false;
  while (fd >= 0 && !(mine = !flock(fd, LOCK_EX | LOCK_NB)) &&
         errno == EWOULDBLOCK && clock_now() - start < PATIENCE)
    clock_sleep_until(clock_now() + PAUSE);
  if (mine)
    (void)write_page(directory, ALL_RESULTS_MOST, false, &nresults, &error);
  if (fd >= 0)
    close(fd);
}

void all_results_prepare(const char *out) {
  const bool usual =
      !strcmp(out, RESULTS_OF_RUNS) || !strcmp(out, RESULTS_OF_SWEEPS);
  char *link = way_up(out, DEPTH - 1);
  if (!link)
    write_in_turn(usual ? RESULTS : out);
  free(link);
}

void all_results_update(const char *directory) {
  char *place = realpath(directory, NULL);
  for (int up = 0; place && up <= DEPTH; up++) {
    if (is_there(place))
      write_in_turn(place);
    char *slash = strrchr(place, '/');
    if (!slash)
      break;
    *slash = '\0';
  }
  free(place);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the histories in a directory (cli/jobs/histories.h).
#include "config.h"

#include "cli/jobs/histories.h"

#include "base/memory.h"
#include "cli/jobs/killed.h"
#include "cli/jobs/rundir.h"
#include "cli/status.h"

#include <errno.h>
#include <fts.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void add_history_file(struct file_list *list, const char *path) {
  ARRAY_RESERVE(list->paths, list->count, list->room);
  list->paths[list->count++] = xstrdup(path);
}

// Is it, as a whole, a history of the format that was said or recognised?
static bool is_history(const char *path, bool directory,
                       const struct read_options *options) {
  struct error error;
  const struct history_format *format = history_format_of(path, &error);
  if (!options->format)
    return format != NULL;
  return format && strcmp(format->name, options->format) == 0 &&
         (!directory || format->files);
}

static int by_name(const FTSENT **a, const FTSENT **b) {
  return strverscmp((*a)->fts_name, (*b)->fts_name);
}

// Does a file of that name lie beside it?
static bool has_beside(const FTSENT *entry, const char *name) {
  char *path =
      xasprintf("%.*s%s", (int)(entry->fts_pathlen - entry->fts_namelen),
                entry->fts_path, name);
  const bool found = access(path, F_OK) == 0;
  free(path);
  return found;
}

// Does the file belong to a stored run, whose history lies beside it?
static bool is_file_of_run(const FTSENT *entry) {
  return has_beside(entry, RUN_HISTORY) || has_beside(entry, RUN_SET);
}

// Is it what one rank recorded, which the list beside it names?
static bool is_part_of_set(const FTSENT *entry) {
  return rundir_is_part(entry->fts_name) && has_beside(entry, RUN_SET);
}

enum what { A_FILE, A_DIRECTORY, NEITHER, NOT_READ, SEEN_ELSEWHERE };

// Links to directories, such as the newest run, are not followed: their targets
// are looked at where they are.
static enum what what_is(const FTSENT *entry) {
  struct stat st;
  switch (entry->fts_info) {
  case FTS_F:
    return A_FILE;
  case FTS_D:
    return A_DIRECTORY;
  case FTS_SL:
    if (stat(entry->fts_accpath, &st))
      return NEITHER;
    return S_ISREG(st.st_mode)   ? A_FILE
           : S_ISDIR(st.st_mode) ? SEEN_ELSEWHERE
                                 : NEITHER;
  case FTS_DEFAULT:
  case FTS_SLNONE:
    return NEITHER;
  case FTS_DNR:
  case FTS_ERR:
  case FTS_NS:
    return NOT_READ;
  default:
    return SEEN_ELSEWHERE;
  }
}

// The number of other things in a directory.
struct others {
  uint32_t files, no_files;
};

// Takes the histories below a directory that is none, and what cannot be read,
// which is told when that is tried.
static struct others walk_files(FTS *fts, const struct read_options *options,
                                struct file_list *list) {
  struct others others = {0};
  FTSENT *entry;
  while ((entry = fts_read(fts))) {
    const enum what what = what_is(entry);
    if (what == A_DIRECTORY) // what this makes is read next
      killed_judge_by_rows(entry->fts_accpath);
    const bool directory = what == A_DIRECTORY;
    const bool history =
        what == NOT_READ ||
        ((what == A_FILE || directory) && !is_part_of_set(entry) &&
         is_history(entry->fts_accpath, directory, options));
    if (history)
      add_history_file(list, entry->fts_path);
    if (history && directory)
      fts_set(fts, entry, FTS_SKIP);
    others.files += what == A_FILE && !history && !is_file_of_run(entry);
    others.no_files += what == NEITHER;
  }
  return others;
}

static void tell_others(const char *path, struct others others) {
  if (others.files)
    tell_user("%s: %u file%s left out: no history", path, others.files,
              others.files == 1 ? "" : "s");
  if (others.no_files)
    tell_user("%s: %u left out: pipes, sockets, devices or links to nothing",
              path, others.no_files);
}

int histories_at(const char *path, const struct read_options *options,
                 struct file_list *list, struct error *error) {
  struct stat st;
  if (stat(path, &st) || !S_ISDIR(st.st_mode)) {
    add_history_file(list, path);
    return 0;
  }
  char *roots[] = {xstrdup(path), NULL};
  const uint32_t before = list->count;
  FTS *fts =
      fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, by_name);
  const struct others others =
      fts ? walk_files(fts, options, list) : (struct others){0};
  int status = 0;
  if (!fts)
    status = error_set(error, "%s: %s", path, strerror(errno));
  else if (list->count == before)
    status = error_set(error, "%s: holds no history that can be read", path);
  else
    tell_others(path, others);
  if (fts)
    fts_close(fts);
  free(roots[0]);
  return status;
}

// The directory of a run may hold others inside, such as the one without its
// aim: its own history comes before those.
static void keep_its_own(const char *path, struct file_list *list) {
  char *own = xasprintf("%s/" RUN_HISTORY, path);
  char *set = xasprintf("%s/" RUN_SET, path);
  for (uint32_t i = 0; i < list->count; i++)
    if (!strcmp(list->paths[i], own) || !strcmp(list->paths[i], set)) {
      char *first = list->paths[0];
      list->paths[0] = list->paths[i];
      list->paths[i] = first;
      while (list->count > 1)
        free(list->paths[--list->count]);
    }
  FREE_EACH(own, set);
}

int histories_one(const char *path, const struct read_options *options,
                  struct file_list *list, struct error *error) {
  if (histories_at(path, options, list, error))
    return -1;
  keep_its_own(path, list);
  return list->count == 1
             ? 0
             : error_set_usage(error,
                               "%s holds %u histories: name one of them, such "
                               "as %s",
                               path, list->count, list->paths[0]);
}

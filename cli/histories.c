// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the histories in a directory (cli/histories.h).
#include "config.h"

#include "cli/histories.h"

#include "base/memory.h"
#include "cli/rundir.h"

#include <errno.h>
#include <fts.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void add(struct file_list *list, const char *path) {
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

// Does the file belong to a stored run, whose history lies beside it?
static bool is_of_run(const FTSENT *entry) {
  char *history = xasprintf("%.*s" RUN_HISTORY,
                            (int)(entry->fts_pathlen - entry->fts_namelen),
                            entry->fts_path);
  const bool found = access(history, F_OK) == 0;
  free(history);
  return found;
}

// Is it a link to a file?  What links to directories are to, such as the newest
// run, is looked at where it is.
static bool is_link_to_file(const FTSENT *entry) {
  struct stat st;
  return entry->fts_info == FTS_SL && stat(entry->fts_accpath, &st) == 0 &&
         S_ISREG(st.st_mode);
}

// Takes the histories below a directory that is none; counts other files.
static uint32_t walk(FTS *fts, const struct read_options *options,
                     struct file_list *list) {
  uint32_t others = 0;
  FTSENT *entry;
  while ((entry = fts_read(fts))) {
    const bool directory = entry->fts_info == FTS_D;
    if (!directory && entry->fts_info != FTS_F && !is_link_to_file(entry))
      continue;
    const bool history = is_history(entry->fts_accpath, directory, options);
    if (history)
      add(list, entry->fts_path);
    if (history && directory)
      fts_set(fts, entry, FTS_SKIP);
    others += !history && !directory && !is_of_run(entry);
  }
  return others;
}

int histories_at(const char *path, const struct read_options *options,
                 struct file_list *list, struct error *error) {
  struct stat st;
  if (stat(path, &st) || !S_ISDIR(st.st_mode)) {
    add(list, path);
    return 0;
  }
  char *roots[] = {xstrdup(path), NULL};
  const uint32_t before = list->count;
  FTS *fts =
      fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, by_name);
  const uint32_t others = fts ? walk(fts, options, list) : 0;
  int status = 0;
  if (!fts)
    status = error_set(error, "%s: %s", path, strerror(errno));
  else if (list->count == before)
    status = error_set(error, "%s: holds no history that can be read", path);
  else if (others)
    fprintf(stderr, "isostress: %s: %u file%s left out: no history\n", path,
            others, others == 1 ? "" : "s");
  if (fts)
    fts_close(fts);
  free(roots[0]);
  return status;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Judges runs that were killed (cli/jobs/killed.h).
#include "config.h"

#include "cli/jobs/killed.h"

#include "base/memory.h"
#include "cli/jobs/rundir.h"
#include "cli/status.h"
#include "drivers/drivers.h"
#include "drivers/endpoints.h"
#include "own/history.h"
#include "own/journal.h"
#include "recorder/files/reader.h"
#include "recorder/files/writer.h"

#include <string.h>
#include <unistd.h>

struct killed_paths {
  char *seen, *history;
};

static struct killed_paths paths_in(const char *directory) {
  int length = (int)strlen(directory);
  while (length > 1 && directory[length - 1] == '/')
    length--;
  return (struct killed_paths){
      xasprintf("%.*s/" RUN_SEEN, length, directory),
      xasprintf("%.*s/" RUN_HISTORY, length, directory)};
}

static int write_killed_history(const struct killed_run *killed,
                                const char *path, struct history *history,
                                struct error *error) {
  history->about = xstrdup(killed->about);
  return history_write(path, history_format_named("isostress", error), history,
                       NULL, error);
}

// `target` NULL: by rows.
static int make_killed_history(struct killed_run *killed,
                               const struct killed_paths *paths,
                               struct target *target, struct ranked *ranked,
                               struct error *error) {
  struct history history = {0};
  struct raw_told told;
  const int failed =
      raw_history_make(&killed->run, target, &history, &told, error)
          ? error_prefix(error, "%s", paths->seen)
          : write_killed_history(killed, paths->history, &history, error);
  *ranked = (struct ranked){.transactions = history.ntxns};
  for (uint32_t i = 0; i < killed->scripts->nplaces; i++) {
    ranked->statements += told.executed[i];
    ranked->whole += told.whole[i];
  }
  raw_told_free(&told);
  history_free(&history);
  return failed;
}

// ---- By rows

static int make_history_by_rows(const char *directory,
                                const struct killed_paths *paths,
                                struct error *error) {
  struct killed_run killed = {0};
  struct ranked ranked;
  const int held = rundir_take(directory);
  int failed = held < 0 ? error_set(error,
                                    "%s: the run goes on; its history is made "
                                    "when it is over",
                                    directory)
                        : raw_journal_read(paths->seen, &killed, error);
  if (!failed)
    failed = make_killed_history(&killed, paths, NULL, &ranked, error);
  if (held >= 0)
    close(held);
  killed_run_free(&killed);
  return failed;
}

void killed_judge_by_rows(const char *directory) {
  const struct killed_paths paths = paths_in(directory);
  struct error error;
  if (access(paths.seen, F_OK)) // no such run
    ;
  else if (access(paths.history, F_OK) &&
           make_history_by_rows(directory, &paths, &error))
    tell_user("%s", error.text);
  else
    tell_user("%s: the run was killed, and is judged by rows; `isostress rank "
              "%s TARGET` lets it be judged in full",
              directory, directory);
  FREE_EACH(paths.seen, paths.history);
}

// ---- In full

static bool are_same_tables(const struct instrument_tables *a,
                            const struct instrument_tables *b) {
  bool same = a->n == b->n;
  for (uint32_t t = 0; same && t < a->n; t++) {
    const struct instrument_table *x = &a->all[t], *y = &b->all[t];
    same = !strcmp(x->name, y->name) && x->ncolumns == y->ncolumns;
    for (uint32_t c = 0; same && c < x->ncolumns; c++)
      same = !strcmp(x->columns[c], y->columns[c]);
  }
  return same;
}

static int make_tables_anew(const struct killed_run *killed,
                            struct target *target,
                            struct instrument_tables *tables,
                            struct error *error) {
  const struct raw_scripts *scripts = killed->scripts;
  const struct instrument *instrument = target->driver->instrument;
  if (strcmp(target->driver->name, killed->driver) != 0)
    return error_set_usage(error,
                           "the run was on %s, and no other kind of database "
                           "compares as it does",
                           killed->driver);
  if (instrument->setup(target, scripts->schema_path, scripts->schema, tables,
                        error))
    return -1;
  return are_same_tables(tables, &killed->run.tables)
             ? 0
             : error_set(error,
                         "%s makes other tables there than it made for the run",
                         scripts->schema_path);
}

static int rank_on_target(struct killed_run *killed,
                          const struct killed_paths *paths, const char *text,
                          struct ranked *ranked, struct error *error) {
  struct instrument_tables tables = {0};
  struct endpoints endpoints = {0};
  if (endpoints_open(text, NULL, NULL, 1, 1, &endpoints, error))
    return -1;
  struct target *target = endpoints.targets[0];
  int failed = make_tables_anew(killed, target, &tables, error);
  if (!failed) {
    killed->run.instrument = target->driver->instrument;
    killed->scripts->dialect = killed->run.instrument->dialect;
    failed = make_killed_history(killed, paths, target, ranked, error);
  }
  endpoints_close(&endpoints);
  instrument_tables_free(&tables);
  return failed;
}

static int read_killed_run(const char *directory,
                           const struct killed_paths *paths,
                           struct killed_run *killed, struct error *error) {
  if (access(paths->seen, F_OK))
    return error_set_usage(error,
                           "%s: it is no run of scripts that was killed: it "
                           "has no file " RUN_SEEN,
                           directory);
  return raw_journal_read(paths->seen, killed, error);
}

int killed_rank(const char *directory, const char *target,
                struct ranked *ranked, struct error *error) {
  const struct killed_paths paths = paths_in(directory);
  struct killed_run killed = {0};
  const int held = rundir_take(directory);
  int failed = read_killed_run(directory, &paths, &killed, error);
  if (!failed && held < 0)
    failed = error_set(error, "%s: the run goes on", directory);
  if (!failed)
    failed = rank_on_target(&killed, &paths, target, ranked, error);
  if (!failed)
    unlink(paths.seen);
  if (held >= 0)
    close(held);
  killed_run_free(&killed);
  FREE_EACH(paths.seen, paths.history);
  return failed;
}

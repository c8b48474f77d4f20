// SPDX-License-Identifier: GPL-3.0-or-later
// The runs that a sweep is to do, and which of them are done already
// (cli/sweeps/sweeping.h).
#include "config.h"

#include "cli/sweeps/sweeping.h"

#include "cli/jobs/job.h"
#include "cli/jobs/rundir.h"
#include "cli/settings/redact.h"
#include "cli/sweeps/rows.h"
#include "sweep/table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

uint32_t sweep_find_impossible(struct sweep *sweep) {
  const uint32_t ncells = axes_ncells(sweep->axes);
  uint32_t nimpossible = 0;
  for (uint32_t c = 0; c < ncells; c++) {
    struct settings settings = sweep_settings(sweep, c);
    struct error error = {0};
    if (!job_check(&settings, &error))
      continue;
    sweep->impossible[c] = true;
    nimpossible++;
    fputs("isostress: impossible:", stderr);
    sweep_put_cell(stderr, sweep, c);
    fprintf(stderr, ": %s\n", error.text);
  }
  return nimpossible;
}

// ---- The same sweep?

// A text that is equal for two sweeps of the same runs.
static char *describe_sweep(const struct sweep *sweep) {
  char *text, value[SETTING_MAX + 1];
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  fprintf(out, "repetitions = %" PRIu32 "\nzip = %s\nseed = %" PRIu64 "\n",
          sweep->repetitions, sweep->axes->zip ? "yes" : "no", sweep->seed);
  for (uint32_t i = 0; i < sweep->axes->naxes; i++) {
    fprintf(out, "%s =", sweep->axes->axes[i].name);
    for (uint32_t v = 0; v < sweep->axes->axes[i].nvalues; v++) {
      redact_target(sweep->axes->axes[i].values[v], value, sizeof value);
      fprintf(out, "%s %s", v ? " |" : "", value);
    }
    putc('\n', out);
  }
  fclose(out);
  return text;
}

// The first line in which two texts differ, of each; "nothing" where one ends.
static void first_difference(const char *a, const char *b, char of_a[200],
                             char of_b[200]) {
  size_t n, m;
  while ((n = strcspn(a, "\n")) == (m = strcspn(b, "\n")) && n &&
         !strncmp(a, b, n)) {
    a += n + (a[n] == '\n');
    b += m + (b[m] == '\n');
  }
  snprintf(of_a, 200, "%.*s", n ? (int)n : 7, n ? a : "nothing");
  snprintf(of_b, 200, "%.*s", m ? (int)m : 7, m ? b : "nothing");
}

static char *read_plan_text(const char *path) {
  char *text = NULL;
  size_t room = 0;
  FILE *file = fopen(path, "r");
  if (!file)
    return NULL;
  const ssize_t n = getdelim(&text, &room, '\0', file);
  fclose(file);
  if (n >= 0)
    return text;
  free(text);
  return xstrdup("");
}

static void put_plan_text(FILE *file, const void *text) { fputs(text, file); }

// Is this the sweep that the directory holds already?
static int check_plan(const struct sweep *sweep, struct error *error) {
  char *path = xasprintf("%s/" SWEEP_PLAN, sweep->directory);
  char *before = read_plan_text(path), *now = describe_sweep(sweep), was[200],
       is[200];
  int failed = 0;
  if (!before) {
    failed =
        rundir_write(sweep->directory, SWEEP_PLAN, put_plan_text, now, error);
  } else if (strcmp(before, now)) {
    first_difference(before, now, was, is);
    failed = error_set_usage(error,
                             "%s holds a sweep with other settings (\"%s\", "
                             "now \"%s\"): name another directory with --out",
                             sweep->directory, was, is);
  }
  free(path);
  free(before);
  free(now);
  return failed;
}

// ---- What is left of it

bool sweep_row_is_of(const struct sweep *sweep, const struct table *table,
                     uint32_t row, uint32_t cell) {
  char text[SETTING_MAX + 1];
  bool same = true;
  for (uint32_t i = 0; same && i < sweep->axes->naxes; i++) {
    redact_target(axes_value(sweep->axes, cell, i), text, sizeof text);
    same = !strcmp(table->rows[row][i], text);
  }
  return same;
}

// Has the table the columns that this program writes?
static bool has_our_columns(const struct sweep *sweep,
                            const struct table *table) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  sweep_put_header(out, sweep->axes);
  fclose(out);
  char *rest = text;
  bool same = true;
  for (uint32_t i = 0; same && i < table->ncolumns; i++) {
    const char *name = strsep(&rest, ",\n");
    same = name && !strcmp(name, table->names[i]);
  }
  same = same && rest && !*rest;
  free(text);
  return same;
}

// A sweep that goes on ends as if it had made all runs at once.
static enum status status_of_row(const struct table *table, uint32_t row) {
  const char *verdict = table_text(table, row, "verdict");
  return !strcmp(verdict, "violation")      ? STATUS_VIOLATION
         : !strcmp(verdict, "undecided")    ? STATUS_UNDECIDED
         : *table_text(table, row, "unmet") ? STATUS_UNMET
                                            : STATUS_KEPT;
}

// Runs that had trouble are made again.
static int note_done(struct sweep *sweep, struct error *error) {
  struct table table;
  const uint32_t ncells = axes_ncells(sweep->axes);
  int failed = table_read(sweep->runs_path, &table, error);
  if (!failed && !has_our_columns(sweep, &table))
    failed = error_set_usage(error,
                             "%s has other columns, as another version writes "
                             "them: name another directory with --out",
                             sweep->runs_path);
  for (uint32_t row = 0; !failed && row < table.nrows; row++) {
    const double repetition = table_number(&table, row, "repetition");
    const bool counts = repetition < sweep->repetitions &&
                        !table_text(&table, row, "trouble")[0];
    if (counts)
      sweep->status = status_worse(sweep->status, status_of_row(&table, row));
    for (uint32_t c = 0; counts && c < ncells; c++)
      if (sweep_row_is_of(sweep, &table, row, c))
        sweep->done[(uint32_t)repetition * ncells + c] = true;
  }
  table_free(&table);
  return failed;
}

// Cuts off a last line that was being written when the sweep was killed, or the
// next one would be taken for its end.  Bytes that are left; -1 with a
// sentence.
static long cut_torn_line(const char *path, struct error *error) {
  FILE *file = fopen(path, "r+");
  long whole = 0;
  int byte;
  for (long n = 1; file && (byte = getc(file)) != EOF; n++)
    whole = byte == '\n' ? n : whole;
  if (!file || ferror(file) || ftruncate(fileno(file), whole))
    whole = error_set(error, "%s: %s", path, strerror(errno));
  if (file)
    fclose(file);
  return whole;
}

// Opens the table for this sweep alone, until it is closed.
static int claim_runs(struct sweep *sweep, struct error *error) {
  sweep->runs = fopen(sweep->runs_path, "ae");
  if (!sweep->runs)
    return error_set(error, "%s: %s", sweep->runs_path, strerror(errno));
  if (flock(fileno(sweep->runs), LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
    return error_set(error,
                     "%s: another isostress sweep is at work there: wait for "
                     "its end, or name another directory with --out",
                     sweep->directory);
  return 0;
}

int sweep_open(struct sweep *sweep, struct error *error) {
  if (rundir_make_path(sweep->directory, error) || claim_runs(sweep, error) ||
      check_plan(sweep, error))
    return -1;
  const long kept = cut_torn_line(sweep->runs_path, error);
  if (kept < 0 || (kept && note_done(sweep, error)))
    return -1;
  if (!kept)
    sweep_put_header(sweep->runs, sweep->axes);
  return 0;
}

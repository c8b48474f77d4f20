// SPDX-License-Identifier: GPL-3.0-or-later
// A sweep as a JUnit suite (cli/sweeps/suite.h).
#include "config.h"

#include "cli/sweeps/suite.h"

#include "base/memory.h"
#include "cli/sweeps/rows.h"
#include "report/text/junit.h"
#include "sweep/table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// A run among those of the table; row UINT32_MAX: it was not made.
struct run_place {
  const struct sweep *sweep;
  const struct table *table;
  uint32_t cell, repetition, row;
};

static const char *text_of_column(const struct run_place *p,
                                  const char *column) {
  return p->row == UINT32_MAX ? "" : table_text(p->table, p->row, column);
}

// A run that had trouble may have been made again.
static uint32_t last_row(const struct run_place *p) {
  uint32_t last = UINT32_MAX;
  for (uint32_t row = 0; row < p->table->nrows; row++)
    if (table_number(p->table, row, "repetition") == p->repetition &&
        sweep_row_is_of(p->sweep, p->table, row, p->cell))
      last = row;
  return last;
}

// The settings that set the cell apart; where none does, the name of the sweep.
static char *group_of_cell(const struct run_place *p, const char *name) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  sweep_put_cell(out, p->sweep, p->cell);
  fclose(out);
  char *group = xstrdup(*text ? text + 1 : name);
  free(text);
  return group;
}

static enum junit_ending ending_of_run(const struct run_place *p) {
  static const char *const kinds[] = {[VERDICT_PASS] = "pass",
                                      [VERDICT_VIOLATION] = "violation",
                                      [VERDICT_UNDECIDED] = "undecided"};
  if (p->row == UINT32_MAX)
    return p->sweep->impossible[p->cell] ? JUNIT_SKIPPED : JUNIT_ERROR;
  if (*text_of_column(p, "trouble"))
    return JUNIT_ERROR;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (!strcmp(text_of_column(p, "verdict"), kinds[i]))
      return junit_ending_of((enum verdict_kind)i);
  return JUNIT_SKIPPED; // nothing was asked
}

static char *words_of_ending(const struct run_place *p,
                             enum junit_ending ending) {
  const char *level = text_of_column(p, "level"),
             *trouble = text_of_column(p, "trouble");
  if (p->row == UINT32_MAX)
    return xstrdup(p->sweep->impossible[p->cell]
                       ? "this combination is impossible"
                       : "the sweep ended before this run");
  if (*trouble)
    return xstrdup(trouble);
  if (ending == JUNIT_SKIPPED)
    return xstrdup("nothing was checked");
  const bool broken = ending == JUNIT_FAILURE;
  return xasprintf("%s: %s was %s%s.\n%s committed, %s aborted "
                   "of %s attempts.",
                   broken ? "VIOLATION" : "UNDECIDED", level,
                   broken ? "broken by "
                          : "neither shown to be kept nor broken",
                   broken ? text_of_column(p, "anomaly") : "",
                   text_of_column(p, "committed"), text_of_column(p, "aborted"),
                   text_of_column(p, "attempts"));
}

static void put_run_requirements(FILE *tests, const struct run_place *p,
                                 struct junit_test test) {
  const struct settings settings = sweep_settings(p->sweep, p->cell);
  const char *unmet = text_of_column(p, "unmet");
  if (!settings.require || p->row == UINT32_MAX ||
      *text_of_column(p, "trouble"))
    return;
  char *name =
      xasprintf("run %" PRIu32 ": %s", p->repetition + 1, settings.require);
  test.name = name;
  test.seconds = 0;
  test.ending = *unmet ? JUNIT_FAILURE : JUNIT_PASSED;
  test.text = unmet;
  junit_put_test(tests, &test);
  free(name);
}

static void put_run_test(FILE *tests, struct run_place p, const char *name) {
  p.row = last_row(&p);
  const enum junit_ending ending = ending_of_run(&p);
  const double took =
      p.row == UINT32_MAX ? 0 : table_number(p.table, p.row, "took_seconds");
  const char *level = text_of_column(&p, "level"),
             *run = text_of_column(&p, "run");
  char *group = group_of_cell(&p, name), *text = words_of_ending(&p, ending);
  char *title = xasprintf("run %" PRIu32 ": %s is kept", p.repetition + 1,
                          *level ? level : "the level");
  char *page =
      *run ? xasprintf("%s/runs/%s/report.html", p.sweep->directory, run)
           : NULL;
  const struct junit_test test = {.group = group,
                                  .name = title,
                                  .seconds = took > 0 ? took : 0,
                                  .ending = ending,
                                  .text = text,
                                  .page = page};
  junit_put_test(tests, &test);
  put_run_requirements(tests, &p, test);
  FREE_EACH(group, text, title, page);
}

// Every run, in the order of the cells.
static void put_runs(FILE *tests, const struct sweep *sweep, const char *name) {
  struct table table;
  struct error none;
  if (!table_read(sweep->runs_path, &table, &none))
    for (uint32_t c = 0; c < axes_ncells(sweep->axes); c++)
      for (uint32_t r = 0; r < sweep->repetitions; r++)
        put_run_test(tests, (struct run_place){sweep, &table, c, r, UINT32_MAX},
                     name);
  table_free(&table);
}

char *sweep_suite(const struct sweep *sweep, const char *name,
                  const struct error *trouble) {
  char *tests;
  size_t bytes;
  FILE *out = text_stream(&tests, &bytes);
  if (trouble)
    junit_put_test(out, &(struct junit_test){.group = name,
                                             .name = "the sweep was made",
                                             .ending = JUNIT_ERROR,
                                             .text = trouble->text});
  else
    put_runs(out, sweep, name);
  fclose(out);
  char *page = trouble ? NULL : xasprintf("%s/" SWEEP_PAGE, sweep->directory);
  const struct junit_property properties[] = {{"program", PACKAGE_STRING},
                                              {"command", sweep->command},
                                              {"page", page},
                                              {NULL, NULL}};
  char *suite = junit_suite(name, properties, tests, bytes);
  FREE_EACH(tests, page);
  return suite;
}

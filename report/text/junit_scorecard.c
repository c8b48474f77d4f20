// SPDX-License-Identifier: GPL-3.0-or-later
// A scorecard as a JUnit suite (report/text/junit.h).
#include "config.h"

#include "report/text/junit.h"

#include "base/memory.h"
#include "report/words/found.h"
#include "report/words/scored.h"

#include <stdlib.h>

static char *name_of_line(const struct scored *s,
                          const struct scored_line *line) {
  struct scored named = *s;
  char *name;
  size_t bytes;
  named.out = text_stream(&name, &bytes);
  scored_put_name(&named, line, true);
  fclose(named.out);
  return name;
}

// How a promise was broken: by the steps, under load, or both.
static char *tell_broken(const struct scored *s, uint32_t c,
                         const struct scored_line *line, const char *name) {
  const struct guarantee_cell *cell = scored_cell(s, c, line);
  const double rate = scored_rate(s, c, line);
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  fprintf(out, "%s: %s: \"%s\" rules it out, and it was seen",
          s->several ? "not kept across servers" : "BROKEN PROMISE", name,
          s->g->columns[c].level);
  if (cell && cell->kind == CELL_SEEN)
    fprintf(out, " step by step (%s performances)", cell->detail);
  if (rate > 0) {
    fprintf(out, "%s under load (",
            cell && cell->kind == CELL_SEEN ? " and" : "");
    found_put_rate(out, anomaly_info(line->anomaly)->name, rate);
    fputs(" per 1,000 committed transactions)", out);
  }
  fputs(".\n", out);
  fclose(out);
  return text;
}

// As the exit status: what a level allows cannot fail, which its name says, and
// a level promises less over several servers.
static enum junit_ending ending_of_cell(const struct scored *s,
                                        enum scored_state state) {
  switch (state) {
  case SCORED_NOT_TRIED:
    return JUNIT_SKIPPED;
  case SCORED_BROKEN:
    return s->several ? JUNIT_SKIPPED : JUNIT_FAILURE;
  default:
    return JUNIT_PASSED;
  }
}

static void put_suite_cell(const struct scored *s, FILE *tests, uint32_t c,
                           const struct scored_line *line, const char *page) {
  const enum scored_state state = scored_state_of(s, c, line);
  const struct guarantee_cell *cell = scored_cell(s, c, line);
  char *anomaly = name_of_line(s, line);
  char *name = xasprintf("%s: %s", anomaly,
                         scored_promised(s, c, line) ? "ruled out" : "allowed");
  char *text = state == SCORED_BROKEN ? tell_broken(s, c, line, anomaly)
                                      : xstrdup("could not be tried here");
  junit_put_test(tests,
                 &(struct junit_test){s->g->columns[c].level, name,
                                      cell ? cell->seconds : 0,
                                      ending_of_cell(s, state), text, page});
  FREE_EACH(anomaly, name, text);
}

static enum junit_ending ending_of_load(const struct guarantee_column *column) {
  if (column->violated || column->violated_rows)
    return JUNIT_FAILURE;
  if (column->trouble[0] ||
      (column->stressed && column->kept < column->claimed))
    return JUNIT_ERROR;
  return column->stressed ? JUNIT_PASSED : JUNIT_SKIPPED;
}

// The anomalies of a load that broke its level, and how often.
static char *tell_found_under_load(const struct guarantee_column *column) {
  const char *separator = "";
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  fprintf(
      out,
      "BROKEN PROMISE: %s was broken under load.\nFound per 1,000 committed "
      "transactions: ",
      isolation_title(column->claimed));
  for (int a = ANOMALY_NONE + 1; a < ANOMALY_COUNT; a++) {
    const char *name = anomaly_info((enum anomaly)a)->name;
    if (!(column->found[a] > 0))
      continue;
    fprintf(out, "%s%s ", separator, name);
    found_put_rate(out, name, column->found[a]);
    separator = ", ";
  }
  fclose(out);
  return text;
}

static char *tell_load(const struct guarantee_column *column) {
  if (column->violated || column->violated_rows)
    return tell_found_under_load(column);
  return xstrdup(column->trouble[0] ? column->trouble
                 : column->stressed ? "UNDECIDED: whether it was kept."
                                    : "there was no load");
}

// A level that promises nothing has nothing to keep.
static void put_suite_load(FILE *tests, const struct guarantee_column *column,
                           const char *page) {
  char *group = xasprintf("%s%s%s", column->level,
                          column->endpoints ? ", endpoints " : "",
                          column->endpoints ? column->endpoints : "");
  char *name = column->claimed == ISOLATION_NONE
                   ? xstrdup("under load; it promises no level")
                   : xasprintf("under load: %s is kept",
                               isolation_title(column->claimed));
  char *text = tell_load(column);
  junit_put_test(tests,
                 &(struct junit_test){group, name, column->load_seconds,
                                      ending_of_load(column), text, page});
  FREE_EACH(group, name, text);
}

char *junit_suite_of_scorecard(const struct guarantees *g, const char *page) {
  char *tests;
  size_t bytes;
  FILE *out = text_stream(&tests, &bytes);
  struct scored s;
  scored_begin(&s, NULL, g);
  for (uint32_t c = 0; c < g->ncolumns; c++) {
    for (uint32_t i = 0; scored_leads(g, c) && i < s.nlines; i++)
      put_suite_cell(&s, out, c, &s.lines[i], page);
    put_suite_load(out, &g->columns[c], page);
  }
  junit_put_test(
      out,
      &(struct junit_test){
          "scorecard", "all levels were tried", 0,
          g->trouble || g->interrupted ? JUNIT_ERROR : JUNIT_PASSED,
          g->trouble ? g->trouble : "interrupted before all was tried", page});
  fclose(out);
  const struct junit_property properties[] = {
      {"program", g->program}, {"target", g->target}, {"server", g->server},
      {"command", g->command}, {"page", page},        {NULL, NULL}};
  char *suite = junit_suite("scorecard", properties, tests, bytes);
  free(tests);
  return suite;
}

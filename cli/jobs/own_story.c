// SPDX-License-Identifier: GPL-3.0-or-later
// Tells a run by its scripts (cli/jobs/own_story.h).
#include "config.h"

#include "cli/jobs/own_story.h"

#include "cli/jobs/level_against.h"
#include "cli/jobs/own_count.h"
#include "cli/jobs/own_headline.h"
#include "recorder/rows.h"
#include "sql/sql.h"

#include <stdlib.h>
#include <string.h>

struct story_telling {
  struct arena *arena;
  const struct run_plan *plan;
  const char *target, *server;
  const struct history *history;
  const struct verdict *shown;
  const struct own_counts *counts;
  bool exact; // the counts by statement are those of the verdict
};

// ---- Findings

// Is it told that the statement of the operation shows the anomaly?
static bool is_of_own_table(const struct story_telling *t, uint32_t op,
                            const struct own_count *count) {
  return op < t->history->nops &&
         own_count_of(t->counts, t->history, op) == count;
}

// Does the violation show it by this statement: the one whose read was wrong,
// or that missed what another transaction wrote?
static bool shows_anomaly(const struct story_telling *t,
                          const struct verdict *v,
                          const struct own_count *count) {
  bool by =
      !v->rows_part && v->op != UINT32_MAX && is_of_own_table(t, v->op, count);
  for (uint32_t i = 0; i < v->nedges && !v->rows_part; i++)
    by |= v->edges[i].kind == EDGE_RW &&
          is_of_own_table(t, v->edges[i].from_op, count);
  return by;
}

static bool is_anomaly_seen(const struct story_telling *t, enum anomaly anomaly,
                            const struct own_count *count) {
  const struct verdict *v = t->shown;
  bool seen = v->anomaly == anomaly && shows_anomaly(t, v, count);
  for (uint32_t i = 0; i < v->nothers && !seen; i++)
    seen = v->others[i].anomaly == anomaly &&
           shows_anomaly(t, &v->others[i], count);
  return seen;
}

static void find_anomalies(const struct story_telling *t,
                           const struct own_count *count,
                           struct own_statement *statement) {
  struct own_finding *findings =
      arena_take(t->arena, ANOMALY_COUNT * sizeof *findings);
  statement->findings = findings;
  for (int a = ANOMALY_NONE + 1;
       t->shown->kind == VERDICT_VIOLATION && a < ANOMALY_COUNT; a++) {
    const uint64_t found = a == ANOMALY_LOST_UPDATE            ? count->lost
                           : a == ANOMALY_NON_REPEATABLE_READS ? count->reread
                                                               : 0;
    if (!t->shown->found[a] ||
        (!found && !is_anomaly_seen(t, (enum anomaly)a, count)))
      continue;
    findings[statement->nfindings++] = (struct own_finding){
        .anomaly = (enum anomaly)a,
        .found = t->exact ? found : 0,
        .ruled_out_from = level_against_anomaly(t->plan, t->target, t->server,
                                                (enum anomaly)a)};
  }
}

// A number stands beside the verdict's own, and must add up to that.
static bool counts_are_exact(const struct own_counts *c,
                             const struct verdict *v) {
  uint64_t lost = 0;
  for (uint32_t i = 0; i < c->n; i++)
    lost += c->all[i].lost;
  return v->kind != VERDICT_VIOLATION || lost == v->found[ANOMALY_LOST_UPDATE];
}

// ---- Statements

static const char *how_judged(const struct own_counts *c,
                              const struct sql_step *step) {
  const struct predicate *p = &c->scripts->templates[step->template].predicate;
  return step->sort == STATEMENT_INSERT ? "a new row, whose key is given"
         : predicate_names_keys(p)      ? "found by its key"
                                        : "which rows fit is known";
}

static void list_told_statements(const struct story_telling *t,
                                 struct own_scripts *own) {
  const struct own_counts *c = t->counts;
  struct own_statement *all =
      arena_take(t->arena, (c->n + (size_t)1) * sizeof *all);
  for (uint32_t i = 0; i < c->n; i++) {
    all[i] = (struct own_statement){
        .place = own_place(t->arena, &c->all[i]),
        .text = arena_strdup(t->arena, c->all[i].step->text),
        .judged = how_judged(c, c->all[i].step),
        .executed = c->all[i].executed};
    find_anomalies(t, &c->all[i], &all[i]);
  }
  own->statements = all;
  own->nstatements = c->n;
}

// ---- Changes

enum { CHANGES_MOST = 4 };

static void list_changes(const struct story_telling *t,
                         struct own_scripts *own) {
  const struct sql_scripts *scripts = t->counts->scripts;
  const char **paths =
      arena_take(t->arena, (scripts->nscripts + (size_t)1) * sizeof *paths);
  struct own_change *changes =
      arena_take(t->arena, CHANGES_MOST * sizeof *changes);
  struct sql_change change;
  for (uint32_t i = 0; i < scripts->nscripts; i++)
    paths[i] = scripts->scripts[i].path;
  for (uint32_t i = 0; own->nchanges < CHANGES_MOST &&
                       sql_find_change(paths, scripts->nscripts, i, &change);
       i++) {
    changes[own->nchanges++] = (struct own_change){
        arena_printf(t->arena, "%s:%u",
                     own_file(&scripts->scripts[change.script]),
                     change.update_line),
        arena_printf(t->arena, "%s;", change.statement)};
    sql_change_free(&change);
  }
  own->changes = changes;
}

void own_story_tell(struct own_scripts *own, struct arena *arena,
                    const struct run_plan *plan, const char *target,
                    const char *server, const struct history *history,
                    const struct verdict *shown) {
  struct own_counts counts;
  if (!plan->scripts || !history->rows)
    return;
  own_counts_make(&counts, script_workload_read(plan->scripts), history);
  const struct story_telling t = {.arena = arena,
                                  .plan = plan,
                                  .target = target,
                                  .server = server,
                                  .history = history,
                                  .shown = shown,
                                  .counts = &counts,
                                  .exact = counts_are_exact(&counts, shown)};
  list_told_statements(&t, own);
  if (shown->kind == VERDICT_VIOLATION) {
    own->headline = own_headline(arena, &counts, history, shown);
    list_changes(&t, own);
  }
  own_counts_free(&counts);
}

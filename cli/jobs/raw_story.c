// SPDX-License-Identifier: GPL-3.0-or-later
// Tells a run by places in scripts (cli/jobs/raw_story.h).
#include "config.h"

#include "cli/jobs/raw_story.h"

#include "cli/jobs/counterexample.h"
#include "cli/jobs/level_against.h"
#include "cli/jobs/raw_remedy.h"
#include "recorder/rows.h"

#include <inttypes.h>
#include <string.h>

struct raw_telling {
  struct arena *arena;
  const struct run_plan *plan;
  const struct raw_told *told;
  const char *target, *server;
  const struct history *history;
  const struct verdict *shown;
  uint64_t (*found)[ANOMALY_COUNT]; // at each place
};

// The place of an operation's statement; RAW_NO_PLACE: it has none.
static uint32_t place_of_op(const struct raw_telling *t, uint32_t op) {
  if (op >= t->history->nops)
    return RAW_NO_PLACE;
  const uint32_t s = rows_statement(t->history->rows, op);
  return s < t->told->nplaces ? t->told->places[s] : RAW_NO_PLACE;
}

static const char *at_of(const struct raw_telling *t, uint32_t place) {
  return t->plan->own->places[place].at;
}

// "transfer.sql" of "transfer.sql:6".
static const char *file_of_place(const struct raw_telling *t, uint32_t place) {
  const char *at = at_of(t, place);
  return arena_printf(t->arena, "%.*s", (int)strcspn(at, ":"), at);
}

// "stock 4".
static const char *row_of_op(const struct raw_telling *t, uint32_t op) {
  char number[24];
  char *name = arena_strdup(
      t->arena, history_key(t->history, t->history->key[op], number));
  char *slash = strchr(name, '/');
  if (slash)
    *slash = ' ';
  return name;
}

// ---- The counterexample

// A row that was read, and changed before the transaction met it again.
static const char *tell_reread(const struct raw_telling *t,
                               const struct verdict *v) {
  const struct history *h = t->history;
  const uint32_t read = place_of_op(t, v->other_op),
                 again = place_of_op(t, v->op),
                 change = place_of_op(t, h->saw[v->op]);
  if (read == RAW_NO_PLACE || again == RAW_NO_PLACE || change == RAW_NO_PLACE)
    return NULL;
  if (rows_adds(h->rows, history_txn(h, v->op), v->op))
    return arena_printf(
        t->arena,
        "A run of %s read %s at %s, and at %s the database calculated from "
        "what a run of %s had made of it meanwhile at %s: no change is lost, "
        "but all that the script decided by what it had read may be wrong",
        file_of_place(t, read), row_of_op(t, v->op), at_of(t, read),
        at_of(t, again), file_of_place(t, change), at_of(t, change));
  return arena_printf(
      t->arena,
      "A run of %s read %s at %s, and at %s it %s what a run of %s had done to "
      "it meanwhile at %s",
      file_of_place(t, read), row_of_op(t, v->op), at_of(t, read),
      at_of(t, again), op_writes(h->kind[v->op]) ? "wrote over" : "found",
      file_of_place(t, change), at_of(t, change));
}

static bool misses_change(const struct edge *edge) {
  return edge->kind == EDGE_RW && edge->from_op != UINT32_MAX &&
         edge->to_op != UINT32_MAX;
}

// Two that each changed what the other one had read.
static const char *tell_crossing(const struct raw_telling *t,
                                 const struct verdict *v) {
  if (v->nedges != 2 || !misses_change(&v->edges[0]) ||
      !misses_change(&v->edges[1]))
    return NULL;
  const uint32_t read = place_of_op(t, v->edges[0].from_op),
                 change = place_of_op(t, v->edges[0].to_op),
                 other_read = place_of_op(t, v->edges[1].from_op),
                 other_change = place_of_op(t, v->edges[1].to_op);
  if (read == RAW_NO_PLACE || change == RAW_NO_PLACE ||
      other_read == RAW_NO_PLACE || other_change == RAW_NO_PLACE)
    return NULL;
  return arena_printf(
      t->arena,
      "Two transactions each changed what the other had just read: %s was read "
      "at %s and changed at %s, %s was read at %s and changed at %s",
      row_of_op(t, v->edges[0].to_op), at_of(t, read), at_of(t, change),
      row_of_op(t, v->edges[1].to_op), at_of(t, other_read),
      at_of(t, other_change));
}

// One change of a transaction was seen, and another one missed.
static const char *tell_half_seen(const struct raw_telling *t,
                                  const struct verdict *v) {
  if (v->nedges != 2 ||
      misses_change(&v->edges[0]) == misses_change(&v->edges[1]))
    return NULL;
  const struct edge *miss = &v->edges[misses_change(&v->edges[0]) ? 0 : 1];
  const struct edge *see = &v->edges[misses_change(&v->edges[0]) ? 1 : 0];
  if (see->kind != EDGE_WR || see->to_op == UINT32_MAX)
    return NULL;
  const uint32_t saw = place_of_op(t, see->to_op),
                 missed = place_of_op(t, miss->from_op),
                 change = place_of_op(t, miss->to_op);
  if (saw == RAW_NO_PLACE || missed == RAW_NO_PLACE || change == RAW_NO_PLACE)
    return NULL;
  return arena_printf(
      t->arena,
      "A run of %s saw at %s what a run of %s did to %s, and had missed at %s "
      "what it did to %s at %s",
      file_of_place(t, saw), at_of(t, saw), file_of_place(t, change),
      row_of_op(t, see->to_op), at_of(t, missed), row_of_op(t, miss->to_op),
      at_of(t, change));
}

// ---- Of a part with rows that did not come back

static uint32_t place_of_part(const struct raw_telling *t,
                              const struct verdict *v, uint32_t statement) {
  const uint32_t s = statement < v->rows_part->rows->nstatements
                         ? v->rows_statements[statement]
                         : UINT32_MAX;
  return s < t->told->nplaces ? t->told->places[s] : RAW_NO_PLACE;
}

// The statement that missed a row, and the one that wrote the row.
struct missed_row {
  uint32_t by, written; // places
  const char *row;
};

static bool find_missed_row(const struct raw_telling *t,
                            const struct verdict *v, uint32_t edge,
                            struct missed_row *missed) {
  const struct edge *e = &v->row_edges[edge];
  const uint32_t op = e->kind == EDGE_WR ? e->from_op : e->to_op;
  if (v->row_statements[edge] == UINT32_MAX || op >= t->history->nops)
    return false;
  missed->by = place_of_part(t, v, v->row_statements[edge]);
  missed->written = place_of_op(t, op);
  missed->row = row_of_op(t, op);
  return missed->by != RAW_NO_PLACE && missed->written != RAW_NO_PLACE;
}

// Two that each missed the row of the other.
static const char *tell_missed_rows(const struct raw_telling *t,
                                    const struct verdict *v) {
  struct missed_row one, other;
  if (v->nrow_edges != 2 || !find_missed_row(t, v, 0, &one) ||
      !find_missed_row(t, v, 1, &other))
    return NULL;
  return arena_printf(
      t->arena,
      "Two transactions missed each other's row: the search at %s did not find "
      "%s, which was written at %s, and the search at %s did not find %s, "
      "which was written at %s",
      at_of(t, one.by), one.row, at_of(t, one.written), at_of(t, other.by),
      other.row, at_of(t, other.written));
}

// A part rests on each statement that missed a row; where these are not known,
// on each one that reads.
static bool part_rests_on(const struct raw_telling *t, const struct verdict *v,
                          uint32_t place) {
  const struct rows *rows = v->rows_part->rows;
  struct missed_row missed;
  bool rests = false;
  for (uint32_t e = 0; e < v->nrow_edges; e++)
    rests |= find_missed_row(t, v, e, &missed) && missed.by == place;
  for (uint32_t s = 0; s < rows->nstatements && !v->nrow_edges; s++)
    rests |= !statement_writes((enum statement_sort)rows->statements[s].sort) &&
             place_of_part(t, v, s) == place;
  return rests;
}

static const char *tell_counterexample(const struct raw_telling *t) {
  typedef const char *telling(const struct raw_telling *,
                              const struct verdict *);
  static telling *const tellings[] = {tell_crossing, tell_half_seen};
  const struct verdict *v = t->shown;
  const char *told = NULL;
  if (v->kind != VERDICT_VIOLATION)
    return NULL;
  if (v->rows_part)
    return tell_missed_rows(t, v);
  if (counterexample_is_reread(t->history, v))
    return tell_reread(t, v);
  for (size_t i = 0; i < sizeof tellings / sizeof *tellings && !told; i++)
    told = tellings[i](t, v);
  return told;
}

// ---- Findings

// Does the violation rest on a read or an overwriting write there?
static bool rests_on_place(const struct raw_telling *t, const struct verdict *v,
                           uint32_t place) {
  if (v->rows_part)
    return part_rests_on(t, v, place);
  bool rests = v->op != UINT32_MAX && place_of_op(t, v->op) == place;
  for (uint32_t i = 0; i < v->nedges; i++)
    rests |= v->edges[i].kind == EDGE_RW && v->edges[i].from_op != UINT32_MAX &&
             place_of_op(t, v->edges[i].from_op) == place;
  return rests;
}

static bool is_found_at(const struct raw_telling *t, enum anomaly anomaly,
                        uint32_t place) {
  const struct verdict *v = t->shown;
  bool found = v->anomaly == anomaly && rests_on_place(t, v, place);
  for (uint32_t i = 0; i < v->nothers && !found; i++)
    found = v->others[i].anomaly == anomaly &&
            rests_on_place(t, &v->others[i], place);
  return found;
}

// A violation counts once at each place that it rests on.
static void count_findings(struct raw_telling *t) {
  const struct verdict *v = t->shown;
  const uint32_t nplaces = t->plan->own->nplaces;
  t->found = arena_take(t->arena, nplaces * sizeof *t->found);
  memset(t->found, 0, nplaces * sizeof *t->found);
  for (uint32_t i = 0, first = 0; i < v->ncounted; i++) {
    const struct counted_op *c = &v->counted[i];
    const uint32_t place = place_of_op(t, c->op);
    bool again = place == RAW_NO_PLACE;
    if (c->number != v->counted[first].number)
      first = i;
    for (uint32_t k = first; k < i && !again; k++)
      again = place_of_op(t, v->counted[k].op) == place;
    if (!again)
      t->found[place][c->anomaly]++;
  }
}

static void list_findings(const struct raw_telling *t, uint32_t place,
                          struct own_statement *statement) {
  struct own_finding *findings =
      arena_take(t->arena, ANOMALY_COUNT * sizeof *findings);
  statement->findings = findings;
  for (int a = ANOMALY_NONE + 1;
       t->shown->kind == VERDICT_VIOLATION && a < ANOMALY_COUNT; a++)
    if (t->found[place][a] || is_found_at(t, (enum anomaly)a, place))
      findings[statement->nfindings++] = (struct own_finding){
          .anomaly = (enum anomaly)a,
          .found = t->found[place][a],
          .ruled_out_from = level_against_anomaly(t->plan, t->target, t->server,
                                                  (enum anomaly)a)};
}

// ---- Statements

static void say_how_judged(const struct raw_telling *t, uint32_t place,
                           struct own_statement *statement) {
  const struct instrument_way *way = &t->told->ways[place];
  const struct raw_place *is = &t->plan->own->places[place];
  const bool whole = t->told->executed[place] > 0 &&
                     t->told->whole[place] == t->told->executed[place];
  if (!t->told->asked[place]) {
    statement->tier = OWN_NOT_EXECUTED;
    statement->judged = "no transaction came to it";
    return;
  }
  statement->tier = whole || is->only_inserts       ? OWN_IN_FULL
                    : is->changes_rows || way->adds ? OWN_BY_ROWS
                                                    : OWN_NOT_JUDGED;
  statement->judged = whole              ? "which rows fit is known"
                      : is->only_inserts ? "new rows"
                      : is->changes_rows ? "the rows that it changed"
                      : way->adds        ? "the rows that came back"
                      : way->why         ? way->why
                                         : "it was taken back each time";
}

// Where the counterexample read a row and then changed it, if it is about that.
static void find_remedy(const struct raw_telling *t, struct own_scripts *own,
                        bool broken) {
  const struct verdict *v = t->shown;
  const struct history *h = t->history;
  uint32_t read = RAW_NO_PLACE, written = RAW_NO_PLACE;
  if (v->kind == VERDICT_VIOLATION && !v->rows_part &&
      counterexample_is_reread(h, v)) {
    read = place_of_op(t, v->other_op);
    written = op_writes(h->kind[v->op]) ? place_of_op(t, v->op) : RAW_NO_PLACE;
  } else if (v->anomaly == ANOMALY_LOST_UPDATE && v->nedges == 2 &&
             misses_change(&v->edges[0]) && misses_change(&v->edges[1])) {
    read = place_of_op(t, v->edges[0].from_op);
    written = place_of_op(t, v->edges[1].to_op);
  }
  own->helps = raw_remedy(t->arena, t->plan, own, read, written, broken);
}

void raw_story_tell(struct own_scripts *own, struct arena *arena,
                    const struct run_plan *plan, const struct raw_told *told,
                    const char *target, const char *server,
                    const struct history *history, const struct verdict *shown,
                    bool broken) {
  struct raw_telling t = {.arena = arena,
                          .plan = plan,
                          .told = told,
                          .target = target,
                          .server = server,
                          .history = history,
                          .shown = shown};
  const uint32_t n = plan->own->nplaces;
  struct own_statement *all = arena_take(arena, n * sizeof *all);
  if (!history->rows || history->rows->nstatements != told->nplaces)
    return;
  count_findings(&t);
  for (uint32_t i = 0; i < n; i++) {
    all[i] = (struct own_statement){.place = plan->own->places[i].at,
                                    .text = plan->own->places[i].text,
                                    .executed = told->executed[i]};
    say_how_judged(&t, i, &all[i]);
    list_findings(&t, i, &all[i]);
  }
  own->statements = all;
  own->nstatements = n;
  own->headline = tell_counterexample(&t);
  find_remedy(&t, own, broken);
}

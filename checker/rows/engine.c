// SPDX-License-Identifier: GPL-3.0-or-later
// Rows that statements did not return, as choices (checker/rows/engine.h).
//
// At PC and above a statement sees all that is before its snapshot in one
// order: of each row the version that is current there, and that must not
// satisfy the condition if the row did not come back.  So the row is an open
// read (checker/solver/version_order.h) of one of the versions that do not.
// Versions that follow each other and all fail are one candidate: only what
// comes before the first and after the last of them matters.
//
// Only rows that some order contradicts become open reads: a solution of the
// problem without the others is executed, statement by statement, and the rows
// that a statement would have to return there, but did not, are added.
//
// Below PC statements stand at places of the order (checker/rows/places.h),
// which are looked for in each solution; edges say only what is certain of
// them.
#include "config.h"

#include "checker/rows/engine.h"

#include "base/memory.h"
#include "checker/evidence/core.h"
#include "checker/model/model.h"
#include "checker/rows/latest_order.h"
#include "checker/rows/open_rows.h"
#include "checker/rows/place_round.h"
#include "checker/rows/statement_events.h"
#include "checker/verdict/level_rules.h"

#include <assert.h>
#include <stdlib.h>

enum { WRITERS_MAX = 1 << 24, ROUNDS = 1 << 10 };

// --- Executing an order.

static void note_rested_on(struct engine_of_rows *e, uint32_t s, uint32_t t) {
  const struct recorded_statement *statement = &e->h->rows->statements[s];
  for (uint32_t op = statement->first; op < statement->end; op++)
    if (op_writes(e->h->kind[op]))
      e->wrote[e->h->key[op]] = t + 1;
}

// Rows that an INSERT of a key that was used again found, where it must not.
static void want_absent(struct engine_of_rows *e, uint32_t s, uint32_t t) {
  const struct history *h = e->h;
  const struct recorded_statement *statement = &h->rows->statements[s];
  for (uint32_t op = statement->first; op < statement->end; op++) {
    const uint32_t key = h->key[op];
    if (h->kind[op] == OP_ROW_INSERT && e->wrote[key] != t + 1 &&
        rows_version(h, e->current.version[key]))
      open_rows_add(e, (struct blocked_row){{s, key, true}, t, false});
  }
}

static void execute_in_order(struct engine_of_rows *e, uint32_t s, uint32_t t) {
  const struct history *h = e->h;
  const struct recorded_statement *statement = &h->rows->statements[s];
  for (uint32_t op = statement->first; op < statement->end; op++)
    e->came_in[h->key[op]] = s;
  const bool latest =
      e->plain_reads &&
      statement_may_read_latest((enum statement_sort)statement->sort);
  if (!latest)
    want_absent(e, s, t);
  if (!latest && statement->condition != NO_CONDITION && !e->by_items) {
    struct row_cursor cursor = row_cursor_open(&e->current, s);
    for (uint32_t key; row_cursor_next(&cursor, &key);)
      if (e->came_in[key] != s && e->wrote[key] != t + 1)
        open_rows_add(e, (struct blocked_row){{s, key, false}, t, false});
  }
  note_rested_on(e, s, t);
}

static void take_snapshot(struct engine_of_rows *e, uint32_t t) {
  const struct rows *rows = e->h->rows;
  for (uint32_t s = rows->txn_statement[t]; s < rows->txn_statement[t + 1]; s++)
    execute_in_order(e, s, t);
}

static void commit_rows(struct engine_of_rows *e, uint32_t t) {
  const struct history *h = e->h;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
    if (is_final(&e->m, op) && op_is_row(h->kind[op]))
      current_rows_put(&e->current, h->key[op], op);
}

// Executes the order of the nodes.  Returns whether all statements were right;
// if not, rows have become open reads.
static bool execute_order(struct engine_of_rows *e, const uint32_t *node_at) {
  const struct problem *p = &e->p;
  const uint32_t before = e->nreads;
  current_rows_open(&e->current, e->h, NULL);
  e->came_in = ids_none(e->h->nkeys);
  e->wrote = xcalloc(e->h->nkeys, sizeof *e->wrote);
  const uint32_t nnodes = p->nnodes + e->events.count;
  for (uint32_t i = 0; i < nnodes && !model_is_stopped(&e->m); i++) {
    const uint32_t t = problem_txn(p, node_at[i]);
    if (t == NO_ID || !e->m.counted[t])
      continue;
    if (node_at[i] == problem_snapshot(p, t) &&
        level_has_prefix(problem_level(p, t)))
      take_snapshot(e, t);
    if (node_at[i] == problem_commit(p, t))
      commit_rows(e, t);
  }
  current_rows_close(&e->current);
  free(e->came_in);
  free(e->wrote);
  return e->nreads == before;
}

// --- Deciding.

static void keep_found_order(const struct engine_of_rows *e,
                             const uint32_t *node_at, struct rows_decision *d) {
  const struct problem *p = &e->p;
  const uint32_t n = e->h->ntxns;
  uint32_t *taken_at = xmalloc(n * sizeof *taken_at);
  assert(!d->order && !d->snapshot);
  d->answer = ROWS_KEPT;
  d->order = xmalloc(n * sizeof *d->order);
  if (p->scale == 2)
    d->snapshot = xmalloc(n * sizeof *d->snapshot);
  const uint32_t nnodes = p->nnodes + e->events.count;
  for (uint32_t i = 0; i < nnodes; i++) {
    const uint32_t t = problem_txn(p, node_at[i]);
    if (t == NO_ID || !e->m.counted[t])
      continue;
    if (node_at[i] == problem_snapshot(p, t))
      taken_at[t] = d->norder;
    if (node_at[i] != problem_commit(p, t))
      continue;
    if (p->scale == 2)
      d->snapshot[d->norder] = taken_at[t];
    assert(d->norder < n);
    d->order[d->norder++] = t;
  }
  free(taken_at);
}

static void forget_order(struct rows_decision *d) {
  d->answer = ROWS_STOPPED;
  FREE_EACH(d->order, d->snapshot);
  d->order = d->snapshot = NULL;
  d->norder = 0;
}

static void break_by_edges(const struct engine_of_rows *e,
                           const struct choice_result *result,
                           struct rows_decision *d) {
  assert(result->ncore_reads <= e->nreads);
  d->answer = ROWS_BROKEN;
  d->unseen = xmalloc(((size_t)result->ncore_reads + 1) * sizeof *d->unseen);
  for (uint32_t i = 0; i < result->ncore_reads; i++) {
    const struct blocked_row *row = &e->unseen[result->core_reads[i]];
    d->unseen[d->nunseen++] = row->row;
    ids_add(&d->txns, row->txn);
  }
  for (uint32_t i = 0; i < result->ncore; i++) {
    const uint32_t t = problem_txn(&e->p, result->core[i]);
    if (t != NO_ID)
      ids_add(&d->txns, t);
  }
  for (uint32_t i = 0; i < result->ncore_chains; i++) {
    const uint32_t c = result->core_chains[i];
    ids_add(&d->txns, e->m.txn_of[e->p.head_op[c]]);
    ids_add(&d->txns, e->m.txn_of[e->p.tail_op[c]]);
  }
}

// By a cycle of known edges through the node.
static void break_by_node(const struct engine_of_rows *e, uint32_t on_cycle,
                          struct rows_decision *d) {
  struct operations core = core_of_node(&e->p, on_cycle);
  uint32_t last = NO_ID;
  d->answer = ROWS_BROKEN;
  for (uint32_t i = 0; i < core.count; i++) {
    const uint32_t t = e->m.txn_of[core.op[i]];
    if (t != last)
      ids_add(&d->txns, t);
    last = t;
  }
  free(core.op);
}

// By an open read of no version: each may be one that the statement returns, or
// one whose writer its transaction missed in another row.
static void break_by_last(const struct engine_of_rows *e,
                          struct rows_decision *d) {
  d->answer = ROWS_BROKEN;
  d->unseen = xmalloc(sizeof *d->unseen);
  for (uint32_t i = 0; i < e->nreads && !d->nunseen; i++)
    if (e->reads[i].first == e->reads[i].end) {
      d->unseen[d->nunseen++] = e->unseen[i].row;
      ids_add(&d->txns, e->unseen[i].txn);
    }
  assert(d->nunseen);
}

static enum choice_answer solve(struct engine_of_rows *e, const uint32_t *guess,
                                const struct check_options *options,
                                struct choice_result *result) {
  const bool has_events = e->events.count > 0;
  if (has_events)
    statement_events_join(e);
  const struct choice_problem choices = {.graph = &e->p.graph,
                                         .guess = guess,
                                         .nkeys = e->h->nkeys,
                                         .key_first = e->p.key_first,
                                         .chains = e->p.chains,
                                         .readers = e->p.readers,
                                         .nreads = e->nreads,
                                         .reads = e->reads,
                                         .writers = e->writers,
                                         .edges = e->edges,
                                         .nboth = e->nboth,
                                         .both = e->both,
                                         .stop = options->stop,
                                         .progress = options->progress};
  const enum choice_answer answer = choices_solve(&choices, result);
  if (has_events)
    statement_events_leave(e);
  return answer;
}

static int by_statement(const void *a, const void *b) {
  const struct unseen *x = a, *y = b;
  if (x->statement != y->statement)
    return x->statement < y->statement ? -1 : 1;
  return (x->key > y->key) - (x->key < y->key);
}

// Does a row come back although it is an open read?  Where levels are mixed the
// problem does not order all versions that are written below PC.
static bool comes_back_again(const struct engine_of_rows *e) {
  bool twice = false;
  struct unseen *all = xmalloc(((size_t)e->nreads + 1) * sizeof *all);
  for (uint32_t i = 0; i < e->nreads; i++)
    all[i] = e->unseen[i].row;
  qsort(all, e->nreads, sizeof *all, by_statement);
  for (uint32_t i = 1; i < e->nreads; i++)
    twice |= !by_statement(&all[i - 1], &all[i]);
  free(all);
  return twice;
}

// A solution of the problem: is it right?  If not, there may be more to know.
static bool judge_solution(struct engine_of_rows *e,
                           const struct check_options *options,
                           const struct choice_result *result,
                           struct rows_decision *d) {
  const bool right = execute_order(e, result->node_at);
  bool more = !right && !(e->m.levels && comes_back_again(e));
  if (e->impossible) {
    break_by_last(e, d);
    return false;
  }
  if (right && !model_is_stopped(&e->m))
    keep_found_order(e, result->node_at, d);
  if (right && d->order && e->m.levels) {
    const enum round_answer answer = place_round(e, options, result, d);
    more = answer == ROUND_MORE;
    if (answer != ROUND_RIGHT)
      forget_order(d);
  }
  if (e->impossible)
    break_by_last(e, d);
  return more && !e->impossible && e->nwriters <= WRITERS_MAX &&
         !model_is_stopped(&e->m);
}

// Solves, executes the solution, and so on until one is right.
static void search_orders_of_rows(struct engine_of_rows *e,
                                  const struct check_options *options,
                                  struct rows_decision *d) {
  uint32_t *order = ids_copy(e->p.guess, e->p.nnodes), norder = e->p.nnodes;
  d->answer = ROWS_STOPPED;
  uint32_t rounds = 0;
  for (bool more = true; more && rounds < ROUNDS; rounds++) {
    struct choice_result result = {0};
    const uint32_t nnodes = e->p.nnodes + e->events.count;
    uint32_t *guess = statement_events_guess(e, order, norder);
    const enum choice_answer answer = solve(e, guess, options, &result);
    free(guess);
    more = false;
    if (answer == CHOICES_IMPOSSIBLE &&
        place_round_demote(e, result.core_reads, result.ncore_reads))
      more = true;
    else if (answer == CHOICES_IMPOSSIBLE)
      break_by_edges(e, &result, d);
    if (answer == CHOICES_ORDERED) {
      more = judge_solution(e, options, &result, d);
      free(order);
      order = result.node_at;
      norder = nnodes;
      result.node_at = NULL;
    }
    choice_result_free(&result);
  }
  free(order);
}

// Is a read wrong, whatever the order, by the level of its transaction?
static bool breaks_by_wrong_read(const struct model *m,
                                 struct rows_decision *d) {
  const struct wrong_read *wrong = &m->wrong_read;
  if (!m->levels || wrong->anomaly == ANOMALY_NONE)
    return false;
  const uint32_t t = m->txn_of[wrong->op];
  if (!anomaly_info(wrong->anomaly)->is_forbidden((enum isolation)m->levels[t]))
    return false;
  d->answer = ROWS_BROKEN;
  ids_add(&d->txns, t);
  return true;
}

// Have two transactions replaced one version, one of which must not have missed
// the other?
static bool breaks_by_divergence(const struct model *m,
                                 struct rows_decision *d) {
  if (!m->levels || m->diverged == NO_ID)
    return false;
  d->answer = ROWS_BROKEN;
  const uint32_t version = m->over[m->diverged];
  for (uint32_t op = m->first_over[version]; op != NO_ID;
       op = model_next_over(m, op))
    ids_add(&d->txns, m->txn_of[op]);
  return true;
}

int rows_decide(struct rows_decision *d, const struct history *h,
                const struct history *registers,
                const struct check_options *options, struct error *error) {
  struct engine_of_rows e = {.h = h,
                             .by_items = options->question.by_items,
                             .plain_reads = options->question.plain_reads,
                             .rc_sees_session =
                                 options->question.rc_sees_session};
  uint32_t on_cycle = NO_ID;
  *d = (struct rows_decision){.answer = ROWS_STOPPED};
  if (model_build(&e.m, registers, options, error))
    return -1;
  struct demands demands = {0};
  if (e.plain_reads)
    latest_order_add(h, &e.m, &demands);
  const bool walkable = !breaks_by_wrong_read(&e.m, d) &&
                        model_reach(&e.m, MODEL_WALKABLE) &&
                        !breaks_by_divergence(&e.m, d);
  if (walkable && e.m.levels)
    statement_demands(&e, &demands);
  e.is_explicit = xcalloc(h->ntxns, 1);
  if (walkable && !model_is_stopped(&e.m) &&
      problem_build(&e.p, &e.m, options->question.level, e.m.levels, &demands,
                    &on_cycle)) {
    model_forget_readers(&e.m);
    open_rows_list_chains(&e);
    open_rows_list_finals(&e);
    search_orders_of_rows(&e, options, d);
  } else if (on_cycle != NO_ID) {
    break_by_node(&e, on_cycle, d);
  }
  demands_free(&demands);
  problem_free(&e.p);
  model_free(&e.m);
  FREE_EACH(e.chain_ends, e.final_first, e.final_op, e.unseen, e.reads,
            e.writers, e.events.items, e.is_explicit, e.both, e.edges);
  return 0;
}

void rows_decision_free(struct rows_decision *d) {
  free(d->order);
  free(d->snapshot);
  FREE_EACH(d->place, d->found, d->unseen, d->txns.items);
  *d = (struct rows_decision){0};
}

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
#include "config.h"

#include "checker/rows/engine.h"

#include "base/memory.h"
#include "checker/evidence/core.h"
#include "checker/model/model.h"
#include "checker/rows/current_rows.h"
#include "checker/rows/latest_order.h"
#include "checker/solver/events.h"
#include "checker/verdict/level_rules.h"

#include <assert.h>
#include <stdlib.h>

enum { WRITERS_MAX = 1 << 24 };

struct chain_end {
  uint32_t version, chain;
};

struct engine_of_rows {
  const struct history *h;    // with rows
  bool by_items, plain_reads; // as in struct check_options
  struct model m;             // of the registers
  struct problem p;
  bool chains_up; // a version may be known to follow another at once
  // The chains that are open, by the versions that end them.
  struct chain_end *chain_ends;
  uint32_t *final_first, *final_op; // by key: its versions that count
  struct current_rows current;
  // Executing: per key, the last statement that had an operation on it and the
  // last transaction, + 1, that had written it before.
  uint32_t *came_in, *wrote;

  struct unseen *unseen; // per open read
  struct open_read *reads;
  uint32_t nreads, unseen_room, reads_room;
  struct open_writer *writers;
  uint32_t nwriters, writers_room;
  bool impossible; // the last open read has no candidate
};

// --- Versions.

static int by_row_version(const void *a, const void *b) {
  const struct chain_end *x = a, *y = b;
  return (x->version > y->version) - (x->version < y->version);
}

static void list_chain_ends(struct engine_of_rows *e) {
  const uint32_t n = e->p.key_first[e->h->nkeys];
  assert(e->m.stage >= MODEL_WALKABLE);
  e->chains_up = e->p.by_updates;
  e->chain_ends = xmalloc(n * sizeof *e->chain_ends);
  for (uint32_t c = 0; c < n; c++)
    e->chain_ends[c] = (struct chain_end){e->p.tail_op[c], c};
  qsort(e->chain_ends, n, sizeof *e->chain_ends, by_row_version);
}

// The chain that the version ends, or NO_ID.
static uint32_t chain_ended_by(const struct engine_of_rows *e,
                               uint32_t version) {
  const struct chain_end wanted = {version, NO_ID};
  const struct chain_end *end =
      bsearch(&wanted, e->chain_ends, e->p.key_first[e->h->nkeys],
              sizeof *e->chain_ends, by_row_version);
  return end ? end->chain : NO_ID;
}

// The version that is known to follow this one at once, or NO_ID.
static uint32_t next_version(const struct engine_of_rows *e, uint32_t version) {
  const struct model *m = &e->m;
  uint32_t next = e->chains_up ? m->first_over[version] : NO_ID;
  while (next != NO_ID && (!is_final(m, next) || m->role[next] & ROLE_TAIL))
    next = m->next_over[next];
  return next;
}

static void list_finals(struct engine_of_rows *e) {
  const struct history *h = e->h;
  e->final_first = xcalloc((size_t)h->nkeys + 1, sizeof *e->final_first);
  for (uint32_t op = 0; op < h->nops; op++)
    e->final_first[h->key[op] + 1] += is_final(&e->m, op);
  for (uint32_t key = 0; key < h->nkeys; key++)
    e->final_first[key + 1] += e->final_first[key];
  assert(e->final_first[h->nkeys] <= h->nops);
  e->final_op = xmalloc(e->final_first[h->nkeys] * sizeof *e->final_op);
  uint32_t *place = ids_copy(e->final_first, h->nkeys);
  for (uint32_t op = 0; op < h->nops; op++)
    if (is_final(&e->m, op))
      e->final_op[place[h->key[op]]++] = op;
  free(place);
}

static uint32_t txn_of_version(const struct engine_of_rows *e, uint32_t v) {
  return v < e->h->nops ? e->m.txn_of[v] : NO_ID;
}

// May the statement have found this version of the row?
static bool may_miss_version(const struct engine_of_rows *e, struct unseen u,
                             uint32_t version) {
  assert(u.key < e->h->nkeys && version < e->m.nversions);
  const int64_t *row = rows_version(e->h, version);
  return u.inserted ? row == NULL
                    : !rows_satisfies(e->h, u.statement, u.key, row);
}

// --- Open reads.

// The chain that the transaction's write of the key starts, or NO_ID.
static uint32_t own_chain(const struct engine_of_rows *e, uint32_t t,
                          uint32_t key) {
  const struct problem *p = &e->p;
  for (uint32_t c = p->key_first[key]; c < p->key_first[key + 1]; c++)
    if (e->m.txn_of[p->head_op[c]] == t)
      return c;
  return NO_ID;
}

// The candidate of the versions from `first` to `last`, which follow each
// other.
static void add_writer(struct engine_of_rows *e, uint32_t t, uint32_t first,
                       uint32_t last) {
  const struct model *m = &e->m;
  assert(first < m->nversions && last < m->nversions);
  struct open_writer writer = {.read = e->nreads,
                               .commit = NO_ID,
                               .before = NO_ID,
                               .chain = chain_ended_by(e, last)};
  if (!is_initial(m, first))
    writer.commit = problem_commit(&e->p, writer_of(m, first));
  const uint32_t next = next_version(e, last);
  if (next == NO_ID)
    writer.bottom = writer.chain == NO_ID;
  else if (m->txn_of[next] != t)
    writer.before = problem_commit(&e->p, m->txn_of[next]);
  ARRAY_RESERVE(e->writers, e->nwriters, e->writers_room);
  e->writers[e->nwriters++] = writer;
}

// Candidates among a version and those known to follow it, as far as they are
// not of the reader's transaction.
static void add_runs(struct engine_of_rows *e, struct unseen u, uint32_t t,
                     uint32_t version) {
  uint32_t first = NO_ID, last = NO_ID;
  for (; version != NO_ID && txn_of_version(e, version) != t;
       version = next_version(e, version)) {
    const bool may_be = may_miss_version(e, u, version);
    if (!may_be && first != NO_ID)
      add_writer(e, t, first, last);
    first = !may_be ? NO_ID : first == NO_ID ? version : first;
    last = version;
  }
  if (first != NO_ID)
    add_writer(e, t, first, last);
}

static bool follows_another(const struct engine_of_rows *e, uint32_t op) {
  return e->m.over[op] != NO_ID && next_version(e, e->m.over[op]) == op;
}

static void add_unseen_edge(struct engine_of_rows *e, struct unseen u,
                            uint32_t t) {
  const uint32_t key = u.key;
  assert(u.statement < e->h->rows->nstatements && t < e->h->ntxns);
  struct open_read read = {.event = problem_snapshot(&e->p, t),
                           .own = own_chain(e, t, key),
                           .key = key,
                           .first = e->nwriters};
  add_runs(e, u, t, e->h->nops + key);
  for (uint32_t i = e->final_first[key]; i < e->final_first[key + 1]; i++)
    if (!follows_another(e, e->final_op[i]))
      add_runs(e, u, t, e->final_op[i]);
  read.end = e->nwriters;
  e->impossible |= read.first == read.end;
  ARRAY_RESERVE(e->reads, e->nreads, e->reads_room);
  ARRAY_RESERVE(e->unseen, e->nreads, e->unseen_room);
  e->unseen[e->nreads] = u;
  e->reads[e->nreads++] = read;
}

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
      add_unseen_edge(e, (struct unseen){s, key, true}, t);
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
  if (!latest && statement->condition != ROWS_NONE && !e->by_items) {
    struct row_cursor cursor = row_cursor_open(&e->current, s);
    for (uint32_t key; row_cursor_next(&cursor, &key);)
      if (e->came_in[key] != s && e->wrote[key] != t + 1)
        add_unseen_edge(e, (struct unseen){s, key, false}, t);
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
  current_rows_open(&e->current, e->h);
  e->came_in = ids_none(e->h->nkeys);
  e->wrote = xcalloc(e->h->nkeys, sizeof *e->wrote);
  for (uint32_t i = 0; i < p->nnodes && !model_is_stopped(&e->m); i++) {
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
  for (uint32_t i = 0; i < p->nnodes; i++) {
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

static void break_by_edges(const struct engine_of_rows *e,
                           const struct choice_result *result,
                           struct rows_decision *d) {
  assert(result->ncore_reads <= e->nreads);
  d->answer = ROWS_BROKEN;
  d->unseen = xmalloc(((size_t)result->ncore_reads + 1) * sizeof *d->unseen);
  for (uint32_t i = 0; i < result->ncore_reads; i++)
    d->unseen[d->nunseen++] = e->unseen[result->core_reads[i]];
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

static void break_by_last(const struct engine_of_rows *e,
                          struct rows_decision *d) {
  d->answer = ROWS_BROKEN;
  d->unseen = xmalloc(sizeof *d->unseen);
  for (uint32_t i = 0; i < e->nreads && !d->nunseen; i++)
    if (e->reads[i].first == e->reads[i].end)
      d->unseen[d->nunseen++] = e->unseen[i];
  assert(d->nunseen);
}

static enum choice_answer solve(struct engine_of_rows *e, const uint32_t *guess,
                                const struct check_options *options,
                                struct choice_result *result) {
  const struct choice_problem choices = {.graph = &e->p.graph,
                                         .guess = guess,
                                         .nkeys = e->h->nkeys,
                                         .key_first = e->p.key_first,
                                         .chains = e->p.chains,
                                         .readers = e->p.readers,
                                         .nreads = e->nreads,
                                         .reads = e->reads,
                                         .writers = e->writers,
                                         .stop = options->stop,
                                         .progress = options->progress};
  return choices_solve(&choices, result);
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
    all[i] = e->unseen[i];
  qsort(all, e->nreads, sizeof *all, by_statement);
  for (uint32_t i = 1; i < e->nreads; i++)
    twice |= !by_statement(&all[i - 1], &all[i]);
  free(all);
  return twice;
}

// Solves, executes the solution, and so on until one is right.
static void search_orders_of_rows(struct engine_of_rows *e,
                                  const struct check_options *options,
                                  struct rows_decision *d) {
  uint32_t *guess = ids_copy(e->p.guess, e->p.nnodes);
  d->answer = ROWS_STOPPED;
  for (bool more = true; more;) {
    struct choice_result result = {0};
    const enum choice_answer answer = solve(e, guess, options, &result);
    more = false;
    if (answer == CHOICES_IMPOSSIBLE)
      break_by_edges(e, &result, d);
    if (answer == CHOICES_ORDERED) {
      const bool right = execute_order(e, result.node_at);
      more = !right && !e->impossible && e->nwriters <= WRITERS_MAX &&
             !model_is_stopped(&e->m) && !(e->m.levels && comes_back_again(e));
      if (e->impossible)
        break_by_last(e, d);
      else if (right && !model_is_stopped(&e->m))
        keep_found_order(e, result.node_at, d);
      free(guess);
      guess = result.node_at;
      result.node_at = NULL;
    }
    choice_result_free(&result);
  }
  free(guess);
}

static struct demands demands_of(const struct known_order *known) {
  struct demands demands = {0};
  for (uint32_t i = 0; known && i < known->before->count; i++) {
    ARRAY_RESERVE(demands.items, demands.count, demands.room);
    demands.items[demands.count++] =
        (struct demand){.before = known->before->items[i],
                        .after = known->after->items[i],
                        .write = NO_ID,
                        .read = NO_ID};
  }
  return demands;
}

int rows_decide(struct rows_decision *d, const struct history *h,
                const struct history *registers,
                const struct check_options *options,
                const struct known_order *known, struct error *error) {
  struct engine_of_rows e = {.h = h,
                             .by_items = options->question.by_items,
                             .plain_reads = options->question.plain_reads};
  uint32_t on_cycle = NO_ID;
  *d = (struct rows_decision){.answer = ROWS_STOPPED};
  if (model_build(&e.m, registers, options, error))
    return -1;
  struct demands demands = demands_of(known);
  if (e.plain_reads)
    latest_order_add(h, &e.m, &demands);
  if (model_reach(&e.m, MODEL_WALKABLE) &&
      problem_build(&e.p, &e.m, options->question.level, e.m.levels, &demands,
                    &on_cycle)) {
    list_chain_ends(&e);
    list_finals(&e);
    search_orders_of_rows(&e, options, d);
  } else if (on_cycle != NO_ID) {
    break_by_node(&e, on_cycle, d);
  }
  demands_free(&demands);
  problem_free(&e.p);
  model_free(&e.m);
  FREE_EACH(e.chain_ends, e.final_first, e.final_op, e.unseen, e.reads,
            e.writers);
  return 0;
}

void rows_decision_free(struct rows_decision *d) {
  free(d->order);
  free(d->snapshot);
  free(d->unseen);
  free(d->txns.items);
  *d = (struct rows_decision){0};
}

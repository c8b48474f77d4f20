// SPDX-License-Identifier: GPL-3.0-or-later
// Which pairs of version chains need a decision
// (checker/solver/version_order.h): the chains of a key are lined up by the
// order of events, and only neighbours are looked at, since the edges between
// neighbours imply all others.
//
// A history is not split into parts that share no key, nor at sessions that are
// the only link between others (the biconnected components of dbcop, section
// 5): a repair of the order visits only events that reach each other, so parts
// cost no more together than apart (results/tenants.txt), and most histories
// are one part anyway (results/components.txt).
#include "config.h"

#include "checker/solver/version_order.h"

#include "base/memory.h"

#include "checker/solver/cdcl.h"
#include "checker/solver/reads_from.h"
#include "checker/verdict/verdict.h"

#include <assert.h>
#include <stdlib.h>

static uint32_t head_position(const struct solver *solver, uint32_t chain) {
  return solver->order.position[solver->problem->chains[chain].rw_to];
}

static uint32_t excess(uint32_t position, uint32_t limit) {
  return position < limit ? 0 : position - limit + 1;
}

static uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }

// How far the order of events is from having all of chain a before chain b: the
// longest way that an event would have to move, 0 if it has.
static uint32_t distance_to(const struct solver *solver, uint32_t a,
                            uint32_t b) {
  const struct choice_problem *problem = solver->problem;
  const uint32_t *position = solver->order.position;
  const struct version_chain *first = &problem->chains[a],
                             *other = &problem->chains[b];
  uint32_t far = excess(position[first->ww_from], position[other->ww_to]);
  for (uint32_t i = first->first_reader; i < first->end_reader; i++)
    if (problem->readers[i] != other->rw_to)
      far = larger(
          far, excess(position[problem->readers[i]], position[other->rw_to]));
  const struct ids *reads = reads_from_of_chain(&solver->reads_from, a);
  for (uint32_t i = 0; reads && i < reads->count; i++) {
    const struct open_read *read =
        &problem->reads[problem->writers[reads->items[i]].read];
    if (read->own != b)
      far = larger(far, excess(position[read->event], position[other->rw_to]));
  }
  return far;
}

static bool is_before(const struct solver *solver, uint32_t a, uint32_t b) {
  return distance_to(solver, a, b) == 0;
}

// --- Choosing.

// Moves a chain to its place among those of its key, and has those it passed
// looked at again.
static void line_up(struct solver *solver, uint32_t chain) {
  uint32_t key = solver->key_of[chain];
  uint32_t first = solver->problem->key_first[key];
  uint32_t end = solver->problem->key_first[key + 1];
  uint32_t place = solver->place_of[chain], old = place;
  uint32_t position = head_position(solver, chain);
  uint32_t *lineup = solver->lineup;
  for (; place > first && head_position(solver, lineup[place - 1]) > position;
       place--) {
    lineup[place] = lineup[place - 1];
    solver->place_of[lineup[place]] = place;
  }
  for (; place + 1 < end && head_position(solver, lineup[place + 1]) < position;
       place++) {
    lineup[place] = lineup[place + 1];
    solver->place_of[lineup[place]] = place;
  }
  lineup[place] = chain;
  solver->place_of[chain] = place;
  if (place == old)
    return;
  if (old > first)
    enqueue(solver, lineup[old - 1]);
  enqueue(solver, lineup[old]);
  if (place > first)
    enqueue(solver, lineup[place - 1]);
}

// A neighbouring pair around the chain that the order contradicts; false: none.
static bool contradiction(struct solver *solver, uint32_t chain, uint32_t *a,
                          uint32_t *b) {
  const uint32_t *first = &solver->problem->key_first[solver->key_of[chain]];
  const uint32_t place = solver->place_of[chain];
  for (uint32_t i = place > first[0] ? place - 1 : place;
       i <= place && i + 1 < first[1]; i++) {
    *a = solver->lineup[i];
    *b = solver->lineup[i + 1];
    if (!is_before(solver, *a, *b))
      return true;
  }
  return false;
}

// Decides the next pair that needs it; false: there is none.
static bool choose_order(struct solver *solver) {
  while (solver->nqueue) {
    uint32_t chain = solver->queue[solver->nqueue - 1], a, b;
    line_up(solver, chain);
    if (solver->queue[solver->nqueue - 1] != chain)
      continue; // neighbours come first
    if (!contradiction(solver, chain, &a, &b)) {
      solver->nqueue--;
      solver->queued[chain] = 0;
      continue;
    }
    const bool nearer = distance_to(solver, a, b) <= distance_to(solver, b, a);
    const literal l =
        nearer ? solver_literal(solver, a, b) : solver_literal(solver, b, a);
    assert(solver->pairs[l >> 1].depth == NONE);
    solver_decide(solver, l);
    return true;
  }
  return false;
}

// A conflict is worth so many nodes: its clause is looked at ever after.
enum { CONFLICT_EFFORT = 1 << 11 };

static bool stopped(const struct solver *solver) {
  const uint64_t effort =
      solver->order.work + solver->conflicts * CONFLICT_EFFORT;
  return stop_is_set(solver->problem->stop) ||
         (solver->problem->effort && effort > solver->problem->effort);
}

static void tell_progress(const struct solver *solver) {
  const struct choice_problem *problem = solver->problem;
  if (problem->progress)
    *problem->progress =
        (struct check_progress){.runs = problem->key_first[problem->nkeys],
                                .open = solver->nqueue,
                                .pairs = solver->npairs,
                                .conflicts = solver->conflicts};
}

static enum choice_answer search_order(struct solver *solver) {
  do {
    tell_progress(solver);
    while (!solver_propagate(solver))
      if (!solver_resolve(solver))
        return CHOICES_IMPOSSIBLE;
      else if (stopped(solver))
        return CHOICES_STOPPED;
    if (!choose_order(solver) && !reads_from_choose(solver))
      return CHOICES_ORDERED;
  } while (!stopped(solver));
  return CHOICES_STOPPED;
}

// --- What a refutation rests on.

static void mark_used(struct solver *solver, uint8_t *used, uint32_t last) {
  assert(last < solver->norigins);
  struct ids todo = {0};
  ids_add(&todo, last);
  used[last] = 1;
  while (todo.count) {
    const struct origin *origin = &solver->origins[todo.items[--todo.count]];
    for (uint32_t i = origin->first_parent; i < origin->end_parent; i++) {
      const uint32_t parent = solver->parents.items[i];
      if (!used[parent]) {
        used[parent] = 1;
        ids_add(&todo, parent);
      }
    }
  }
  free(todo.items);
}

static void explain_conflict(struct solver *solver,
                             struct choice_result *result) {
  struct ids nodes = {0}, chains = {0}, reads = {0};
  const struct choice_problem *problem = solver->problem;
  const uint32_t nnodes = problem->graph->nnodes;
  uint8_t *used = xcalloc(solver->norigins, 1), *there = xcalloc(nnodes, 1);
  mark_used(solver, used, solver->learnt_origin);
  for (uint32_t o = 0; o < solver->norigins; o++) {
    const struct origin *origin = &solver->origins[o];
    for (uint32_t i = origin->first_node; used[o] && i < origin->end_node; i++)
      there[solver->nodes.items[i]] = 1;
  }
  for (uint32_t node = 0; node < nnodes; node++)
    if (there[node])
      ids_add(&nodes, node);
  for (uint32_t c = 0; c < problem->key_first[problem->nkeys]; c++)
    if (there[problem->chains[c].rw_to] || there[problem->chains[c].ww_to] ||
        there[problem->chains[c].ww_from])
      ids_add(&chains, c);
  for (uint32_t r = 0; r < problem->nreads; r++)
    if (used[reads_from_origin(r)])
      ids_add(&reads, r);
  FREE_EACH(used, there);
  result->core_reads = reads.items;
  result->ncore_reads = reads.count;
  result->core = nodes.items;
  result->ncore = nodes.count;
  result->core_chains = chains.items;
  result->ncore_chains = chains.count;
}

// --- Setting up.

// The events whose places decide about chains; some may come twice.
struct chain_events {
  struct ids node, chain;
};

static void add_chain_event(struct chain_events *events, uint32_t node,
                            uint32_t chain) {
  ids_add(&events->node, node);
  ids_add(&events->chain, chain);
}

static uint32_t node_of_event(const void *context, uint32_t event) {
  const struct chain_events *events = context;
  return events->node.items[event];
}

static void index_events(struct solver *solver, uint32_t nchains) {
  const struct choice_problem *problem = solver->problem;
  struct chain_events events = {0};
  for (uint32_t c = 0; c < nchains && !patience_ends_at(&solver->setting_up, c);
       c++) {
    const struct version_chain *chain = &problem->chains[c];
    add_chain_event(&events, chain->rw_to, c);
    add_chain_event(&events, chain->ww_to, c);
    add_chain_event(&events, chain->ww_from, c);
    for (uint32_t i = chain->first_reader; i < chain->end_reader; i++)
      add_chain_event(&events, problem->readers[i], c);
  }
  struct buckets *chains = &solver->chains_of_node;
  *chains = buckets_make(problem->graph->nnodes, events.node.count,
                         node_of_event, &events);
  for (uint32_t i = 0; i < events.node.count; i++)
    chains->items[i] = events.chain.items[chains->items[i]];
  FREE_EACH(events.node.items, events.chain.items);
}

static uint32_t position_of_head(const void *context, uint32_t chain) {
  return head_position(context, chain);
}

static void line_up_all(struct solver *solver, uint32_t nchains) {
  const struct choice_problem *problem = solver->problem;
  const uint32_t *first = problem->key_first;
  solver->lineup = xmalloc(nchains * sizeof *solver->lineup);
  solver->place_of = xmalloc(nchains * sizeof *solver->place_of);
  solver->key_of = xmalloc(nchains * sizeof *solver->key_of);
  solver->queue = xmalloc(nchains * sizeof *solver->queue);
  solver->queued = xcalloc(nchains, 1);
  for (uint32_t k = 0; k < problem->nkeys; k++)
    for (uint32_t c = first[k]; c < first[k + 1]; c++)
      solver->key_of[c] = k;
  // Chains in the order of their heads, dealt out to their keys.
  struct buckets heads =
      buckets_make(problem->graph->nnodes, nchains, position_of_head, solver);
  uint32_t *fill = ids_copy(first, problem->nkeys);
  for (uint32_t i = 0; i < nchains; i++) {
    const uint32_t c = heads.items[i];
    solver->place_of[c] = fill[solver->key_of[c]]++;
    assert(solver->place_of[c] < first[solver->key_of[c] + 1]);
    solver->lineup[solver->place_of[c]] = c;
  }
  buckets_free(&heads);
  free(fill);
  for (uint32_t c = nchains; c-- > 0;)
    if (first[solver->key_of[c] + 1] - first[solver->key_of[c]] > 1)
      enqueue(solver, c);
}

static void solver_free(struct solver *solver) {
  for (uint32_t l = 0; l < solver->npairs * 2; l++)
    free(solver->watches[l].items);
  reads_from_close(solver);
  buckets_free(&solver->chains_of_node);
  FREE_EACH(solver->key_of, solver->place_of, solver->lineup, solver->queue,
            solver->queued, solver->pairs, solver->table, solver->clauses.items,
            solver->watches, solver->trail.items, solver->edge_mark,
            solver->depth_start.items, solver->learnt.items, solver->seen,
            solver->origins, solver->nodes.items, solver->parents.items);
  toporder_free(&solver->order);
}

enum choice_answer choices_solve(const struct choice_problem *problem,
                                 struct choice_result *result) {
  assert(problem->graph && problem->guess);
  struct solver solver = {.problem = problem,
                          .setting_up = {.stop = problem->stop}};
  toporder_init(&solver.order, problem->graph, problem->guess);
  const uint32_t nchains = problem->key_first[problem->nkeys];
  index_events(&solver, nchains);
  if (!solver.setting_up.ended)
    line_up_all(&solver, nchains);
  if (problem->nreads && !solver.setting_up.ended)
    reads_from_open(&solver);
  enum choice_answer answer =
      solver.setting_up.ended ? CHOICES_STOPPED : search_order(&solver);
  *result = (struct choice_result){.work = solver.order.work};
  if (answer == CHOICES_ORDERED && problem->nreads)
    result->seen = reads_from_seen(&solver);
  if (answer == CHOICES_ORDERED) {
    result->node_at = solver.order.node_at;
    solver.order.node_at = NULL;
  } else if (answer == CHOICES_IMPOSSIBLE) {
    explain_conflict(&solver, result);
  }
  solver_free(&solver);
  return answer;
}

void choice_result_free(struct choice_result *result) {
  FREE_EACH(result->node_at, result->seen, result->core, result->core_chains,
            result->core_reads);
  *result = (struct choice_result){0};
}

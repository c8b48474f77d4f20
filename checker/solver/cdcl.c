// SPDX-License-Identifier: GPL-3.0-or-later
// Conflict-driven clause learning over the acyclicity of the event graph
// (checker/solver/cdcl.h).
#include "config.h"

#include "checker/solver/cdcl.h"

#include "checker/solver/reads_from.h"

#include <assert.h>
#include <stdlib.h>

static void enqueue_moved(struct solver *solver) {
  const struct buckets *chains = &solver->chains_of_node;
  for (uint32_t i = 0; i < solver->order.moved.count; i++) {
    const uint32_t node = solver->order.moved.items[i];
    for (uint32_t c = chains->first[node]; c < chains->first[node + 1]; c++)
      enqueue(solver, chains->items[c]);
    if (solver->problem->nreads)
      reads_from_enqueue(solver, node);
  }
  solver->order.moved.count = 0;
}

// --- Pairs as variables.

static uint32_t hash_pair(enum pair_kind kind, uint32_t a, uint32_t b) {
  uint64_t h = ((uint64_t)a << 32 | b) + ((uint64_t)kind << 62);
  h *= UINT64_C(0x9e3779b97f4a7c15);
  return (uint32_t)(h >> 32);
}

static void insert_in_table(struct solver *solver, uint32_t variable) {
  const struct chain_pair *pair = &solver->pairs[variable];
  uint32_t slot =
      hash_pair((enum pair_kind)pair->kind, pair->first, pair->chain) &
      solver->table_mask;
  while (solver->table[slot] != NONE)
    slot = (slot + 1) & solver->table_mask;
  solver->table[slot] = variable;
}

static void grow_table(struct solver *solver) {
  uint32_t size = solver->table ? (solver->table_mask + 1) * 2 : 1024;
  free(solver->table);
  solver->table = ids_none(size);
  solver->table_mask = size - 1;
  for (uint32_t v = 0; v < solver->npairs; v++)
    insert_in_table(solver, v);
}

static uint32_t new_variable(struct solver *solver, enum pair_kind kind,
                             uint32_t a, uint32_t b) {
  if (!solver->table || solver->npairs * 2 > solver->table_mask)
    grow_table(solver);
  ARRAY_RESERVE(solver->pairs, solver->npairs, solver->pairs_room);
  uint32_t variable = solver->npairs++;
  solver->pairs[variable] =
      (struct chain_pair){(uint8_t)kind, {a}, b, NONE, NONE, NONE, true};
  insert_in_table(solver, variable);
  ARRAY_COVER(solver->seen, variable, solver->seen_room);
  ARRAY_COVER(solver->watches, variable * 2 + 1, solver->watches_room);
  return variable;
}

uint32_t solver_variable(struct solver *solver, enum pair_kind kind, uint32_t a,
                         uint32_t b) {
  if (solver->table)
    for (uint32_t slot = hash_pair(kind, a, b) & solver->table_mask;
         solver->table[slot] != NONE; slot = (slot + 1) & solver->table_mask) {
      const struct chain_pair *pair = &solver->pairs[solver->table[slot]];
      if (pair->kind == kind && pair->first == a && pair->chain == b)
        return solver->table[slot];
    }
  return new_variable(solver, kind, a, b);
}

literal solver_literal(struct solver *solver, uint32_t a, uint32_t b) {
  assert(a != b);
  uint32_t low = a < b ? a : b, high = a < b ? b : a;
  return solver_variable(solver, PAIR_ORDER, low, high) * 2 + (a != low);
}

// --- Origins.

void solver_open_origin(struct solver *solver) {
  ARRAY_RESERVE(solver->origins, solver->norigins, solver->origins_room);
  solver->learnt_origin = solver->norigins;
  solver->origins[solver->norigins++] =
      (struct origin){solver->nodes.count, solver->nodes.count,
                      solver->parents.count, solver->parents.count};
}

static void note_parent(struct solver *solver, uint32_t origin) {
  assert(origin < solver->norigins);
  ids_add(&solver->parents, origin);
  solver->origins[solver->learnt_origin].end_parent = solver->parents.count;
}

void solver_note_node(struct solver *solver, uint32_t node) {
  assert(node < solver->problem->graph->nnodes);
  ids_add(&solver->nodes, node);
  solver->origins[solver->learnt_origin].end_node = solver->nodes.count;
}

// Why a literal holds that rests on no decision is part of the argument.
static void note_reason(struct solver *solver, literal l) {
  const struct chain_pair *pair = &solver->pairs[l >> 1];
  assert(pair->reason != NONE);
  note_parent(solver,
              pair->depth == 0
                  ? pair->origin
                  : solver->clauses.items[pair->reason + CLAUSE_ORIGIN]);
}

// A literal that rests on no decision rests on the clause that implied it, and
// on what that clause's other literals rest on.
static void note_origin(struct solver *solver, struct chain_pair *pair) {
  const literal *clause = solver->clauses.items + pair->reason;
  if (clause[CLAUSE_LENGTH] == 1) {
    pair->origin = clause[CLAUSE_ORIGIN];
    return;
  }
  solver_open_origin(solver);
  pair->origin = solver->learnt_origin;
  note_parent(solver, clause[CLAUSE_ORIGIN]);
  for (uint32_t i = 0; i < clause[CLAUSE_LENGTH]; i++) {
    const struct chain_pair *other =
        &solver->pairs[clause[CLAUSE_LITERALS + i] >> 1];
    if (other != pair)
      note_parent(solver, other->origin);
  }
}

// --- Assignment.

static void note_taken_back(struct solver *solver, literal l) {
  uint32_t first, other;
  solver_order_of(solver, l, &first, &other);
  if (solver->pairs[l >> 1].kind == PAIR_ORDER) {
    enqueue(solver, first);
    enqueue(solver, other);
  }
  if (solver->problem->nreads)
    reads_from_forget(solver, l);
}

void solver_assign(struct solver *solver, literal l, uint32_t reason) {
  struct chain_pair *pair = &solver->pairs[l >> 1];
  assert(pair->depth == NONE);
  pair->depth = solver->depth_start.count;
  pair->reason = reason;
  pair->value = !(l & 1);
  if (pair->depth == 0)
    note_origin(solver, pair);
  ids_add(&solver->trail, l);
  if (solver->problem->nreads)
    reads_from_note(solver, l);
}

static void back_to_depth(struct solver *solver, uint32_t depth) {
  assert(depth <= solver->depth_start.count);
  if (solver->depth_start.count <= depth)
    return;
  const uint32_t start = solver->depth_start.items[depth];
  if (start < solver->nhandled)
    toporder_truncate(&solver->order, solver->edge_mark[start]);
  while (solver->trail.count > start) {
    const literal l = solver->trail.items[--solver->trail.count];
    solver->pairs[l >> 1].depth = NONE;
    note_taken_back(solver, l);
  }
  if (solver->nhandled > start)
    solver->nhandled = start;
  solver->depth_start.count = depth;
}

// --- Clauses.

static uint32_t clause_length(const struct solver *solver, uint32_t clause) {
  return solver->clauses.items[clause + CLAUSE_LENGTH];
}

static literal *clause_literals(const struct solver *solver, uint32_t clause) {
  return solver->clauses.items + clause + CLAUSE_LITERALS;
}

uint32_t solver_add_learnt(struct solver *solver) {
  const struct ids *learnt = &solver->learnt;
  const uint32_t clause = solver->clauses.count;
  assert(learnt->count > 0);
  ids_add(&solver->clauses, learnt->count);
  ids_add(&solver->clauses, solver->learnt_origin);
  for (uint32_t i = 0; i < learnt->count; i++)
    ids_add(&solver->clauses, learnt->items[i]);
  for (uint32_t i = 0; learnt->count > 1 && i < 2; i++)
    ids_add(&solver->watches[learnt->items[i]], clause);
  return clause;
}

// "One of these edges must go": the negated reasons along the refused path, and
// the literal whose edge was refused.
static void learn_path(struct solver *solver, literal refused) {
  solver->learnt.count = 0;
  ids_add(&solver->learnt, negation(refused));
  solver_open_origin(solver);
  for (uint32_t i = 0; i < solver->order.npath; i++) {
    solver_note_node(solver, solver->order.path[i].node);
    literal l = solver->order.path[i].reason;
    if (l == TOPORDER_NONE || l == refused || solver->seen[l >> 1])
      continue;
    solver->seen[l >> 1] = 1;
    ids_add(&solver->learnt, negation(l));
  }
  for (uint32_t i = 0; i < solver->learnt.count; i++)
    solver->seen[solver->learnt.items[i] >> 1] = 0;
}

bool solver_insert_edge(struct solver *solver, uint32_t from, uint32_t to,
                        literal l) {
  const bool ok = toporder_insert(&solver->order, from, to, l);
  enqueue_moved(solver);
  if (!ok) {
    learn_path(solver, l);
    solver_note_node(solver, from); // where the path ends
  }
  return ok;
}

static bool insert_edges_of_order(struct solver *solver, literal l) {
  const struct choice_problem *problem = solver->problem;
  uint32_t a, b;
  solver_order_of(solver, l, &a, &b);
  const struct version_chain *first = &problem->chains[a],
                             *other = &problem->chains[b];
  bool ok = solver_insert_edge(solver, first->ww_from, other->ww_to, l);
  for (uint32_t i = first->first_reader; ok && i < first->end_reader; i++)
    if (problem->readers[i] != other->rw_to)
      ok = solver_insert_edge(solver, problem->readers[i], other->rw_to, l);
  return ok;
}

static bool insert_edges(struct solver *solver, literal l) {
  const struct choice_problem *problem = solver->problem;
  const struct chain_pair *pair = &solver->pairs[l >> 1];
  if (pair->kind == PAIR_ORDER)
    return insert_edges_of_order(solver, l);
  if (l & 1)
    return true;
  if (pair->kind == PAIR_SEES)
    return reads_from_insert_edges(solver, pair->writer, l);
  if (pair->kind == PAIR_BOTH)
    return solver_insert_edge(solver, problem->both[pair->writer].edge.from,
                              problem->both[pair->writer].edge.to, l);
  return solver_insert_edge(
      solver, problem->reads[problem->writers[pair->writer].read].event,
      problem->chains[pair->chain].rw_to, l);
}

// Moves the watch of one clause away from a literal that became false.
// Returns false if the clause is false altogether.
static bool visit_clause(struct solver *solver, uint32_t clause, literal falsed,
                         bool *keep) {
  assert(clause_length(solver, clause) >= 2);
  literal *c = clause_literals(solver, clause);
  const uint32_t count = clause_length(solver, clause);
  if (c[0] == falsed) {
    c[0] = c[1];
    c[1] = falsed;
  }
  *keep = true;
  if (is_true(solver, c[0]))
    return true;
  for (uint32_t i = 2; i < count; i++)
    if (!is_false(solver, c[i])) {
      c[1] = c[i];
      c[i] = falsed;
      ids_add(&solver->watches[c[1]], clause);
      *keep = false;
      return true;
    }
  if (is_false(solver, c[0]))
    return false;
  solver_assign(solver, c[0], clause);
  return true;
}

static bool propagate_clauses(struct solver *solver, literal l) {
  literal falsed = negation(l);
  struct ids *list = &solver->watches[falsed];
  uint32_t kept = 0, i = 0;
  bool ok = true;
  for (; ok && i < list->count; i++) {
    uint32_t clause = list->items[i];
    bool keep;
    ok = visit_clause(solver, clause, falsed, &keep);
    if (keep)
      list->items[kept++] = clause;
    if (!ok) {
      solver->learnt.count = 0;
      solver->learnt_origin = solver->clauses.items[clause + CLAUSE_ORIGIN];
      for (uint32_t k = 0; k < clause_length(solver, clause); k++)
        ids_add(&solver->learnt, clause_literals(solver, clause)[k]);
    }
  }
  while (i < list->count)
    list->items[kept++] = list->items[i++];
  list->count = kept;
  return ok;
}

bool solver_propagate(struct solver *solver) {
  while (solver->nhandled < solver->trail.count) {
    uint32_t entry = solver->nhandled++;
    literal l = solver->trail.items[entry];
    ARRAY_COVER(solver->edge_mark, entry, solver->marks_room);
    solver->edge_mark[entry] = solver->order.nedges;
    if (!insert_edges(solver, l))
      return false;
    if (solver->problem->nreads)
      reads_from_imply(solver, l);
    if (!propagate_clauses(solver, l))
      return false;
  }
  return true;
}

// --- Conflicts.

static uint32_t depth_of(const struct solver *solver, literal l) {
  return solver->pairs[l >> 1].depth;
}

static uint32_t greatest_depth(const struct solver *solver) {
  uint32_t highest = 0;
  for (uint32_t i = 0; i < solver->learnt.count; i++)
    if (depth_of(solver, solver->learnt.items[i]) > highest)
      highest = depth_of(solver, solver->learnt.items[i]);
  return highest;
}

// A false literal of the clause that is resolved: one of that depth is `open`,
// to be resolved in its turn; one that rests on no decision goes.
static void take_false(struct solver *solver, literal l, uint32_t depth,
                       uint32_t *open) {
  if (solver->seen[l >> 1])
    return;
  if (depth_of(solver, l) == 0) {
    note_reason(solver, l);
    return;
  }
  solver->seen[l >> 1] = 1;
  if (depth_of(solver, l) == depth)
    ++*open;
  else
    ids_add(&solver->learnt, l);
}

// The last open literal before the entry of the trail; it is not open any more.
static literal last_open(struct solver *solver, uint32_t depth,
                         uint32_t *entry) {
  literal l;
  do {
    assert(*entry > 0);
    l = solver->trail.items[--*entry];
  } while (!solver->seen[l >> 1] || depth_of(solver, l) != depth);
  solver->seen[l >> 1] = 0;
  return l;
}

// Puts what implied a literal in its place.
static void take_reason(struct solver *solver, literal l, uint32_t depth,
                        uint32_t *open) {
  const uint32_t reason = solver->pairs[l >> 1].reason;
  assert(reason != NONE);
  note_reason(solver, l);
  for (uint32_t k = 0; k < clause_length(solver, reason); k++) {
    const literal other = clause_literals(solver, reason)[k];
    if (other != l)
      take_false(solver, other, depth, open);
  }
}

// Resolves the false clause `learnt` back to the first unique implication point
// of its greatest depth, which comes to stand first.
static void analyse_conflict(struct solver *solver) {
  const uint32_t depth = greatest_depth(solver), count = solver->learnt.count;
  const uint32_t origin = solver->learnt_origin;
  uint32_t open = 0, entry = solver->trail.count;
  solver_open_origin(solver);
  note_parent(solver, origin);
  solver->learnt.count = 0;
  for (uint32_t i = 0; i < count; i++)
    take_false(solver, solver->learnt.items[i], depth, &open);
  assert(open > 0);
  literal l = last_open(solver, depth, &entry);
  assert(is_true(solver, l));
  while (--open > 0) {
    take_reason(solver, l, depth, &open);
    l = last_open(solver, depth, &entry);
  }
  for (uint32_t i = 0; i < solver->learnt.count; i++)
    solver->seen[solver->learnt.items[i] >> 1] = 0;
  ids_add(&solver->learnt, negation(l));
  const literal first = solver->learnt.items[0];
  solver->learnt.items[0] = solver->learnt.items[solver->learnt.count - 1];
  solver->learnt.items[solver->learnt.count - 1] = first;
}

// Puts the literal of the greatest depth but the first in second place.
static uint32_t second_depth(struct solver *solver) {
  uint32_t best = 1;
  for (uint32_t i = 2; i < solver->learnt.count; i++)
    if (depth_of(solver, solver->learnt.items[i]) >
        depth_of(solver, solver->learnt.items[best]))
      best = i;
  if (solver->learnt.count < 2)
    return 0;
  literal swap = solver->learnt.items[1];
  solver->learnt.items[1] = solver->learnt.items[best];
  solver->learnt.items[best] = swap;
  return depth_of(solver, solver->learnt.items[1]);
}

bool solver_resolve(struct solver *solver) {
  assert(solver->learnt.count == 0 ||
         is_false(solver, solver->learnt.items[0]));
  solver->conflicts++;
  if (greatest_depth(solver) == 0) {
    const uint32_t origin = solver->learnt_origin;
    solver_open_origin(solver);
    note_parent(solver, origin);
    for (uint32_t i = 0; i < solver->learnt.count; i++)
      note_reason(solver, solver->learnt.items[i]);
    return false;
  }
  analyse_conflict(solver);
  back_to_depth(solver, second_depth(solver));
  solver_assign(solver, solver->learnt.items[0], solver_add_learnt(solver));
  return true;
}

void solver_decide(struct solver *solver, literal l) {
  assert(solver->nhandled == solver->trail.count);
  ids_add(&solver->depth_start, solver->trail.count);
  solver_assign(solver, l, NONE);
}

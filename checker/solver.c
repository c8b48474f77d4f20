// SPDX-License-Identifier: GPL-3.0-or-later
// Conflict-driven clause learning over the acyclicity of the event graph
// (checker/solver.h).
#include "config.h"

#include "checker/solver.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void enqueue_moved(struct solver *solver) {
  for (uint32_t i = 0; i < solver->order.nmoved; i++) {
    uint32_t node = solver->order.moved[i];
    for (uint32_t c = solver->chains_of_node_first[node];
         c < solver->chains_of_node_first[node + 1]; c++)
      enqueue(solver, solver->chains_of_node[c]);
  }
  solver->order.nmoved = 0;
}

// --- Pairs as variables.

static uint32_t hash_pair(uint32_t a, uint32_t b) {
  uint64_t h = ((uint64_t)a << 32 | b) * UINT64_C(0x9e3779b97f4a7c15);
  return (uint32_t)(h >> 32);
}

static void insert_in_table(struct solver *solver, uint32_t variable) {
  const struct pair *pair = &solver->pairs[variable];
  uint32_t slot = hash_pair(pair->a, pair->b) & solver->table_mask;
  while (solver->table[slot] != NONE)
    slot = (slot + 1) & solver->table_mask;
  solver->table[slot] = variable;
}

static void grow_table(struct solver *solver) {
  uint32_t size = solver->table ? (solver->table_mask + 1) * 2 : 1024;
  free(solver->table);
  solver->table = xmalloc(size * sizeof *solver->table);
  memset(solver->table, 0xff, size * sizeof *solver->table);
  solver->table_mask = size - 1;
  for (uint32_t v = 0; v < solver->npairs; v++)
    insert_in_table(solver, v);
}

static uint32_t new_variable(struct solver *solver, uint32_t a, uint32_t b) {
  if (!solver->table || solver->npairs * 2 > solver->table_mask)
    grow_table(solver);
  ARRAY_RESERVE(solver->pairs, solver->npairs, solver->pairs_room);
  uint32_t variable = solver->npairs++;
  solver->pairs[variable] = (struct pair){a, b, NONE, NONE, true};
  insert_in_table(solver, variable);
  if (solver->npairs > solver->seen_room) {
    uint32_t room = solver->pairs_room;
    solver->seen = xrealloc(solver->seen, room, 1);
    solver->watches =
        xrealloc(solver->watches, room * 2, sizeof *solver->watches);
    memset(solver->seen + solver->seen_room, 0, room - solver->seen_room);
    memset(solver->watches + solver->watches_room, 0,
           (room * 2 - solver->watches_room) * sizeof *solver->watches);
    solver->seen_room = room;
    solver->watches_room = room * 2;
  }
  return variable;
}

literal solver_literal(struct solver *solver, uint32_t a, uint32_t b) {
  uint32_t low = a < b ? a : b, high = a < b ? b : a;
  uint32_t variable = NONE;
  if (solver->table)
    for (uint32_t slot = hash_pair(low, high) & solver->table_mask;
         solver->table[slot] != NONE; slot = (slot + 1) & solver->table_mask) {
      const struct pair *pair = &solver->pairs[solver->table[slot]];
      if (pair->a == low && pair->b == high) {
        variable = solver->table[slot];
        break;
      }
    }
  if (variable == NONE)
    variable = new_variable(solver, low, high);
  return variable * 2 + (a != low);
}

// --- Assignment.

static void assign(struct solver *solver, literal l, uint32_t reason) {
  struct pair *pair = &solver->pairs[l >> 1];
  assert(pair->level == NONE);
  pair->level = solver->nlevels;
  pair->reason = reason;
  pair->value = !(l & 1);
  ARRAY_RESERVE(solver->trail, solver->ntrail, solver->trail_room);
  if (solver->ntrail == solver->marks_room) {
    solver->marks_room = solver->trail_room;
    solver->edge_mark = xrealloc(solver->edge_mark, solver->marks_room,
                                 sizeof *solver->edge_mark);
  }
  solver->trail[solver->ntrail++] = l;
}

static void open_level(struct solver *solver) {
  ARRAY_RESERVE(solver->level_start, solver->nlevels, solver->levels_room);
  solver->level_start[solver->nlevels++] = solver->ntrail;
}

static void back_to(struct solver *solver, uint32_t level) {
  if (solver->nlevels <= level)
    return;
  uint32_t start = solver->level_start[level];
  if (start < solver->nhandled)
    toporder_truncate(&solver->order, solver->edge_mark[start]);
  while (solver->ntrail > start) {
    struct pair *pair = &solver->pairs[solver->trail[--solver->ntrail] >> 1];
    pair->level = NONE;
    enqueue(solver, pair->a);
    enqueue(solver, pair->b);
  }
  if (solver->nhandled > start)
    solver->nhandled = start;
  solver->nlevels = level;
}

// --- Clauses.

static uint32_t add_clause(struct solver *solver, const literal *literals,
                           uint32_t count) {
  while (solver->clauses_room < solver->nclauses + count + CLAUSE_LITERALS) {
    solver->clauses_room =
        solver->clauses_room ? solver->clauses_room * 2 : 1 << 12;
    solver->clauses = xrealloc(solver->clauses, solver->clauses_room,
                               sizeof *solver->clauses);
  }
  uint32_t clause = solver->nclauses;
  solver->clauses[clause + CLAUSE_LENGTH] = count;
  solver->clauses[clause + CLAUSE_ORIGIN] = solver->learnt_origin;
  memcpy(solver->clauses + clause + CLAUSE_LITERALS, literals,
         count * sizeof *literals);
  solver->nclauses += count + CLAUSE_LITERALS;
  return clause;
}

// --- Origins.

// A new origin for the learnt clause; what is noted next belongs to it.
static void open_origin(struct solver *solver) {
  ARRAY_RESERVE(solver->origins, solver->norigins, solver->origins_room);
  solver->learnt_origin = solver->norigins;
  solver->origins[solver->norigins++] =
      (struct origin){solver->nodes.count, solver->nodes.count,
                      solver->parents.count, solver->parents.count};
}

static void note_parent(struct solver *solver, uint32_t origin) {
  list_push(&solver->parents, origin);
  solver->origins[solver->learnt_origin].end_parent = solver->parents.count;
}

static void note_node(struct solver *solver, uint32_t node) {
  list_push(&solver->nodes, node);
  solver->origins[solver->learnt_origin].end_node = solver->nodes.count;
}

// The clause that implied a literal is part of the argument.
static void note_reason(struct solver *solver, literal l) {
  const uint32_t reason = solver->pairs[l >> 1].reason;
  assert(reason != NONE);
  note_parent(solver, solver->clauses[reason + CLAUSE_ORIGIN]);
}

static void watch(struct solver *solver, literal l, uint32_t clause) {
  struct watch_list *list = &solver->watches[l];
  ARRAY_RESERVE(list->clauses, list->count, list->room);
  list->clauses[list->count++] = clause;
}

// The learnt clause under construction, without repetitions.
static void learn(struct solver *solver, literal l) {
  ARRAY_RESERVE(solver->learnt, solver->nlearnt, solver->learnt_room);
  solver->learnt[solver->nlearnt++] = l;
}

// "One of these edges must go": the negated reasons along the refused path, and
// the literal whose edge was refused.
static void learn_path(struct solver *solver, literal refused) {
  solver->nlearnt = 0;
  learn(solver, negation(refused));
  open_origin(solver);
  for (uint32_t i = 0; i < solver->order.npath; i++) {
    note_node(solver, solver->order.path[i].node);
    literal l = solver->order.path[i].reason;
    if (l == TOPORDER_NONE || l == refused || solver->seen[l >> 1])
      continue;
    solver->seen[l >> 1] = 1;
    learn(solver, negation(l));
  }
  for (uint32_t i = 0; i < solver->nlearnt; i++)
    solver->seen[solver->learnt[i] >> 1] = 0;
}

// Inserts one edge of a literal; false, with the clause learnt, if it closes a
// cycle.
static bool insert_edge(struct solver *solver, uint32_t from, uint32_t to,
                        literal l) {
  const bool ok = toporder_insert(&solver->order, from, to, l);
  enqueue_moved(solver);
  if (!ok) {
    learn_path(solver, l);
    note_node(solver, from); // where the path ends
  }
  return ok;
}

static bool insert_edges(struct solver *solver, literal l) {
  const struct choice_problem *problem = solver->problem;
  const struct pair *pair = &solver->pairs[l >> 1];
  const struct chain *first = &problem->chains[l & 1 ? pair->b : pair->a];
  const struct chain *other = &problem->chains[l & 1 ? pair->a : pair->b];
  bool ok = insert_edge(solver, first->ww_from, other->ww_to, l);
  for (uint32_t i = first->first_reader; ok && i < first->end_reader; i++)
    if (problem->readers[i] != other->rw_to)
      ok = insert_edge(solver, problem->readers[i], other->rw_to, l);
  return ok;
}

// Moves the watch of one clause away from a literal that became false.
// Returns false if the clause is false altogether.
static bool visit_clause(struct solver *solver, uint32_t clause, literal falsed,
                         bool *keep) {
  literal *c = solver->clauses + clause + CLAUSE_LITERALS;
  uint32_t count = solver->clauses[clause + CLAUSE_LENGTH];
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
      watch(solver, c[1], clause);
      *keep = false;
      return true;
    }
  if (is_false(solver, c[0]))
    return false;
  assign(solver, c[0], clause);
  return true;
}

static bool propagate_clauses(struct solver *solver, literal l) {
  literal falsed = negation(l);
  struct watch_list *list = &solver->watches[falsed];
  uint32_t kept = 0, i = 0;
  bool ok = true;
  for (; ok && i < list->count; i++) {
    uint32_t clause = list->clauses[i];
    bool keep;
    ok = visit_clause(solver, clause, falsed, &keep);
    if (keep)
      list->clauses[kept++] = clause;
    if (!ok) {
      solver->nlearnt = 0;
      solver->learnt_origin = solver->clauses[clause + CLAUSE_ORIGIN];
      for (uint32_t k = 0; k < solver->clauses[clause]; k++)
        learn(solver, solver->clauses[clause + CLAUSE_LITERALS + k]);
    }
  }
  while (i < list->count)
    list->clauses[kept++] = list->clauses[i++];
  list->count = kept;
  return ok;
}

bool solver_propagate(struct solver *solver) {
  while (solver->nhandled < solver->ntrail) {
    uint32_t entry = solver->nhandled++;
    literal l = solver->trail[entry];
    solver->edge_mark[entry] = solver->order.nedges;
    if (!insert_edges(solver, l) || !propagate_clauses(solver, l))
      return false;
  }
  return true;
}

// --- Conflicts.

static uint32_t level_of(const struct solver *solver, literal l) {
  return solver->pairs[l >> 1].level;
}

static uint32_t highest_level(const struct solver *solver) {
  uint32_t highest = 0;
  for (uint32_t i = 0; i < solver->nlearnt; i++)
    if (level_of(solver, solver->learnt[i]) > highest)
      highest = level_of(solver, solver->learnt[i]);
  return highest;
}

// Resolves the false clause `learnt` back to the first unique implication point
// of its highest level, which comes to stand first.
static void analyse(struct solver *solver) {
  uint32_t level = highest_level(solver), open = 0, kept = 0;
  const uint32_t origin = solver->learnt_origin;
  open_origin(solver);
  note_parent(solver, origin);
  for (uint32_t i = 0; i < solver->nlearnt; i++) {
    literal l = solver->learnt[i];
    if (level_of(solver, l) == 0) {
      note_reason(solver, l);
      continue;
    }
    solver->seen[l >> 1] = 1;
    if (level_of(solver, l) == level)
      open++;
    else
      solver->learnt[kept++] = l;
  }
  solver->nlearnt = kept;
  uint32_t entry = solver->ntrail;
  literal l;
  for (;;) {
    do {
      assert(entry > 0);
      l = solver->trail[--entry];
    } while (!solver->seen[l >> 1] || level_of(solver, l) != level);
    solver->seen[l >> 1] = 0;
    if (--open == 0)
      break;
    uint32_t reason = solver->pairs[l >> 1].reason;
    assert(reason != NONE);
    note_reason(solver, l);
    for (uint32_t k = 0; k < solver->clauses[reason]; k++) {
      literal other = solver->clauses[reason + CLAUSE_LITERALS + k];
      if (other == l || solver->seen[other >> 1])
        continue;
      if (level_of(solver, other) == 0) {
        note_reason(solver, other);
        continue;
      }
      solver->seen[other >> 1] = 1;
      if (level_of(solver, other) == level)
        open++;
      else
        learn(solver, other);
    }
  }
  for (uint32_t i = 0; i < solver->nlearnt; i++)
    solver->seen[solver->learnt[i] >> 1] = 0;
  learn(solver, negation(l));
  literal first = solver->learnt[0];
  solver->learnt[0] = solver->learnt[solver->nlearnt - 1];
  solver->learnt[solver->nlearnt - 1] = first;
}

// Puts the literal of the highest level but the first in second place.
static uint32_t second_level(struct solver *solver) {
  uint32_t best = 1;
  for (uint32_t i = 2; i < solver->nlearnt; i++)
    if (level_of(solver, solver->learnt[i]) >
        level_of(solver, solver->learnt[best]))
      best = i;
  if (solver->nlearnt < 2)
    return 0;
  literal swap = solver->learnt[1];
  solver->learnt[1] = solver->learnt[best];
  solver->learnt[best] = swap;
  return level_of(solver, solver->learnt[1]);
}

bool solver_resolve(struct solver *solver) {
  solver->conflicts++;
  if (highest_level(solver) == 0) {
    const uint32_t origin = solver->learnt_origin;
    open_origin(solver);
    note_parent(solver, origin);
    for (uint32_t i = 0; i < solver->nlearnt; i++)
      note_reason(solver, solver->learnt[i]);
    return false;
  }
  analyse(solver);
  back_to(solver, second_level(solver));
  uint32_t clause = add_clause(solver, solver->learnt, solver->nlearnt);
  if (solver->nlearnt > 1) {
    watch(solver, solver->learnt[0], clause);
    watch(solver, solver->learnt[1], clause);
  }
  assign(solver, solver->learnt[0], clause);
  return true;
}

void solver_decide(struct solver *solver, literal l) {
  open_level(solver);
  assign(solver, l, NONE);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Conflict-driven clause learning over the acyclicity of the event graph
// (checker/solver.h).
#include "config.h"

#include "checker/solver.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// The chains that the open reads of an event are taken to have seen.
static void enqueue_seen(struct solver *solver, uint32_t node) {
  for (uint32_t i = solver->reads_of_node_first[node];
       i < solver->reads_of_node_first[node + 1]; i++) {
    const uint32_t writer = solver->sighted[solver->reads_of_node[i]];
    if (writer != NONE && solver->problem->writers[writer].chain != NONE)
      enqueue(solver, solver->problem->writers[writer].chain);
  }
}

static void enqueue_moved(struct solver *solver) {
  for (uint32_t i = 0; i < solver->order.nmoved; i++) {
    uint32_t node = solver->order.moved[i];
    for (uint32_t c = solver->chains_of_node_first[node];
         c < solver->chains_of_node_first[node + 1]; c++)
      enqueue(solver, solver->chains_of_node[c]);
    if (solver->problem->nreads)
      enqueue_seen(solver, node);
  }
  solver->order.nmoved = 0;
}

// --- Pairs as variables.

static uint32_t hash_pair(enum pair_kind kind, uint32_t a, uint32_t b) {
  uint64_t h = ((uint64_t)a << 32 | b) + ((uint64_t)kind << 62);
  h *= UINT64_C(0x9e3779b97f4a7c15);
  return (uint32_t)(h >> 32);
}

static void insert_in_table(struct solver *solver, uint32_t variable) {
  const struct pair *pair = &solver->pairs[variable];
  uint32_t slot = hash_pair((enum pair_kind)pair->kind, pair->a, pair->b) &
                  solver->table_mask;
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

static uint32_t new_variable(struct solver *solver, enum pair_kind kind,
                             uint32_t a, uint32_t b) {
  if (!solver->table || solver->npairs * 2 > solver->table_mask)
    grow_table(solver);
  ARRAY_RESERVE(solver->pairs, solver->npairs, solver->pairs_room);
  uint32_t variable = solver->npairs++;
  solver->pairs[variable] =
      (struct pair){(uint8_t)kind, a, b, NONE, NONE, NONE, true};
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

static uint32_t variable_of(struct solver *solver, enum pair_kind kind,
                            uint32_t a, uint32_t b) {
  if (solver->table)
    for (uint32_t slot = hash_pair(kind, a, b) & solver->table_mask;
         solver->table[slot] != NONE; slot = (slot + 1) & solver->table_mask) {
      const struct pair *pair = &solver->pairs[solver->table[slot]];
      if (pair->kind == kind && pair->a == a && pair->b == b)
        return solver->table[slot];
    }
  return new_variable(solver, kind, a, b);
}

literal solver_literal(struct solver *solver, uint32_t a, uint32_t b) {
  uint32_t low = a < b ? a : b, high = a < b ? b : a;
  return variable_of(solver, PAIR_ORDER, low, high) * 2 + (a != low);
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

// Why a literal holds that rests on no decision is part of the argument.
static void note_reason(struct solver *solver, literal l) {
  const struct pair *pair = &solver->pairs[l >> 1];
  assert(pair->reason != NONE);
  note_parent(solver, pair->level == 0
                          ? pair->origin
                          : solver->clauses[pair->reason + CLAUSE_ORIGIN]);
}

// A literal that rests on no decision rests on the clause that implied it, and
// on what that clause's other literals rest on.
static void note_origin(struct solver *solver, struct pair *pair) {
  const literal *clause = solver->clauses + pair->reason;
  if (clause[CLAUSE_LENGTH] == 1) {
    pair->origin = clause[CLAUSE_ORIGIN];
    return;
  }
  open_origin(solver);
  pair->origin = solver->learnt_origin;
  note_parent(solver, clause[CLAUSE_ORIGIN]);
  for (uint32_t i = 0; i < clause[CLAUSE_LENGTH]; i++) {
    const struct pair *other = &solver->pairs[clause[CLAUSE_LITERALS + i] >> 1];
    if (other != pair)
      note_parent(solver, other->origin);
  }
}

// --- Assignment.

static void first_and_other(const struct pair *pair, literal l, uint32_t *first,
                            uint32_t *other) {
  *first = l & 1 ? pair->b : pair->a;
  *other = l & 1 ? pair->a : pair->b;
}

// What is seen, and which chains come after which, where that matters to open
// reads.
static void note_assigned(struct solver *solver, literal l) {
  const struct pair *pair = &solver->pairs[l >> 1];
  uint32_t first, other;
  first_and_other(pair, l, &first, &other);
  if (pair->kind == PAIR_ORDER) {
    list_push(&solver->behind[first], other);
  } else if (pair->kind == PAIR_SEES && !(l & 1)) {
    const struct open_writer *writer = &solver->problem->writers[pair->a];
    solver->sighted_before[pair->a] = solver->sighted[writer->read];
    solver->sighted[writer->read] = pair->a;
    if (writer->chain != NONE) {
      list_push(&solver->seers[writer->chain], pair->a);
      enqueue(solver, writer->chain);
    }
  }
}

// In the opposite order.
static void note_taken_back(struct solver *solver, literal l) {
  const struct pair *pair = &solver->pairs[l >> 1];
  uint32_t first, other;
  first_and_other(pair, l, &first, &other);
  if (pair->kind == PAIR_ORDER) {
    enqueue(solver, first);
    enqueue(solver, other);
    if (solver->problem->nreads)
      solver->behind[first].count--;
  } else if (pair->kind == PAIR_SEES && !(l & 1)) {
    const struct open_writer *writer = &solver->problem->writers[pair->a];
    solver->sighted[writer->read] = solver->sighted_before[pair->a];
    if (writer->chain != NONE) {
      solver->seers[writer->chain].count--;
      enqueue(solver, writer->chain);
    }
  }
}

static void assign(struct solver *solver, literal l, uint32_t reason) {
  struct pair *pair = &solver->pairs[l >> 1];
  assert(pair->level == NONE);
  pair->level = solver->nlevels;
  pair->reason = reason;
  pair->value = !(l & 1);
  if (solver->nlevels == 0)
    note_origin(solver, pair);
  ARRAY_RESERVE(solver->trail, solver->ntrail, solver->trail_room);
  if (solver->ntrail == solver->marks_room) {
    solver->marks_room = solver->trail_room;
    solver->edge_mark = xrealloc(solver->edge_mark, solver->marks_room,
                                 sizeof *solver->edge_mark);
  }
  solver->trail[solver->ntrail++] = l;
  if (solver->problem->nreads)
    note_assigned(solver, l);
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
    const literal l = solver->trail[--solver->ntrail];
    solver->pairs[l >> 1].level = NONE;
    note_taken_back(solver, l);
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

// A read is before all writers of its key but its own transaction.
static bool insert_edges_at_bottom(struct solver *solver,
                                   const struct open_read *read, literal l) {
  const struct choice_problem *problem = solver->problem;
  bool ok = true;
  for (uint32_t c = problem->key_first[read->key];
       ok && c < problem->key_first[read->key + 1]; c++)
    if (c != read->own)
      ok = insert_edge(solver, read->event, problem->chains[c].rw_to, l);
  return ok;
}

static bool insert_edges_of_sight(struct solver *solver, uint32_t w,
                                  literal l) {
  const struct open_writer *writer = &solver->problem->writers[w];
  const struct open_read *read = &solver->problem->reads[writer->read];
  return (writer->commit == NONE ||
          insert_edge(solver, writer->commit, read->event, l)) &&
         (writer->before == NONE ||
          insert_edge(solver, read->event, writer->before, l)) &&
         (!writer->bottom || insert_edges_at_bottom(solver, read, l));
}

static bool insert_edges_of_order(struct solver *solver, literal l) {
  const struct choice_problem *problem = solver->problem;
  uint32_t a, b;
  first_and_other(&solver->pairs[l >> 1], l, &a, &b);
  const struct chain *first = &problem->chains[a], *other = &problem->chains[b];
  bool ok = insert_edge(solver, first->ww_from, other->ww_to, l);
  for (uint32_t i = first->first_reader; ok && i < first->end_reader; i++)
    if (problem->readers[i] != other->rw_to)
      ok = insert_edge(solver, problem->readers[i], other->rw_to, l);
  return ok;
}

static bool insert_edges(struct solver *solver, literal l) {
  const struct choice_problem *problem = solver->problem;
  const struct pair *pair = &solver->pairs[l >> 1];
  if (pair->kind == PAIR_ORDER)
    return insert_edges_of_order(solver, l);
  if (l & 1)
    return true;
  if (pair->kind == PAIR_SEES)
    return insert_edges_of_sight(solver, pair->a, l);
  if (pair->kind == PAIR_NODES)
    return insert_edge(solver, pair->a, pair->b, l);
  return insert_edge(solver,
                     problem->reads[problem->writers[pair->a].read].event,
                     problem->chains[pair->b].rw_to, l);
}

// --- Open reads.

// The writer is the last of its chain, which comes before another: a read that
// saw it is before that one.  One of the two is assigned by `last`, which is
// the first one to be taken back.
static void imply_before(struct solver *solver, uint32_t writer, uint32_t chain,
                         literal last) {
  const struct open_writer *w = &solver->problem->writers[writer];
  const uint32_t known = solver->npairs;
  if (solver->problem->reads[w->read].own == chain)
    return;
  const literal before = variable_of(solver, PAIR_BEFORE, writer, chain) * 2;
  if (before >> 1 < known)
    return; // there is a clause
  const literal sees = solver_sees(writer);
  const literal comes = solver_literal(solver, w->chain, chain);
  const literal clause[] = {before, negation(last),
                            negation(last == sees ? comes : sees)};
  open_origin(solver);
  const uint32_t c = add_clause(solver, clause, 3);
  watch(solver, clause[0], c);
  watch(solver, clause[1], c);
  assign(solver, before, c);
}

static void imply_what_is_before(struct solver *solver, literal l) {
  const struct pair pair = solver->pairs[l >> 1];
  uint32_t first, other;
  first_and_other(&pair, l, &first, &other);
  if (pair.kind == PAIR_ORDER) {
    for (uint32_t i = 0; i < solver->seers[first].count; i++)
      imply_before(solver, solver->seers[first].items[i], other, l);
  } else if (pair.kind == PAIR_SEES && !(l & 1)) {
    const uint32_t chain = solver->problem->writers[pair.a].chain;
    for (uint32_t i = 0; chain != NONE && i < solver->behind[chain].count; i++)
      imply_before(solver, pair.a, solver->behind[chain].items[i], l);
  }
}

static uint32_t event_of_writer(const struct solver *solver, uint32_t w) {
  return solver->problem->reads[solver->problem->writers[w].read].event;
}

static void open_read(struct solver *solver, const struct open_read *read) {
  solver->nlearnt = 0;
  open_origin(solver);
  note_node(solver, read->event);
  for (uint32_t w = read->first; w < read->end; w++) {
    const literal sees = new_variable(solver, PAIR_SEES, w, 0) * 2;
    assert(sees == solver_sees(w));
    learn(solver, sees);
    if (solver->problem->writers[w].commit != NONE)
      note_node(solver, solver->problem->writers[w].commit);
  }
  const uint32_t clause = add_clause(solver, solver->learnt, solver->nlearnt);
  if (solver->nlearnt == 1) {
    assign(solver, solver->learnt[0], clause);
    return;
  }
  watch(solver, solver->learnt[0], clause);
  watch(solver, solver->learnt[1], clause);
}

void solver_open_reads(struct solver *solver) {
  for (uint32_t r = 0; r < solver->problem->nreads; r++) {
    open_read(solver, &solver->problem->reads[r]);
    assert(solver->learnt_origin == solver_origin_of_read(r));
  }
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
    if (!insert_edges(solver, l))
      return false;
    if (solver->problem->nreads)
      imply_what_is_before(solver, l);
    if (!propagate_clauses(solver, l))
      return false;
  }
  return true;
}

bool solver_imply(struct solver *solver,
                  const struct consequence *consequence) {
  const uint32_t before = consequence->before, after = consequence->after;
  uint32_t last = 0, level = 0;
  solver->nlearnt = 0;
  open_origin(solver);
  for (uint32_t i = 0; i < consequence->nnodes; i++)
    note_node(solver, consequence->nodes[i]);
  if (after != NONE)
    learn(solver, variable_of(solver, PAIR_NODES, before, after) * 2);
  for (uint32_t i = 0; i < consequence->nwriters; i++) {
    const uint32_t w = consequence->writers[i];
    const uint32_t its_level = solver->pairs[w].level;
    if (its_level >= level) {
      level = its_level;
      last = solver->nlearnt;
    }
    note_node(solver, event_of_writer(solver, w));
    learn(solver, negation(solver_sees(w)));
  }
  if (after == NONE || is_false(solver, solver->learnt[0]))
    return false;
  back_to(solver, level);
  const literal first = solver->learnt[0];
  if (solver->nlearnt > 1) {
    const literal swap = solver->learnt[1];
    solver->learnt[1] = solver->learnt[last];
    solver->learnt[last] = swap;
  }
  const uint32_t clause = add_clause(solver, solver->learnt, solver->nlearnt);
  if (solver->nlearnt > 1) {
    watch(solver, solver->learnt[0], clause);
    watch(solver, solver->learnt[1], clause);
  }
  assign(solver, first, clause);
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

// SPDX-License-Identifier: GPL-3.0-or-later
// Open reads as a part of the search (checker/solver/reads_from.h).
#include "config.h"

#include "checker/solver/reads_from.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

// --- Setting up.

static uint32_t event_of_read(const void *context, uint32_t read) {
  const struct choice_problem *problem = context;
  return problem->reads[read].event;
}

static void index_reads(struct solver *solver) {
  const struct choice_problem *problem = solver->problem;
  struct reads_from *s = &solver->reads_from;
  const uint32_t nchains = problem->key_first[problem->nkeys];
  const uint32_t nwriters = problem->reads[problem->nreads - 1].end;
  s->seen = ids_none(problem->nreads);
  s->seen_before = xmalloc(nwriters * sizeof *s->seen_before);
  s->lists_of = ids_none(nchains);
  s->reads_of_node = buckets_make(problem->graph->nnodes, problem->nreads,
                                  event_of_read, problem);
}

static void open_read(struct solver *solver, const struct open_read *read) {
  assert(read->first < read->end);
  solver->learnt.count = 0;
  solver_open_origin(solver);
  solver_note_node(solver, read->event);
  for (uint32_t w = read->first; w < read->end; w++) {
    const literal sees = solver_variable(solver, PAIR_SEES, w, 0) * 2;
    assert(sees == reads_from_literal(w));
    ids_add(&solver->learnt, sees);
    if (solver->problem->writers[w].commit != NONE)
      solver_note_node(solver, solver->problem->writers[w].commit);
  }
  const uint32_t clause = solver_add_learnt(solver);
  if (solver->learnt.count == 1)
    solver_assign(solver, solver->learnt.items[0], clause);
}

// A writer that was seen made its reads.
static void bind_writer(struct solver *solver, uint32_t w) {
  const struct choice_problem *problem = solver->problem;
  const struct open_writer *writer = &problem->writers[w];
  for (uint32_t r = writer->first_read; r < writer->end_read; r++) {
    solver->learnt.count = 0;
    solver_open_origin(solver);
    solver_note_node(solver, writer->commit);
    ids_add(&solver->learnt, negation(reads_from_literal(w)));
    ids_add(&solver->learnt,
            negation(reads_from_literal(problem->reads[r].end - 1)));
    solver_add_learnt(solver);
  }
}

// Both writers were seen, so that the edge holds.
static void bind_both(struct solver *solver, uint32_t i) {
  const struct edge_of_two *both = &solver->problem->both[i];
  solver->learnt.count = 0;
  solver_open_origin(solver);
  solver_note_node(solver, both->edge.from);
  solver_note_node(solver, both->edge.to);
  ids_add(&solver->learnt, negation(reads_from_literal(both->first)));
  ids_add(&solver->learnt, negation(reads_from_literal(both->other)));
  ids_add(&solver->learnt, solver_variable(solver, PAIR_BOTH, i, 0) * 2);
  solver_add_learnt(solver);
}

void reads_from_open(struct solver *solver) {
  index_reads(solver);
  for (uint32_t r = 0; r < solver->problem->nreads; r++) {
    open_read(solver, &solver->problem->reads[r]);
    assert(solver->learnt_origin == reads_from_origin(r));
  }
  for (uint32_t w = 0;
       w < solver->problem->reads[solver->problem->nreads - 1].end; w++)
    bind_writer(solver, w);
  for (uint32_t i = 0; i < solver->problem->nboth; i++)
    bind_both(solver, i);
}

void reads_from_close(struct solver *solver) {
  struct reads_from *s = &solver->reads_from;
  for (uint32_t i = 0; i < s->nlists; i++)
    FREE_EACH(s->lists[i].reads.items, s->lists[i].later.items);
  FREE_EACH(s->lists_of, s->lists, s->seen, s->seen_before);
  buckets_free(&s->reads_of_node);
}

// --- What is seen, and which chains come after which.

// The lists of a chain, which are made when they are needed: a large history
// has millions of chains, and open reads of a few.
static struct chain_lists *lists_of_chain(struct reads_from *s,
                                          uint32_t chain) {
  if (s->lists_of[chain] == NONE) {
    ARRAY_RESERVE(s->lists, s->nlists, s->lists_room);
    s->lists[s->nlists] = (struct chain_lists){.later = {0}};
    s->lists_of[chain] = s->nlists++;
  }
  return &s->lists[s->lists_of[chain]];
}

// Does the literal say that a writer was seen?
static bool says_reads_from(const struct solver *solver, literal l) {
  return solver->pairs[l >> 1].kind == PAIR_SEES && !(l & 1);
}

void reads_from_note(struct solver *solver, literal l) {
  struct reads_from *s = &solver->reads_from;
  const struct chain_pair *pair = &solver->pairs[l >> 1];
  uint32_t first, other;
  solver_order_of(solver, l, &first, &other);
  if (pair->kind == PAIR_ORDER)
    ids_add(&lists_of_chain(s, first)->later, other);
  if (!says_reads_from(solver, l))
    return;
  const struct open_writer *writer = &solver->problem->writers[pair->writer];
  s->seen_before[pair->writer] = s->seen[writer->read];
  s->seen[writer->read] = pair->writer;
  if (writer->chain != NONE) {
    ids_add(&lists_of_chain(s, writer->chain)->reads, pair->writer);
    enqueue(solver, writer->chain);
  }
}

void reads_from_forget(struct solver *solver, literal l) {
  struct reads_from *s = &solver->reads_from;
  const struct chain_pair *pair = &solver->pairs[l >> 1];
  uint32_t first, other;
  solver_order_of(solver, l, &first, &other);
  if (pair->kind == PAIR_ORDER)
    lists_of_chain(s, first)->later.count--;
  if (!says_reads_from(solver, l))
    return;
  const struct open_writer *writer = &solver->problem->writers[pair->writer];
  s->seen[writer->read] = s->seen_before[pair->writer];
  if (writer->chain != NONE) {
    lists_of_chain(s, writer->chain)->reads.count--;
    enqueue(solver, writer->chain);
  }
}

void reads_from_enqueue(struct solver *solver, uint32_t node) {
  const struct reads_from *s = &solver->reads_from;
  for (uint32_t i = s->reads_of_node.first[node];
       i < s->reads_of_node.first[node + 1]; i++) {
    const uint32_t writer = s->seen[s->reads_of_node.items[i]];
    if (writer != NONE && solver->problem->writers[writer].chain != NONE)
      enqueue(solver, solver->problem->writers[writer].chain);
  }
}

// --- What follows.

// A read is before all writers of its key but its own transaction.
static bool insert_edges_at_bottom(struct solver *solver,
                                   const struct open_read *read, literal l) {
  const struct choice_problem *problem = solver->problem;
  bool ok = true;
  for (uint32_t c = problem->key_first[read->key];
       ok && c < problem->key_first[read->key + 1]; c++)
    if (c != read->own)
      ok = solver_insert_edge(solver, read->event, problem->chains[c].rw_to, l);
  return ok;
}

static bool insert_edges_of_writer(struct solver *solver,
                                   const struct open_writer *writer,
                                   literal l) {
  const struct node_edge *edges = solver->problem->edges;
  bool ok = true;
  for (uint32_t i = writer->first_edge; ok && i < writer->end_edge; i++)
    ok = solver_insert_edge(solver, edges[i].from, edges[i].to, l);
  return ok;
}

bool reads_from_insert_edges(struct solver *solver, uint32_t w, literal l) {
  assert(w < solver->problem->reads[solver->problem->nreads - 1].end);
  const struct open_writer *writer = &solver->problem->writers[w];
  const struct open_read *read = &solver->problem->reads[writer->read];
  return (writer->commit == NONE ||
          solver_insert_edge(solver, writer->commit, read->event, l)) &&
         (writer->before == NONE ||
          solver_insert_edge(solver, read->event, writer->before, l)) &&
         (!writer->bottom || insert_edges_at_bottom(solver, read, l)) &&
         insert_edges_of_writer(solver, writer, l);
}

// The writer is the last of its chain, which comes before another: a read that
// saw it is before that one.  One of the two is assigned by `last`, which is
// the first one to be taken back.
static void imply_before(struct solver *solver, uint32_t writer, uint32_t chain,
                         literal last) {
  const struct open_writer *w = &solver->problem->writers[writer];
  const uint32_t known = solver->npairs;
  if (solver->problem->reads[w->read].own == chain)
    return;
  const literal before =
      solver_variable(solver, PAIR_BEFORE, writer, chain) * 2;
  if (before >> 1 < known)
    return; // there is a clause
  const literal sees = reads_from_literal(writer);
  const literal comes = solver_literal(solver, w->chain, chain);
  solver->learnt.count = 0;
  solver_open_origin(solver);
  ids_add(&solver->learnt, before);
  ids_add(&solver->learnt, negation(last));
  ids_add(&solver->learnt, negation(last == sees ? comes : sees));
  solver_assign(solver, before, solver_add_learnt(solver));
}

void reads_from_imply(struct solver *solver, literal l) {
  struct reads_from *s = &solver->reads_from;
  const struct chain_pair pair = solver->pairs[l >> 1];
  uint32_t first, other;
  solver_order_of(solver, l, &first, &other);
  if (pair.kind == PAIR_ORDER) {
    for (uint32_t i = 0; i < lists_of_chain(s, first)->reads.count; i++)
      imply_before(solver, lists_of_chain(s, first)->reads.items[i], other, l);
  } else if (says_reads_from(solver, l)) {
    const uint32_t chain = solver->problem->writers[pair.writer].chain;
    for (uint32_t i = 0;
         chain != NONE && i < lists_of_chain(s, chain)->later.count; i++)
      imply_before(solver, pair.writer,
                   lists_of_chain(s, chain)->later.items[i], l);
  }
}

// --- Choosing.

// The chain of the key at this place of the line or, if that is the reader's
// own, the next one; NONE: there is none.
static uint32_t chain_at(const struct solver *solver,
                         const struct open_read *read, uint32_t place) {
  const uint32_t end = solver->problem->key_first[read->key + 1];
  if (place < end && solver->lineup[place] == read->own)
    place++;
  return place < end ? solver->lineup[place] : NONE;
}

// The node of the first writer that overwrote the writer's version, as the
// order of events has it; NONE: there is none.
static uint32_t overwriter_of(const struct solver *solver,
                              const struct open_writer *writer) {
  const struct choice_problem *problem = solver->problem;
  const struct open_read *read = &problem->reads[writer->read];
  uint32_t next = NONE;
  if (writer->chain != NONE)
    next = chain_at(solver, read, solver->place_of[writer->chain] + 1);
  else if (writer->bottom)
    next = chain_at(solver, read, problem->key_first[read->key]);
  else
    return writer->before;
  return next == NONE ? NONE : problem->chains[next].rw_to;
}

// How far the order is from the edges of a writer.
static uint32_t distance_of_edges(const struct solver *solver,
                                  const struct open_writer *writer) {
  const uint32_t *position = solver->order.position;
  uint32_t far = 0;
  for (uint32_t i = writer->first_edge; i < writer->end_edge; i++) {
    const struct node_edge *edge = &solver->problem->edges[i];
    const uint32_t from = position[edge->from], to = position[edge->to];
    if (from > to && from - to > far)
      far = from - to;
  }
  return far;
}

// How far the order of events is from the read seeing that writer.
static uint32_t distance_of_writer(const struct solver *solver, uint32_t w) {
  const struct open_writer *writer = &solver->problem->writers[w];
  const uint32_t *position = solver->order.position;
  const uint32_t at = position[solver->problem->reads[writer->read].event];
  if (writer->commit != NONE && position[writer->commit] > at)
    return position[writer->commit] - at;
  if (writer->first_edge < writer->end_edge)
    return distance_of_edges(solver, writer);
  const uint32_t over = overwriter_of(solver, writer);
  return over == NONE || position[over] > at ? 0 : at - position[over] + 1;
}

// The writer that the read sees, as the order of events has it, or is nearest
// to seeing, of those that are possible; NONE if none is.
static uint32_t nearest_writer(const struct solver *solver, uint32_t r,
                               uint32_t *distance) {
  const struct open_read *read = &solver->problem->reads[r];
  uint32_t nearest = NONE;
  *distance = NONE;
  for (uint32_t w = read->first; w < read->end && *distance; w++) {
    if (is_false(solver, reads_from_literal(w)))
      continue;
    const uint32_t far = distance_of_writer(solver, w);
    if (far < *distance) {
      *distance = far;
      nearest = w;
    }
  }
  return nearest;
}

bool reads_from_choose(struct solver *solver) {
  const uint32_t n = solver->problem->nreads;
  uint32_t *next = &solver->reads_from.next_read;
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t r = *next;
    uint32_t distance;
    *next = r + 1 < n ? r + 1 : 0;
    if (solver->reads_from.seen[r] != NONE)
      continue;
    solver->order.work +=
        solver->problem->reads[r].end - solver->problem->reads[r].first;
    const uint32_t w = nearest_writer(solver, r, &distance);
    assert(w != NONE);
    if (!distance && solver->problem->writers[w].end_read == 0 &&
        !solver->problem->reads[r].decides)
      continue;
    solver_decide(solver, reads_from_literal(w));
    return true;
  }
  return false;
}

uint32_t *reads_from_seen(const struct solver *solver) {
  const uint32_t n = solver->problem->nreads;
  const uint32_t *decided = solver->reads_from.seen;
  uint32_t distance, *seen = xmalloc(n * sizeof *seen);
  for (uint32_t r = 0; r < n; r++)
    seen[r] =
        decided[r] != NONE ? decided[r] : nearest_writer(solver, r, &distance);
  return seen;
}

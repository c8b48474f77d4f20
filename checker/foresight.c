// SPDX-License-Identifier: GPL-3.0-or-later
// The choice of what a read saw by the order of events (checker/foresight.h).
#include "config.h"

#include "checker/foresight.h"

#include "checker/sights.h"

#include <assert.h>
#include <stdlib.h>

enum {
  WINDOW = 1 << 12, // places in the order to look for other readers in
  READERS_MAX = 64, // that are tried
  PATIENCE = 8,     // conflicts until another way is tried, at first
  LOOK_EFFORT = 8,  // nodes that a look at the demands of a writer is worth
};

static bool is_open(const struct solver *solver, uint32_t read) {
  return solver->sights.seen[read] == NONE;
}

// --- A read.

// Those on the read seeing that writer that the order does not meet, if the
// reader is at the next place.
static uint32_t count_unmet(struct solver *solver, uint32_t w) {
  const struct choice_problem *problem = solver->problem;
  const struct sights *s = &solver->sights;
  const uint32_t *position = solver->order.position;
  const uint32_t commit = problem->writers[w].commit;
  const struct sight_demand *demands;
  const uint32_t n = problem->demands(problem->demanding, w, s->seen, &demands);
  uint32_t unmet = commit != NONE && position[commit] >= s->next_place;
  for (uint32_t i = 0; i < n; i++)
    unmet += demands[i].after == NONE ||
             position[demands[i].before] > position[demands[i].after];
  solver->order.work += LOOK_EFFORT;
  return unmet;
}

static bool can_be_met(struct solver *solver, uint32_t r) {
  const struct open_read *read = &solver->problem->reads[r];
  bool met = false;
  for (uint32_t w = read->first; w < read->end && !met; w++)
    met = !is_false(solver, sights_literal(w)) && !count_unmet(solver, w);
  return met;
}

// Can the other open reads of the reader be met if this one saw that writer?
static bool leaves_room(struct solver *solver, uint32_t w) {
  struct sights *s = &solver->sights;
  const uint32_t r = solver->problem->writers[w].read;
  const uint32_t event = solver->problem->reads[r].event;
  bool room = true;
  s->seen[r] = w;
  for (uint32_t i = s->reads_of_node_first[event];
       i < s->reads_of_node_first[event + 1] && room; i++)
    room = !is_open(solver, s->reads_of_node[i]) ||
           can_be_met(solver, s->reads_of_node[i]);
  s->seen[r] = NONE;
  return room;
}

static int by_likelihood(const void *a, const void *b) {
  const struct candidate *x = a, *y = b;
  if (x->unmet != y->unmet)
    return (x->unmet > y->unmet) - (x->unmet < y->unmet);
  return (x->far > y->far) - (x->far < y->far);
}

// The likely ones first: the later ones of those before the reader.
static uint32_t list_candidates(struct solver *solver, uint32_t r) {
  const struct choice_problem *problem = solver->problem;
  const struct open_read *read = &problem->reads[r];
  const uint32_t *position = solver->order.position;
  const uint32_t at = position[read->event];
  struct candidate *candidates = solver->sights.candidates;
  uint32_t n = 0;
  for (uint32_t w = read->first; w < read->end; w++) {
    if (is_false(solver, sights_literal(w)))
      continue;
    const uint32_t commit = problem->writers[w].commit;
    const uint32_t place = commit == NONE ? 0 : position[commit];
    candidates[n++] =
        (struct candidate){.writer = w,
                           .unmet = count_unmet(solver, w),
                           .far = place > at ? place - at : at - place};
  }
  qsort(candidates, n, sizeof *candidates, by_likelihood);
  return n;
}

// The best writer for the read, and whether none, one or several are good.
static uint32_t best_writer(struct solver *solver, uint32_t r, uint32_t *good) {
  const struct candidate *candidates = solver->sights.candidates;
  const uint32_t n = list_candidates(solver, r);
  assert(n > 0);
  uint32_t best = candidates[0].writer;
  *good = 0;
  for (uint32_t i = 0; i < n && *good < 2 && !candidates[i].unmet; i++)
    if (leaves_room(solver, candidates[i].writer) && ++*good == 1)
      best = candidates[i].writer;
  return best;
}

// --- A reader.

// The best writer for that of its open reads that has the fewest good ones;
// NONE: no read is open.
static uint32_t best_of_reader(struct solver *solver, uint32_t event,
                               uint32_t *fewest) {
  const struct sights *s = &solver->sights;
  uint32_t best = NONE;
  *fewest = NONE;
  for (uint32_t i = s->reads_of_node_first[event];
       i < s->reads_of_node_first[event + 1] && *fewest; i++) {
    uint32_t good;
    if (!is_open(solver, s->reads_of_node[i]))
      continue;
    const uint32_t w = best_writer(solver, s->reads_of_node[i], &good);
    if (good < *fewest) {
      *fewest = good;
      best = w;
    }
  }
  return best;
}

// Gives the next place to another event that may have it and finds what it
// read; false: there is none.
static bool bring_forward(struct solver *solver) {
  struct toporder *order = &solver->order;
  const uint32_t place = solver->sights.next_place;
  const uint32_t n = order->graph->nnodes;
  const uint32_t end = n - place < WINDOW ? n : place + WINDOW;
  uint32_t tried = 0;
  for (uint32_t p = place + 1; p < end && tried < READERS_MAX; p++) {
    const uint32_t node = order->node_at[p];
    uint32_t fewest;
    if (!toporder_may_advance(order, node, place))
      continue;
    tried++;
    best_of_reader(solver, node, &fewest);
    if (fewest) {
      toporder_advance(order, node, place);
      return true;
    }
  }
  return false;
}

static bool choose_in_order(struct solver *solver) {
  struct sights *s = &solver->sights;
  while (s->next_place < solver->problem->graph->nnodes) {
    uint32_t fewest;
    const uint32_t event = solver->order.node_at[s->next_place];
    const uint32_t best = best_of_reader(solver, event, &fewest);
    if (best == NONE) {
      s->next_place++;
    } else if (fewest || !bring_forward(solver)) {
      solver_decide(solver, sights_literal(best));
      return true;
    }
  }
  return false;
}

// One read after the other, each by itself: sooner done where there is room.
static bool choose_in_turn(struct solver *solver) {
  const struct choice_problem *problem = solver->problem;
  struct sights *s = &solver->sights;
  for (uint32_t i = 0; i < problem->nreads; i++) {
    const uint32_t r = s->next_read;
    s->next_read = r + 1 < problem->nreads ? r + 1 : 0;
    if (!is_open(solver, r))
      continue;
    s->next_place = solver->order.position[problem->reads[r].event];
    list_candidates(solver, r);
    solver_decide(solver, sights_literal(s->candidates[0].writer));
    return true;
  }
  return false;
}

// Neither way of choosing is the better one for all histories: what leads to
// ever new conflicts is given up for the other, with all that was learnt.
static void change_ways(struct solver *solver) {
  struct sights *s = &solver->sights;
  s->patience *= 2;
  s->conflicts_max = solver->conflicts + s->patience;
  s->in_turn = !s->in_turn;
  s->next_place = 0;
  solver_restart(solver);
}

void foresight_open(struct solver *solver) {
  const struct choice_problem *problem = solver->problem;
  struct sights *s = &solver->sights;
  uint32_t most = 0;
  for (uint32_t r = 0; r < problem->nreads; r++) {
    const struct open_read *read = &problem->reads[r];
    most = read->end - read->first > most ? read->end - read->first : most;
  }
  s->candidates = xmalloc(most * sizeof *s->candidates);
  s->patience = PATIENCE;
  // What follows only once all are chosen is sooner met in turn.
  s->in_turn = problem->consequence;
  s->conflicts_max = s->in_turn ? UINT64_MAX : PATIENCE;
}

bool foresight_choose(struct solver *solver) {
  if (!solver->problem->nreads)
    return false;
  if (solver->conflicts >= solver->sights.conflicts_max)
    change_ways(solver);
  return solver->sights.in_turn ? choose_in_turn(solver)
                                : choose_in_order(solver);
}
